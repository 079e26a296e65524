"""People at pages of one table, by requests as a browser makes them: what they are sent, and what may be answered."""

import re
import signal
import time
from operator import itemgetter
from random import Random
from threading import Thread

import httpx
import orjson
import pytest

from tests.cli.runs import WAIT_S, begin_table, interrupted
from tests.conftest import BAD, called
from tests.helpers import tables
from tourney.contracts.match import match_of
from tourney.journal.reader import parse_record
from tourney.plugins.registry import load_game
from tourney.report.match_data import match_data, moments
from tourney.table.replay import unfinished_record

ASKED, OVER = itemgetter("asked"), itemgetter("over")


class Page:
    """The page of a seat; `sent` has all states that it was told."""

    def __init__(self, link):
        self.link, self.sent, self._seen = link, [], ""

    def until(self, wanted):
        while True:
            answer = httpx.get(f"{self.link}events?seen={self._seen}", timeout=WAIT_S)
            if answer.status_code == 200:
                self._seen = answer.headers["X-Seen"]
                self.sent.append(answer.json())
                if found := wanted(self.sent[-1]):
                    return found
            time.sleep(0.02)

    def post(self, where, body):
        return httpx.post(self.link + where, json=body, timeout=WAIT_S).status_code

    def play(self, rng):
        """Answers at random to the end."""
        while (asked := self.until(lambda state: ASKED(state) or OVER(state))) != self.sent[-1]["over"]:
            self.post("answer", {"decision": asked["decision"], "action": rng.choice(asked["actions"])["text"]})


@pytest.fixture
def play(tmp_path):
    """Starts a match with people; returns its process and their pages."""
    started = []

    def play(game, *arguments, people=("you",)):
        process, links = begin_table(tmp_path, game, "--seed=5", *arguments, people=people)
        started.append(process)
        return process, [Page(link) for link in links]

    yield play
    for process in started:
        process.kill()
        process.communicate()


def words(value):
    return set(re.findall(r"[\w-]+", orjson.dumps(value).decode()))


@pytest.mark.parametrize(("game", "seats"), tables(quick_most=False))
def test_a_page_is_sent_what_its_seat_knows_and_nothing_else(game, seats, play, tmp_path):
    _, (page,) = play(f"{game}:{seats}", "--undo-s=0", "--against=random")
    page.play(Random(seats))
    rules, log, known = load_game(game), [], set()
    record = parse_record((tmp_path / f"results/play-{game}-1/journal.jsonl").read_bytes(), "")
    cards = set(rules.wording.deck.names) if rules.wording.deck else set()
    cuts = {}  # by what the viewer has of a match that has come so far: the cards that the seat knows, and its choices
    for step, (view,) in moments(record, rules, [0]):
        legal = [rules.text(action) for action in step.legal] if step and step.seat == 0 else []
        known |= words([view, legal]) & cards
        data = match_data(unfinished_record(match_of(record), rules, log), rules, 0)
        cuts.setdefault(data, []).append((set(known), legal))
        log += [(step.seat, step.action, step.legal)] if step else []
    for state in page.sent[:-1]:
        knows, choices = zip(*cuts[orjson.dumps(state["match"])], strict=True)
        assert words(state | {"match": None}) & cards <= knows[-1]
        assert not state["asked"] or [each["text"] for each in state["asked"]["actions"]] in choices


def test_what_is_no_answer_is_refused_and_an_answer_can_be_taken_back(play):
    _, (ann, bob) = play("vole", "--undo-s=60", "--move-s=7200", people=("ann", "bob"))
    tab, asked = Page(ann.link), ann.until(ASKED)
    assert tab.until(ASKED) == asked
    answer = {"decision": asked["decision"], "action": asked["actions"][-1]["text"]}
    for page, where, change, status in [
        (ann, "answer", {"action": "play:zz"}, 400), (ann, "answer", {"decision": "1"}, 400),
        (ann, "answer", {"decision": 2}, 409), (bob, "answer", {}, 409), (ann, "undo", {}, 409),
        (ann, "answer", {}, 204), (tab, "answer", {}, 409), (bob, "undo", {}, 409),
    ]:  # fmt: skip
        assert page.post(where, answer | change) == status
    assert tab.until(itemgetter("held")).items() >= answer.items()
    assert tab.post("undo", answer) == 204
    assert tab.until(ASKED) == asked
    assert 3600 < tab.sent[-1]["clock"]["left_s"] <= 7200
    bob.until(lambda state: not state["people"][0]["here"])
    assert {state["match"]["decisions"] for state in bob.sent} == {0}, "an answer that is held is not told"
    back = Page(ann.link)
    assert back.until(ASKED) == asked
    assert back.sent[-1]["match"] == tab.sent[-1]["match"]
    assert "<h1>" in httpx.get(f"{ann.link}rules").text
    for where in ("", "rules", "events", "nothing"):
        stranger = httpx.get(f"{ann.link[:-9]}somebody/{where}")
        assert (stranger.status_code, stranger.text.count("\n")) == (404, 1)


def test_who_takes_longer_than_asked_for_is_out_and_the_match_goes_on(play, tmp_path):
    _, (page,) = play("vole", "--move-s=0.01")
    page.until(OVER)
    (fault,) = parse_record((tmp_path / "results/play-vole-1/journal.jsonl").read_bytes(), "").faults
    assert (fault.seat, fault.kind, fault.detail) == (0, "timeout", "took longer than 0.01 s")
    assert called(["verify", "play-vole-1"], tmp_path).stdout == "1 of 1 records verified\n"


@pytest.mark.slow
def test_two_people_and_a_bot_that_fails_play_to_the_end_and_their_decisions_are_analysed(play, tmp_path):
    how = ("--undo-s=0", f"--against={BAD}:RaisesLater", "--seat=2")
    process, (ann, bob) = play("voleur", *how, people=("ann", "bob"))
    other = Thread(target=bob.play, args=(Random(2),))
    other.start()
    ann.play(Random(1))
    other.join()
    for page, seat in ((Page(ann.link), 2), (Page(bob.link), 0)):
        page.until(lambda state: state["over"]["analysed"])
        assert {cost["seat"] for cost in page.sent[-1]["match"]["costs"]} == {seat}
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    assert {"ann has joined", "bob has joined", "  tourney analyse results/play-voleur-1 --bot bob"} <= {
        *told.splitlines()
    }
    record = parse_record((tmp_path / "results/play-voleur-1/journal.jsonl").read_bytes(), "")
    assert (record.seats, [fault.seat for fault in record.faults]) == (("bob", "bots", "ann"), [1])
    again = called(["verify", "play-voleur-1", "--bots"], tmp_path).stdout
    assert [again.count(text) for text in ("1 of 1 records verified", "not asked again: a human")] == [1, 2]


@pytest.mark.parametrize("stopped", [True, False])
def test_a_match_that_is_stopped_or_whose_run_cannot_be_written_closes_its_pages(stopped, play, tmp_path):
    process, (page,) = play("vole", "--undo-s=0")
    (tmp_path / "results").rmdir()  # in which there is nothing
    (tmp_path / "results").write_text("not a folder")
    if stopped:
        interrupted(process)
    with pytest.raises((httpx.HTTPError, httpx.StreamError)):
        Page(page.link).play(Random(1))
    if not stopped:
        assert '"match":"vole-00000-0"' in process.communicate(timeout=WAIT_S)[1]
        assert process.returncode == 4
