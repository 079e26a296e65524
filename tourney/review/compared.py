"""Two bots of a run on the same deals: by how much one is ahead, where, and on which deals they differ most.

A bot is compared with the other one in the same seat on the same deal, among the same others (docs/compare.md). Where
both have such matches in each game without the other one, these count; else those in which they met, with their roles
swapped. A score is the share, from 0 to 1, of its opponents that a bot came before: of all others at the table, or of
the other one's seats where they met.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import RunError
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.contracts.wording import counted
from tourney.journal.run import RunFolder
from tourney.plugins.registry import load_game
from tourney.review.analysis.costs import phase_of
from tourney.standings import tables
from tourney.standings.gate import inverse
from tourney.standings.paired import Paired, false_discovery_rates
from tourney.standings.tables import WIDTH, Column, TableFormat
from tourney.table.replay import DifferenceError, Replay, does_not_replay, in_time

SELF, RIVAL = "(self)", "(rival)"
"""What the two are called where the others at a table are compared; no entrant has such a name."""
SAME = "same"
"""The phase of matches that are the same, decision by decision."""
WORST = 5
"""How many of the deals that differ most are shown."""
Records: TypeAlias = Callable[[], Iterable[Record]]
"""Reads the records of a run from the first one on."""


class SeatPair(NamedTuple):
    """Both bots in the same seat on the same deal, each in its match."""

    deal: int
    """The number of the deal among those of its game, counted from 0."""
    game: str
    seats: int
    """The number of seats of the table."""
    seat: int
    score: float
    """The share of its opponents that the first bot came before, from 0 to 1; ties count half."""
    other_score: float
    margin: int
    """By how much more the first bot scored, in the units of the game."""
    match: str
    """The match of the first bot."""
    other_match: str

    @property
    def matches(self) -> frozenset[str]:
        """Both matches."""
        return frozenset((self.match, self.other_match))


class ComparisonRow(msgspec.Struct, frozen=True):
    """The lead in a game, or in a part of it. The field names are the keys in JSON and CSV."""

    game: str
    seats: int
    """The number of seats of the table."""
    seat: int | None
    """The seat that both had; None for all seats."""
    phase: str | None
    """The phase in which the two first decided differently, `same` if they never did; None for all phases."""
    deals: int
    lead_percent: float
    """How much more of its opponents the new bot came before, from -100 to 100."""
    elo: float
    """The Elo points that the lead amounts to."""
    low: float | None
    """The lower end of its 95 % interval; None if it is unknown, after a single deal."""
    high: float | None
    p: float | None
    """How likely a lead at least as large either way is, if neither is stronger; None where the two never part."""
    q: float | None
    """The share of false rows among all that are at least as sure as this one (Benjamini and Hochberg)."""


class Comparison:
    """How two bots compare on the deals that both have played; printed, `tourney compare`.

    Raises:
        RunError: They have played none in the same seat, among the same others.
    """

    def __init__(self, tournament: Tournament, new: str, old: str, records: Records, run: Path | None = None) -> None:
        self.new, self.old = new, old
        self.run = run
        """The folder of the run; None if the matches were not kept."""
        self.stopped = False
        """Whether it was stopped before all deals were played."""
        self.faults = {new: 0, old: 0}
        """How many faults each of the two has made."""
        self._tournament, self._records = tournament, records
        self._same_bot = len({tournament.kinds[tournament.names.index(name)] for name in (new, old)}) == 1
        self._games, self._met = self._paired_seats()
        self._pairs = [pair for pairs in self._games.values() for pair in pairs]
        if not self._pairs:
            raise RunError(f"{new} and {old} never had the same seat of a deal, among the same others; name two others")
        weights = [tournament.all_weights[setup] for setup in self._games]
        scores = list(map(_by_deal, self._games.values()))
        self.total = self._lead([
            (_mean([one for one, _ in deal], weights), _mean([other for _, other in deal], weights))
            for deal in zip(*scores, strict=False)
        ])  # fmt: skip
        """The lead over all games together."""
        self.deals = self.total.deals
        """How many deals, of each game, both have played."""
        self.matches = len({name for pair in self._pairs for name in pair.matches})
        """In how many matches."""
        leads = list(map(self._lead, scores))
        self.elo, self.low, self.high = _interval(
            self.total, lambda elo: _mean([lead.lead_at(elo) for lead in leads], weights)
        )
        self.p = self.total.p_value
        """How likely a lead at least as large either way is, if neither is stronger."""
        self.more_deals = self.total.more_deals
        """How many deals more make the lead sure, with a chance of 80 %; 0 if it is, None if there is none."""

    @cached_property
    def rows(self) -> tuple[ComparisonRow, ...]:
        """The leads in each game, in each of its seats, and by the phase in which the two part."""
        partings = dict(self._partings())
        order = list(dict.fromkeys([phase for _, phase in sorted(partings.values())]))
        found: list[tuple[Sequence[SeatPair], int | None, str | None]] = []
        for pairs in self._games.values():
            found.append((pairs, None, None))
            if not (self._met and pairs[0].seats == 2):  # both seats are those of the same two matches
                seats = sorted({pair.seat for pair in pairs})
                found += [([pair for pair in pairs if pair.seat == seat], seat, None) for seat in seats]
            by_phase = {phase: [pair for pair in pairs if partings[pair.matches][1] == phase] for phase in order}
            found += [(some, None, phase) for phase, some in by_phase.items() if some]
        leads = [self._lead(_by_deal(pairs)) for pairs, _, _ in found]
        p_values = [None if phase == SAME else lead.p_value for lead, (_, _, phase) in zip(leads, found, strict=True)]
        rates = iter(false_discovery_rates([p for p in p_values if p is not None]))
        return tuple([
            ComparisonRow(
                pairs[0].game, pairs[0].seats, seat, phase, lead.deals,
                round(100 * lead.lead, 4), *_interval(lead, lead.lead_at), p, None if p is None else next(rates),
            )
            for (pairs, seat, phase), lead, p in zip(found, leads, p_values, strict=True)
        ])  # fmt: skip

    def worst(self, most: int = WORST) -> list[SeatPair]:
        """The seats on deals on which the two differ most, the most different first; of the same two matches one.

        Of those that differ alike, those that make up the lead come first.
        """

        def rank(pair: SeatPair) -> tuple[float, bool, int]:
            ahead = pair.score - pair.other_score
            return -abs(ahead), ahead * self.total.lead < 0, -abs(pair.margin)

        differing = [pair for pair in self._pairs if pair.score != pair.other_score or pair.margin]
        found: dict[frozenset[str], SeatPair] = {}
        for pair in sorted(differing, key=rank):
            found.setdefault(pair.matches, pair)
        return list(found.values())[:most]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        names = ("new", "old", "deals", "matches", "elo", "low", "high", "p", "more_deals", "stopped", "faults")
        return {name: getattr(self, name) for name in names} | {
            "rows": [msgspec.structs.asdict(row) for row in self.rows],
            "worst": [pair._asdict() for pair in self.worst()],
        }

    def __str__(self) -> str:
        return self.text("table")

    def text(self, form: TableFormat, width: int = WIDTH) -> str:
        """The comparison in a format; CSV has the rows alone."""
        if form == "json":
            return tables.json_text(self.to_dict())
        if form == "csv":
            return tables.csv_text(ComparisonRow.__struct_fields__, [msgspec.structs.astuple(row) for row in self.rows])
        sentences = list(self._sentences())
        parts = ["\n\n".join(map(tables.markdown_text, sentences))] if form == "markdown" else []
        parts = parts or [tables.paragraphs(sentences, width)]
        parts.append(tables.columns_text(self._columns(), form, width))
        if worst := "\n".join(self._worst_lines()):
            parts.append(f"```\n{worst}\n```" if form == "markdown" else worst)
        return "\n\n".join(parts)

    def _sentences(self) -> Iterator[str]:
        side = "ahead of" if self.total.lead > 0 else "behind"
        relation = f"{abs(self.elo):.0f} Elo {side}" if self.total.lead else "level with"
        p = f"p = {_probability(self.p)}".replace("= <", "< ")
        deals = counted(self.deals, "deal")
        yield (
            f"{self.new} is {relation} {self.old} (95 %: {_ends(self.low, self.high)}; {p}) on {deals}, {self.matches} "
            "matches."
        )
        if self.more_deals:
            more = counted(self.more_deals, "more deal")
            yield f"About {more} would make that sure with a chance of 80 %, if the difference is what it seems."
        if self.stopped:
            yield "It was stopped early, which the interval does not allow for."
        if any(self.faults.values()):
            yield f"Faults: {', '.join([f'{name} {count}' for name, count in self.faults.items()])}."

    def _columns(self) -> list[Column]:
        rows = self.rows
        parts = ["" if row.seat is None else f"seat {row.seat}" for row in rows]
        return [
            Column("game", [f"{row.game}, {row.seats} seats" for row in rows], is_text=True),
            Column("part", [row.phase or part for row, part in zip(rows, parts, strict=True)], is_text=True),
            Column("deals", [str(row.deals) for row in rows]),
            Column("lead %", [f"{row.lead_percent:+.1f}" for row in rows]),
            Column("Elo", [f"{row.elo:+.0f}" for row in rows], expendable=2),
            Column("95 %", [_ends(row.low, row.high) for row in rows], expendable=3),
            Column("p", [_probability(row.p) for row in rows], expendable=1),
            Column("q", [_probability(row.q) for row in rows]),
        ]

    def _worst_lines(self) -> Iterator[str]:
        worst = self.worst()
        if worst:
            yield "The deals that differ most:"
        for pair in worst:
            scores = f"{self.new} {100 * pair.score:.0f} %, {self.old} {100 * pair.other_score:.0f} %"
            yield f"{pair.game}, deal {pair.deal}, seat {pair.seat}: {scores} (score {pair.margin:+d})"
            for match in (pair.match, pair.other_match):
                yield f"  {match}" if self.run is None else f"  tourney replay {shlex.quote(str(self.run))} {match}"

    def _lead(self, scores: Sequence[tuple[float, float]]) -> Paired:
        """The lead on deals, given the scores of both on each."""
        ones, others = [one for one, _ in scores], [other for _, other in scores]
        return Paired.of(ones, others, self._same_bot, self._met)

    def _paired_seats(self) -> tuple[dict[int, list[SeatPair]], bool]:
        """Pairs the seats of the two in each game, by its index; and whether the two met in them. Counts the faults."""
        deals: dict[tuple[int, int], dict[str, int]] = {}  # the numbers of deals by their seeds
        found: dict[tuple[bool, int, int, int, int, tuple[str, ...]], tuple[list[_Side], list[_Side]]] = {}
        for record in self._records():
            setup, size = self._setup_of(record), len(record.seats)
            numbers = deals.setdefault((setup, size), {})
            deal = numbers.setdefault(record.seed, len(numbers))
            met = self.new in record.seats and self.old in record.seats
            for seat, name in enumerate(record.seats):
                if name in self.faults:
                    self.faults[name] += any([fault.seat == seat for fault in record.faults])
                    roles = {name: SELF, self.new if name == self.old else self.old: RIVAL}
                    company = tuple([roles.get(each, each) for each in record.seats])
                    opponents = [i for i, each in enumerate(company) if (each == RIVAL if met else i != seat)]
                    key = met, setup, deal, size, seat, tuple(sorted(company))
                    side = _Side(company, record.match, _score(record.places, seat, opponents), record.scores[seat])
                    found.setdefault(key, ([], []))[name == self.old].append(side)
        both = {key: sides for key, sides in found.items() if all(sides)}
        apart = {key[1] for key in both if not key[0]}
        have_met = not apart.issuperset([key[1] for key in both])
        games: dict[int, list[SeatPair]] = {}
        for (met, setup, deal, size, seat, _), sides in both.items():
            if met == have_met:
                game = self._tournament.setups[setup].game  # those with the others in the same seats come together
                for mine, its in zip(*map(sorted, sides), strict=False):
                    scores = mine.score, its.score, mine.points - its.points
                    pair = SeatPair(deal, game, size, seat, *scores, mine.match, its.match)
                    games.setdefault(setup, []).append(pair)
        return dict(sorted(games.items())), have_met

    def _setup_of(self, record: Record) -> int:
        """The index of a record's game in the tournament, whose tables may have had one seat more."""
        key = record.game, record.options
        setups = self._tournament.setups
        fitting = [i for i, each in enumerate(setups) if (each.game, each.options) == key]
        return min(fitting, key=lambda i: abs(setups[i].seats - len(record.seats)))

    def _partings(self) -> Iterator[tuple[frozenset[str], tuple[int, str]]]:
        """The decision at which both matches of each pair part, and its phase."""
        partners: dict[str, list[str]] = {}
        for match, other in dict.fromkeys([(pair.match, pair.other_match) for pair in self._pairs]):
            if other not in partners.get(match, ()):
                partners.setdefault(match, []).append(other)
                partners.setdefault(other, []).append(match)
        held: dict[str, Record] = {}  # those whose partners have not all come yet
        for record in self._records():
            for name in [each for each in partners.get(record.match, ()) if each in held]:
                yield frozenset((name, record.match)), _parting(held[name], record)
                partners[name].remove(record.match)
                partners[record.match].remove(name)
                if not partners[name]:
                    del held[name]
            if partners.get(record.match):
                held[record.match] = record


