"""Two bots of a run on the same deals: how far one is ahead, where, and the deals on which they differ most.

A bot is compared with the other in the same seat and deal, among the same others (docs/measure-strength.md). If both
have such matches in each game without each other, these count; otherwise their meetings count, with roles swapped. A
score is the share, from 0 to 1, of its opponents that a bot came before: all others at the table, or in a meeting the
other bot's seats.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import RunError
from tourney.base.sheet import WIDTH, Column, Sheet, TableFormat
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.contracts.wording import counted
from tourney.hosts.timing import Slowdown
from tourney.journal.run import RunFolder
from tourney.journal.search import find_records
from tourney.plugins.registry import load_game
from tourney.review.analysis.costs import phase_of
from tourney.standings.duel import (
    Duel,
    Estimate,
    SeatPair,
    SeatPairs,
    false_discovery_rates,
    interval_text,
    scores_by_deal,
)
from tourney.table.replay import Replay, in_time, replayable

SAME = "same"  # the phase of matches with identical decisions
WORST = 5  # how many of the most different deals to show
Records: TypeAlias = Callable[[], Iterable[Record]]


class Play(NamedTuple):
    """A bot's play at a decision. The field names are the keys in JSON."""

    match: str
    bot: str
    action: str


class Parting(NamedTuple):
    """The first decision at which two matches on a deal differ; its seat has seen the same in both."""

    decision: int
    """The number of the decision; the last one's if the matches are the same."""
    phase: str
    seat: int | None
    """The deciding seat; None if the matches are the same."""
    plays: tuple[Play, ...]
    """The play in each match; empty if they do not compare the two bots."""

    def between(self, one: str, other: str) -> "Parting":
        """The same, with `one`'s play first; without plays unless these two decide."""
        plays = {play.bot: play for play in self.plays}
        return self._replace(plays=(plays[one], plays[other]) if plays.keys() == {one, other} else ())

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain data."""
        return self._asdict() | {"plays": [play._asdict() for play in self.plays]}


class ComparisonRow(msgspec.Struct, frozen=True):
    """The lead in a game, or in a part of it. The field names are the keys in JSON and CSV."""

    game: str
    seats: int
    """The number of seats of the table."""
    seat: int | None
    """The seat of both; None for all seats."""
    phase: str | None
    """The phase of the first different decision, `same` if there is none; None for all phases."""
    deals: int
    lead_percent: float
    """The new bot's share of opponents beaten minus the old bot's, from -100 to 100."""
    elo: float
    """The lead in Elo points."""
    low: float | None
    """The lower end of its 95 % interval; None if unknown, after a single deal."""
    high: float | None
    p: float | None
    """The probability of a lead at least this large either way, if neither is stronger; None if they never part."""
    q: float | None
    """The share of false rows among all at least as sure as this one (Benjamini and Hochberg)."""


class Comparison:
    """Two bots compared on the deals that both have played; prints like `tourney compare`.

    Raises:
        RunError: They have played none in the same seat, among the same others.
    """

    def __init__(
        self, tournament: Tournament, new: str, old: str, records: Records, run: Path | None = None,
        looked: bool = False,
    ) -> None:  # fmt: skip
        """With `looked`, the intervals and p-values are valid however often you look before you stop."""
        self.new, self.old = new, old
        self.run = run
        """The run folder; None if the matches were not kept."""
        self.slowdown: Slowdown | None = None
        """How much longer the new bot surely takes for a decision; None if unknown."""
        self.stopped = False
        """Whether it was stopped before all deals were played."""
        self.faults = {new: 0, old: 0}
        """The number of faults of each."""
        self._tournament, self._records = tournament, records
        bot_ids = dict(zip(tournament.names, tournament.bot_ids, strict=True))
        self._games, self._met = self._paired_seats()
        self._pairs = [pair for pairs in self._games.values() for pair in pairs]
        if not self._pairs:
            raise RunError(f"{new} and {old} never had the same seat of a deal, among the same others; name two others")
        self._same_bot = bot_ids[new] == bot_ids[old]
        weights = [tournament.all_weights[setup] for setup in self._games]
        self.total = Duel(self._same_bot, self._met, weights)
        """The duel over all games together."""
        for game, pairs in enumerate(self._games.values()):
            for scores in scores_by_deal(pairs):
                self.total.add_to(game, *scores)
        self.deals = self.total.deals
        """The number of deals, of each game, that both have played."""
        self.matches = len({name for pair in self._pairs for name in pair.matches})
        """The number of their matches."""
        self._looked = looked
        estimate, self.p = self._measured(self.total)
        """The probability of a lead at least this large either way, if neither is stronger."""
        self.elo, self.low, self.high = msgspec.structs.astuple(estimate)
        self.more_deals = self.total.more_deals
        """How many more deals make the lead sure, with a chance of 80 %; 0 if it is, None if there is no lead."""

    def _measured(self, duel: Duel) -> tuple[Estimate, float]:
        return duel.at_all_times if self._looked else (duel.estimate, duel.p_value)

    @cached_property
    def rows(self) -> tuple[ComparisonRow, ...]:
        """The leads in each game, in each of its seats, and by the phase in which the two part."""
        partings = self._partings
        order = list(dict.fromkeys([phase for _, phase in sorted([each[:2] for each in partings.values()])]))
        parts: list[tuple[SeatPair, int | None, str | None, Duel]] = []

        def add(pairs: Sequence[SeatPair], seat: int | None = None, phase: str | None = None) -> None:
            if pairs:
                parts.append((pairs[0], seat, phase, Duel.of(scores_by_deal(pairs), self._same_bot, self._met)))

        for pairs in self._games.values():
            add(pairs)
            if not (self._met and pairs[0].seats == 2):  # both seats belong to the same two matches
                for seat in sorted({pair.seat for pair in pairs}):
                    add([pair for pair in pairs if pair.seat == seat], seat)
            for phase in order:
                add([pair for pair in pairs if partings[pair.matches].phase == phase], phase=phase)
        measured = [self._measured(duel) for *_, duel in parts]
        p_values = [None if phase == SAME else p for (*_, phase, _), (_, p) in zip(parts, measured, strict=True)]
        rates = iter(false_discovery_rates([p for p in p_values if p is not None]))
        return tuple([
            ComparisonRow(
                pair.game, pair.seats, seat, phase, duel.deals, round(100 * duel.lead, 4),
                estimate.elo, estimate.low, estimate.high, p, None if p is None else next(rates),
            )
            for (pair, seat, phase, duel), (estimate, _), p in zip(parts, measured, p_values, strict=True)
        ])  # fmt: skip

    def worst(self, most: int = WORST) -> list[SeatPair]:
        """The seats on the deals on which the two differ most, the most different first; one per two matches.

        Among equal differences, the ones in the leader's favour come first.
        """

        def rank(pair: SeatPair) -> tuple[float, bool, int]:
            ahead = pair.score - pair.other_score
            return -abs(ahead), ahead * self.total.lead < 0, -abs(pair.margin)

        differing = [pair for pair in self._pairs if pair.score != pair.other_score or pair.margin]
        worst: dict[frozenset[str], SeatPair] = {}
        for pair in sorted(differing, key=rank):
            worst.setdefault(pair.matches, pair)
        return list(worst.values())[:most]

    def parting(self, pair: SeatPair) -> Parting:
        """The first decision on a deal at which the two differ."""
        return self._partings[pair.matches].between(self.new, self.old)

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain data."""
        names = ("new", "old", "deals", "matches", "elo", "low", "high", "p", "more_deals", "stopped", "faults")
        return {name: getattr(self, name) for name in names} | {
            "rows": [msgspec.structs.asdict(row) for row in self.rows],
            "worst": [pair._asdict() | {"parting": self.parting(pair).to_dict()} for pair in self.worst()],
        }

    def __str__(self) -> str:
        return self.text("table")

    def text(self, form: TableFormat, width: int = WIDTH) -> str:
        """The comparison in a format; CSV has only the rows."""
        return self.sheet.text(form, width)

    @cached_property
    def sheet(self) -> Sheet:
        """The rows below the sentences, and above the deals that differ most."""

        def worst(form: TableFormat, _width: int) -> str:
            text = "\n".join(self._worst_lines())
            return f"```\n{text}\n```" if text and form == "markdown" else text

        return Sheet(ComparisonRow, self.rows, list(self._sentences()), self._columns(), worst, data=self.to_dict())

    def _sentences(self) -> Iterator[str]:
        side = "ahead of" if self.total.lead > 0 else "behind"
        relation = f"{abs(self.elo):.0f} Elo {side}" if self.total.lead else "level with"
        p = f"p = {_probability(self.p)}".replace("= <", "< ")
        deals = counted(self.deals, "deal")
        ends = f"95 %{' at all times' * self._looked}: {interval_text(self.low, self.high)}"
        yield (f"{self.new} is {relation} {self.old} ({ends}; {p}) on {deals}, {self.matches} matches.")
        if self.more_deals and not self._looked:
            more = counted(self.more_deals, "more deal")
            yield f"About {more} would make that sure with a chance of 80 %, if the difference is what it seems."
        if self.stopped:
            yield "It was stopped early, which the interval allows for."
        if self.slowdown is not None:
            yield f"{self.new} thinks {self.slowdown.text(self.old)}."
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
            Column("95 %", [interval_text(row.low, row.high) for row in rows], expendable=3),
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
            parting, folder = self.parting(pair), "" if self.run is None else shlex.quote(str(self.run))
            plays = [f"{play.bot} {play.action}" for play in parting.plays]
            if plays:
                yield f"  they part at decision {parting.decision}, seat {parting.seat}: {', '.join(plays)}"
            for match in (pair.match, pair.other_match):
                yield f"  tourney replay {folder} {match}" if folder else f"  {match}"
            if folder and plays and parting.plays[0].bot in self._tournament.python_bots:
                yield f"  tourney debug {folder} {parting.plays[0].match} {parting.decision}"

    def _paired_seats(self) -> tuple[dict[int, list[SeatPair]], bool]:
        seats = SeatPairs(self.new, self.old, self._tournament.setups)
        deals: dict[tuple[int, int], dict[str, int]] = {}  # deal numbers by seed
        for record in self._records():
            setup = self._setup_of(record)
            numbers = deals.setdefault((setup, len(record.seats)), {})
            seats.add(setup, numbers.setdefault(record.seed, len(numbers)), record)
            for fault in record.faults:
                if (name := record.seats[fault.seat]) in self.faults:
                    self.faults[name] += 1
        return seats.paired()

    def _setup_of(self, record: Record) -> int:
        """The index of a record's game in the tournament, whose tables may have had one seat more."""
        key = record.game, record.options
        setups = self._tournament.setups
        fitting = [i for i, each in enumerate(setups) if (each.game, each.options) == key]
        return min(fitting, key=lambda i: abs(setups[i].seats - len(record.seats)))

    @cached_property
    def _partings(self) -> dict[frozenset[str], Parting]:
        partings: dict[frozenset[str], Parting] = {}
        partners: dict[str, list[str]] = {}
        for match, other in dict.fromkeys([(pair.match, pair.other_match) for pair in self._pairs]):
            if other not in partners.get(match, ()):
                partners.setdefault(match, []).append(other)
                partners.setdefault(other, []).append(match)
        held: dict[str, Record] = {}  # still waiting for partners
        for record in self._records():
            for name in [each for each in partners.get(record.match, ()) if each in held]:
                partings[frozenset((name, record.match))] = _parting(held[name], record)
                partners[name].remove(record.match)
                partners[record.match].remove(name)
                if not partners[name]:
                    del held[name]
            if partners.get(record.match):
                held[record.match] = record
        return partings


