"""What strangers ask a server about other actions: within bounds, without an entrant's code, and wrong in one line."""

import signal
import socket

import httpx
import pytest
from starlette.exceptions import HTTPException

from tests.cli.runs import MARK as MARKED
from tests.cli.runs import WAIT_S, begin, marked, wait_for
from tests.conftest import python_path, tournament_text, with_code, with_plugins
from tests.report.runs import play
from tourney.journal.run import RunFolder
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay
from tourney.web import answers
from tourney.web.serve import Site
from tourney.web.server import address_of, application, listen, serving

MARK = """
from pathlib import Path
Path(r"{}").touch()
class Mark:
    def act(self, view, legal):
        return legal[0]
"""

HOLDING = """
import subprocess, sys, time
from pathlib import Path
from tourney.games.vole import Vole
noted, held = [Path(__file__).with_name(name) for name in ("noted", "held")]
class Holding(Vole):
    name = "holding"
    def start(self, *of):
        while noted.exists() and held.exists():
            time.sleep(0.01)
        return super().start(*of)
    def imagine(self, view, rng):
        if not noted.exists():
            subprocess.Popen(["sleep", "9999"])
            sys.stderr.write("e" * 200_000)
            noted.touch()
        while held.exists():
            time.sleep(0.01)
        return super().imagine(view, rng)
"""
"""A game that starts a process which holds its errors open, and may not end."""


@pytest.fixture
def ask(tmp_path):
    """Asks a server about a match of a bot that leaves a mark wherever it is loaded."""
    (tmp_path / "marks.py").write_text(MARK.format(tmp_path / "ran"))
    play(tmp_path, t=tournament_text("t", bots='["steady", "marks.py:Mark"]', deals="1"))
    (tmp_path / "ran").unlink()
    listener, said = listen("127.0.0.1", 0), []
    site = Site(tmp_path / "t", tmp_path, said.append)
    app = application(site.routes(), listener)
    app.add_exception_handler(HTTPException, site.miss)
    with serving(app, listener), httpx.Client(base_url=address_of(listener)[0], timeout=WAIT_S) as client:
        yield lambda match="vole-00000-0", what="what-if", **query: client.get(
            f"/runs/t/matches/{match}/{what}", params=query
        )
    assert not (tmp_path / "ran").exists()
    assert said == []


def refused(answer, status, says):
    assert (answer.status_code, answer.text.count("\n")) == (status, 1)
    assert says in answer.text


def test_strangers_get_answers_of_the_standard_policy_within_bounds(ask, tmp_path, monkeypatch):
    (record, *_) = RunFolder(tmp_path / "t").records()
    steps = [step for step in Replay(record, load_game("vole")).steps() if len(step.legal) > 1]
    (one, other), text = [step.decision for step in steps[-2:]], load_game("vole").text
    seat, legal = steps[-2].seat, list(map(text, steps[-2].legal))
    foreign = next(name for name in load_game("vole").names if name not in legal)
    most = record.decisions
    for query, status, says in [
        ({}, 400, f"from 1 to {most}"), ({"decision": "1e9"}, 400, "from 1"), ({"decision": most + 1}, 400, "from 1"),
        ({"decision": one, "action": "play:zz"}, 400, "no such"), ({"decision": one, "seat": 2}, 400, "no such seat"),
        ({"decision": one, "action": foreign}, 400, "is not legal"), ({"match": "v-9-0"}, 404, "no such match"),
        ({"decision": one, "seat": 1 - seat}, 400, "has no choice"),
        ({"decision": one, "match": 'vole-00000-0","game":"vole'}, 404, "no such match"),
        ({"what": "beliefs", "seat": 0, "first": most + 1, "end": most + 9}, 400, "from first to end"),
    ]:  # fmt: skip
        refused(ask(**query), status, says)
    points = ask(decision=one)
    assert sorted(action for action, *_ in points.json()["cost"]["values"]) == sorted(legal)
    assert "steady plays all seats" in points.json()["said"]
    assert ask(decision=one, action=legal[-1]).json()["match"]["places"]
    monkeypatch.setattr(answers, "AT_ONCE", 0)
    assert ask(decision=one).content == points.content
    refused(ask(decision=other), 503, answers.BUSY)
    monkeypatch.setattr(answers, "AT_ONCE", 1)
    monkeypatch.setattr(answers, "KEPT", 1)
    monkeypatch.setattr(answers, "MOST_S", 0)
    refused(ask(decision=other), 503, answers.SLOW)
    refused(ask(decision=one), 503, answers.SLOW)


@pytest.mark.slow
def test_an_answer_holds_up_no_server_and_ends_with_those_who_wait_and_with_the_server(plugin, tmp_path):
    path = plugin("holding", "[tourney.games]\nholding = holding:Holding\n", holding=HOLDING)
    of = {"deals": "1", "bots": '["random", "first"]', "game": '[[game]]\nname = "holding"'}
    (tmp_path / "t.toml").write_text(tournament_text("t", **of))
    with_code(with_plugins(path, "run", "t.toml", "--out", "t"))
    noted, held, mark = tmp_path / "noted", tmp_path / "held", str(tmp_path)
    match = "/runs/t/matches/holding-00000-0"

    def waiting(url, address):
        connection = socket.create_connection((url.host, url.port))
        connection.sendall(f"GET {match}{address} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return connection

    def askers(url):
        noted.unlink()
        asking = [waiting(url, f"/what-if?decision={number}") for number in range(10, 10 + answers.AT_ONCE)]
        wait_for(noted.exists)
        return asking

    for number, code in [(signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)]:
        variables = {"PYTHONPATH": python_path(path), MARKED: mark}
        server = begin(tmp_path, "t", "--address=0", command="serve", **variables)
        try:
            url = httpx.URL(server.stdout.readline().split()[-1])
            answer = httpx.get(f"{url}{match}/what-if?decision=150", timeout=WAIT_S)
            assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
            wait_for(lambda: marked(mark) == [server.pid])  # noqa: B023 - called at once
            held.touch()
            for each in askers(url):
                each.close()
            wait_for(lambda: marked(mark) == [server.pid])  # noqa: B023 - called at once
            left = [*askers(url), waiting(url, "")]
            assert httpx.get(f"{url}/runs/t/matches/", timeout=WAIT_S).status_code == 200
            server.send_signal(number)
            assert server.communicate(timeout=WAIT_S)[1] == ""
            assert server.returncode == code
            wait_for(lambda: not marked(mark))
        finally:
            server.kill()
            noted.unlink(missing_ok=True)
            held.unlink(missing_ok=True)
        for each in left:
            each.close()
