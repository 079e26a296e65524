"""Tournaments played from Python: the same bytes as from the command line, resumed, interrupted, refused."""

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import tourney
from tests.conftest import called


def config(*bots, **keys):
    vole = {"name": "vole", "options": {"target": 6}}
    return {"name": "api", "seed": 3, "deals": 4, "bots": list(bots), "game": [vole]} | keys


def highest(name="Highest", plays=max):
    """Returns a class of bots, as it may be made in a notebook."""
    return type(name, (), {"act": lambda self, view, legal: plays(legal)})


def test_a_run_from_python_has_the_bytes_of_one_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []
    run = tourney.run(config("random", "steady"), out="one", workers=2, progress=seen.append)
    assert run.finished
    assert seen[-1].matches == seen[-1].most_matches == 8
    assert called(["run", "one/tournament.toml", "--out", "two", "--quiet"], tmp_path).returncode == 0
    for name in ("journal.jsonl", "manifest.json", "standings.json", "tournament.toml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    again = tourney.run("two/tournament.toml", out="two", overwrite=True, workers=1)
    assert list(again.records()) == list(run.records())
    rows = run.standings().to_dicts()
    assert rows == json.loads((tmp_path / "one" / "standings.json").read_bytes())
    assert str(run.standings()) == (tmp_path / "one" / "standings.txt").read_text(encoding="utf-8").rstrip("\n")
    assert run.standings()._repr_html_().count("<tr>") == 3
    for match, record in zip(run.matches(), run.records(), strict=True):
        row = match.to_dict()
        assert (row["match"], row["decisions"]) == (record.match, record.decisions)
        assert (tuple(row["seats"]), tuple(row["scores"])) == (record.seats, record.scores)
    (match, *_) = run.matches(bot="steady", outcome="won")
    assert match.margin > 0
    assert next(run.matches(bot="random", outcome="lost")).margin < 0
    replay = run.replay(match.match)
    for decision in replay.decisions():
        assert decision.choice in decision.legal
        assert decision.view == decision.state.view(decision.seat)
    assert decision.step == replay.record.decisions
    assert next(replay.decisions(bot="steady")).bot == "steady"
    assert run.verify().all_hold
    with pytest.raises(tourney.RunError, match="resume it, overwrite it"):
        tourney.run(config("random", "steady"), out="one")
    with pytest.raises(tourney.RunError, match="force resuming it"):
        tourney.run(config("random", "steady", deals=5), out="one", resume=True)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"cluster": "lokal:2"}, "cluster: lokal:2: invalid address"),
        ({"cluster": "local:0"}, "cluster: local:0: write local:N"),
        ({"cluster": "local:2", "workers": 2}, "workers is for this machine alone"),
        ({"extend": "no-such-run"}, "there is no such run"),
    ],
)
def test_who_plays_and_what_is_taken_over_is_refused_in_one_line(keys, message, tmp_path):
    with pytest.raises(tourney.TourneyError) as refused:
        tourney.run(config("random", "steady"), out=tmp_path / "run", **keys)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()
    if "cluster" in keys:
        with pytest.raises(tourney.ConfigError) as refused:
            tourney.gate("random", against="steady", games=["vole"], out=tmp_path / "gate", **keys)
        assert message in str(refused.value)


def test_an_earlier_run_is_taken_over_and_another_one_is_refused(tmp_path):
    plain = tourney.run(config("random", "steady"), out=tmp_path / "plain", workers=1)
    small = tourney.run(config("random", "steady", deals=2), out=tmp_path / "small", workers=1)
    large = tourney.run(config("random", "steady"), out=tmp_path / "large", workers=1, extend=small)
    for name in ("journal.jsonl", "manifest.json", "standings.json"):
        assert (plain.path / name).read_bytes() == (large.path / name).read_bytes()
    with pytest.raises(tourney.RunError, match="run it without extending"):
        tourney.run(config("random", "steady", seed=4), out=tmp_path / "other", extend=small.path)


def test_a_class_plays_by_value_and_resumes_only_with_its_own_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    local = highest()
    run = tourney.run(config(local, "random"), out="run", workers=2)
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


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"bots": [highest(), object()]}, "object is not a bot"),
        ({"bots": [highest()(), "random"]}, "give its class Highest"),
        ({"bots": [{"name": "a", "use": highest(), "host": "process"}, "random"]}, 'cannot run in host = "process"'),
        ({"bots": ["stedy", "random"]}, 'did you mean "steady"'),
        ({"bts": []}, 'did you mean "bot'),
        ({"seed": None}, "cannot be written as TOML"),
        ({"bots": [type("Deaf", (), {}), "random"]}, "is not a class with a method act"),
        ({"bots": [type("Holds", (), {"act": print, "left": (i for i in ())}), "random"]}, "cannot be sent"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(keys, message, tmp_path):
    with pytest.raises(tourney.TourneyError, match=message) as caught:
        tourney.run(config("random", "steady") | keys, out=tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_ctrl_c_in_a_script_leaves_a_run_that_goes_on(tmp_path):
    """The script defines its bot, has no guard, and plays in the main thread; then it goes on in another thread."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
            import signal, sys, threading, tourney

            signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background

            class Mine:
                def act(self, view, legal):
                    return legal[-1]

            def play(**keys):
                config = {"name": "long", "seed": 1, "deals": int(sys.argv[1]), "bots": [Mine, "random"],
                          "game": [{"name": "vole"}]}
                print(tourney.run(config, out="run", workers=1, **keys).finished)

            if "resume" in sys.argv:
                thread = threading.Thread(target=play, kwargs={"resume": True, "force": True})
                thread.start()
                thread.join()
            else:
                try:
                    play(progress=lambda now: now.matches and print(now.matches, flush=True))
                except KeyboardInterrupt as error:
                    print("interrupted:", error)
        """),
        encoding="utf-8",
    )
    command = [sys.executable, script]
    begun = subprocess.Popen([*command, "100000"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert begun.stdout.readline().strip().isdecimal()
    begun.send_signal(signal.SIGINT)
    assert "continue with resume=True" in begun.communicate(timeout=300)[0].splitlines()[-1]
    journal = (tmp_path / "run" / "journal.jsonl").read_bytes()
    assert journal.endswith(b"\n")
    assert tourney.load(tmp_path / "run").verify().all_hold
    deals = str(journal.count(b"\n") // 2 + 4)
    result = subprocess.run([*command, deals, "resume"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.stdout == "True\n", result.stderr
    assert (tmp_path / "run" / "journal.jsonl").read_bytes().startswith(journal)