def partings(run: RunFolder, one: str, other: str, pairs: Sequence[tuple[str, str]]) -> list[Parting]:
    """The partings of two bots in both matches of each pair."""
    names = [name for pair in pairs for name in pair]
    records = {record.match: record for record in (find_records(run, *names) if names else ())}
    return [_parting(*[records[name] for name in pair]).between(one, other) for pair in pairs]


def _parting(one: Record, other: Record) -> Parting:
    actions = zip(one.actions.split(), other.actions.split(), strict=False)
    first, both = next(((number, each) for number, each in enumerate(actions, 1) if each[0] != each[1]), (None, ()))
    longest = max(one.decisions, other.decisions)
    if first is None:
        return Parting(longest, SAME, None, ())
    with replayable(one), in_time(one):
        step = next(islice(Replay(one, load_game(one.game)).steps(), first - 1, None))
        seat = step.seat
        sides = zip((one, other), both, strict=True)
        plays = tuple(
            [Play(record.match, record.seats[seat], _done(record, seat, first, act)) for record, act in sides]
        )
        return Parting(first, phase_of(step.state.view(seat), first, longest), seat, plays)


def _done(record: Record, seat: int, decision: int, action: str) -> str:
    """The action, or `fault` if the seat's bot had made one by then, and others played for it."""
    return "fault" if any([each.seat == seat and each.decision <= decision for each in record.faults]) else action


def _probability(value: float | None) -> str:
    return "" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def compare_run(run: RunFolder, one: str, other: str, *, looked: bool = False) -> Comparison:
    """Compares two entrants of a run; `looked` is as in `Comparison`."""
    comparison = Comparison(run.tournament, one, other, partial(run.records, voided=False), run.path, looked)
    is_timed = run.tournament.timed == (one, other)
    comparison.slowdown = run.times.pace.slowdown if is_timed and run.times is not None else None
    return comparison
