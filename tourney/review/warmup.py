"""Warm-up of bots with a record: made anew with their own rng, and asked every decision up to a given one."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tourney.base.errors import RunError, type_name
from tourney.contracts.bot import Bot, Outcome, SeatFacts
from tourney.contracts.game import Game
from tourney.contracts.match import Record, match_of
from tourney.hosts import prints
from tourney.hosts.base import Act, BotHost, HostedBot
from tourney.hosts.clocks import MatchTime, Timekeeper
from tourney.hosts.faults import ChargedError, as_action
from tourney.hosts.inline import InlineBot
from tourney.plugins import registry
from tourney.review.analysis.bots import substitute
from tourney.table.replay import DifferenceError, Replay, Step, walk
from tourney.table.seeds import bot_seed
from tourney.table.table import BotFactory

RAISED = (Exception, SystemExit, ChargedError)
"""What is caught of the exceptions in a bot's code; an interrupt by the user is not."""


class WarmedUpBot:
    """A bot that was made and told the facts of its seat. If that fails, `act` raises the error."""

    def __init__(self, make: BotFactory, facts: SeatFacts, rng_seed: int) -> None:
        """Makes the bot, in this process unless it has a host of its own; its clock runs as in a match."""
        self._host: HostedBot | None = None
        self._error: BaseException | None = None
        try:
            self._host = _begun(make, facts, rng_seed) if isinstance(make, BotHost) else InlineBot(make, facts)
        except RAISED as error:
            self._error = error

    @property
    def act(self) -> Act:
        """The bot's own `act`; raises what went wrong before."""
        if self._host is None:
            assert self._error is not None
            raise self._error
        return self._host.act

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended."""
        if self._host is not None:
            self._host.end(outcome)

    def close(self) -> None:
        """Ends the bot."""
        if self._host is not None:
            self._host.close()


def _begun(host: BotHost, facts: SeatFacts, rng_seed: int) -> HostedBot:
    """Returns a bot of the host, with a clock of its own if it needs one."""
    if not host.needs_clock:
        return host.begin(facts, rng_seed, None)
    (clock,) = MatchTime([host.limits], Timekeeper()).clocks
    return host.begin(facts._replace(clock=clock.reading()), rng_seed, clock)


class Answer(NamedTuple):
    """What a bot answered."""

    action: int | None
    """The action, or None if it was none of the game's actions or the bot raised an exception."""
    text: str
    """The action as text, or what the bot answered or raised instead."""
    error: BaseException | None = None


class Divergence(NamedTuple):
    """A decision at which a bot, asked again, does not answer as recorded."""

    decision: int
    seat: int
    answered: str
    recorded: str


class DecisionPoint(NamedTuple):
    """A match right before one of its decisions, with the bots that were warmed up."""

    step: Step
    """The decision; its state is the match before it."""
    bots: dict[int, WarmedUpBot]
    """The bots that were warmed up, by seat."""
    houses: dict[int, Act]
    """The house for each seat whose bot is out."""
    divergences: list[Divergence]
    """The earlier decisions at which the bots did not answer as recorded, in order."""
    asked: dict[int, int]
    """How many decisions each bot was asked, by seat."""


def call_act(act: Act, view: Any, legal: Sequence[int]) -> Any:
    """Calls `act`, and returns its answer."""
    return act(view, legal)


Call: TypeAlias = Callable[[Act, Any, Sequence[int]], Any]
"""A function that calls `act` with a view and the legal actions, and returns its answer."""


