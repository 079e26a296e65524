"""The consequences of faults in a run: entrants are disqualified and runs stop, with the same bytes however played."""

import orjson

from tests.cli.runs import journal, one_line
from tests.conftest import BAD, with_code

MIXED = {"raiser": "RaisesLater", "cheat": "Careless", "killer": "KillsItselfLater"}


def faulty(*names: str, **limits: object) -> dict[str, str]:
    bots = [f'[[bot]]\nname = "{name}"\nuse = "{BAD}:{MIXED[name]}"\n' for name in names]
    values = [f"{key} = {value}\n" for key, value in limits.items()]
    return {"bots": '["first", "random"]', "extra": f"{''.join(bots)}[limits]\n{''.join(values)}"}


def test_a_disqualified_entrant_is_shown_and_not_charged_again(tourney, write, tmp_path):
    result = with_code(tourney("run", write(**faulty("raiser", max_faults=4), deals="6"), "--out", "run"))
    assert "raiser disqualified (after 4 faults)" in result.stderr
    rows = orjson.loads((tmp_path / "run" / "standings.json").read_bytes())
    assert {row["bot"]: row["faults"] for row in rows} == {"first": 0, "random": 0, "raiser": 4}
    assert {row["matches"] for row in rows} == {24}
    assert "random moves in 20 of its matches" in tourney("standings", "run").stderr
    listed = [line for line in tourney("matches", "run").stdout.splitlines() if "raiser: out after 4 faults" in line]
    assert len(listed) == 20
    last = orjson.loads(journal(tmp_path / "run").splitlines()[-1])
    seat = last["seats"].index("raiser")
    assert last["places"][seat] == 2
    events = [orjson.loads(line) for line in tourney("replay", "run", last["match"], "--json").stdout.splitlines()]
    assert events[1] == {"kind": "out", "seat": seat, "detail": "after 4 faults"}
    assert {event.get("by") for event in events if event["kind"] == "act" and event["seat"] == seat} == {"house"}


def test_a_swiss_goes_on_without_the_disqualified_and_ranks_them_last_however_it_is_played(tourney, write, tmp_path):
    file = write(format='"swiss"', rounds="4", **faulty("raiser", "cheat", max_faults=2), deals="2")
    for workers, again in ((1, ()), (3, ()), (1, ["--resume"])):
        assert tourney("run", file, "--out", workers, "--workers", workers, *again).returncode == 0
        lines = journal(tmp_path / str(workers)).splitlines(keepends=True)
        (tmp_path / "1" / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) // (1 if again else 2)]))
    assert journal(tmp_path / "1") == journal(tmp_path / "3")
    verified = tourney("verify", "1")
    assert (verified.returncode, verified.stderr) == (0, "")
    rows = orjson.loads(tourney("standings", "1", "--format", "json").stdout)
    assert [row["faults"] >= 2 for row in rows][-2:] == [True, True]


def test_a_run_with_too_many_faults_stops_early_and_can_be_resumed(tourney, write, played, tmp_path):
    file = write(**faulty("raiser", "cheat", max_fault_rate=0.3), deals="10")
    for workers in (1, 3):
        result = tourney("run", file, "--out", workers, "--workers", workers)
        one_line(result, 4, "10 of the first 12 matches", "max_fault_rate is 0.3: ", "raiser (", "--resume")
        assert result.stdout == ""
        assert not (tmp_path / str(workers) / "standings.txt").exists()
    stopped = journal(tmp_path / "1")
    assert stopped == journal(tmp_path / "3")
    assert stopped.count(b"\n") == 12
    assert tourney("verify", "1").returncode == 0
    # it is resumed, and stops again after too many faults in later matches
    result = tourney("run", file, "--out", "1", "--resume")
    one_line(result, 4, "of the last 12 matches had faults")
    assert journal(tmp_path / "1").startswith(stopped)
    assert journal(tmp_path / "1").count(b"\n") == 24
    # a run can be resumed with another rate
    played(write(**faulty("raiser", "cheat", max_fault_rate=1), deals="10"), "whole")
    for out in ("1", "3"):
        assert tourney("run", file, "--out", out, "--resume").returncode == 0
    assert journal(tmp_path / "1") == journal(tmp_path / "3") == journal(tmp_path / "whole")
