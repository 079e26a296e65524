"""Bots that are servers: what a server answers is a fault, a pause or the end of the run; and `tourney serve-bot`."""

import re
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import orjson
import pytest

from tests.cli.runs import WAIT_S, begin, contents, journal, one_line
from tests.hosts.play import against_good, opened, spec_of
from tests.hosts.servers import WAYS, changed, says, serving
from tourney.base.errors import ServiceError
from tourney.contracts.match import Record
from tourney.hosts.transport import JSON
from tourney.plugins.registry import load_game

FAULTS = {
    "not JSON": (says(200, b"\xff{"), "protocol"),
    "another type": (changed(type="hello"), "protocol"),
    "without an end": (WAYS["endless"], "protocol"),
    "no text": (changed(action=[]), "illegal"),
    "no action": (changed(action="fly"), "illegal"),
    "an action that is not legal": (changed(action="swap"), "illegal"),
}
AWAY = {
    **{f"{status}": (says(status, b"<html>"), {}) for status in (408, 429, 500, 503)},
    "429 until a date": (says(429, b"", retry_after="Thu, 01 Jan 1970 00:00:00 GMT"), {}),
    "breaks off": (WAYS["breaks off"], {}),
    "dribbles": (WAYS["dribbles"], {"call_s": 0.3}),
    "silent": (WAYS["silent"], {"call_s": 3.2, "move_ms": 3000}),  # the wait is in nobody's time
}
WRONG = {
    "a redirect": says(302, b"", location="/elsewhere"),
    "not found": says(404, b"<html>", content_type="text/html"),
    "an unknown match": says(409, b'{"type":"error","detail":"unknown match"}'),
    "a page": says(200, b"<html>", content_type="text/html"),
    "a bomb": WAYS["bomb"],
}


@contextmanager
def served(way: Any = None, *numbers: int, retries: int = 0, tls: str = "", **limits: Any) -> Iterator[tuple[Any, Any]]:
    """A server that answers messages of these numbers in that way, and the host that asks it."""
    with serving(lambda message, number: way if number in numbers else None) as server:
        if tls:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            server.url = server.url.replace("http", "https")
        options = {"url": server.url, "retries": retries}
        spec = spec_of("there", host="http", folder=Path(), host_options=options)
        with opened(spec, None, **limits) as host:
            yield server, host


@pytest.fixture(scope="module")
def undisturbed() -> Record:
    with served() as (_, host):
        return against_good(host)


@pytest.mark.parametrize(("way", "kind"), FAULTS.values(), ids=FAULTS)
def test_a_wrong_answer_is_a_fault_unless_the_server_may_be_asked_again(way, kind, undisturbed):
    with served(way, 1) as (_, host):
        assert [fault.kind for fault in against_good(host).faults] == [kind]
    with served(way, 1, retries=1) as (server, host):
        assert against_good(host) == undisturbed
    assert server.asked[2].pop("attempt") == 2
    assert server.asked[2].pop("wrong")
    assert server.asked[2].keys() == server.asked[1].keys()


def test_a_late_answer_and_a_fault_that_the_bot_reports_are_final():
    for way, kind in (WAYS["late"], "timeout"), (changed(fault="error", detail="why"), "error"):
        with served(way, 1, retries=1, move_ms=100) as (_, host):
            assert kind in [fault.kind for fault in against_good(host).faults]


@pytest.mark.parametrize(("way", "limits"), AWAY.values(), ids=AWAY)
def test_a_server_that_is_away_is_asked_until_it_is_back(way, limits, undisturbed):
    with served(way, 0, 2, **limits) as (_, host):
        assert against_good(host) == undisturbed


@pytest.mark.parametrize("when", ["3600", "Thu, 31 Dec 2099 00:00:00 GMT"])
def test_a_server_that_asks_for_more_patience_than_there_is_is_not_asked_again(when):
    with served(says(429, b"", retry_after=when), 1) as (server, host):
        with pytest.raises(ServiceError, match="bot there: "):
            against_good(host)
        assert len(server.asked) == 2


@pytest.mark.parametrize("way", WRONG.values(), ids=WRONG)
def test_what_no_server_of_a_bot_sends_ends_the_run_at_once(way):
    with served(way, 1) as (server, host):
        with pytest.raises(ServiceError, match=re.escape(f"bot there: {server.url} ")):
            against_good(host)
        assert len(server.asked) == 2


def test_a_server_that_chooses_the_python_form_is_sent_views(undisturbed):
    with served(changed(form="python"), 0) as (server, host):
        assert against_good(host) == undisturbed
    first = msgspec.convert(server.asked[1]["view"], type(ACT["view"]))
    assert {load_game("vole").text(action) for action in server.asked[1]["legal"]} <= {
        f"play:{card}" for card in first.as_dict()["hand"]
    }