class _Side(NamedTuple):
    """One of the two in a seat."""

    company: tuple[str, ...]  # who sits around the table, from seat 0 on
    match: str
    score: float
    points: int


def _score(places: Sequence[int], seat: int, opponents: Sequence[int]) -> float:
    """The share of the opponents that a seat came before; ties count half."""
    own = places[seat]
    return sum([(own < places[each]) + (own <= places[each]) for each in opponents]) / (2 * len(opponents))


def _by_deal(pairs: Sequence[SeatPair]) -> list[tuple[float, float]]:
    """The mean scores of both on each deal."""
    deals: dict[int, list[SeatPair]] = {}
    for pair in pairs:
        deals.setdefault(pair.deal, []).append(pair)
    return [
        (_mean([pair.score for pair in some]), _mean([pair.other_score for pair in some])) for some in deals.values()
    ]


def _mean(values: Sequence[float], weights: Sequence[float] = ()) -> float:
    weights = weights or [1.0] * len(values)
    return fsum([value * weight for value, weight in zip(values, weights, strict=True)]) / fsum(weights)


def _interval(lead: Paired, lead_at: Callable[[float], float]) -> tuple[float, float | None, float | None]:
    """The Elo points of a lead, and the ends of their 95 % interval; None for fewer than two deals."""
    elo, low, high = [round(inverse(lead_at, end), 6) + 0.0 for end in lead.ends()]  # no -0.0
    return (elo, low, high) if lead.deals > 1 else (elo, None, None)


def _parting(one: Record, other: Record) -> tuple[int, str]:
    """The first decision at which two matches on a deal differ, and its phase."""
    actions = zip(one.actions.split(), other.actions.split(), strict=False)
    first = next((number for number, (mine, its) in enumerate(actions, 1) if mine != its), None)
    longest = max(one.decisions, other.decisions)
    if first is None:
        return longest, SAME
    try:
        with in_time(one):
            step = next(islice(Replay(one, load_game(one.game)).steps(), first - 1, None))
            return first, phase_of(step.state.view(step.seat), first, longest)
    except DifferenceError as difference:
        raise does_not_replay(one, difference) from None


def _ends(low: float | None, high: float | None) -> str:
    return "unknown" if low is None or high is None else f"{low:+.0f} to {high:+.0f}"


def _probability(value: float | None) -> str:
    return "" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def compare_run(run: RunFolder, one: str, other: str) -> Comparison:
    """Compares two entrants of a run."""
    return Comparison(run.tournament, one, other, run.records, run.path)


def worst_deals(run: Path, one: str, other: str, most: int) -> list[SeatPair]:
    """The seats on deals of a run on which two of its entrants differ most, the most different first."""
    return compare_run(RunFolder(run), one, other).worst(most)
