"""The table plays one match: it alone calls bots, and judges their faults.

It asks the bot whose turn it is, examines the answer, and records the events. A bot that faults is out: from then on
the house, a seeded uniform choice, moves for its seat, and the seat ranks behind all seats without faults.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Any, TypeAlias

from mypy_extensions import i64

from tourney.base.errors import ConfigError, GameError, TourneyError
from tourney.contracts.bot import Noted, Outcome, SeatFacts
from tourney.contracts.game import Game, own_copy
from tourney.contracts.match import Fault, FaultKind, Match, Record, final_places, options_of, record_of
from tourney.contracts.state import State
from tourney.hosts import prints
from tourney.hosts.base import Act, BotHost, FailedBot, HostedBot, seat_clocks
from tourney.hosts.clocks import Timekeeper
from tourney.hosts.faults import ChargedError, as_action, describe_answer, fault_of
from tourney.hosts.inline import InlineBot
from tourney.hosts.limits import Limits
from tourney.hosts.notes import NoteTaker
from tourney.hosts.timing import timed
from tourney.plugins.failures import endless_match, failed_match, is_of_game, is_raised_in
from tourney.table.seeds import bot_seed, house

BotFactory: TypeAlias = BotHost | Callable[[], Any]
"""The host that the bot of a seat runs in, or a callable that makes the bot in this process."""
Verdicts: TypeAlias = Mapping[tuple[int, int], tuple[FaultKind, str]]
"""The calls of bots that are known to end badly: (decision, seat) to the fault's (kind, detail)."""
Watch: TypeAlias = Callable[[int, int, float, Sequence[int]], AbstractContextManager[None]]
"""Called with (decision, seat, seconds, actions) for each call of a bot: the bot is called, and its leavings freed, in
the context that it returns. The seconds are the longest that the call may take, the actions those so far.

Decision 0 is the bot's start. One past the last decision it hears the outcome, and two past it the bot is released.
"""
Began: TypeAlias = Callable[[Sequence[Any], Sequence[Fault]], None]
"""Called with the log of a starting match, and with its faults; both grow while the match is played."""
_KEPT: list[Any] = []
"""Bots in this process that are never destroyed, because that is known to end badly."""


def play(
    match: Match, game: Game, factories: Sequence[BotFactory], verdicts: Verdicts | None = None,
    watch: Watch | None = None, out: Mapping[int, str] | None = None, keeper: Timekeeper | None = None,
    began: Began | None = None, standing: Sequence[int] = (), notes: NoteTaker | None = None,
) -> Record:  # fmt: skip
    """Plays the match to its end, and returns the record; the bots' notes go to `notes`.

    Under a watch, `standing` are the first actions of the match, regardless of the bots' answers.
    """
    table = _Table(match, game, factories, verdicts or {}, watch, keeper or Timekeeper(), notes)
    try:
        table.begin(out or {})
        if began is not None:
            began(table.state.log, table.faults)
        if verdicts or watch:
            table.play_watched(standing)
        else:
            table.play()
        table.end()
        table.keeper.late_timeouts += table.late
        if table.clocks:
            table.clocks[0].end_match()
        return table.record()
    except (ConfigError, MemoryError):
        raise
    except BaseException as error:  # bots are charged where they are called
        ours = error is table.ours or not (isinstance(error, (ChargedError, GeneratorExit)) or is_of_game(error))
        if ours or (isinstance(error, GameError) and not is_raised_in(game, error)):
            raise
        raise failed_match(match, game, error) from error
    finally:
        table.close()


