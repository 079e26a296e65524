"""Picks a run's notable matches: worst losses, upsets, closest, longest, every kind of fault.

The journal is read once, before the ratings are known, so some matches of every pair of entrants are kept.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import one_line
from tourney.contracts.match import Fault, FaultKind, Record, RecordedResult, distinct_names
from tourney.contracts.wording import isolated
from tourney.journal.search import FoundMatch
from tourney.standings.ranking import StandingsRow
from tourney.standings.results import MatchResult
from tourney.standings.tables import MOST_CELLS

Reason: TypeAlias = Literal["loss", "upset", "twins", "closest", "longest", "fault", "newest"]

PAIR_MATCHES = 8  # the first ones listed for two entrants, besides the largest win of each; one in a large field
UPSETS = 3
TWINS = 3  # pairs of seatings for each game
NEWEST = 8
EXTREMES = 3  # the best matches of a bot, and the worst


class ListedMatch(NamedTuple):
    """A match for the report."""

    facts: FoundMatch
    game: str
    offset: int  # of its record's line in the journal, in bytes
    block: int  # the same of the first line of its block


class NotableMatch(NamedTuple):
    """A notable match, with the reason."""

    reason: Reason
    text: str  # the reason as a sentence
    match: ListedMatch
    decision: int | None = None  # to open; None for the beginning
    twin: ListedMatch | None = None  # to open next to it


class Extremes(NamedTuple):
    """A bot's largest wins and losses, largest first."""

    best: Sequence["Margin"] = ()
    worst: Sequence["Margin"] = ()

    def joined(self, other: "Extremes") -> "Extremes":
        """The largest of both."""
        return Extremes(*[_largest([*one, *two]) for one, two in zip(self, other, strict=True)])


class Margin(NamedTuple):
    """A bot's lead over an opponent, or the opponent's over it."""

    means: float
    """The lead relative to the game's mean margin."""
    match: ListedMatch
    bot: str
    opponent: str
    at: str
    """The game in words, if there are several."""

    @property
    def text(self) -> str:
        """Both scores, in words."""
        scores = _scores(self.match)
        place, score = scores[self.bot]
        of_all = f", place {place} of {len(scores)}" if len(scores) > 2 else ""
        against = f"{score} to {scores[self.opponent][1]} against {isolated(self.opponent)}"
        return f"{isolated(self.bot)} {against}{self.at}{of_all}{_means(self.match)}"


class FaultSummary(msgspec.Struct):
    """A bot's faults of one kind, with the first one."""

    count: int
    first: ListedMatch
    fault: Fault


class PairMatches(msgspec.Struct):
    """Some matches between two entrants, in the order of the file."""

    first: list[ListedMatch] = []
    wins: list[tuple[float, ListedMatch] | None] = msgspec.field(default_factory=lambda: [None, None])
    """For each of the two, its largest lead in a match without faults, and the match."""

    def listed(self) -> list[ListedMatch]:
        """All of them once, largest wins first."""
        wins = [win[1] for win in self.wins if win is not None]
        return list({match.facts.id: match for match in [*wins, *self.first]}.values())