def find_step(record: Record, game: Game, decision: int) -> Step:
    """Returns a decision of the record that a bot made or failed to make."""
    try:
        step = next((step for step in Replay(record, game).steps() if step.decision == decision), None)
    except DifferenceError as difference:
        raise RunError(f"match {record.match} does not replay: {difference}; `tourney verify` says more") from None
    if step is None:
        last = record.actions.count(" ") + 1
        raise RunError(f"match {record.match}: there is no decision {decision}; decisions are 1 to {last}")
    if step.by_house and step.fault is None:
        fault = next(fault for fault in record.faults if fault.seat == step.seat)
        since = f"it failed at decision {fault.decision}" if fault.decision else fault.detail
        raise RunError(
            f"match {record.match}: decision {decision} is the house's, since {record.seats[step.seat]} was "
            f"out; {since}"
        )
    return step


def warm_up(
    record: Record,
    game: Game,
    factories: dict[int, BotFactory],
    decision: int,
    names: tuple[str, ...] = (),
    seed: Callable[[int], int] | None = None,
) -> DecisionPoint:
    """Brings the bots of some seats to a decision of the record.

    Each bot is asked at every earlier decision of its seat. Its answer is compared with the record, and the match
    continues as recorded whatever the answer was.
    """
    replay = Replay(record, game)
    match = match_of(record, names)
    seeds = {seat: seed(seat) if seed else bot_seed(match.seed, seat, match.names) for seat in factories}
    bots: dict[int, WarmedUpBot] = {}
    for seat, make in factories.items():
        facts = SeatFacts(game, replay.options, len(record.seats), seat, Random(seeds[seat]))
        with prints.labelled(record.seats[seat]):
            bots[seat] = WarmedUpBot(make, facts, seeds[seat])
    divergences: list[Divergence] = []
    asked = dict.fromkeys(bots, 0)
    for step in replay.steps():
        if step.decision == decision:
            return DecisionPoint(step, bots, replay.houses, divergences, asked)
        if step.seat not in bots or step.by_house:
            continue
        asked[step.seat] += 1
        with prints.labelled(record.seats[step.seat]):
            answer = ask(game, bots[step.seat], step.state.view(step.seat), step.legal)
        if answer.action != step.action:
            divergences.append(Divergence(step.decision, step.seat, answer.text, game.text(step.action)))
    raise AssertionError(f"no decision {decision}")


def ask(game: Game, bot: WarmedUpBot, view: Any, legal: Sequence[int], call: Call = call_act) -> Answer:
    """Asks the bot for an action, and returns its answer or the exception that it raised."""
    try:
        answer = call(bot.act, view, legal)
    except RAISED as error:
        return Answer(None, f"raised {type_name(error)}", error)
    action = as_action(answer, len(game.names))
    return Answer(action, f"no action ({type_name(answer)})" if action is None else game.text(action))


class RecordedPerson(Bot):
    """Decides as a person did for as long as the seat sees the same; from then on, another bot decides."""

    def __init__(self, decisions: Sequence[tuple[Any, int]], other: Bot) -> None:
        """Takes what the seat saw at each decision with the action of the person, and the other bot."""
        self._decisions = decisions
        self._other = other
        self._decided = 0
        self._is_same = True

    def start(self, facts: SeatFacts) -> None:
        """Starts the other bot, too."""
        super().start(facts)
        self._other.start(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the recorded action, or that of the other bot."""
        number, self._decided = self._decided, self._decided + 1
        if self._is_same and number < len(self._decisions):
            seen, action = self._decisions[number]
            if view.as_dict() == seen:
                return action
        self._is_same = False
        return self._other.act(view, legal)


def recorded_person(record: Record, game: Game, seat: int) -> tuple[str, Callable[[], RecordedPerson]]:
    """Returns who decides for a person once the match is another one, and what makes the bot for the person's seat."""
    decisions = [
        (found.view.as_dict(), found.step.action)
        for found in walk(record, game)
        if found.step is not None and found.step.seat == seat
    ]
    name = substitute(record.game)
    make_other = registry.load_bot(name, Path()).maker({}, name)
    return name, partial(_make, decisions, make_other)


def _make(decisions: Sequence[tuple[Any, int]], make_other: Callable[[], Bot]) -> RecordedPerson:
    return RecordedPerson(decisions, make_other())
