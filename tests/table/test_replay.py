"""Replay: a record holds if, and only if, the rules make the same of it."""

import signal
import time

import msgspec
import pytest

from tests.helpers import play_match
from tourney.base.errors import RunError
from tourney.contracts.match import Fault
from tourney.plugins.registry import load_game
from tourney.table.replay import DifferenceError, Replay, check, each_in_time, numbered_trace, trace, walk

GAME = load_game("vole")


@pytest.fixture(scope="module")
def record():
    return play_match("random", "steady", options={"target": 6})


def changed(record, **keys):
    return msgspec.structs.replace(record, **keys)


def end(record):
    """The decision that faults after the match are charged at."""
    return len(record.actions.split()) + 1


@pytest.mark.parametrize(
    ("key", "change", "says"),
    [
        ("actions", lambda r: r.actions + " keep", "the match is over"),
        ("actions", lambda r: r.actions.rsplit(" ", 3)[0], "the match continues"),
        ("actions", lambda r: "play:12t " + r.actions, "decision 1: vole has no action"),
        ("actions", lambda r: "keep " + r.actions, "decision 1: keep is not legal"),
        ("scores", lambda r: (r.scores[0] + 1, r.scores[1]), "scores: "),
        ("places", lambda r: (1, 1), "places: "),
        ("digest", lambda r: "0" * 32, "digest: "),
        ("seats", lambda r: ("other", "steady"), "digest: "),
        ("seed", lambda r: "no number", "cannot be set up"),
        ("seed", lambda r: "f" * 40, "cannot be set up"),
        ("options", lambda r: {"target": 7, "what": 1}, "cannot be set up"),
        ("seats", lambda r: ("a", "b", "c"), "cannot be set up"),
        ("faults", lambda r: (Fault(r.places.index(1), "error", end(r), None, ""),), "places: "),
        ("faults", lambda r: (Fault(0, "error", end(r) + 1, None, ""),), "error cannot be charged at decision"),
        ("faults", lambda r: (Fault(0, "error", 0, None, ""),), "error cannot be charged at decision 0"),
        ("faults", lambda r: (Fault(0, "out", 1, None, ""),), "out cannot be charged at decision 1"),
        ("faults", lambda r: (Fault(0, "out", 0, None, ""),), "the house plays"),
        ("faults", lambda r: (Fault(1, "error", end(r), None, ""),) * 2, "fault 2: charges seat 1 again"),
        ("faults", lambda r: (Fault(1, "error", 1, None, ""),), "decision 1 is seat 0's, but a fault charges seat 1"),
        ("faults", lambda r: (Fault(2, "error", 10**6, None, ""),), "which does not exist"),
    ],
)
def test_a_changed_record_does_not_hold_and_the_difference_is_named(record, key, change, says):
    with pytest.raises(DifferenceError, match=says):
        check(changed(record, **{key: change(record)}), GAME)


def test_another_move_of_the_house_is_noticed():
    record = play_match("Good", "Raises", options={"target": 6})
    fault = record.faults[0]
    actions = record.actions.split(" ")
    steps = list(Replay(record, GAME).steps())
    step = next(step for step in steps if step.by_house and len(step.legal) > 1)
    other = next(action for action in step.legal if action != step.action)
    actions[step.decision - 1] = GAME.text(other)
    with pytest.raises(DifferenceError, match="the house plays"):
        check(changed(record, actions=" ".join(actions)), GAME)
    later = Fault(fault.seat, fault.kind, fault.decision + 1, None, fault.detail)
    with pytest.raises(DifferenceError):
        check(changed(record, faults=(later,)), GAME)


@pytest.mark.parametrize("seat", [None, 0])
def test_what_comes_before_a_difference_is_replayed(record, seat):
    """The decision before it is the last that counts; what follows from that one is not known to hold."""
    whole = list(walk(record, GAME, seat))
    texts = record.actions.split(" ")
    last = next(found.number for found in whole if found.event.get("kind") == "trick")
    broken = changed(record, actions=" ".join([*texts[:last], "play:12t", *texts[last + 1 :]]))
    found = []
    with pytest.raises(RunError, match=rf"vole-00000-0 does not replay: decision {last + 1}: .*verify"):
        found.extend(walk(broken, GAME, seat))
    assert [each.action for each in found if each.step] == texts[:last]
    assert [each.seen for each in found] == [each.seen for each in whole[: len(found)]]
    acts = []
    with pytest.raises(RunError):
        acts.extend(trace(broken, GAME))
    assert acts == list(trace(record, GAME))[: len(acts)]
    assert acts[-1]["kind"] == "act"
    with pytest.raises(RunError, match=r"vole-00000-0 does not replay: the match cannot be set up"):
        next(trace(changed(record, seed="no number"), GAME))


def test_an_event_has_the_number_of_the_decision_that_it_comes_with():
    record = play_match("random", "steady", options={"target": 6}, out={1: "after 3 faults"})
    numbers = [number for number, event in numbered_trace(record, GAME) if event["kind"] != "trick"]
    kinds = [event["kind"] for _, event in numbered_trace(record, GAME)]
    assert (numbers[:4], kinds[:4]) == ([0, 0, 0, 1], ["match", "out", "deal", "act"])
    assert numbers[-1] == record.decisions


def test_the_decision_of_a_walk_has_the_view_from_before_and_the_match_after(record):
    after, decisions = None, (found for found in walk(record, GAME) if found.step is not None)
    for found, step in zip(decisions, Replay(record, GAME).steps(), strict=True):
        assert found.view == step.state.view(step.seat)
        if after is not None:
            assert step.state.view(0) == after
        after = found.state.view(0)
        assert (found.number, found.step.action, found.seen) == (step.decision, step.action, found.action)


def test_changed_rules_are_noticed_by_the_digest(record, monkeypatch):
    monkeypatch.setattr("tourney.games.vole.state.TRICK_POINTS", (6,) * 14)
    with pytest.raises(DifferenceError):
        check(record, GAME)


def test_the_reader_of_a_match_may_take_longer_than_its_game(record):
    for found in each_in_time(record, walk(record, GAME), 0.2):
        if found.number == 1:
            begun = time.monotonic()
            while time.monotonic() < begun + 0.4:
                pass
    assert found.number == end(record) - 1


@pytest.mark.parametrize("asked", ["start", "action"])
@pytest.mark.parametrize(
    ("handler", "raised"), [(signal.default_int_handler, KeyboardInterrupt), (signal.SIG_IGN, DifferenceError)]
)
def test_ctrl_c_while_a_game_is_asked_is_no_difference_unless_it_can_only_be_the_game_s(record, asked, handler, raised):
    def interrupted(*_given):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(raised) as refused:
            check(record, type("Interrupted", (type(GAME),), {asked: interrupted})())
        assert "KeyboardInterrupt" in repr(refused.value)
    finally:
        signal.signal(signal.SIGINT, before)
