"""`tourney play`: a person at the table, on a terminal and in a pipe, and the run that the match becomes."""

import re
import shlex

import orjson
import pytest

from tests.cli.runs import Terminal, one_line, plain, without_versions
from tests.conftest import apart, called, mostly_slow, with_code
from tests.helpers import SHORT
from tourney.cli.render.transcript import card_painter
from tourney.plugins.registry import game_names, load_game

ASKED = "or ? h q: "  # the end of what the person is asked


def options(game):
    return [word for key, value in SHORT[game].items() for word in ("--option", f"{key}={value}")]


def piped(folder, text, *arguments):
    return apart(folder, "play", *arguments, typed=text)


def record_of(run):
    return orjson.loads((run / "journal.jsonl").read_bytes())


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole"))
def test_a_person_plays_a_match_on_a_terminal_to_its_end(game, tmp_path):
    terminal = Terminal(tmp_path, "play", game, "--seed", 5, *options(game), lines=24, NO_COLOR="1")
    shown, typed = "", []
    while True:
        shown += (part := terminal.until(("\r\nend: ", ASKED)))
        if "\r\nend: " in part:
            break
        number, most = re.findall(r"decision (\d+), 1-(\d+) or", plain(part))[-1]
        typed.append((int(number), answer := 1 + len(typed) % int(most)))
        terminal.type(f"{answer}\n")
    rest, code = terminal.end()
    assert code == 0
    text = plain(shown + rest)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"\x1b\[[\d;]*m", shown), "NO_COLOR is heeded"
    record = record_of(tmp_path / "results" / f"play-{game}-1")
    actions = record["actions"].split(" ")
    assert called(["verify", f"play-{game}-1"], tmp_path).stdout == "1 of 1 records verified\n"
    decisions = called(["replay", f"play-{game}-1", record["match"], "--json", "--seat", "0"], tmp_path).stdout
    mine = [each for line in decisions.splitlines() if len((each := orjson.loads(line))["legal"]) > 1]
    assert [each["decision"] for each in mine] == [number for number, _ in typed]
    for each, (number, answer) in zip(mine, typed, strict=True):
        assert actions[number - 1] == each["legal"][answer - 1]
    told = called(["replay", f"play-{game}-1", record["match"], "--seat", "0"], tmp_path).stdout
    signs = card_painter(load_game(game), colours=False) or str
    for line in re.findall(r"(?m)^ *\d+  [1-9] .*$", told):
        assert signs(line) in text, "what the others did is told as replay tells it to the seat"


def test_in_a_pipe_each_line_is_an_action_and_nothing_is_asked(tmp_path):
    (tmp_path / "results" / "play-vole-1").mkdir(parents=True)  # which may be anything, and is left alone
    how = ("vole", "--seed", "7", *options("vole"), "--seat", "1", "--against", "first")
    assert max(map(len, with_code(piped(tmp_path, "1\n" * 500, *how)).stdout.splitlines())) <= 80
    record = record_of(tmp_path / "results" / "play-vole-2")
    assert record["seats"] == ["first", "you"]
    mine = called(["replay", "play-vole-2", record["match"], "--json", "--seat", "1"], tmp_path).stdout
    chosen = [each["action"] for line in mine.splitlines() if len((each := orjson.loads(line))["legal"]) > 1]
    again = piped(tmp_path, "\n".join(chosen), *how)
    assert again.returncode == 0, "the texts of the actions do the same as their numbers"
    journals = [(tmp_path / "results" / f"play-vole-{number}" / "journal.jsonl").read_bytes() for number in (2, 3)]
    assert journals[0] == journals[1]
    assert list((tmp_path / "results" / "play-vole-1").iterdir()) == []