class _Table:
    state: State
    options: Any
    acts: list[Act]
    most: int
    """The number of decisions that a match of the game has at most."""

    def __init__(
        self, match: Match, game: Game, factories: Sequence[BotFactory], verdicts: Verdicts, watch: Watch | None,
        keeper: Timekeeper, notes: NoteTaker | None,
    ) -> None:  # fmt: skip
        self.notes, self.match, self.game, self.factories = notes, match, game, factories
        self.verdicts, self.watch, self.keeper = verdicts, watch, keeper
        self.late = 0  # how many bots ran out of time while the machine was overloaded
        self.called: int | None = None  # the seat whose bot is called out of turn: to start, or to hear the outcome
        self.clocks = seat_clocks(factories, match.seats, keeper, watch is not None)
        self.ours: BaseException | None = None  # an exception that neither a bot nor the game has raised
        self.faults: list[Fault] = []
        self.bots: dict[int, HostedBot] = {}
        self.actions: list[int] = []

    def begin(self, out: Mapping[int, str]) -> None:
        match, game = self.match, self.game
        self.options, self.most = options_of(match.setup, game)
        self.state = game.start(match.setup.seats, self.options, match.seed)
        self.faults += [Fault(seat, "out", 0, None, why) for seat, why in out.items()]
        prints.name_callers(self.caller)
        for seat, factory in enumerate(self.factories):
            if seat not in out:
                self.bots[seat] = self.start(seat, factory)
        self.acts = [house(match.seed, seat) if seat in out else self.act_of(seat) for seat in range(len(match.seats))]
        self.called = None

    def act_of(self, seat: int) -> Act:
        act = self.bots[seat].act
        if self.clocks or not self.keeper.times_all:
            return act
        return timed(act, self.keeper.times_of(self.match.seats[seat]))

    def caller(self) -> str:
        seat = self.state.seat if self.called is None else self.called
        return "" if seat is None else self.match.seats[seat]

    def start(self, seat: int, factory: BotFactory) -> HostedBot:
        """Makes the bot of a seat and tells it the facts; its first `act` raises any mistake of the bot here."""
        try:
            bot: HostedBot = self.call(0, seat, self.make, seat, factory)
        except BaseException as error:  # a bot may raise anything, SystemExit too
            self.raise_ours(seat, error)
            return FailedBot(error)
        return bot

    def make(self, seat: int, factory: BotFactory) -> HostedBot:
        match = self.match
        rng_seed = bot_seed(match.seed, seat, match.names)
        clock = self.clocks[seat] if self.clocks else None
        reading = None if clock is None else clock.reading()
        facts = SeatFacts(self.game, own_copy(self.options), match.setup.seats, seat, Random(rng_seed), reading)
        return factory.begin(facts, rng_seed, clock) if isinstance(factory, BotHost) else InlineBot(factory, facts)

    def call(self, decision: int, seat: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of a bot, in the context of the watch, unless a verdict decides how the call ends."""
        if self.verdicts and (decision, seat) in self.verdicts:
            raise ChargedError(*self.verdicts[decision, seat])
        self.called = seat
        if self.watch is None:
            return function(*arguments)
        limits = self.clocks[seat].limits
        with self.watching(decision, seat, limits.move_ms if decision else limits.start_ms):
            return function(*arguments)

    def play(self) -> None:
        """Asks bots and applies their actions until the match is over: the hot loop, which makes nothing needless."""
        state, acts = self.state, self.acts
        most: i64 = self.most
        actions: list[Any] = self.actions  # mypyc would unbox each int, and box it again
        log = state.log
        for _decision in range(most):  # mypyc would make an object of each number if it were named _
            turn = state.seat
            if turn is None:
                return
            seat: int = turn
            legal = state.legal()
            view = state.view(seat)
            try:
                action: Any = acts[seat](view, legal)
            except BaseException as error:  # a bot may raise anything, SystemExit too
                action = self.after_error(seat, legal, error)
            kind: Any = type(action)
            if kind is not int or action not in legal:
                action = self.accepted(seat, legal, action)
            actions.append(action)
            entry: tuple[Any, ...] = (turn, action, legal)
            log.append(entry)
            state.apply(action)
        self.check_end()

    def play_watched(self, standing: Sequence[int]) -> None:
        """Plays the match as `play` does, with verdicts or a watch: nothing of a bot is left between calls."""
        state = self.state
        for _ in range(self.most):
            seat = state.seat
            if seat is None:
                return
            legal = state.legal()
            view = state.view(seat)
            action = self.decide(seat, view, legal)
            if len(self.actions) < len(standing):
                action = standing[len(self.actions)]
            self.actions.append(action)
            state.play(action, legal)
        self.check_end()

    def decide(self, seat: int, view: Any, legal: Sequence[int]) -> int:
        if seat not in self.bots:
            return int(self.acts[seat](view, legal))
        with self.watching(self.decision, seat, None, decides=True):
            return self.ask(seat, view, legal)

    def ask(self, seat: int, view: Any, legal: Sequence[int]) -> int:
        """The bot's answer, which is destroyed here, within the watch, if it is not an action."""
        try:
            if (verdict := self.verdicts.get((self.decision, seat))) is not None:
                raise ChargedError(*verdict)
            answer = self.acts[seat](view, legal)
        except BaseException as error:  # a bot may raise anything, SystemExit too
            return self.after_error(seat, legal, error)
        return answer if type(answer) is int and answer in legal else self.accepted(seat, legal, answer)

    def watching(
        self, decision: int, seat: int, most_ms: int | None, decides: bool = False
    ) -> AbstractContextManager[None]:
        """The context of the watch for `most_ms` of a bot, or for a decision; none if a verdict spares the bot."""
        if self.watch is None or (decision, seat) in self.verdicts:
            return nullcontext()
        clock = self.clocks[seat]
        most_s = clock.bound_s(clock.limits.move_ms if decides else most_ms, decides)
        factory = self.factories[seat]
        waits_s = factory.waits_s if isinstance(factory, BotHost) else 0.0
        return self.watch(decision, seat, most_s + waits_s, self.actions)

    def check_end(self) -> None:
        if self.state.seat is not None:
            raise endless_match(self.match, f"it is not over after {self.most} decisions")

    def after_error(self, seat: int, legal: Sequence[int], error: BaseException) -> int:
        kind, detail = self.classify(seat, error)
        return self.charge(seat, legal, kind, None, detail)

    def classify(self, seat: int, error: BaseException) -> tuple[FaultKind, str]:
        """The kind and the detail of an exception as a fault; raises one of ours."""
        self.raise_ours(seat, error)
        factory = self.factories[seat]
        if isinstance(factory, BotHost) and type(error) is ChargedError:
            self.late += getattr(error, "late", None) is True  # in the worker a bot may have raised it, half made
        kind, detail = fault_of(error)
        if isinstance(factory, BotHost) and factory.tracebacks is not None:
            fault = Fault(seat, kind, self.decision, None, detail)
            factory.tracebacks.note(self.match, fault, error, factory.in_worker)
        return kind, detail

    def raise_ours(self, seat: int, error: BaseException) -> None:
        factory = self.factories[seat]
        if isinstance(factory, BotHost) and not factory.in_worker and not isinstance(error, ChargedError):
            self.ours = error
            raise error

    def accepted(self, seat: int, legal: Sequence[int], answer: Any) -> int:
        """The action of an answer that is not plainly a legal one; the house's if the bot is at fault."""
        if type(answer) is Noted and self.notes is not None:
            factory = self.factories[seat]
            limits = factory.limits if isinstance(factory, BotHost) else Limits()
            try:
                self.notes.take(self.decision, seat, answer, limits)
            except TourneyError as error:  # the cost limit is reached, or the ledger cannot be written
                self.ours = error
                raise
        action = as_action(answer, len(self.game.names))
        if action is None:
            return self.charge(seat, legal, "illegal", None, describe_answer(answer))
        if action in legal or self.state.tolerates(action):
            return action
        return self.charge(seat, legal, "illegal", self.game.text(action), "not a legal action")

    @property
    def decision(self) -> int:
        """The number of the decision that is being made, counted from 1; after the match, one past the last."""
        return len(self.actions) + 1

    def charge(self, seat: int, legal: Sequence[int], kind: FaultKind, answer: str | None, detail: str) -> int:
        """Charges the seat with a fault, closes its bot, and returns the house's action."""
        self.faults.append(Fault(seat, kind, self.decision, answer, detail))
        self.acts[seat] = house(self.match.seed, seat)
        self.let_go(self.decision, seat)  # now: a bot that hangs would take the time of the others
        return int(self.acts[seat](None, legal))

    def let_go(self, decision: int, seat: int) -> None:
        """Closes the bot of the seat, and forgets it; one that a verdict has charged here is kept unseen."""
        bot = self.bots.pop(seat)
        if self.clocks:
            self.clocks[seat].leave()
        if self.watch is not None and (decision, seat) in self.verdicts:
            _KEPT.append(bot)
        bot.close()

    def end(self) -> None:
        """Tells the bots that are still in the match how it ended; under a watch, lets each of them go."""
        self.outcome = Outcome(tuple(self.state.scores), tuple(self.state.places))
        for seat in self.bots:
            self.tell(seat)
        if self.watch is not None:
            self.let_all_go()

    def tell(self, seat: int) -> None:
        try:
            self.call(self.decision, seat, self.bots[seat].end, self.outcome)
        except BaseException as error:  # a bot may raise anything, SystemExit too
            kind, detail = self.classify(seat, error)
            self.faults.append(Fault(seat, kind, self.decision, None, detail))

    def let_all_go(self) -> None:
        last = self.decision + 1
        for seat in list(self.bots):
            self.acts[seat] = house(self.match.seed, seat)
            verdict = self.verdicts.get((last, seat))
            if verdict is not None and seat not in [fault.seat for fault in self.faults]:
                self.faults.append(Fault(seat, verdict[0], self.decision, None, verdict[1]))
            with self.watching(last, seat, None):
                self.let_go(last, seat)

    def close(self) -> None:
        for bot in self.bots.values():
            bot.close()
        prints.name_callers(None)

    def record(self) -> Record:
        outcome, names = self.outcome, self.game.names
        return record_of(
            self.match, " ".join([names[action] for action in self.actions]), outcome.scores,
            final_places(outcome.places, {fault.seat for fault in self.faults}), tuple(self.faults), self.state.log,
        )  # fmt: skip
