"""Tournaments, matches and gates from Python, with the same bytes as from the command line; names of the library."""

import importlib
import inspect
import json
import os
import pkgutil
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

import tourney
from tests.conftest import BAD, ROOT, called
from tourney._api.configuration import read_config
from tourney.contracts.match import Record, match_of, record_as
from tourney.review.analysis.summary import probable_loss
from tourney.table import replay


def config(*bots, **keys):
    vole = {"name": "vole", "options": {"target": 6}}
    return {"name": "api", "seed": 3, "deals": 4, "bots": list(bots), "game": [vole]} | keys


def highest(name="Highest", plays=max):
    return type(name, (), {"act": lambda self, view, legal: plays(legal)})


def test_a_run_from_python_has_the_bytes_of_one_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []
    run = tourney.run(config("random", "steady", f"{BAD}:RaisesLater"), out="one", workers=2, progress=seen.append)
    assert run.finished
    assert seen[-1].matches == seen[-1].most_matches == 24
    assert called(["run", "one/tournament.toml", "--out", "two", "--quiet"], tmp_path).returncode == 0
    for name in ("journal.jsonl", "manifest.json", "standings.json", "tournament.toml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    again = tourney.run("two/tournament.toml", out="two", overwrite=True, workers=1)
    assert list(again.records()) == list(run.records())
    rows = run.standings().to_dicts()
    assert rows == json.loads((tmp_path / "one" / "standings.json").read_bytes())
    assert str(run.standings()) == (tmp_path / "one" / "standings.txt").read_text(encoding="utf-8").rstrip("\n")
    assert run.standings()._repr_html_().count("<tr>") == 4
    assert run.standings(without_faults=True).to_dicts() != rows
    for match, record in zip(run.matches(), run.records(), strict=True):
        row = match.to_dict()
        assert (row["match"], row["decisions"]) == (record.match, record.decisions)
        assert (tuple(row["seats"]), tuple(row["scores"])) == (record.seats, record.scores)
    (match, *_) = run.matches(bot="steady", outcome="won")
    assert match.margin > 0
    assert next(run.matches(bot=["random", "steady"], outcome="lost")).margin < 0
    replay = run.replay(match.match)
    for decision in replay.decisions():
        assert decision.choice in decision.legal
        assert decision.view == decision.state.view(decision.seat)
    assert decision.step == replay.record.decisions
    assert next(replay.decisions(bot="steady")).bot == "steady"
    assert run.verify().all_hold
    with pytest.raises(tourney.RunError, match="use resume to continue it, overwrite to start over"):
        tourney.run(config("random", "steady"), out="one")
    with pytest.raises(tourney.RunError, match="use force to resume anyway"):
        tourney.run(config("random", "steady", deals=5), out="one", resume=True)
    longer = tourney.run(config("random", "steady", f"{BAD}:RaisesLater", deals=5), out="longer", workers=1, extend=run)
    assert {each.seed for each in run.records()} < {each.seed for each in longer.records()}
    with pytest.raises(tourney.RunError, match="play it as a new run"):
        tourney.run(config("random", "steady", seed=4), out="other", extend=run.path)


def test_a_class_plays_by_value_and_resumes_only_with_its_own_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = tourney.run(config(highest(), "random"), out="run", workers=2)
    assert run.bots == ("Highest", "random")
    assert not list(run.matches(faults=True))
    journal = Path("run/journal.jsonl").read_bytes()
    manifest = json.loads(Path("run/manifest.json").read_bytes())
    assert manifest["tournament"]["bots"][0]["use"] == "class Highest"
    assert len(manifest["bots"]["Highest"]["sha256"]) == 64
    Path("run/journal.jsonl").write_bytes(journal[: len(journal) // 2])
    tourney.run(config(highest(), "random"), out="run", workers=1, resume=True)
    assert Path("run/journal.jsonl").read_bytes() == journal
    with pytest.raises(tourney.RunError, match=r"bots\.Highest\.sha256"):
        tourney.run(config(highest(plays=min), "random"), out="run", resume=True)
    analysis = run.analyse(bot="Highest", matches=["vole-0-0"], playouts=4, workers=1)
    assert {row.bot for row in analysis} == {"Highest"}
    assert analysis.to_dicts()[0]["match"] == "vole-00000-0"
    for command in (["run", "run/tournament.toml", "--out", "other"], ["verify", "run", "--bots"]):
        refused = called(command, tmp_path)
        assert refused.returncode == 2
        assert "FILE.py:Highest" in refused.stderr
    assert called(["verify", "run"], tmp_path).returncode == 0


WRONG = {  # keys of the tournament, and how it is played
    "workers: lokal:2: invalid address": ({}, {"workers": "lokal:2"}),
    "workers: local:0: expected local:N": ({}, {"workers": "local:0"}),
    "no such run": ({}, {"extend": "no-such-run"}),
    "no such run here or under": ({}, {"drop": ["random"]}),
    "workers: 1024 exceeds the ": ({"limits": {"move_ms": 9000}}, {"workers": 1024}),
    "object is not a bot": ({"bots": [highest(), object()]}, {}),
    "use the class Highest": ({"bots": [highest()(), "random"]}, {}),
    'cannot run in host = "process"': ({"bots": [{"name": "a", "use": highest(), "host": "process"}, "random"]}, {}),
    'did you mean "bot': ({"bts": []}, {}),
    "cannot be written as TOML": ({"seed": None}, {}),
    r"act takes \(self, view\); it is called with \(self, view, legal\)": (
        {"bots": [type("Blind", (), {"act": lambda self, view: 0}), "random"]},
        {},
    ),
    "is not a class with a method act": ({"bots": [type("Deaf", (), {}), "random"]}, {}),
    "cannot be sent": ({"bots": [type("Holds", (), {"act": print, "left": (i for i in ())}), "random"]}, {}),
}


@pytest.mark.parametrize("says", WRONG)
def test_what_cannot_be_played_is_refused_in_one_line(says, tmp_path):
    keys, how = WRONG[says]
    with pytest.raises(tourney.TourneyError, match=says):
        tourney.run(config("random", "steady", **keys), out=tmp_path / "run", **how)
    assert not (tmp_path / "run").exists()
    if how.keys() == {"workers"} and not keys:
        with pytest.raises(tourney.ConfigError, match=says):
            tourney.gate("random", against="steady", games=["vole"], out=tmp_path / "gate", **how)


@pytest.mark.parametrize("handler", ["Python's", "another", "none"])
def test_ctrl_c_leaves_a_run_that_goes_on_in_any_thread(tmp_path, handler):
    """A handler of the program's own is called instead, and may go on; where Ctrl-C is ignored, nothing happens."""
    heard, calls, kept = [], [], signal.getsignal(signal.SIGINT)
    own = {"Python's": signal.default_int_handler, "another": lambda *given: heard.append(given[0])}
    meant, out = config(highest(), "random", deals=400), tmp_path / "run"

    def interrupt(now):
        if now.matches and not (out / "standings.json").exists():
            for _ in range(2 if handler == "another" else 1):  # the second is not held back
                os.kill(os.getpid(), signal.SIGINT)
                calls.append(now.matches)

    signal.signal(signal.SIGINT, own.get(handler, signal.SIG_IGN))
    try:
        tourney.run(meant, out=out, workers=1, progress=interrupt)
    except KeyboardInterrupt as error:
        heard.append(str(error))
    finally:
        assert signal.signal(signal.SIGINT, kept) is own.get(handler, signal.SIG_IGN)
    if handler == "Python's":
        (told,) = heard
        assert told.endswith("; continue with resume=True")
        assert list(tourney.load(out).records())
    else:
        assert heard == [signal.SIGINT] * len(calls) * (handler == "another")
    journal = (out / "journal.jsonl").read_bytes()
    with ThreadPoolExecutor() as threads:
        assert threads.submit(tourney.run, meant, out=out, workers=1, resume=True).result().finished
    assert (out / "journal.jsonl").read_bytes().startswith(journal)


def test_a_run_and_its_rows_say_what_they_are(finished):
    run, other = tourney.load(finished), tourney.load(str(finished))
    standings = run.standings()
    assert repr(run) == repr(other) == f"<Run small in {finished}: round-robin of random, first, steady at vole>"
    assert (run.name, run.format, run.games) == ("small", "round-robin", ("vole",))
    assert run.bots == ("random", "first", "steady")
    assert repr(standings) == "<Standings: 3 rows>"
    assert (standings[0], standings[1:], len(standings)) == (standings.rows[0], standings.rows[1:], 3)
    assert standings.of("first").bot == "first"
    assert standings.matches == len(list(run.matches())) == 24
    by = [[row.bot for row in run.standings(key)] for key in (None, "points", "score")]
    assert by[0] == by[1] == [row.bot for row in standings]
    replay = run.replay("vole-0-0")
    assert repr(replay) == f"<MatchReplay vole-00000-0: random, first; scores {list(replay.record.scores)}>"
    assert [each.seat for each in replay.decisions(seat=1)] == [1] * len(list(replay.decisions("first")))
    for match in run.matches("steady"):
        mine = match.scores[match.seats.index("steady")]
        assert abs(match.margin) == abs(2 * mine - sum(match.scores))
        assert (match.margin > 0) == (match.places[match.seats.index("steady")] == 1 and match.places.count(1) == 1)
    held = run.verify()
    assert (held.held, held.problems, held.all_hold) == (24, (), True)
    journal = (finished / "journal.jsonl").read_bytes()
    broken = record_as(match_of(record := next(run.records())), msgspec.structs.replace(record, actions="keep"))
    (finished / "journal.jsonl").write_bytes(journal.replace(record.line(), broken.line()))
    found = run.verify()
    assert (found.held, found.all_hold) == (23, False)
    assert "decision 1: keep is not legal" in found.problems[0]
    with pytest.raises(tourney.RunError, match="vole-00000-0 does not replay: decision 1: keep"):
        list(run.replay("vole-0-0").decisions())
    (finished / "journal.jsonl").write_bytes(journal)
    assert run.report() == finished / "report.html"
    assert run.report(finished / "few.html", matches=1).stat().st_size < (finished / "report.html").stat().st_size
    assert run.report(f"{finished}/site/", matches=1).samefile(finished / "site" / "index.html")


ASKED = {
    'by scor: did you mean "score"': lambda run: run.standings("scor"),
    'no game "vol" in this run; did you mean "vole"': lambda run: run.standings(game="vol"),
    'no bot "stedy" in this run; did you mean "steady"': lambda run: run.matches("stedy"),
    'outcome="wun": did you mean "won"': lambda run: run.matches("steady", outcome="wun"),
    "outcome requires bot": lambda run: run.matches(outcome="won"),
    'no bot "stdy" in this run; did you mean "steady"': lambda run: run.analyse("stdy"),
    "playouts: must be between 4 and 100000, got 3": lambda run: run.analyse(playouts=3),
    "playouts: must be between 4 and 100000, got 100001": lambda run: run.analyse(playouts=100_001),
    "cannot create folder": lambda run: run.report(run.path / "manifest.json" / "page.html"),
    "steady did not play in it, only random, first": lambda run: run.replay("vole-0-0").decisions("steady"),
    "seat must be 0 to 1, got 2": lambda run: run.replay("vole-0-0").decisions(seat=2),
    "seat must be 0 to 1, got -1": lambda run: run.replay("vole-0-0").decisions(seat=-1),
}


@pytest.mark.parametrize("says", ASKED)
def test_what_a_run_cannot_tell_is_refused(shared_run, write, says):
    with pytest.raises(tourney.TourneyError, match=says):
        ASKED[says](tourney.load(shared_run(write())))


def test_an_analysis_of_somebody_else_s_run_of_files_needs_trust_and_is_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class Mine:\n    def act(self, view, legal): return legal[-1]\n")
    run = tourney.run(config("mine.py:Mine", "random", deals=1), out="run", workers=1)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody"))
    with pytest.raises(tourney.RunError, match=r"mine\.py.*; review it, then use trust=True"):
        run.analyse(playouts=4, workers=1)
    seen = []
    analysis = run.analyse(playouts=4, workers=1, trust=True, folder=tmp_path, progress=seen.append)
    assert seen[-1] == (2, 2, 0)
    assert {each.bot for each in analysis.bots} == {"mine", "random"}
    assert len(analysis) > 10
    head, _, *lines = str(analysis).splitlines()
    assert head.split() == ["match", "decision", "bot", "loss", "+-", "chosen", "best"]
    for line, row in zip(lines, analysis, strict=False):
        shown = [row.match, str(row.decision), row.bot, f"{row.loss:.1f}", f"{row.error:.1f}"]
        assert line.split() == [*shown, "mistake" if row.mistake else "unsure", row.chosen, row.best]
    assert len(lines) == 10
    costs = [probable_loss(row) for row in analysis]
    assert costs == sorted(costs, reverse=True)
    mine = run.analyse("mine", playouts=4, workers=1, trust=True)
    assert list(mine) == [row for row in analysis if row.bot == "mine"]
    assert [each.bot for each in mine.bots] == ["mine"]
    with pytest.raises(tourney.RunError, match="with 4 playouts, not 6"):  # what is there is kept
        run.analyse("mine", playouts=6, workers=1, trust=True)


PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_importing_tourney_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import tourney; print(*sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == ["tourney"]


def test_no_name_is_that_of_a_module_once_every_module_is_imported():
    for found in pkgutil.walk_packages(tourney.__path__, "tourney."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for name in tourney.__all__:
        assert inspect.ismodule(getattr(tourney, name)) == (name == "cards"), name
    assert "vole" in tourney.game_names()
    assert tourney.load_game("vole").name == "vole"
    assert "steady" in tourney.bot_names()


def test_the_page_names_every_name_and_no_other():
    table = PAGE.partition("## Every name")[2]
    assert sorted(re.findall(r"(?m)^- `(\w+)`:", table)) == sorted(tourney.__all__)
    assert set(tourney.__all__) <= set(dir(tourney))
    used = re.findall(r"\btourney\.(\w+)", "".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)))
    assert set(used) <= set(tourney.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        tourney.no_such_name  # noqa: B018 - reading it is the point


def test_whatever_fails_says_what_it_raises():
    run = tourney.Run
    functions = [tourney.run, tourney.load, tourney.play, tourney.gate, tourney.compare, tourney.load_game, run.compare]
    of_runs = [run.standings, run.records, run.matches, run.decisions, run.replay, run.verify, run.report, run.analyse]
    for function in [*functions, tourney.MatchReplay.decisions, *of_runs]:
        text = (inspect.getdoc(function) or "") + (inspect.getdoc(run) or "" if function in of_runs else "")
        raised = re.findall(r"(?m)^    (\w+Error):", text.partition("Raises:")[2])
        assert raised, function
        assert set(raised) <= set(tourney.__all__), function


@pytest.mark.slow
def test_the_page_as_one_script_prints_what_it_shows(tmp_path):
    """The script has no `if __name__ == "__main__"`: the workers do not import it."""
    script = tmp_path / "page.py"
    script.write_text("".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == "".join(re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)).splitlines()


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_the_notebook_runs_and_the_mended_bot_is_better(tmp_path):
    nbformat, nbclient = map(importlib.import_module, ("nbformat", "nbclient"))
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)

    def printed():
        outputs = [each for cell in notebook.cells if cell.cell_type == "code" for each in cell.outputs]
        return "".join([each.get("text", "") for each in outputs if each.output_type == "stream"])

    shown = printed()
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed() == shown
    assert "PASSED: Mended is stronger" in shown
    assert (ROOT / "docs" / "notebook.ipynb").stat().st_size < 100_000


UNDECIDED = [
    ({"games": ["leon"]}, "missing number of seats; for example leon:2"),
    ({"games": "vole"}, "games: expected a non-empty list"), ({"games": []}, "games: expected a non-empty list"),
    ({"alpha": 0.5}, "alpha: Expected `float` < 0.5"), ({"beta": 0}, "beta: Expected `float` > 0.0"),
    ({"max_deals": 0}, "max_deals: Expected `int` >= 1"), ({"allow_faults": -1}, "allow_faults: Expected `int` >= 0"),
    ({"resume": True, "overwrite": True}, "overwrite"), ({"against": 3}, "int is not a bot"),
    ({"limits": {"move": 3}}, "did you mean"),
]  # fmt: skip


class Counting:
    """Plays its first legal action, and counts its decisions."""

    def __init__(self):
        self.asked = 0

    def act(self, view, legal):
        self.asked += 1
        return legal[0]


class Singer(Counting):
    games = ("leon", "bang")


def test_a_match_here_asks_bot_objects_and_is_a_record_with_its_trace():
    bot = Counting()
    record = tourney.play("vole", [bot, "random"], seed=5, options={"target": 6})
    assert isinstance(record, Record)
    assert record.seats == ("Counting", "random")
    assert bot.asked == len(list(record.replay().decisions(bot="Counting"))) > 0
    assert record.trace[0]["seats"] == ["Counting", "random"]
    assert record.trace[-1]["scores"] == list(record.scores)
    replay.check(record, tourney.load_game("vole"))
    assert record == tourney.play("vole", [Counting, "random"], seed=5, options={"target": 6})
    assert (record != 3, record == 3) == (True, False)
    assert tourney.play("vole", [Counting, "random"], seed=(1 << 128) - 1, options={"target": 6}).seed == "f" * 32


def test_a_view_prints_as_what_it_shows():
    decision = next(tourney.play("vole", ["random", "first"], seed=5).replay().decisions())
    shown = repr(decision.view)
    assert shown.startswith(f"VoleView(seat={decision.seat}, round=1, hand=['")
    assert "_facts" not in shown


def test_bots_go_round_the_table_and_may_have_names_and_options():
    record = tourney.play("leon", [{"name": "one", "use": "random"}, "first"], seats=4, options={"max_cards": 3})
    assert record.seats == ("one", "first", "one", "first")


@pytest.mark.parametrize(("arguments", "message"), [
    (("vole", ["random"]), "2 seats|seats"), (("vole", "random"), "expected a non-empty list"),
    (("vole", [Counting(), "random"], {"seed": -1}), "seed: must be a whole number from 0"),
    (("vole", [3, "random"]), "int is not a bot"), (("leon", [Counting()], {"seats": 4}), "plays a single seat"),
    (("vole", ["random"] * 3, {"seats": 2}), "expected at most 2 bots, got 3"),
    (("vole", [Counting(), "random"], {"seed": 1 << 128}), "seed: must be a whole number from 0"),
    (("vole", []), "expected a non-empty list"),
    (("vole", [{"name": "random", "host": "process"}] * 2), 'unknown key "host"; a single match'),
    (("vole", [{"use": 3}, "random"]), "use: expected a name, FILE.py:NAME or a class, got int"),
    (("vole", [Singer, "random"]), "Singer does not play vole, only leon, bang"),
    (("vole", [Singer(), "random"]), "Singer does not play vole, only leon, bang"),
    (("leon", [{"use": Singer, "options": {"a": 1}}, "random"]), 'bot Singer: options: no key "a"'),
])  # fmt: skip
def test_a_match_that_cannot_be_played_is_refused(arguments, message):
    game, bots, *keys = arguments
    with pytest.raises(tourney.TourneyError, match=message):
        tourney.play(game, bots, **(keys[0] if keys else {}))


def bot(plays):
    return type("Bot", (), {"act": lambda self, view, legal: plays(view, legal)})


def test_a_gate_of_classes_gives_a_frozen_verdict(tmp_path):
    modest = bot(lambda view, legal: max(legal) if max(view.won) < 7 else min(legal))
    low = bot(lambda _, legal: legal[0])
    games, seen = [{"name": "vole", "options": {"target": 6}}], []
    keys = {"games": games, "max_deals": 30, "workers": 2, "progress": seen.append}
    result = tourney.gate(modest, against=low, out=tmp_path / "gate", **keys)
    assert (result.new, result.old) == ("Bot-new", "Bot-old")
    written = json.loads((tmp_path / "gate" / "gate.json").read_bytes())
    assert {**result.details, "time": None} == {**written, "time": None}, "times differ between machines"
    assert result.verdict == result.details["verdict"]
    assert result.passed == (result.verdict == "passed")
    assert result.matches == sum(1 for _ in result.run.records()) == 2 * result.deals
    assert seen[-1].matches == result.matches
    assert seen[-1].most_matches == 60
    figures = (result.score, result.elo, result.elo_low, result.elo_high)
    assert figures == tuple([result.details["all"][key] for key in ("score", "elo", "elo_low", "elo_high")])
    margins = {match.match: match.margin for match in result.run.matches("Bot-new")}
    assert all([margins[match] < 0 for match in result.worst])
    assert str(result) == result.summary
    assert result.summary.startswith(result.verdict.upper())
    assert result.run.finished
    with pytest.raises(AttributeError):
        result.elo = 3
    with pytest.raises(tourney.RunError, match="use resume to continue it, overwrite to start over"):
        tourney.gate(modest, against=low, out=tmp_path / "gate", **keys)
    assert tourney.gate(modest, against=low, out=tmp_path / "gate", **keys, resume=True).details == result.details


@pytest.mark.parametrize(("keys", "says"), UNDECIDED)
def test_a_gate_that_cannot_be_decided_is_refused(tmp_path, keys, says):
    with pytest.raises(tourney.ConfigError, match=says):
        tourney.gate("steady", **({"against": "random", "games": ["vole"], "out": tmp_path / "gate"} | keys))
    assert not (tmp_path / "gate").exists()


def test_classes_names_and_tables_sit_in_their_order():
    def names(*bots, **keys):
        tournament, *_ = read_config({"name": "t", "seed": 1, "bots": bots, "game": [{"name": "vole"}], **keys})
        return [(each.name, each.use, each.pickled is not None) for each in tournament.entrants]

    more = {"bot": [{"name": "more", "use": Counting}]}
    random, more_read = ("random", "random", False), ("more", "class Counting", True)
    assert names(bot(min), "random", **more) == [("Bot", "class Bot", True), random, more_read]
    assert names("random", **more) == [random, more_read]


def test_a_single_match_charges_a_bot_or_raises_its_exception():
    class Loses(tourney.Bot):
        def act(self, view, legal):
            raise LookupError("no card")

    (fault,) = tourney.play("vole", [Loses, "random"]).faults
    assert fault.detail.startswith("LookupError at test_run.py:")
    with pytest.raises(LookupError, match="no card"):
        tourney.play("vole", ["random", Loses], raises=True)
    with pytest.raises(tourney.ConfigError, match=r"pass game.options\(2, \{'target': 3\}\)"):
        tourney.load_game("vole").start(2, {"target": 3}, 1)
