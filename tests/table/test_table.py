"""The table: who is asked, what is charged, who moves instead, and how seats rank."""

from contextlib import contextmanager

import pytest

from tests import helpers
from tests.helpers import bot, play_match
from tourney.contracts.match import GameSetup, Match
from tourney.hosts.base import BotHost
from tourney.hosts.faults import ChargedError
from tourney.plugins.registry import load_game
from tourney.table.replay import check, trace
from tourney.table.table import play

GAME = load_game("vole")
SHORT = {"target": 6}

RAISED = {
    "ValueError": "Raises RaisesLater RaisesInFalseModule CallsFalseFile",
    "RuntimeError": "RaisesInMake RaisesInStart RaisesInEnd",
    "LiarError": "RaisesLiar RaisesWhileHandling",
    "ChargedError": "RaisesCharge RaisesEmptyCharge",
} | {"GeneratorExit": "Closes", "SystemExit": "Exits", "KeyboardInterrupt": "Interrupts", "RecursionError": "Recurses"}
TYPES = {"Text": "str", "True": "bool", "Float": "float", "List": "list", "LyingNumber": "Number", "Liar": "Liar"}
FAULTY = {name: ("error", f"{error} at bots.py:") for error, names in RAISED.items() for name in names.split()}
FAULTY |= {"RaisesUnderFalseName": ("error", "?"), "RaisesInFalseFile": ("error", "ValueError at ?:")}
FAULTY |= {f"Says{name}": ("illegal", f"answered with the type {kind}") for name, kind in TYPES.items()}
FAULTY |= {"OutOfMemory": ("memory", "MemoryError at bots.py:"), "SaysNone": ("illegal", "answered None")}
FAULTY["SaysHuge"] = ("illegal", "unknown action")
OURS = OSError("no more processes")


@pytest.mark.parametrize("name", FAULTY)
def test_a_bot_that_faults_is_charged_and_costs_only_itself(name):
    kind, detail = FAULTY[name]
    record = play_match("Good", name, options=SHORT)
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.answer) == (1, kind, None)
    assert fault.detail.startswith(detail)
    assert record.places == (1, 2)
    check(record, GAME)


@pytest.mark.parametrize("name", ["SaysNumberLike", "Prints", "MutatesWhatItGets"])
def test_what_is_no_fault_is_not_charged(name):
    record = play_match("Good", name, options=SHORT)
    assert record.faults == ()
    assert record.actions == play_match("Good", "Good", options=SHORT).actions


@pytest.mark.parametrize(("game", "seats"), helpers.tables())
def test_options_that_a_bot_changes_by_force_change_neither_the_match_nor_another_view(game, seats):
    good, bad = [play_match(*[name] * seats, game=game) for name in ("Good", "MutatesByForce")]
    assert (bad.actions, bad.scores, bad.faults) == (good.actions, good.scores, good.faults)
    check(bad, load_game(game))


def test_an_illegal_action_is_named_in_the_fault():
    record = play_match("SaysIllegal", "Good", options=SHORT)
    (fault,) = record.faults
    assert fault.kind == "illegal"
    assert GAME.action(fault.answer) is not None
    first = next(event for event in trace(record, GAME) if event["kind"] == "act" and event["seat"] == 0)
    assert fault.answer not in first["legal"]


def noting(calls):
    @contextmanager
    def watch(decision, seat, _seconds, _actions):
        calls.append((decision, seat))
        yield

    return watch


def test_a_known_end_is_charged_without_asking_the_bot():
    calls = []
    plain = play_match("Good", "Good", options=SHORT, watch=noting(calls))
    assert plain == play_match("Good", "Good", options=SHORT)
    last = plain.actions.count(" ") + 2
    assert calls[:2] == [(0, 0), (0, 1)]
    assert calls[-4:] == [(last, 0), (last, 1), (last + 1, 0), (last + 1, 1)]
    assert [decision for decision, _ in calls[2:-4]] == list(range(1, last))
    for decision, seat in (calls[9], (0, 1), (last, 1)):  # also before the first and after the last decision
        record = play_match("Good", "Good", options=SHORT, verdicts={(decision, seat): ("crash", "its process died")})
        (fault,) = record.faults
        assert (fault.kind, fault.decision, fault.seat) == ("crash", decision or 2, seat)
        assert record.places[seat] == 2
        check(record, GAME)


def test_for_an_entrant_that_is_out_the_house_plays_from_the_first_decision_and_its_bot_is_not_made():
    record = play_match("Good", "RaisesInMake", options=SHORT, out={1: "after 3 faults"})
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.decision, fault.answer, fault.detail) == (1, "out", 0, None, "after 3 faults")
    assert record.places == (1, 2)
    check(record, GAME)
    again = play_match("Good", "Good", options=SHORT, out={1: "after 3 faults"}, watch=noting([]))
    assert again.actions == record.actions
    acts = [event for event in trace(record, GAME) if event["kind"] == "act" and event["seat"] == 1]
    assert {event["by"] for event in acts} == {"house"}


@pytest.mark.parametrize(
    ("names", "out"),
    [(("Raises", "SaysNone"), {}), (("Good", "Good"), {0: "after 3 faults", 1: "after 2 faults"})],
    ids=["all fault", "all are out"],
)
def test_when_nobody_plays_the_house_ends_the_match_and_all_share_the_place(names, out):
    record = play_match(*names, options=SHORT, out=out)
    assert sorted(fault.seat for fault in record.faults) == [0, 1]
    assert record.places == (1, 1)
    check(record, GAME)


class Remote(BotHost):
    """Hosts bots in another process, and raises the error at `begin`, `act` or `end`."""

    def __init__(self, error, at):
        self.error, self.at = error, at

    def begin(self, facts, rng_seed, clock):
        self.raise_at("begin")
        return self

    def act(self, view, legal):
        self.raise_at("act")
        return legal[-1]

    def end(self, outcome):
        self.raise_at("end")

    def close(self):
        pass

    def raise_at(self, at):
        if at == self.at:
            raise self.error


class InWorker(Remote):
    """Hosts bots in the worker, so that an error is the bot's own."""

    in_worker = True


def played(host, seat, watch=None):
    """The record of a match with the host's bot in the seat, and a good bot in the other one."""
    makers = [bot("Good"), host] if seat else [host, bot("Good")]
    return play(Match("vole-00000-0", GameSetup("vole", 2, SHORT), 0, 5, ("bot-0", "bot-1")), GAME, makers, watch=watch)


@pytest.mark.parametrize("at", ["begin", "act", "end"])
def test_an_error_of_ours_is_raised_but_what_a_host_charges_or_a_bot_in_the_worker_raises_is_a_fault(at):
    with pytest.raises(OSError, match="no more processes"):
        played(Remote(OURS, at), 1)
    (fault,) = played(Remote(ChargedError("crash", "its process died"), at), 1).faults
    assert (fault.seat, fault.kind, fault.detail) == (1, "crash", "its process died")
    (fault,) = played(InWorker(OURS, at), 1).faults
    assert (fault.seat, fault.kind) == (1, "error")


def test_an_error_of_ours_at_the_start_of_a_bot_is_raised_before_any_bot_is_asked():
    calls = []
    with pytest.raises(OSError, match="no more processes"):
        played(Remote(OURS, "begin"), 0, noting(calls))
    assert calls == [(0, 0)]
