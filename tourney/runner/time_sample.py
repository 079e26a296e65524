"""The choice of the blocks in which every decision is measured, also where no clock is read otherwise.

To measure a quick bot takes longer than the bot, so it is done in a few blocks only. Which ones follows from their
numbers and entrants, so that it is the same in every run.
"""

from collections.abc import Sequence

from tourney.match import Block

FIRST = 2
"""How many blocks of each entrant are measured, the first ones of the run or of its continuation."""
EVERY = 512
"""Of all other blocks, one in how many is measured."""
_SPREAD = 0x9E3779B1  # an odd number near 2**32 / the golden ratio: its multiples are spread evenly, whatever the step
_RANGE = 1 << 32
_CHOSEN = _RANGE // EVERY


class TimeSample:
    """Chooses the blocks to measure."""

    def __init__(self, names: Sequence[str]) -> None:
        """Chooses among the blocks of these entrants."""
        self._wanted = dict.fromkeys(names, FIRST)  # of how many more of its blocks each is to be measured

    def choose(self, blocks: Sequence[Block]) -> tuple[int, ...]:
        """Returns the numbers of those of the next blocks that are measured."""
        wanted = [block.number for block in blocks if self._wants(block)] if self._wanted else []
        return (*wanted, *[number for block in blocks if (number := block.number) * _SPREAD % _RANGE < _CHOSEN])

    def _wants(self, block: Block) -> bool:
        """Returns whether the block is one of the first of an entrant, and notes that it is measured."""
        names = [name for name in block.names if name in self._wanted]
        for name in names:
            self._wanted[name] -= 1
            if not self._wanted[name]:
                del self._wanted[name]
        return bool(names)