def test_the_match_is_a_run_like_any_other(tmp_path):
    assert piped(tmp_path, "1\n" * 500, "vole", "--seed", "7", *options("vole")).returncode == 0
    match = "vole-00000-0"
    standings = called(["standings", "play-vole-1"], tmp_path)
    assert (standings.returncode, standings.stderr) == (0, "")
    assert re.search(r"(?m)^1 +you ", standings.stdout)
    assert called(["export", "play-vole-1", match, "-o", "match.json"], tmp_path).returncode == 0
    assert called(["replay", "match.json", "--seat", "0"], tmp_path).returncode == 0
    analysed = with_code(called(["analyse", "play-vole-1", "--bot", "you", "--playouts", "4"], tmp_path))
    assert "you, played out by steady: a person decided for it" in analysed.stdout + analysed.stderr
    suggested = re.findall(r"tourney (debug .*)", analysed.stdout)
    assert suggested
    for line in suggested[:2]:
        assert " --try " in line
        assert called(shlex.split(line), tmp_path).returncode == 0
    other = called(["debug", "play-vole-1", match, "3", "--bot", "first"], tmp_path)
    assert "not asked again: a human" in called(["verify", "play-vole-1", "--bots"], tmp_path).stdout
    assert "you, a person: as recorded while the seat sees the same" in other.stdout
    (tmp_path / "results" / "play-vole-1" / "tournament.toml").rename(tmp_path / "again.toml")
    for command, says in {
        f"debug play-vole-1 {match} 1": "bot you: a person decided for it, and cannot be asked again",
        "standings play-vole-1 --show times": "no times, because a human played",
        "run again.toml --out x": 'bot you: host = "person" is only for `tourney play`',
    }.items():
        one_line(called(command.split(), tmp_path), 2, says)


def test_what_is_no_action_is_said_in_a_line_and_asked_again(tmp_path):
    lines = ["99", "0", "play:zz", "play:1t", "", "play", "swap:\x1b[31m", "\x00", "²", "6♜\ufe0e"]
    done = with_code(piped(tmp_path, "\n".join([*lines, "q"]), "vole", "--seed", "8"))
    said = done.stderr.splitlines()
    shown = ["99", "0", "play:zz", "play:1t", "", "play", "swap:\\x1b[31m", "\\x00", "²"]
    assert [line.partition(": ")[0] for line in said[:9]] == shown
    assert "illegal now" in said[3]
    assert "ambiguous: play 2t, play 4t, play 6t" in said[5]
    assert len(said) == 10
    assert "stopped at decision 4" in said[9]
    assert "    3  you play 6t       of 3\n" in done.stdout


@pytest.mark.parametrize(("game", "seed"), [("bang", "7"), ("cold-blooded", "11"), ("leon", "7"), ("vole", "7")])
def test_a_match_with_open_hands_and_a_hint_is_told_whole(golden, game, seed, tmp_path):
    done = piped(tmp_path, "h\n" + "1\n" * 500, game, "--open", "--seed", seed, *options(game))
    golden(f"play-{game}.txt", without_versions(done.stdout + done.stderr))


def test_ctrl_c_at_the_table_is_answered_in_a_line_of_its_own(tmp_path):
    terminal = Terminal(tmp_path, "play", "vole")
    terminal.until(ASKED)
    assert "\ntourney: interrupted" in terminal.interrupt("interrupted")
    assert terminal.end()[1] == 130


def test_help_hint_and_completion_on_a_terminal(tmp_path):
    terminal = Terminal(tmp_path, "play", "vole", "--seed", "3", TERM="dumb")
    terminal.until(ASKED)
    terminal.type("h\n")
    hint = plain(terminal.until(ASKED))
    assert re.search(r"seer would play \w+\.", hint)
    terminal.type("h\n")
    assert plain(terminal.until(ASKED)) == hint, "asked again, seer says the same"
    terminal.type("?\n")
    assert "The Vole in the Valley" in plain(terminal.until(ASKED))
    terminal.type("play:10\t\n")
    assert "trick 1: 4t 10t, taken by you" in plain(terminal.until(ASKED)), "Tab has completed play:10t"
    terminal.type("q\n")
    shown, code = terminal.end()
    assert code == 0
    assert "stopped at decision 3" in plain(shown)
    assert not list(tmp_path.glob("results/*"))