class MatchCollector:
    """Reads all matches of a run, and keeps possibly notable ones."""

    def __init__(self, names: Sequence[str], wanted: Collection[str] = ()) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self._per_pair = PAIR_MATCHES if len(names) <= MOST_CELLS else 1
        self._losses: dict[tuple[str, str], tuple[float, ListedMatch]] = {}  # by bot and game: points behind
        self._margins: dict[str, tuple[float, int]] = {}  # by game: the sum of the winners' margins, and their number
        self._closest: dict[str, tuple[float, int, ListedMatch]] = {}  # by game: the margin, minus the decisions
        self._longest: dict[str, ListedMatch] = {}  # by game
        self._block: tuple[tuple[str, int], int] = ("", -1), 0  # the game and number of the last block, and its offset
        self._seated: list[ListedMatch] = []  # the matches of that block without faults
        self._twins: dict[str, list[tuple[float, int, ListedMatch, ListedMatch]]] = defaultdict(list)  # by game
        self._pairs: dict[tuple[int, int], PairMatches] = defaultdict(PairMatches)
        self.faults: dict[str, dict[FaultKind, FaultSummary]] = {}  # by bot and kind, in order of occurrence
        self.faulty_matches = 0
        self._newest: dict[frozenset[str], ListedMatch] = {}  # by entrants, in match order
        self._wanted = wanted
        self.by_name: dict[str, ListedMatch] = {}  # the wanted matches, by name

    def add(self, record: Record | RecordedResult, number: int | None, offset: int) -> None:
        """Adds a match of round `number`, whose journal line starts at `offset`."""
        facts = FoundMatch(record.match, number, record.seats, MatchResult.of(record), record.decisions)
        if self._block[0] != (record.game, record.block):
            self._block, self._seated = ((record.game, record.block), offset), []
        match = ListedMatch(facts, record.game, offset, self._block[1])
        group = frozenset(record.seats)
        self._newest.pop(group, None)
        self._newest[group] = match
        if facts.decisions > self._longest.setdefault(record.game, match).facts.decisions:
            self._longest[record.game] = match
        sides = _sides(record.seats, record.places, record.scores)
        if record.faults:
            self._add_faults(record, match)
        else:
            self._add_scores(record.game, *sides, match)
            self._add_twins(match)
        self._add_pairs(*sides, match, bool(record.faults))
        if record.match in self._wanted:
            self.by_name[record.match] = match

    def _add_faults(self, record: Record | RecordedResult, match: ListedMatch) -> None:
        charged = [fault for fault in record.faults if fault.kind != "out"]
        self.faulty_matches += bool(charged)
        for fault in charged:
            of_bot = self.faults.setdefault(record.seats[fault.seat], {})
            of_bot.setdefault(fault.kind, FaultSummary(0, match, fault)).count += 1

    def _add_scores(
        self, game: str, names: Sequence[str], places: Sequence[int], scores: tuple[float, ...], match: ListedMatch
    ) -> None:
        if len(names) < 2:
            return
        behind, decisions = _behind(scores), match.facts.decisions
        margin = -min(behind)
        whole, count = self._margins.get(game, (0, 0))
        self._margins[game] = whole + margin, count + 1
        closest = self._closest.get(game)
        if closest is None or (margin, -decisions) < closest[:2]:
            self._closest[game] = margin, -decisions, match
        for name, place, lost_by in zip(names, places, behind, strict=True):
            worst = self._losses.get((name, game))
            if place > 1 and (worst is None or lost_by > worst[0]):
                self._losses[name, game] = lost_by, match

    def _add_twins(self, match: ListedMatch) -> None:
        """Compares a match with the others of its block: how far apart are two bots with the same cards?"""
        largest = self._twins[match.game]
        for twin in self._seated:
            sides = zip(
                match.facts.seats, twin.facts.seats, match.facts.result.scores, twin.facts.result.scores, strict=True
            )
            gap, seat = max(
                [(abs(own - other), -seat) for seat, (one, two, own, other) in enumerate(sides) if one != two],
                default=(0, 0),
            )
            if gap and (len(largest) < TWINS or gap > largest[-1][0]):
                largest[:] = sorted([*largest, (gap, -seat, twin, match)], key=lambda each: -each[0])[:TWINS]
        self._seated.append(match)

    def _add_pairs(
        self, names: Sequence[str], places: Sequence[int], scores: Sequence[float], match: ListedMatch, faulty: bool
    ) -> None:
        sides = [(self._numbers[name], score, place) for name, score, place in zip(names, scores, places, strict=True)]
        for one, other in combinations(sides, 2):
            (low, score, place), (high, other_score, other_place) = sorted((one, other))
            pair = self._pairs[low, high]
            if len(pair.first) < self._per_pair:
                pair.first.append(match)
            if not faulty and place != other_place:
                winner, ahead = int(other_place < place), abs(score - other_score)
                largest = pair.wins[winner]
                if largest is None or ahead > largest[0]:
                    pair.wins[winner] = ahead, match

    def pair(self, one: str, other: str) -> PairMatches | None:
        """The kept matches of two entrants, in any order; None if they never met."""
        low, high = sorted((self._numbers[one], self._numbers[other]))
        return self._pairs.get((low, high))

    def extremes(self) -> dict[str, Extremes]:
        """Each bot's largest wins and losses against single opponents."""
        margins: dict[str, tuple[list[Margin], list[Margin]]] = defaultdict(lambda: ([], []))
        names = list(self._numbers)
        for pair, met in self._pairs.items():
            for side, win in enumerate(met.wins):
                if win is None:
                    continue
                ahead, match = win
                whole, count = self._margins[match.game]
                winner, loser = names[pair[side]], names[pair[1 - side]]
                means, at = ahead / (whole / count or 1.0), self._of(match, "at")
                margins[winner][0].append(Margin(means, match, winner, loser, at))
                margins[loser][1].append(Margin(means, match, loser, winner, at))
        return {name: Extremes(*map(_largest, its)) for name, its in margins.items()}

    def newest(self) -> list[NotableMatch]:
        """The last match of each group of bots, newest first."""
        return [
            NotableMatch("newest", f"{_result_text(match)}{self._of(match, 'at')}{_means(match)}", match)
            for match in islice(reversed(self._newest.values()), NEWEST)
        ]

    def picked(self, rows: Sequence[StandingsRow]) -> list[NotableMatch]:
        """The notable matches, by reason; `rows` are the standings."""
        closest = [match for _, _, match in self._closest.values()]
        longest = [
            (match, f"The longest match{self._of(match)}: {match.facts.decisions} decisions")
            for match in self._longest.values()
        ]
        return [
            *self._worst_losses(rows),
            *self._upsets(rows),
            *[
                NotableMatch("twins", _same_cards(seat, match, twin, self._of(match, "at")), match, twin=twin)
                for pairs in self._twins.values()
                for _, seat, match, twin in pairs
            ],
            *[NotableMatch("closest", _closest(match, self._of(match)), match) for match in closest],
            *[NotableMatch("longest", text, match) for match, text in longest],
            *self._fault_kinds(),
        ]

    def _of(self, match: ListedMatch, word: str = "of") -> str:
        """The match's game after a word, if there are several games."""
        return f" {word} {match.game}" if len(self._longest) > 1 else ""

    def _worst_losses(self, rows: Sequence[StandingsRow]) -> Iterator[NotableMatch]:
        """Yields each bot's worst loss; losses at several games are compared relative to the mean margin."""

        def relative(own: tuple[str, float, ListedMatch]) -> float:
            whole, count = self._margins[own[0]]
            return own[1] / (whole / count or 1.0)

        losses = defaultdict(list)
        for (name, game), (behind, match) in self._losses.items():
            losses[name].append((game, behind, match))
        for row in rows:
            if row.bot in losses:
                _, _, match = max(losses[row.bot], key=relative)
                yield NotableMatch("loss", _worst_loss(row.bot, match, self._of(match, "at")), match)

    def _upsets(self, rows: Sequence[StandingsRow]) -> list[NotableMatch]:
        """Wins over bots with significantly higher ratings, largest differences first."""
        rated = {
            self._numbers[row.bot]: (row.rating, row.rating_low, row.rating_high, place, row.bot)
            for place, row in enumerate(rows)
            if row.rating is not None and row.rating_low is not None and row.rating_high is not None
        }
        upsets = []
        for pair, met in self._pairs.items():
            for own, win in enumerate(met.wins):
                if win is None or not rated.keys() >= {*pair}:
                    continue
                weak_rating, _, high, weak_place, weak = rated[pair[own]]
                rating, low, _, place, strong = rated[pair[1 - own]]
                if high < low:
                    upsets.append((weak_rating - rating, place, weak_place, strong, weak, win[1]))
        return [
            NotableMatch("upset", _upset(strong, weak, -gap, match, self._of(match, "at")), match)
            for gap, _, _, strong, weak, match in sorted(upsets, key=lambda each: each[:3])[:UPSETS]
        ]

    def _fault_kinds(self) -> Iterator[NotableMatch]:
        seen: set[FaultKind] = set()
        for bot, kinds in self.faults.items():
            for kind, summary in kinds.items():
                if kind not in seen:
                    seen.add(kind)
                    decision = min(summary.fault.decision, summary.first.facts.decisions)
                    yield NotableMatch("fault", fault_text(bot, summary.fault), summary.first, decision or None)


