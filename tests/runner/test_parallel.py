"""Many matches at once on few processes: the same bytes, and nobody pays for what happens in another match."""

import json
import re

import pytest

from tests.cli.runs import begin, journal, wait_for
from tests.conftest import BAD, apart
from tests.hosts.servers import serving

BOTS = """
import os, time
from tourney import Options, UnavailableError

class Away:
    service = True
    def start(self, facts):
        self.answers = os.path.exists("back") or facts.rng.random() > 0.05
    def act(self, view, legal):
        if not self.answers:
            raise UnavailableError("away")
        return legal[0]

class Says:
    class Options(Options, frozen=True):
        name: str = ""
    def __init__(self, options):
        self.name = options.name
    def act(self, view, legal):
        print(self.name, end="")
        time.sleep(0)
        print()
        return legal[-1]
"""
SAYS = '[[bot]]\nname = "{0}"\nuse = "bots.py:Says"\noptions = {{ name = "{0}" }}\n'


@pytest.fixture
def file(write, tmp_path):
    """Writes a tournament of two bots that print, and one on a server, with other keys at the beginning."""
    (tmp_path / "bots.py").write_text(BOTS)
    with serving() as server:
        bots = "".join([SAYS.format(name) for name in ("loud", "other")])
        bots += f'[[bot]]\nname = "served"\nurl = "{server.url}"\n'
        yield lambda **keys: write("parallel", bots="[]", deals="6", extra=bots, **keys)


@pytest.mark.slow
def test_it_is_no_part_of_the_journal_and_prints_have_the_names_of_their_bots(file, tourney, tmp_path):
    for name, keys in {"alone": {}, "one": {"parallel": "1"}, "many": {"parallel": "16"}}.items():
        ran = apart(tmp_path, "run", file(**keys), "--out", name, "--workers", 2, "--quiet")
        said = {line for line in ran.stderr.splitlines() if "not shown" not in line}
        assert (ran.returncode, said) == (0, {"[loud] loud", "[other] other"})
    assert journal(tmp_path / "alone") == journal(tmp_path / "one") == journal(tmp_path / "many")
    with begin(tmp_path, file(parallel="16"), "--out", "killed", "--quiet") as process:
        wait_for(lambda: any(found.read_bytes() for found in tmp_path.glob("killed/journal.jsonl")))
        process.kill()
    resumed = tourney("run", file(parallel="3"), "--out", "killed", "--resume", "--quiet")
    assert (resumed.returncode, journal(tmp_path / "killed")) == (0, journal(tmp_path / "many"))


@pytest.mark.slow
def test_bots_that_end_or_block_the_process_of_others_are_charged_and_no_others(write, tourney, tmp_path):
    kinds = {"KillsItselfLater": "crash", "HangsInC": "timeout"}
    extra = "".join([f'[[bot]]\nname = "{name}"\nuse = "{BAD}:{name}"\n' for name in kinds])
    keys = {"bots": '["steady", "first"]', "deals": "1", "parallel": "8", "extra": f"{extra}[limits]\nmatch_s = 3"}
    tourney("run", write("bad", **keys), "--out", "bad", "--workers", 2, "--quiet")
    records = [json.loads(line) for line in journal(tmp_path / "bad").splitlines()]
    faults = [{(each["seats"][fault["seat"]], fault["kind"]) for fault in each["faults"]} for each in records]
    assert faults == [{(name, kinds[name]) for name in each["seats"] if name in kinds} for each in records]


def test_a_service_that_stays_away_ends_the_run_where_its_first_match_would_stand(write, tourney, tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    extra = '[[bot]]\nname = "away"\nuse = "bots.py:Away"\n[limits]\npatience_s = 0.01'
    for parallel in ("1", "8"):
        path = write("away", bots='["first"]', deals="20", seed="6", parallel=parallel, extra=extra)
        ended = tourney("run", path, "--out", parallel, "--workers", 2, "--quiet")
        assert (ended.returncode, "bot away: service unavailable" in ended.stderr) == (4, True)
    assert journal(tmp_path / "1") == journal(tmp_path / "8") != b""
    (tmp_path / "back").touch()
    assert tourney("run", path, "--out", "8", "--resume", "--quiet").returncode == 0
    assert journal(tmp_path / "8").startswith(journal(tmp_path / "1"))


@pytest.mark.parametrize(
    ("extra", "arguments", "says"),
    [
        ("[limits]\nmove_ms = 1000", (), 'parallel: bot first has limits of time, .* use host = "process"'),
        ("", ("--workers", "local:1"), "parallel: not supported with a cluster"),
    ],
)
def test_what_cannot_be_played_in_parallel_is_refused(write, tourney, extra, arguments, says):
    ran = tourney("run", write("no", bots='["first", "steady"]', parallel="4", extra=extra), *arguments)
    assert ran.returncode == 2
    assert re.search(says, ran.stderr)
