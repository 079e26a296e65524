"""`tourney serve`: runs as pages that are live while they are played, and nothing else of the machine."""

import json
import re
import shutil
import signal
import time
from contextlib import contextmanager
from html import unescape

import httpx
import orjson
import pytest

from tests.cli.runs import WAIT_S, Held, begin, journal, one_line, wait_for
from tests.conftest import called
from tests.report.runs import begun, entered, league, play
from tourney.journal.run import RunFolder
from tourney.journal.tail import JournalTail
from tourney.plugins.registry import load_game
from tourney.report.beliefs import beliefs
from tourney.web.serve import POLL_S, Site
from tourney.web.server import address_of, application, listen, serving

HOSTILE = '"><script>alert(1)<|script>'
MISSING = """
/runs/ /runs/..%2ffaulty/ /runs/%2e%2e/ /runs/linked/ /runs/linking/ /runs/faulty/journal.jsonl
/runs/faulty/matches/?page=9 /runs/faulty/matches/..%2f..%2fmanifest.json /runs/faulty/matches/vole-99999-0"""
HOSTS = {"evil.example": 400, "127.0.0.1.evil.example": 400, "localhost:1": 200, "[::1]:80": 200, "behind.proxy": 200}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run that is over, one that is not and has a hostile name, a league; and runs that lead out of the folder."""
    made = play(tmp_path_factory.mktemp("runs"), "faulty")
    begun(made / "faulty", 3, HOSTILE)
    league(made / "league", 10, "steady@1", "random@1", "first@1")
    elsewhere = begun(made / "faulty", 3, "linking").rename(tmp_path_factory.mktemp("elsewhere") / "run")
    (made / "linked").symlink_to(elsewhere)
    (begun(made / "faulty", 0, "linking") / "more").symlink_to(elsewhere)
    return made


@pytest.fixture(scope="module")
def client(folder):
    with served(folder, ".", "--name", "behind.proxy") as client:
        yield client


@contextmanager
def served(folder, *arguments, warned=""):
    chosen = () if "--address" in arguments else ("--address", 0)
    server = begin(folder, *arguments, *chosen, command="serve")
    url = server.stdout.readline().split()[-1].replace("0.0.0.0", "127.0.0.1")
    with httpx.Client(base_url=url, timeout=WAIT_S) as client:
        try:
            yield client
        finally:
            server.send_signal(signal.SIGTERM if warned else signal.SIGINT)
            told = server.communicate(timeout=WAIT_S)[1]
    assert (told.partition(":")[0], server.returncode) == (warned, 0)


def news(get, address, wanted):
    """The first wanted news of an address, asked for as a page does."""
    seen = ""
    while True:
        answer = get(f"{address}?seen={seen}")
        seen = answer.headers.get("X-Seen", seen)
        if answer.status_code == 200 and wanted(found := answer.json()):
            return found
        time.sleep(0.05)


def test_the_index_leads_to_every_run_its_report_and_all_its_matches(folder, client):
    index = client.get("/").text
    cards = [" ".join(unescape(re.sub("<[^>]*>", " ", card)).split()) for card in index.split('<li class="tile">')[1:]]
    matches = [json.loads(line)["match"] for line in journal(folder / "faulty").splitlines()]
    assert [card.partition(" leader: ")[0] for card in cards] == [
        "league league (settles order, sure 0.99, equal within 10 Elo) · vole · 3 bots",
        f"{HOSTILE} round-robin · vole · 5 bots",
        "faulty round-robin · vole · 5 bots",
    ]
    rest = r"(\w+) (\d+.*) \d{4}-\d\d-\d\d \d\d:\d\d , newest (\S+)"
    assert [re.search(rest, card).groups() for card in cards[1:]] == [
        ("steady", f"3 of {len(matches)} matches so far", matches[2]),
        ("steady", f"{len(matches)} matches", matches[-1]),
    ]
    for query, count in (("name=FAUL", 1), ("kind=league", 1), ("game=vole&kind=run", 2), ("name=nobody", 0)):
        assert client.get(f"/?{query}").text.count('<li class="tile">') == count
    by_bot = client.get("/runs/faulty/matches/", params={"bot": "raises"}).text
    assert f"{sum(b'raises' in line for line in journal(folder / 'faulty').splitlines())} matches" in by_bot
    assert "<script>alert" not in index
    pages = [client.get(f"/runs/faulty/matches/?page={number}").text for number in (1, 2)]
    assert re.findall('<th scope="row" class="text"><a href="([^"]*)"', "".join(pages)) == matches[::-1]
    fault = unescape(re.search(r'href="([^"]*\?decision=\d+&amp;seat=\d+)"', pages[0])[1])
    assert f'data-match="{fault.partition("?")[0]}"' in client.get(f"/runs/faulty/matches/{fault}").text
    wait_for(lambda: "data-page" in client.get("/runs/faulty/").text)
    shown = client.get("/runs/faulty/")
    assert f'href="matches/{matches[0]}#match={matches[0]}' in shown.text
    assert "connect-src 'self'" in unescape(shown.text)
    assert all(text in str(shown.headers) for text in ("frame-ancestors 'none'", "nosniff", "gzip"))
    assert client.get("/runs/faulty").headers["location"] == "./faulty/"


def test_nothing_is_served_but_the_pages_of_runs_and_by_known_names(client):
    missing = [client.get(path) for path in MISSING.split()]
    assert {answer.status_code for answer in missing} == {404}
    for answer in missing:
        back = answer.url.join(re.search('<a href="([./]+)">← all runs', answer.text)[1])
        assert back.path == "/"
    methods = {"POST": 405, "DELETE": 405, "HEAD": 200}
    assert {name: client.request(name, "/runs/faulty/events").status_code for name in methods} == methods
    assert {host: client.get("/", headers={"Host": host}).status_code for host in HOSTS} == HOSTS


def test_the_page_of_a_match_holds_its_twins_and_what_a_seat_could_believe_is_counted_when_asked(folder, client):
    run, name = RunFolder(folder / "faulty"), "vole-00001-1"
    page = client.get(f"/runs/faulty/matches/{name}").text
    assert re.findall('data-match="(.*?)"', page) == [name, "vole-00001-0"]
    asked = client.get(f"/runs/faulty/matches/{name}/beliefs", params={"seat": 1, "first": 2, "end": 6})
    counted = beliefs(run.record(name), load_game("vole"), 1, range(2, 6))
    assert asked.json() == json.loads(orjson.dumps(counted))
    assert counted["tables"]
    for wrong in ({}, {"seat": 9, "first": 1, "end": 2}, {"seat": 0, "first": 2, "end": 2}):
        refused = client.get(f"/runs/faulty/matches/{name}/beliefs", params=wrong)
        assert (refused.status_code, refused.text.count("\n")) == (400, 1)


@pytest.mark.slow
def test_a_run_is_counted_while_it_is_played_and_its_report_renewed(tmp_path, write):
    run = Held(tmp_path, write("small", bots=f'["steady", "{Held.BOT}"]').name, "--out", "small")
    with served(tmp_path, "small") as client:
        assert client.get("/").headers["location"] == "./runs/small/"
        client.get("/runs/small/")  # from now on there are reports
        before = news(client.get, "/runs/small/events", lambda event: event["page"])
        assert (before["played"], before["of"]) == (journal(tmp_path / "small").count(b"\n"), 8)
        assert int(re.search('data-page="([0-9]+)"', client.get("/runs/small/").text)[1]) >= before["page"]
        assert run.finish().returncode == 0
        is_last = lambda event: event["played"] == 8 and event["page"] > before["page"]  # noqa: E731 - short
        after = news(client.get, "/runs/small/events", is_last)
        assert int(re.search('data-page="([0-9]+)"', client.get("/runs/small/").text)[1]) >= after["page"]


def test_the_page_of_a_league_is_renewed_by_its_events_also_before_its_first_match(tmp_path):
    entered(tmp_path / "open", "steady@1")
    with served(tmp_path, "open") as client:
        client.get("/runs/open/")
        page = news(client.get, "/runs/open/events", lambda event: event["page"])["page"]
        assert "first@1" not in client.get("/runs/open/").text
        entered(tmp_path / "open", "first@1")
        news(client.get, "/runs/open/events", lambda event: event["page"] > page)
        assert "first@1" in client.get("/runs/open/").text


def test_a_damaged_run_is_said_at_once(folder, tmp_path):
    shutil.copytree(folder / "faulty", tmp_path / "faulty")
    (tmp_path / "faulty" / "manifest.json").write_text("{")
    with served(tmp_path, ".", warned="/runs/faulty/") as client:
        assert client.get("/runs/faulty/").status_code == 500


def test_many_pages_have_one_reader(folder, tmp_path, monkeypatch):
    shutil.move(begun(folder / "faulty", 3, "growing"), tmp_path / "growing")
    read, reads, began = JournalTail.read, [], time.monotonic()
    monkeypatch.setattr(JournalTail, "read", lambda tail: (reads.append(tail), read(tail)))
    listener = listen("127.0.0.1", 0)
    with (
        serving(application(Site(tmp_path, tmp_path, print).routes(), listener), listener),
        httpx.Client(timeout=WAIT_S) as client,
    ):
        address = f"{address_of(listener)[0]}/runs/growing/events"
        assert {news(client.get, address, bool)["played"] for _ in range(30)} == {3}
        with (tmp_path / "growing" / "journal.jsonl").open("ab") as lines:
            lines.write(journal(folder / "faulty").splitlines(keepends=True)[3])
        assert {news(client.get, address, lambda event: event["played"] > 3)["played"] for _ in range(30)} == {4}
    assert len(reads) <= 2 + (time.monotonic() - began) / POLL_S


def test_a_port_that_is_taken_is_said_in_one_line_and_who_can_reach_the_runs(folder, tmp_path):
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        one_line(called(["serve", ".", "--address", port], folder), 2, f"127.0.0.1, port {port} (", "); choose another")
    with served(tmp_path, "--address", "0.0.0.0:0", warned="warning") as client:
        assert "No runs yet" in client.get("/", headers={"Host": "any.example"}).text
