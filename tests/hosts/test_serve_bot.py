"""`tourney serve-bot`: a Python bot behind a port plays as it does in a worker, and nothing else gets in."""

import pickle
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.cli.runs import WAIT_S, begin, journal, one_line
from tourney.hosts.http import JSON, PICKLE
from tourney.plugins.registry import load_game

BOTS = """
from tourney import Noted, UnavailableError
class Counts:
    service, calls = True, 0
    def act(self, view, legal):
        self.calls += 1
        if self.calls == 2:
            raise UnavailableError("busy", 6.5)
        return Noted(legal[-1], calls=self.calls)
class Gathers:
    def act(self, view, legal): return legal[-1]
    def act_many(self, views, legals): return [Noted(each[-1], together=len(views)) for each in legals]
"""
VOLE = load_game("vole").start(2, load_game("vole").options(2, {}), 1)
START = {"type": "start", "match": "m", "seat": 1, "game": "vole", "options": {}, "seats": 2, "rng": "1"}
ACT = {"type": "act", "match": "m", "seat": 1, "decision": 1, "view": VOLE.view(1), "legal": VOLE.legal()}
RUNS = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\ntouch harm\x85R."
CHANGES = pickle.dumps(type(ACT["view"]), 4)[:-1] + b"N}\x8c\x04handK\x01s\x86b."  # the class


@pytest.fixture
def serve(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    servers = []

    def serve(bot, *options):
        servers.append(begin(tmp_path, bot, "--address", 0, *options, command="serve-bot"))
        return servers[-1].stdout.readline().split()[-1]

    yield serve
    for server in servers:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=WAIT_S)
        assert server.returncode == 130


def post(url, message):
    kind = JSON if message["type"] == "start" else PICKLE
    body = pickle.dumps(message) if kind == PICKLE else httpx.Request("POST", url, json=message).content
    return httpx.post(url, content=body, headers={"Content-Type": kind}, timeout=WAIT_S)


@pytest.mark.parametrize(("use", "game"), [("steady", "voleur"), ("bots.py:Gathers", "open_spiel:leduc_poker")])
def test_a_served_bot_plays_the_same_matches_as_in_a_worker(use, game, serve, tourney, write, tmp_path):
    for run, key in (("here", f'use = "{use}"'), ("there", f'url = "{serve(use)}"')):
        tables = f'[[game]]\nname = "{game}"\nseats = 2\n[[bot]]\nname = "it"\n{key}'
        assert tourney("run", write(bots='["random"]', game=tables), "--out", run).returncode == 0
    assert journal(tmp_path / "here") == journal(tmp_path / "there")


def test_act_many_is_asked_for_what_has_come_and_a_fault_is_of_the_one_question(serve):
    url = serve("bots.py:Gathers", "--batch", 2, "--wait-ms", 60_000)
    with ThreadPoolExecutor(2) as pool:
        for decision, legal in enumerate([(2, 3), (2, 3), ()]):
            asked = ACT | {"decision": decision} if decision else START
            one, other = pool.map(post, (url, url), (asked | {"match": "n"}, asked | {"legal": legal}))
            if decision == 1:
                assert [each.json()["note"]["together"] for each in (one, other)] == [2, 2]
    assert (one.json()["note"]["together"], other.json()["fault"]) == (1, "error")


def test_a_repeated_message_is_answered_again_and_is_asked_again_where_a_service_was_away(serve):
    url = serve("bots.py:Counts")
    for message in (START, ACT):
        assert post(url, message).json() == post(url, message).json()
    away = post(url, ACT | {"decision": 2})
    assert (away.status_code, away.headers["Retry-After"]) == (503, "7")
    assert post(url, ACT | {"decision": 2}).json()["note"] == {"calls": 3}


def test_nothing_but_messages_with_views_gets_in(serve, tmp_path):
    url = serve("steady")
    post(url, START)
    for body, kind in ((RUNS, PICKLE), (CHANGES, PICKLE), (b"{}", PICKLE), (b"{}", JSON)):
        assert httpx.post(url, content=body, headers={"Content-Type": kind}).status_code == 400
    assert not (tmp_path / "harm").exists()
    assert httpx.post(url, content=b"{}").status_code == 415
    assert httpx.post(url, content=b" " * (1 << 23)).status_code == 413
    assert post(url, ACT | {"match": "other"}).status_code == 409
    assert post(url, ACT).json()["action"] in VOLE.legal()


def test_a_warning_says_so_where_other_machines_reach_the_bot(tmp_path):
    server = begin(tmp_path, "steady", "--address", "0.0.0.0:0", command="serve-bot")
    url = server.stdout.readline().split()[-1]
    server.send_signal(signal.SIGINT)
    assert f"warning: whoever reaches {url} can ask the bot; " in server.communicate(timeout=WAIT_S)[1]


def test_what_cannot_be_served_is_refused_in_a_line(tourney):
    one_line(tourney("serve-bot", "stedy", "--address", 0), 2, "steady")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        one_line(tourney("serve-bot", "steady", "--address", taken.getsockname()[1]), 2, "in use")
