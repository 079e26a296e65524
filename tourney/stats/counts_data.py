"""Counts of outcomes as they are saved in a file, and whether they can be those of a tournament."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import msgspec

from tourney.match import Count, GameSetup, Places, is_ranking
from tourney.stats.deal_batches import MAX_BATCHES

Sum: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\A-?[0-9]{1,40}\Z")]
"""A sum of scores, as text, since it may be too large for JSON."""
Times: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


class CountsData(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `OutcomeCounts.as_data` returns, with the number of matches that were counted."""

    matches: Count
    scores: list[list[Sum]]
    """For each game, the sum of the scores of each entrant."""
    faults: list[list[Count]]
    """For each game, the number of faults of each entrant."""
    out: dict[str, Count]
    """For each entrant that was put out, the number of matches that the house played for it."""
    seatings: list[tuple[Count, tuple[Count, ...]]]
    """The number of a game, and the number of the entrant in each seat."""
    places: list[Places]
    """The place of each seat."""
    batches: list[tuple[list[Count], list[Times]]]
    """For each batch of deals, the codes of outcomes, and how many matches ended so."""

    def is_sound(self, names: Sequence[str], setups: Sequence[GameSetup], code_base: int) -> bool:
        """Tells whether these can be the counts of a tournament.

        Args:
            names: The entrants.
            setups: The games.
            code_base: A code is this times the index of its seating, plus that of its places.
        """
        return self._fits(names, setups) and self._has_no_twins() and self._has_codes(code_base)

    def _fits(self, names: Sequence[str], setups: Sequence[GameSetup]) -> bool:
        """Tells whether the lists are as long as those of these entrants and games must be."""
        return (
            len(self.scores) == len(self.faults) == len(setups)
            and all([len(scores) == len(names) for scores in self.scores])
            and all([len(faults) == len(names) for faults in self.faults])
            and self.out.keys() <= set(names)
            and all([self._is_seating(game, bots, len(names), setups) for game, bots in self.seatings])
        )

    def _has_no_twins(self) -> bool:
        """Tells whether all seatings differ, all places, and all codes of a batch."""
        return (
            len(set(self.seatings)) == len(self.seatings)
            and len(set(self.places)) == len(self.places)
            and all([len(set(codes)) == len(codes) for codes, _ in self.batches])
        )

    def _has_codes(self, code_base: int) -> bool:
        """Tells whether every code is one of a seating and places, and as many matches were counted as are said."""
        codes = {code for codes, _ in self.batches for code in codes}
        return (
            len(self.batches) <= MAX_BATCHES
            and all(map(is_ranking, self.places))
            and all([len(codes) == len(times) for codes, times in self.batches])
            and all([self._is_code(*divmod(code, code_base)) for code in codes])
            and sum([sum(times) for _, times in self.batches]) == self.matches
        )

    @staticmethod
    def _is_seating(game: int, bots: Sequence[int], entrants: int, setups: Sequence[GameSetup]) -> bool:
        """Tells whether these can sit at a table of that game, which may have a seat fewer than the game."""
        return game < len(setups) and setups[game].seats - len(bots) in (0, 1) and max(bots, default=0) < entrants

    def _is_code(self, seating: int, places: int) -> bool:
        if seating >= len(self.seatings) or places >= len(self.places):
            return False
        return len(self.seatings[seating][1]) == len(self.places[places])