@pytest.mark.needs("openssl")
def test_the_certificate_of_a_server_must_be_trusted(tmp_path, monkeypatch, undisturbed):
    file = str(tmp_path / "own.pem")
    make = "openssl req -x509 -nodes -newkey rsa:2048 -subj /CN=there -addext subjectAltName=IP:127.0.0.1 -keyout - >"
    subprocess.run(f"{make}{file}", shell=True, check=True, stderr=subprocess.DEVNULL)
    with served(tls=file) as (_, host), pytest.raises(ServiceError, match="certificate"):
        against_good(host)
    monkeypatch.setenv("SSL_CERT_FILE", file)
    with served(tls=file) as (_, host):
        assert against_good(host) == undisturbed


def test_a_run_pauses_while_its_server_is_away_and_no_secret_is_kept(tourney, write, tmp_path):
    secret, said = "Bearer sk-1/2", b""
    with serving() as server:
        bot = f'[[bot]]\nname = "there"\nurl = "{server.url}"\nretries = 1\n'
        bot += 'headers = { Mine = "env:MINE", Kind = "plain" }\n'
        bot += "[limits]\npatience_s = 0.3\n"
        config = write(bots='["steady"]', extra=bot)
        tourney("run", config, "--out", "whole", MINE=secret).check_returncode()
        detail = orjson.dumps({"detail": f"no {secret}"}).replace(b"/", rb"\/")
        garbage, noted = says(200, b'"' + detail), changed(note={"thought": f"with {secret[7:]}"})
        for status, script in (
            (4, lambda message, number: says(503, detail) if number > 40 else None),
            (4, lambda message, number: says(403, detail) if number > 40 else None),
            (0, lambda message, number: noted if "attempt" in message else garbage if number % 7 == 0 else None),
        ):
            server.asked.clear()
            server.script = script
            ended = tourney("run", config, "--quiet", "--out", "run", *["--resume"] * bool(said), MINE=secret)
            assert (ended.returncode, ended.stderr.count("tourney: bot there:")) == (status, status // 4)
            said += f"{ended.stdout}{ended.stderr}\n".encode()
    kept = contents(tmp_path / "run")
    assert kept["journal.jsonl"] == (tmp_path / "whole" / "journal.jsonl").read_bytes()
    assert b'"attempts":2' in kept["notes.jsonl"]
    assert b"sk-1" not in said + b"".join(kept.values())


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
NEW = START | {"match": "n"}
NONSENSE = (
    {}, [], ACT | {"view": 1}, ACT | {"view": VOLE.view(1).as_dict()}, ACT | {"legal": ["keep"]}, ACT | {"seat": "1"},
    NEW | {"seat": 9}, NEW | {"game": "chess"}, NEW | {"seats": 3}, NEW | {"match": "m" * 999},
)  # fmt: skip
HEAVY = (
    b"9" * 2_000_000,
    b"[" * 2_000_000,
    msgspec.json.encode(ACT).replace(b'"hand_mask":', b'"hand_mask":' + b"9" * 9999),
)


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


def post(url, message, **headers):
    body = message if isinstance(message, bytes) else msgspec.json.encode(message)
    return httpx.post(url, content=body, headers={"Content-Type": JSON} | headers, timeout=WAIT_S)


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


def test_only_requests_for_its_own_names_are_answered(serve):
    url = serve("steady", "--name", "bots.example.org")
    for name, status in (("localhost", 200), ("bots.example.org:443", 200), ("evil.example", 400)):
        assert post(url, START, Host=name).status_code == status


def test_nothing_but_messages_with_views_gets_in(serve):
    url = serve("steady")
    post(url, START)
    for message in (*NONSENSE, *HEAVY):
        assert post(url, message).status_code == 400
    assert httpx.post(url, content=b"{}").status_code == 415
    assert httpx.post(url, content=b"{}", headers={"Content-Type": "application/x-tourney-pickle"}).status_code == 415
    assert httpx.post(url, content=b" " * (1 << 23)).status_code == 413
    assert post(url, ACT | {"match": "other"}).status_code == 409
    assert post(url, ACT).json()["action"] in VOLE.legal()


def test_a_warning_says_so_where_other_machines_reach_the_bot(tmp_path):
    server = begin(tmp_path, "steady", "--address", "0.0.0.0:0", command="serve-bot")
    url = server.stdout.readline().split()[-1]
    server.send_signal(signal.SIGINT)
    assert f"warning: anyone who can reach {url} can use the bot; " in server.communicate(timeout=WAIT_S)[1]


def test_what_cannot_be_served_is_refused_in_a_line(tourney):
    one_line(tourney("serve-bot", "stedy", "--address", 0), 2, "steady")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        one_line(tourney("serve-bot", "steady", "--address", taken.getsockname()[1]), 2, "in use")