def _sides(
    seats: tuple[str, ...], places: tuple[int, ...], scores: tuple[int, ...]
) -> tuple[tuple[str, ...], tuple[int, ...], tuple[float, ...]]:
    """The distinct entrants of a match, with places and scores; means for entrants in several seats."""
    if len(set(seats)) == len(seats):
        return seats, places, scores
    names = distinct_names(seats)
    means = [fmean([score for score, seat in zip(scores, seats, strict=True) if seat == name]) for name in names]
    return names, tuple([1 + sum([other > mean for other in means]) for mean in means]), tuple(means)


@lru_cache(maxsize=1 << 14)
def _behind(scores: tuple[float, ...]) -> tuple[float, ...]:
    """Each entrant's gap to the best other score; negative for the best."""
    best, *others = sorted(scores, reverse=True)
    second = others[0] if others else best
    return tuple([best - score if score != best or second == best else second - best for score in scores])


def fault_text(bot: str, fault: Fault) -> str:
    """A fault as a sentence."""
    return f"{isolated(bot)}: {fault.kind} at decision {fault.decision} ({one_line(fault.what)})"


def _scores(match: ListedMatch) -> dict[str, tuple[int, str]]:
    result = match.facts.result
    names, places, scores = _sides(match.facts.seats, result.places, result.scores)
    ordered = sorted(zip(places, scores, names, strict=True))
    return {name: (place, f"{score:.1f}".removesuffix(".0")) for place, score, name in ordered}


