"""The bot `llm` against a server that speaks the protocol of chat completions and misbehaves by script."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
from base64 import b64decode
from pathlib import Path

import pytest
from tourney_bots.llm import OLLAMA, Llm, LlmOptions

from tests.cli.runs import journal, one_line, wait_for
from tests.conftest import ROOT, TOURNEY, apart, tournament_text
from tests.helpers import SHORT, bot
from tests.hosts import chat
from tests.hosts.play import against_good, opened
from tourney import game_names, load, load_game
from tourney.base.errors import ServiceError
from tourney.contracts.match import GameSetup, Match
from tourney.hosts.base import BotSpec
from tourney.hosts.notes import NoteTaker
from tourney.table.table import play

KUHN = "open_spiel:kuhn_poker"
LEON = '[[game]]\nname = "leon"\nseats = 2\noptions = { max_cards = 1 }\n[limits]\ncall_s = 1'


def write(file: Path, options: str, deals: int = 1) -> None:
    entered = f'[[bot]]\nname = "model"\nuse = "llm"\noptions = {{ {options} }}'
    file.write_text(tournament_text(file.stem, bots='["random"]', game=LEON, extra=entered, deals=str(deals)))


@pytest.mark.slow
@pytest.mark.parametrize(("deals", "kills"), [(10, 3), (250, 20)])
def test_trouble_and_kills_charge_nobody_and_leave_the_same_journal(tmp_path, tourney, deals, kills):
    chance = random.Random(kills)
    with chat.serving({"m": chat.drawn}) as calm, chat.serving({"m": chat.drawn}, chat.TROUBLE) as wild:
        for server, name in ((calm, "calm"), (wild, "wild")):
            write(tmp_path / f"{name}.toml", f'base_url = "{server.url}", model = "m"', deals)
        assert tourney("run", "calm.toml", "--out", "calm").returncode == 0
        for kill in range(kills + 1):
            resume = ["--resume"] if (tmp_path / "wild").exists() else []
            command = [TOURNEY, "run", "wild.toml", "--out", "wild", "--quiet", *resume]
            process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
            if kill < kills:
                most = wild.done.total() + chance.randrange(calm.done.total() // kills)
                wait_for(lambda: wild.done.total() > most or process.poll() is not None)  # noqa: B023
                os.killpg(process.pid, signal.SIGKILL)
            assert process.wait() == (-signal.SIGKILL if kill < kills else 0)
    assert journal(tmp_path / "wild") == journal(tmp_path / "calm")
    assert not [record for record in load(tmp_path / "wild").records() if record.faults]
    assert deals < 250 or set(wild.done) == set(chat.TROUBLE)


def asked(model: chat.Model, game: str = KUHN, trouble: str = "", retries: int = 2, **keys):
    seats, notes = load_game(game).seats[0], NoteTaker()
    with chat.serving({"m": model}, (trouble,)) as server:
        options = LlmOptions(server.url, "m", price_in=1.0, price_out=2.0, retries=retries, **keys)
        setup = GameSetup(game, seats, SHORT.get(game, {}))
        match = Match("match", setup, 0, 2, (*["random"] * (seats - 1), "model"))
        record = play(match, load_game(game), [*[bot("random")] * (seats - 1), lambda: Llm(options)], notes=notes)
    return record, [note for *_, note in notes.notes], server


@pytest.mark.parametrize("game", [*game_names(), KUHN, "open_spiel:connect_four"])
def test_it_plays_every_game_by_rules_and_wording_alone(game):
    record, notes, server = asked(chat.drawn, game)
    assert record.faults == ()
    assert len(notes) == server.done.total() > 0
    for note in notes:
        assert (note["thought"], note["attempts"], note["model"]) == ("Thus thinks m.", 1, "m-1")
        assert note["cost"] == pytest.approx((note["tokens_in"] + 2 * note["tokens_out"]) / 1e6)


@pytest.mark.parametrize("dialect", [*chat.DIALECTS, *chat.SENT])
def test_a_dialect_is_read_at_the_first_attempt(dialect):
    record, notes, server = asked(chat.drawn, trouble=dialect)
    assert record == asked(chat.drawn)[0]
    assert server.done.total() == len(notes) > 0
    assert {note["attempts"] for note in notes} == {1}


@pytest.mark.parametrize("way", chat.REFUSED)
def test_what_no_such_service_answers_ends_the_run_at_once_and_nothing_is_asked_elsewhere(way, tmp_path):
    with chat.serving({"m": chat.first}, (way,)) as server:
        spec = BotSpec("m", "llm", {"base_url": server.url, "model": "m"}, folder=tmp_path)
        said = f"bot m: {re.escape(server.url)}/chat/completions "
        with opened(spec, None, call_s=0.5) as host, pytest.raises(ServiceError, match=said):
            against_good(host)
        assert server.done == {way: 1}


@pytest.mark.parametrize("form", ["**{0}**", "{0}. {1}", "Answer: `{1}`", "**Action:** {1}.", '"{2}"', "a1"])
def test_the_last_line_is_a_number_or_an_action_however_it_is_dressed_up(form):
    record, notes, _ = asked(lambda _, legal: form.format(len(legal), legal[-1], legal[-1].upper()))
    assert record == asked(lambda _, legal: str(len(legal)))[0]
    assert {note["attempts"] for note in notes} == {1}


@pytest.mark.parametrize(("trouble", "charged", "told"), [
    *[(trouble, "Empty", "empty") for trouble in ("empty", "no form", "no form either")],
    ("truncated", "Truncated", "cut off"), ("illegal", "Unreadable", "99"),
])  # fmt: skip
def test_an_answer_without_a_legal_action_is_asked_for_again_and_then_charged(trouble, charged, told):
    record, notes, _ = asked(chat.first, trouble=trouble, retries=0)
    assert [fault.what for fault in record.faults] == [f"answered with the type {charged}"]
    assert len(notes) == 1
    record, notes, server = asked(chat.first, trouble=trouble)
    assert not record.faults
    assert {note["attempts"] for note in notes} == {2}
    assert any(told in str(message).rpartition("Your last answer")[2] for message in server.asked)
    (fault,) = asked(lambda *_: "swap:1t", "vole")[0].faults
    assert (fault.kind, fault.answer) == ("illegal", "swap:1t")


def test_what_the_user_has_to_correct_ends_the_run_in_one_line_without_the_key(tmp_path, tourney):
    with chat.serving({}) as server:
        write(tmp_path / "wrong.toml", f'base_url = "{server.url}", model = "n", key_env = "SOME_KEY"')
        one_line(tourney("run", "wrong.toml"), 2, "bot model: the environment variable SOME_KEY is not set")
        ended = tourney("run", "wrong.toml", SOME_KEY="sk-hidden")
    one_line(
        ended, 4, f"bot model: {server.url}/chat/completions answered 404 Not Found: no model n for Bearer (secret)"
    )
    assert ended.stderr.endswith("and `model`; continue with: tourney run wrong.toml --resume\n")
    assert "hidden" not in ended.stdout + ended.stderr
    assert not journal(tmp_path / "results" / "wrong")


@pytest.mark.parametrize(("url", "variable", "value"), [
    ("http://model.example/v1", "ALL_PROXY", "socks5://127.0.0.1:1080"),
    ("http://model.example/v1", "http_proxy", "127.0.0.1:nothing"),
    ("https://127.0.0.1/v1", "SSL_CERT_FILE", "nothing.pem"), ("https://127.0.0.1/v1", "SSL_CERT_FILE", "wrong.toml"),
])  # fmt: skip
def test_what_fails_before_anything_is_asked_names_the_variable(url, variable, value, tmp_path, tourney):
    write(tmp_path / "wrong.toml", f'base_url = "{url}"')
    one_line(tourney("run", "wrong.toml", **{variable: value}), 4, "bot model: ", variable)


def test_a_service_on_this_machine_is_asked_directly_and_no_key_leaves(tmp_path, tourney):
    dead = dict.fromkeys(["HTTP_PROXY", "http_proxy", "ALL_PROXY"], "http://127.0.0.1:9")
    with chat.serving({"m": chat.drawn}, ("an echo of the key", "an escaped echo")) as server:
        write(tmp_path / "here.toml", f'base_url = "{server.url}", model = "m", key_env = "SOME_KEY"')
        done = tourney("run", "here.toml", SOME_KEY="sk-hidden", **dead)
    assert done.returncode == 0, done.stderr
    kept = [path.read_text(encoding="utf-8") for path in (tmp_path / "results").rglob("*") if path.is_file()]
    assert any(["Bearer (secret)" in text for text in kept])
    assert not [text for text in [*kept, done.stdout, done.stderr] if "sk-hidden" in text]


def prompts(server):
    return [chat.prompt_of(message) for message in server.asked]


def lists(server):
    return [prompt.partition("Your legal actions:\n\n")[2].partition("\n\n")[0] for prompt in prompts(server)]


def test_actions_are_listed_shuffled_or_only_described():
    record, notes, server = asked(lambda *_: "bet", listed=False)
    assert not record.faults
    assert {note["attempts"] for note in notes} == {1}
    assert not [prompt for prompt in prompts(server) if "legal actions" in prompt or "1." in prompt]
    assert asked(lambda *_: "1", listed=False, retries=0)[0].faults
    shuffled, again = [asked(chat.first, "bang", shuffled=True) for _ in range(2)]
    assert shuffled[0] == again[0] != asked(chat.first, "bang")[0]
    assert {each for each in lists(shuffled[2]) if "hold" in each} > {"1. bang\n2. hold"}


def test_the_history_in_a_prompt_is_whole_short_or_left_out():
    lengths = [sum(map(len, prompts(asked(chat.first, "voleur", history=each)[2]))) for each in ("all", 2, "summary")]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 3


def test_answers_in_json_are_asked_for_and_read():
    record, notes, server = asked(lambda _, legal: json.dumps({"thought": "Hm.", "action": str(len(legal))}), json=True)
    assert record == asked(lambda _, legal: str(len(legal)))[0]
    assert {note["read"] for note in notes} == {"json"}
    assert {message["response_format"]["type"] for message in server.asked} == {"json_schema"}


def test_a_prompt_is_a_file_next_to_the_tournament_file(tmp_path, tourney):
    (tmp_path / "sub").mkdir()
    file, prompt = tmp_path / "sub" / "own.toml", tmp_path / "sub" / "own.txt"
    with chat.serving({"m": chat.first}) as server:
        write(file, f'base_url = "{server.url}", model = "m", prompt = "own.txt"')
        one_line(tourney("run", file), 2, "prompt: own.txt: No such file", "relative to the tournament file")
        prompt.write_text("$rule $view", encoding="utf-8")
        one_line(tourney("run", file), 2, "prompt: own.txt: unknown field $rule; known: $rules")
        prompt.write_text("$rules\n---\nYour legal actions:\n\n$actions\n\nIt costs $$5. $how", encoding="utf-8")
        assert tourney("run", file, "--out", "own").returncode == 0
        prompt.write_text(f"{prompt.read_text()} ", encoding="utf-8")
        one_line(tourney("run", file, "--out", "own", "--resume"), 2, "bots")
    assert not load(tmp_path / "own").records().__next__().faults
    assert {len(message["messages"]) for message in server.asked} == {1}
    assert "It costs $5. End with" in prompts(server)[0]


def test_a_changed_model_and_unknown_costs_are_reported_and_a_pinned_model_ends_the_run(tmp_path, tourney):
    troubles, ended = ("", "another model", "negative usage"), {}
    for name, more in ("free", ""), ("pinned", ", pin_model = true"):
        with chat.serving({"m": chat.drawn}, troubles) as server:
            write(tmp_path / f"{name}.toml", f'base_url = "{server.url}", model = "m", price_in = 1.0{more}', 3)
            ended[name] = tourney("run", f"{name}.toml")
    models = r"(?m)^model: 2 models answered: m-1 \(\d+ decisions\), m-2 \(\d+, from (\S+) on\)$"
    (match,) = re.findall(models, ended["free"].stdout)
    assert re.search(r"(?m)^model: no usable token counts for \d+ decisions", ended["free"].stdout)
    one_line(ended["pinned"], 4, f"bot model: the model m-1 changed to m-2 in {match}", "pin_model", "--resume")
    assert match.encode() not in journal(tmp_path / "results" / "pinned")


@pytest.mark.slow
def test_the_session_on_the_page_leads_to_the_thought_behind_a_losing_decision(tmp_path):
    page, shown = (ROOT / "docs" / "llm-bots.md").read_text(encoding="utf-8"), {}
    models = {"qwen3:8b": chat.steady, "llama3.2:3b": chat.drawn, "gemma3:4b": chat.first, "mini": chat.as_told}
    (bare,), (config,) = (
        re.findall(r"```\n(\$view.*?)```", page, re.DOTALL),
        re.findall(r'(?s)(name = "prompts".*?)```', page),
    )
    hint = " ".join(re.search(r"`(Bang\s.*?)`", page, re.DOTALL)[1].split())
    for file, text in ("bare", bare), ("plain", f"$rules\n\n{bare}"), ("hint", f"$rules\n\n{hint}\n\n{bare}"):
        (tmp_path / f"{file}.txt").write_text(text, encoding="utf-8")
    with chat.serving(models, ("", "another model")) as server:
        (tmp_path / "prompts.toml").write_text(config.replace(OLLAMA, server.url), encoding="utf-8")
        for command in re.findall(r"(?m)^tourney (.*)", page):
            words, _, file = command.partition(" > ")
            done = apart(tmp_path, *words.split(), typed="c\n")
            assert done.returncode == 0, done.stderr
            shown[command] = done.stdout
            if file:
                (tmp_path / file).write_text(done.stdout.replace(OLLAMA, server.url))
        told = "\n".join(prompts(server))
    rows = {row.bot: row for row in load(tmp_path / "results" / "llm").standings().rows}
    assert rows["qwen"].rating > max(rows["llama"].rating, rows["gemma"].rating)
    assert all(row.rating_low < row.rating < row.rating_high for row in rows.values())
    for prompt in re.findall(r"```text\n(.*?)\n```", page, re.DOTALL):
        assert prompt in told
    for table in re.findall(r"(?m)^(?:prompt  |mini ).*", page):
        assert table in shown["standings prompts --show sweeps"] + shown["standings prompts --show notes"]
    for command, text in shown.items():
        is_shown = "Thus thinks gemma3:4b." in " ".join(text.split())
        assert is_shown == ("--decisions-of" in command or "debug" in command), command
    for name in ("defeat.html", "results/llm/report.html"):
        packed = re.findall(r'class="match-data"[^>]*>([^<]*)<', (tmp_path / name).read_text(encoding="utf-8"))
        assert any([b"Thus thinks gemma3:4b." in gzip.decompress(b64decode(each)) for each in packed])
    assert "gemma: 2 models answered: " in (tmp_path / "results" / "llm" / "report.html").read_text(encoding="utf-8")
