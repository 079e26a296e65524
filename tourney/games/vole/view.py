"""What a seat of The Vole in the Valley may know, and the game's options. Rules: docs/rules/vole.md."""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import orjson

from tourney.contracts.cards import VOLE
from tourney.contracts.game import Options, View
from tourney.games.vole import rules
from tourney.games.vole.rules import VoleTrick


class VoleOptions(Options, frozen=True):
    """Options of The Vole in the Valley."""

    target: Annotated[int, msgspec.Meta(ge=1)] = 21
    """The match ends after a round in which a seat has reached this many points; 16 makes a short game."""
    sevens: Literal["game", "round"] = "game"
    """When the extra points for 7s count: after the last round (`game`), or with the points of each round (`round`)."""
    max_rounds: Annotated[int, msgspec.Meta(ge=1)] = 100
    """The match ends after this many rounds at the latest."""


class VoleRound(NamedTuple):
    """A round that is over, as a seat knows it."""

    leader: int
    """The seat that led the first trick."""
    dealt: tuple[int, ...]
    """The seat's own hand at the start of the round."""
    up: int
    """The trump card at the start of the round."""
    steps: tuple[tuple[int, int], ...]
    """Every (seat, action), in order; what either seat buried is `HIDDEN`, 100."""
    buried: tuple[tuple[int, int], ...]
    """The cards that the seat itself (drew, buried)."""
    won: tuple[int, int]
    """How many tricks each seat won."""
    points: tuple[int, int]


_Begun: TypeAlias = tuple[int, int, int]
"""The leader of a round, its first trump card, and the seat's own hand as a mask."""
_Past: TypeAlias = tuple[_Begun, bytes, tuple[tuple[int, int], ...], tuple[int, int], tuple[int, int]]
"""A round that is over: how it began, its moves, what the seat buried, tricks won, points."""


class VoleView(View, frozen=True, gc=False):
    """What a seat may know: its hand, the trump card, everything played, tricks, scores, its own buried cards."""

    _facts: tuple[tuple[int, Literal["game", "round"], int], int, _Begun, tuple[_Past, ...], tuple[int, int], bool]
    """Options, round, (first leader, first trump card, own hand), past rounds, scores, whether all is over."""
    hand_mask: int
    """The seat's cards as a mask: bit i is card i."""
    up: int
    """The trump card."""
    led: int | None
    """The card that was led to the trick in progress; None while there is none."""
    _moves: bytes
    """The history of the round, as in `tricks`."""
    _won: int
    """The tricks that seat 0 has won, and 16 times those of seat 1."""
    buried: tuple[tuple[int, int], ...]
    """The cards that the seat itself (drew, buried) in this round; not yet the card that it is about to bury."""
    extra: tuple[int, ...]
    """Points for 7s that are still to be added: at the end of the match, or with the round's points."""

    @property
    def options(self) -> VoleOptions:
        """The game's options."""
        return VoleOptions(*self._facts[0])

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._facts[1])

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return bool(self._facts[5])

    @property
    def hand(self) -> tuple[int, ...]:
        """The seat's cards, in order."""
        return rules.cards_of(self.hand_mask)

    @property
    def trump(self) -> int:
        """The trump suit: 0 towers, 1 keys, 2 moons."""
        return self.up // rules.SUIT

    @property
    def won(self) -> tuple[int, int]:
        """Tricks won in this round by each seat."""
        return self._won & 15, self._won >> 4

    @property
    def scores(self) -> tuple[int, int]:
        """The points of each seat so far."""
        scores: tuple[int, int] = self._facts[4]
        return scores

    @property
    def deck(self) -> int:
        """How many cards the deck holds."""
        return rules.DECK - (rules.pending(self._moves) == rules.BURY)

    @property
    def other_hand(self) -> int:
        """How many cards the other seat holds."""
        if self.over:
            return 0
        other = 1 - self.seat
        played = len([move for move in self._moves if move // rules.SEAT == other and move % rules.SEAT < rules.CARDS])
        drawn = rules.pending(self._moves) == rules.BURY and self._moves[-1] // rules.SEAT == other
        return rules.HAND - played + drawn

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Every (seat, action) of this round, in order; what either seat buried is `HIDDEN`, 100."""
        return rules.steps_of(self._moves)

    @property
    def tricks(self) -> tuple[VoleTrick, ...]:
        """The tricks of this round that are over, in order."""
        leader, up, _ = self._facts[2]
        return _tricks_of(leader, up, self._moves)

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the trick in progress."""
        return _leader(self._facts[2][0], self.tricks)

    @property
    def rounds(self) -> tuple[VoleRound, ...]:
        """The rounds that are over, in order."""
        return tuple([_round(entry) for entry in self._facts[3]])

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        return self._plain(_past)

    def as_json(self) -> bytes:
        """`as_dict` as JSON; finished rounds are encoded only once."""
        return orjson.dumps(self._plain(_past_json))

    def _plain(self, past: Callable[[tuple[Any, ...]], Any]) -> dict[str, Any]:
        begun, tricks = self._facts[2], self.tricks
        return {
            "seat": self.seat,
            "round": self.round,
            "hand": VOLE.texts(self.hand),
            "up": VOLE.text(self.up),
            "leader": _leader(begun[0], tricks),
            "led": None if self.led is None else VOLE.text(self.led),
            "won": list(self.won),
            "scores": list(self.scores),
            "extra": list(self.extra),
            "deck": self.deck,
            "other_hand": self.other_hand,
            "now": None if self.over else _history(begun, self._moves, tricks, self.buried),
            "rounds": [past(entry) for entry in self._facts[3]],
            "over": self.over,
        }


_tricks_of = lru_cache(64)(rules.tricks_of)
_NAMES = (*rules.NAMES, "bury")
"""The texts of a history's actions; the last is a burial that is hidden."""


def _round(entry: tuple[Any, ...]) -> VoleRound:
    (leader, up, dealt), moves, buried, won, points = entry
    return VoleRound(leader, rules.cards_of(dealt), up, rules.steps_of(moves), buried, won, points)


def _leader(first: int, tricks: tuple[VoleTrick, ...]) -> int:
    return rules.next_leader(tricks[-1]) if tricks else first


def _past(entry: tuple[Any, ...]) -> dict[str, Any]:
    begun, moves, buried, _, points = entry
    return _history(begun, moves, _tricks_of(begun[0], begun[1], moves), buried) | {"points": list(points)}


@lru_cache(256)
def _past_json(entry: tuple[Any, ...]) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(_past(entry)))


def _history(
    begun: tuple[int, int, int], moves: bytes, tricks: tuple[VoleTrick, ...], buried: tuple[tuple[int, int], ...]
) -> dict[str, Any]:
    leader, up, dealt = begun
    return {
        "leader": leader,
        "dealt": VOLE.texts(rules.cards_of(dealt)),
        "up": VOLE.text(up),
        "steps": [{"seat": seat, "action": _NAMES[action]} for seat, action in rules.steps_of(moves)],
        "tricks": [
            {"leader": trick.leader, "cards": VOLE.texts(list(trick.cards)), "winner": trick.winner} for trick in tricks
        ],
        "buried": [{"drew": VOLE.text(drew), "buried": VOLE.text(away)} for drew, away in buried],
    }
