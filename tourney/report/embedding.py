"""Which matches of a run a report holds, so that they can be opened in it, and what opens them."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from math import inf
from typing import NamedTuple

from tourney.base.errors import TourneyError
from tourney.contracts.game import Game
from tourney.plugins.registry import load_game
from tourney.report.match_data import match_data
from tourney.report.match_page import match_block, viewer_parts
from tourney.report.matches_worth_a_look import ListedMatch
from tourney.report.run_data import RunData, read_record
from tourney.table.replay import in_time

MOST_DECISIONS = 4000
"""How many decisions the matches in a report have at most, unless a number is asked for: each takes about 1 ms …"""
ROOM = 1_300_000
"""… and how many bytes they take there at most; the rest of a page takes 1 to 1.6 MB."""


class Embedded(NamedTuple):
    """The matches that a page holds."""

    names: Sequence[str]
    blocks: str
    """The elements that hold them."""
    style: str
    """The style of the viewer; empty without a match."""
    script: str
    """The script of the viewer, a module; empty without a match."""
    viewer: str
    """The element in which the viewer shows a match; empty without a match."""


NOTHING_EMBEDDED = Embedded((), "", "", "", "")


def embed(data: RunData, most: int | None = None) -> Embedded:
    """Returns the matches of a run for its report: those that are worth a look, then those that its tables lead to.

    A match that does not replay, or whose game is not installed, is left out.
    """
    blocks: dict[str, str] = {}
    games: dict[str, Game] = {}
    room, decisions = (ROOM, MOST_DECISIONS) if most is None else (inf, inf)
    for match in _distinct(_candidates(data)):
        if len(blocks) == most or room <= 0:
            break
        if match.found.decisions > decisions:
            continue
        decisions -= match.found.decisions
        try:
            game = games[match.game] = games.get(match.game) or load_game(match.game)
            block = _block(data, match, game)
        except TourneyError:
            continue
        room -= len(block)
        if room > 0:
            blocks[match.found.id] = block
    if not blocks:
        return NOTHING_EMBEDDED
    viewer, script, style = viewer_parts(games.values())
    return Embedded(list(blocks), "\n".join(blocks.values()), style, script, viewer)


def _distinct(matches: Iterable[ListedMatch]) -> Iterator[ListedMatch]:
    """Yields each match once."""
    told: set[str] = set()
    for match in matches:
        if match.found.id not in told:
            told.add(match.found.id)
            yield match


def _block(data: RunData, match: ListedMatch, game: Game) -> str:
    name = match.found.id
    debug = shlex.join(["tourney", "debug", str(data.path), name])
    analysis = data.match_analyses.get(name)
    record, bots = read_record(data.path, match), data.tournament.python_bots
    with in_time(record, data.tournament.replay_s):
        shown = match_data(record, game, analysis=analysis, debug=debug, bots=bots)
    return match_block(name, shown)


def _candidates(data: RunData) -> Iterator[ListedMatch]:
    """Yields the matches that the report leads to, the most important first; a match can come several times."""
    yield from data.costliest
    by_reason: dict[str, list[ListedMatch]] = {}
    for notable in data.notable:
        by_reason.setdefault(notable.reason, []).append(notable.match)
    for some in zip_longest(*by_reason.values()):  # one for each reason, then the next ones
        yield from filter(None, some)
    for kinds in data.matches.faults.values():
        yield from [each.first for each in kinds.values()]
    pairs = [
        met.listed() for one, other in data.ranking.pairs if one < other and (met := data.matches.pair(one, other))
    ]
    for some in zip_longest(*pairs):
        yield from filter(None, some)