def _largest(margins: Sequence[Margin]) -> list[Margin]:
    """The largest margins, one per match."""
    ordered = sorted(margins, key=lambda each: -each.means)
    return list({each.match.facts.id: each for each in reversed(ordered)}.values())[::-1][:EXTREMES]


def _result_text(match: ListedMatch) -> str:
    return ", ".join([f"{isolated(name)} {score}" for name, (_, score) in _scores(match).items()])


def _means(match: ListedMatch) -> str:
    seats = match.facts.seats
    return "" if len(distinct_names(seats)) == len(seats) else " (means of their seats)"


def _worst_loss(bot: str, match: ListedMatch, at: str) -> str:
    scores = _scores(match)
    place, score = scores[bot]
    first, best = next(iter(scores.values()))
    winners = " and ".join([isolated(name) for name, (own, _) in scores.items() if own == first])
    last = f", place {place} of {len(scores)}" if len(scores) > 2 else ""
    return f"{isolated(bot)}'s worst loss{at}: {score} to {best} against {winners}{last}{_means(match)}"


def _upset(strong: str, weak: str, difference: float, match: ListedMatch, at: str) -> str:
    scores = _scores(match)
    return (
        f"{isolated(weak)} came before {isolated(strong)}, which is rated {difference:.0f} higher{at}: "
        f"{scores[weak][1]} to {scores[strong][1]}{_means(match)}"
    )


def _same_cards(seat: int, match: ListedMatch, twin: ListedMatch, at: str) -> str:
    got = [f"{isolated(each.facts.seats[seat])} {each.facts.result.scores[seat]}" for each in (match, twin)]
    return f"The same cards in seat {seat}{at}: {', '.join(got)}"


def _closest(match: ListedMatch, of: str) -> str:
    listed = list(_scores(match).items())[:2]
    (first, _), (second, _) = [own for _, own in listed]
    points = {score for _, (_, score) in listed}
    is_draw = first == second
    called = "A draw" if is_draw else "The closest match"
    text = ", ".join([f"{isolated(name)} {score}" for name, (_, score) in listed])
    won = "" if is_draw or len(points) == len(listed) else f"; the tie went to {isolated(listed[0][0])}"
    return f"{called}{of}: {text}{won}{_means(match)}"
