"""What a seat of Voleur may know, and the game's options. Rules: docs/rules/voleur.md."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import orjson

from tourney.contracts.cards import STANDARD
from tourney.contracts.game import Options, View
from tourney.games.voleur.rules import NAMES, SUIT, Combination

PHASES = ("discard", "play", "privilege", "over")
"""The kinds of decisions in a match, in order."""


class VoleurOptions(Options, frozen=True):
    """Options of Voleur."""

    target: Annotated[int, msgspec.Meta(ge=1)] = 50
    """The match ends after a round in which a seat has reached this many points."""
    first_trick_tie: Literal["void", "next_single"] = "void"
    """The winner of a simultaneous trick without trumps whose top rank is not single: none, or the next single rank."""
    max_rounds: Annotated[int, msgspec.Meta(ge=1)] = 200
    """The match ends after this many rounds at the latest."""


class VoleurTrick(NamedTuple):
    """A trick that is over."""

    leader: int | None
    """The seat that led; None for a simultaneous trick."""
    cards: tuple[int, ...]
    """The card of each seat, in the order of the seats."""
    winner: int | None
    """The seat that won; None if a simultaneous trick was tied."""


class ScoredRound(NamedTuple):
    """A round that is over, as all seats know it."""

    up: int
    """The trump card."""
    tricks: tuple[VoleurTrick, ...]
    combinations: tuple[Combination, ...]
    """What each seat scored for."""
    privilege: int | None
    """The action that the winner of the fourth trick chose; None if there was no winner."""
    points: tuple[int, ...]
    """By how much each score changed."""


class VoleurRound(NamedTuple):
    """A round that is over, as a seat knows it."""

    dealt: tuple[int, ...]
    """The seat's own six cards."""
    discards: tuple[int, ...]
    """The seat's own two discards."""
    up: int
    """The trump card."""
    tricks: tuple[VoleurTrick, ...]
    combinations: tuple[Combination, ...]
    """What each seat scored for."""
    privilege: int | None
    """The action that the winner of the fourth trick chose; None if there was no winner."""
    points: tuple[int, ...]
    """By how much each score changed."""


class VoleurView(View, frozen=True, gc=False):
    """What a seat may know: its cards and discards, the trump card, the tricks, scores and scored combinations."""

    _facts: tuple[
        tuple[int, Literal["void", "next_single"], int], int, tuple[ScoredRound, ...], tuple[tuple[int, ...], ...]
    ]
    """Options, round, past rounds as all seats know them, own discards in them."""
    hand: tuple[int, ...]
    """The seat's cards that it has neither discarded nor played, in order."""
    discards: tuple[int, ...]
    """The cards that the seat itself discarded in this round."""
    turn: int | None
    """The seat that decides now; None once the match is over."""
    _phase: int
    """The pending decision, as an index into `PHASES`."""
    up: int | None
    """The trump card; None until all have discarded."""
    tricks: tuple[VoleurTrick, ...]
    """The tricks of this round that are over, in order."""
    leader: int | None
    """The seat that leads, or led, the trick in progress; None in a simultaneous one and outside the tricks."""
    on_table: tuple[int, ...]
    """The cards of `table`, from the leader on."""
    scores: tuple[int, ...]
    """The score of each seat so far."""
    combinations: tuple[Combination | None, ...]
    """The combination that each seat has scored for in this round; None if it has not scored yet."""
    pile: tuple[int, ...]
    """All discards of this round, while the seat chooses its privilege; empty at any other time."""

    @property
    def options(self) -> VoleurOptions:
        """The game's options."""
        return VoleurOptions(*self._facts[0])

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._facts[1])

    @property
    def phase(self) -> str:
        """The pending decision: `discard`, `play`, `privilege`; `over` once the match is over."""
        return PHASES[self._phase]

    @property
    def trump(self) -> int | None:
        """The trump suit, 0 clubs, 1 diamonds, 2 hearts, 3 spades; None until all have discarded."""
        up = self.up
        return None if up is None else up // SUIT

    @property
    def table(self) -> tuple[tuple[int, int], ...]:
        """The seat's view of the trick in progress, as (seat, card)s; in a simultaneous trick only its own card."""
        leader, cards = self.leader, self.on_table
        if leader is None:
            return tuple([(self.seat, card) for card in cards])
        seats = len(self.scores)
        return tuple([((leader + i) % seats, card) for i, card in enumerate(cards)])

    @property
    def rounds(self) -> tuple[VoleurRound, ...]:
        """The rounds that are over, in order."""
        seat, (_, _, past, discards) = self.seat, self._facts
        return tuple([_round(seat, *entry) for entry in zip(past, discards, strict=True)])

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        return self._plain(_past)

    def as_json(self) -> bytes:
        """`as_dict` as JSON; finished rounds are encoded only once."""
        return orjson.dumps(self._plain(_past_json))

    def _plain(self, past: Callable[[int, ScoredRound, tuple[int, ...]], Any]) -> dict[str, Any]:
        _, _, rounds, discards = self._facts
        return {
            "seat": self.seat,
            "round": self.round,
            "turn": self.turn,
            "phase": self.phase,
            "hand": STANDARD.texts(self.hand),
            "discards": STANDARD.texts(self.discards),
            "up": None if self.up is None else STANDARD.text(self.up),
            "leader": self.leader,
            "table": [{"seat": seat, "card": STANDARD.text(card)} for seat, card in self.table],
            "tricks": _tricks_as_dicts(self.tricks),
            "scores": list(self.scores),
            "combinations": _combinations_as_dicts(self.combinations),
            "pile": STANDARD.texts(self.pile),
            "rounds": [past(self.seat, *entry) for entry in zip(rounds, discards, strict=True)],
        }


def _past(seat: int, known: ScoredRound, discards: tuple[int, ...]) -> dict[str, Any]:
    past = _round(seat, known, discards)
    return {
        "dealt": STANDARD.texts(past.dealt),
        "discards": STANDARD.texts(past.discards),
        "up": STANDARD.text(past.up),
        "tricks": _tricks_as_dicts(past.tricks),
        "combinations": _combinations_as_dicts(past.combinations),
        "privilege": None if past.privilege is None else NAMES[past.privilege],
        "points": list(past.points),
    }


@lru_cache(256)
def _past_json(seat: int, known: ScoredRound, discards: tuple[int, ...]) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(_past(seat, known, discards)))


def _round(seat: int, known: ScoredRound, discards: tuple[int, ...]) -> VoleurRound:
    dealt = sorted([*discards, *[trick.cards[seat] for trick in known.tricks]])
    return VoleurRound(tuple(dealt), discards, *known)


def _tricks_as_dicts(tricks: tuple[VoleurTrick, ...]) -> list[dict[str, Any]]:
    return [{"leader": trick.leader, "cards": STANDARD.texts(trick.cards), "winner": trick.winner} for trick in tricks]


def _combinations_as_dicts(combinations: Sequence[Combination | None]) -> list[dict[str, Any] | None]:
    return [None if each is None else {"name": each.name, "points": each.points} for each in combinations]
