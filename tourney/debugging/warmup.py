"""A bot fed with a record: made anew, with its own rng, and asked all that it was asked up to one decision."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tourney.bot import Outcome, SeatFacts
from tourney.errors import RunError
from tourney.game import Game
from tourney.hosts.base import Act, BotHost, HostedBot
from tourney.hosts.fault_kinds import ChargedError, as_action
from tourney.hosts.inline import InlineBot
from tourney.match import Record
from tourney.replay import DifferenceError, Replay, Step
from tourney.table import BotFactory, bot_seed

RAISED = (Exception, SystemExit, ChargedError)
"""What a bot may raise; not what a user does, who interrupts the program."""


class FedBot:
    """A bot that was made and told the facts. What goes wrong in that is raised by its first `act`."""

    def __init__(self, make: BotFactory, facts: SeatFacts, rng_seed: int) -> None:
        """Makes the bot: a Python bot in this process, unless it has another place."""
        self._host: HostedBot | None = None
        self._error: BaseException | None = None
        try:
            self._host = make.begin(facts, rng_seed) if isinstance(make, BotHost) else InlineBot(make, facts)
        except RAISED as error:
            self._error = error

    @property
    def act(self) -> Act:
        """The bot's own `act`."""
        if self._host is None:
            assert self._error is not None
            raise self._error
        return self._host.act

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended."""
        if self._host is not None:
            self._host.end(outcome)

    def close(self) -> None:
        """Ends it."""
        if self._host is not None:
            self._host.close()


class Answer(NamedTuple):
    """What a bot answered."""

    action: int | None
    """None: it was none of the game's actions, or the bot raised an exception."""
    text: str
    error: BaseException | None = None


class Divergence(NamedTuple):
    """A decision at which a bot, asked again, does not answer what the record says."""

    decision: int
    seat: int
    answered: str
    recorded: str


class DecisionPoint(NamedTuple):
    """A match right before one of its decisions, with the bots that were fed with it."""

    step: Step
    bots: dict[int, FedBot]
    """The bots that were fed, by seat."""
    houses: dict[int, Act]
    """The house for each seat whose bot is out."""
    divergences: list[Divergence]
    """Where the bots would have gone another way, in order."""
    fed: dict[int, int]
    """How many decisions each bot was fed."""


def plainly(act: Act, view: Any, legal: Sequence[int]) -> Any:
    """Calls `act`."""
    return act(view, legal)


Call: TypeAlias = Callable[[Act, Any, Sequence[int]], Any]
"""A way to call `act`."""


def step_of(record: Record, game: Game, decision: int) -> Step:
    """A decision of the record that a bot made, or failed to make; a `RunError` if there is none of that number."""
    try:
        for step in Replay(record, game).steps():
            if step.decision < decision:
                continue
            if step.by_house and step.fault is None:
                fault = next(fault for fault in record.faults if fault.seat == step.seat)
                since = f"it failed at decision {fault.decision}" if fault.decision else fault.detail
                raise RunError(
                    f"match {record.match}: decision {decision} is the house's, since {record.seats[step.seat]} was "
                    f"out; {since}"
                )
            return step
    except DifferenceError as difference:
        raise RunError(f"match {record.match} does not replay: {difference}; `tourney verify` says more") from None
    last = record.actions.count(" ") + 1
    raise RunError(f"match {record.match}: there is no decision {decision}; decisions are 1 to {last}")


def moment(
    record: Record,
    game: Game,
    makers: dict[int, BotFactory],
    decision: int,
    seed: Callable[[int], int] | None = None,
) -> DecisionPoint:
    """Brings the bots of some seats to a decision that the record has.

    Each is asked at every decision that was its own, and what it answers is compared; whatever it was, the match goes
    on as recorded. `seed` is what a seat's bot draws its randomness from; by default that of the match.
    """
    replay = Replay(record, game)
    seeds = {seat: seed(seat) if seed else bot_seed(replay.seed, seat, record.seats[seat]) for seat in makers}
    bots = {
        seat: FedBot(make, SeatFacts(game, replay.options, len(record.seats), seat, Random(seeds[seat])), seeds[seat])
        for seat, make in makers.items()
    }
    divergences: list[Divergence] = []
    fed = dict.fromkeys(bots, 0)
    for step in replay.steps():
        if step.decision == decision:
            return DecisionPoint(step, bots, replay.houses, divergences, fed)
        if step.seat not in bots or step.by_house:
            continue
        fed[step.seat] += 1
        answer = answered(game, bots[step.seat], step.state.view(step.seat), step.legal)
        if answer.action != step.action:
            divergences.append(Divergence(step.decision, step.seat, answer.text, game.text(step.action)))
    raise AssertionError(f"no decision {decision}")


def answered(game: Game, bot: FedBot, view: Any, legal: Sequence[int], call: Call = plainly) -> Answer:
    """What the bot answers, when its `act` is called in that way."""
    try:
        answer = call(bot.act, view, legal)
    except RAISED as error:
        return Answer(None, f"raised {type(error).__name__}", error)
    action = as_action(answer, len(game.names))
    return Answer(action, f"no action ({type(answer).__name__})" if action is None else game.text(action))
