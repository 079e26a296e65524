"""Bots that are servers: what a server answers is a fault, a pause or the end of the run, and secrets stay secret."""

import re
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.hosts.play import against_good, opened, spec_of
from tests.hosts.servers import WAYS, changed, says, serving
from tourney.base.errors import ServiceError
from tourney.contracts.game import View
from tourney.contracts.match import Record

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
    assert isinstance(server.asked[1]["view"], View)


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
    kept = {path.name: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert kept["journal.jsonl"] == (tmp_path / "whole" / "journal.jsonl").read_bytes()
    assert b'"attempts":2' in kept["notes.jsonl"]
    assert b"sk-1" not in said + b"".join(kept.values())
