"""How Le Léon reads for people, and what a seat sees of the others' decisions."""

from collections.abc import Iterator

from tourney.cards import LEON as DECK
from tourney.game import Entry, Observation
from tourney.games.leon.cards import ANSWERS, BARE, BID, CONFESS, NAMES, TRUMP
from tourney.games.leon.scores import REPENTED
from tourney.games.leon.state import LeonState
from tourney.wording import Event, NameOf, RoundWording


class LeonWording(RoundWording):
    """The words of Le Léon."""

    deck = DECK
    seats = ("dealer", "leader", "winner")

    def sentence(self, event: Event, name: NameOf) -> str:
        """Returns a sanction with what it costs, and other events as in any game of rounds."""
        if event["kind"] != "sanction":
            return super().sentence(event, name)
        return f"sanction: {name(event['seat'])}, {event['name']}, {event['points']}"

    def to_trick(self, action: str) -> str | None:
        """Returns the card that is played; of the Léon, the whole action, as it is another card by name only."""
        return action if action.startswith("leon") else super().to_trick(action)


def observe(state: LeonState, at: int, seat: int) -> Observation:
    """Returns what a seat sees of a decision or a sanction.

    docs/rules/leon: secret bids come out when the round is over; of a revoke that is caught, the card that was offered
    is not seen; of a question to a revoker the others learn nothing, and confessions come out together once all who
    were asked have answered.
    """
    entry = state.log[at]
    answers_are_out = state.seat is None or state.legal() != ANSWERS
    if entry[0] == "sanction":
        _, who, kind = entry
        return Observation("sanction" if kind != REPENTED or answers_are_out or who == seat else None)
    if not _is_decision(entry):
        return Observation(entry[0])
    decider, action, legal = entry
    if action in ANSWERS:
        seen = decider == seat or (action == CONFESS and answers_are_out)
        return Observation(NAMES[action] if seen else None, _answers_before(state, at) if answers_are_out else ())
    if BID <= action < TRUMP:
        # a bid that is spoken is in the view of every seat
        secret = decider != seat and state.view(seat).options.mode == "attack"
        return Observation("bid:?" if secret else NAMES[action])
    if action not in legal and action != BARE and decider != seat:
        action = legal[0]  # docs/rules/leon: the lowest card of the led suit is played in its place
    return Observation(NAMES[action], _bids(state, at))


def _is_decision(entry: Entry) -> bool:
    return isinstance(entry[0], int)


def _answers_before(state: LeonState, at: int) -> tuple[int, ...]:
    """Returns the indices in the log of the confessions, with their sanctions, that the answer at `at` brings out."""
    found: list[int] = []
    for i in range(at - 1, -1, -1):
        entry = state.log[i]
        if _is_decision(entry) and entry[1] not in ANSWERS:
            break
        if entry[0] == "trick":
            break
        if not _is_decision(entry) or entry[1] == CONFESS:
            found.append(i)
    return tuple(reversed(found))


def _bids(state: LeonState, at: int) -> tuple[int, ...]:
    """Returns the indices in the log of the bids of the round, if the card at `at` was the last one of the round."""
    if not any([entry[0] == "score" for entry in state.log[at + 1 :]]):
        return ()
    return tuple(sorted(_bids_before(state, at)))


def _bids_before(state: LeonState, at: int) -> Iterator[int]:
    for i in range(at - 1, -1, -1):
        entry = state.log[i]
        if entry[0] == "deal":
            return
        if _is_decision(entry) and BID <= entry[1] < TRUMP:
            yield i
