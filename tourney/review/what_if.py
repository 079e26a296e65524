"""A recorded match at one of its decisions, for a stop there, or to continue with another action or bot.

`play_on` keeps the cards and the bots' rngs, so the same action by the same bot leads to the recorded end.
`play_imagined` imagines the hidden cards; the other bots are new, and all draw different random numbers.
"""

import ast
import inspect
import os
import pdb
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from cProfile import Profile
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tourney.base.errors import ChoiceError, MissingExtraError, ServiceError, type_name
from tourney.contracts.bot import Bot, Noted, Outcome, SeatFacts
from tourney.contracts.game import Game, State
from tourney.contracts.match import Record, final_places, match_of
from tourney.contracts.playouts import Choose, play_out
from tourney.contracts.rng import derive, stream
from tourney.hosts import prints
from tourney.hosts.base import Act, BotHost, FailedBot, HostedBot
from tourney.hosts.clocks import MatchTime, Timekeeper
from tourney.hosts.faults import ChargedError, as_action
from tourney.hosts.inline import InlineBot, timed_call
from tourney.hosts.limits import MOST_NOTE_BYTES, Limits
from tourney.hosts.notes import Note, tidied
from tourney.plugins import registry
from tourney.plugins.failures import endless_match, failing_in
from tourney.review.bots import substitute
from tourney.review.recheck import REPEATABLE
from tourney.table.replay import Replay, Step, replayable, walk
from tourney.table.seeds import bot_seed, house
from tourney.table.table import BotFactory

RAISED = (Exception, SystemExit, ChargedError)  # by a bot's code; excludes interrupts by the user
OURS = (ServiceError, MissingExtraError)  # not a bot's answer: its service is away or cannot be asked
PROFILED_S = 60  # until a profiled decision is interrupted
NO_ACTION = -1  # the answer of a bot charged with a fault


class Answer(NamedTuple):
    """A bot's answer."""

    action: int | None  # None if the answer was not an action of the game, or the bot raised an exception
    text: str  # the action as text, or the bot's other answer or exception
    error: BaseException | None = None
    note: Note | None = None  # the bot's note, if any


class Divergence(NamedTuple):
    """A decision at which a bot, asked again, does not answer as recorded."""

    decision: int
    seat: int
    answered: str
    recorded: str


class DecisionPoint(NamedTuple):
    """A match right before one of its decisions, with the warmed-up bots by seat."""

    step: Step
    bots: dict[int, HostedBot]
    houses: dict[int, Act]  # for each seat with its bot out
    divergences: list[Divergence]
    asked: dict[int, int]  # number of decisions asked of each bot


def find_step(record: Record, game: Game, decision: int) -> Step:
    """A decision of the record that a bot made or failed to make."""
    with replayable(record):
        step = next((step for step in Replay(record, game).steps() if step.decision == decision), None)
    if step is None:
        raise ChoiceError(f"match {record.match}: no decision {decision}; expected 1 to {record.decisions}")
    if step.by_house and step.fault is None:
        fault = next(fault for fault in record.faults if fault.seat == step.seat)
        since = f"it failed at decision {fault.decision}" if fault.decision else fault.detail
        name = record.seats[step.seat]
        raise ChoiceError(
            f"match {record.match}: the house made decision {decision} for {name}, which was out ({since})"
        )
    return step


def legal_action(game: Game, step: Step, text: str) -> int:
    """The action of this text, which must be legal at the decision, or tolerated."""
    action = game.action(text) if text in game.names else None
    if action is None or not (action in step.legal or step.state.tolerates(action)):
        choices = " ".join(map(game.text, step.legal))
        raise ChoiceError(f"decision {step.decision}: {text} is not legal for seat {step.seat}; legal: {choices}")
    return action


def warm_up(
    record: Record, game: Game, factories: Mapping[int, BotFactory], decision: int, names: tuple[str, ...] = (),
    seed: Callable[[int], int] | None = None,
) -> DecisionPoint:  # fmt: skip
    """Asks new bots at every earlier decision of their seats; the match continues as recorded in any case."""
    replay, match = Replay(record, game), match_of(record, names)
    bots = {
        seat: _make(record, game, seat, make, seed(seat) if seed else bot_seed(match.seed, seat, match.names))
        for seat, make in factories.items()
    }
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


def _make(record: Record, game: Game, seat: int, make: BotFactory, rng_seed: int) -> HostedBot:
    """Makes the bot of a seat, in this process unless it has a host; its clock runs as in a match."""
    seats = len(record.seats)
    facts = SeatFacts(game, game.options(seats, record.options), seats, seat, Random(rng_seed))
    try:
        with prints.labelled(record.seats[seat]):
            if not isinstance(make, BotHost):
                return InlineBot(make, facts)
            if not make.needs_clock:
                return make.begin(facts, rng_seed, None)
            (clock,) = MatchTime([make.limits], Timekeeper()).clocks
            return make.begin(facts._replace(clock=clock.reading()), rng_seed, clock)
    except OURS:
        raise
    except RAISED as error:
        return FailedBot(error)


def ask(
    game: Game, bot: HostedBot, view: Any, legal: Sequence[int], through: Callable[..., Any] | None = None
) -> Answer:
    """Asks the bot for an action, `through` a function that calls `act`; returns its answer or exception."""
    try:
        if through is None or isinstance(bot, FailedBot):
            answer = bot.act(view, legal)
        else:
            answer = through(bot.act, view, legal)
    except OURS:
        raise
    except RAISED as error:
        text = f"{error.kind} ({error.detail})" if isinstance(error, ChargedError) else f"raised {type_name(error)}"
        return Answer(None, text, error)
    action = as_action(answer, len(game.names))
    text = f"no action ({type_name(answer)})" if action is None else game.text(action)
    note = tidied(answer.note, MOST_NOTE_BYTES)[0] if type(answer) is Noted else None
    return Answer(action, text, None, note)


class Change(NamedTuple):
    """Another action at a decision of a record; None means the answer of the factory's bot."""

    decision: int
    seat: int
    action: int | None
    factory: BotFactory


class Continuation(NamedTuple):
    """A match's course from the decision to its end; `out` are the seats whose bots were out."""

    actions: tuple[int, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    out: tuple[int, ...]


def play_on(
    record: Record, game: Game, factories: Sequence[BotFactory], change: Change, names: tuple[str, ...] = ()
) -> tuple[Continuation, list[Divergence]]:
    """Continues the match with the record's cards."""
    out = out_before(record, change.decision)
    warmed_up = {seat: make for seat, make in enumerate(factories) if seat not in out} | {change.seat: change.factory}
    point = warm_up(record, game, warmed_up, change.decision, names)
    houses = {seat: point.houses[seat] for seat in out}
    seats = Seats(game, record, int(record.seed, 16), houses, lambda seat: point.bots[seat].act)
    fatal = {(fault.decision, fault.seat) for fault in record.faults if fault.kind not in REPEATABLE}
    return _rest(record, game, point.step.state, seats, point.bots, change, fatal), point.divergences


def play_imagined(
    record: Record, game: Game, factories: Sequence[BotFactory], change: Change, number: int
) -> Continuation:
    """Continues an imagined match, the same for every change at a decision with the same number."""
    seed = derive(int(record.seed, 16), "continuation", change.decision, number)
    point = warm_up(
        record, game, {change.seat: change.factory}, change.decision, seed=lambda seat: derive(seed, "bot", seat)
    )
    with failing_in(match_of(record), game):
        state = game.imagine(point.step.state.view(change.seat), stream(seed, "imagine"))
    out = out_before(record, change.decision)
    bots = point.bots | {
        seat: _make(record, game, seat, make, derive(seed, "bot", seat))
        for seat, make in enumerate(factories)
        if seat not in out and seat != change.seat
    }
    houses = {seat: house(seed, seat) for seat in out}
    seats = Seats(game, record, seed, houses, lambda seat: bots[seat].act)
    return _rest(record, game, state, seats, bots, change)


def out_before(record: Record, decision: int) -> list[int]:
    """The seats whose bots were out before a decision."""
    return sorted([fault.seat for fault in record.faults if fault.decision < decision])


class Seats:
    """The players of a continued match: each seat's bot, or the house once the bot has failed."""

    def __init__(
        self, game: Game, record: Record, seed: int, houses: dict[int, Act], make: Callable[[int], Act]
    ) -> None:
        """Takes the houses of the seats that are out, and a function returning any other seat's `act`."""
        self.out = set(houses)  # the seats played by the house so far
        self._game = game
        self._record = record
        self._count = len(game.names)
        self._seed, self._acts, self._make = seed, houses, make

    def choose(self, state: State, legal: Sequence[int]) -> int:
        """The action of the deciding seat."""
        seat = state.seat
        assert seat is not None
        view = state.view(seat)
        try:
            act = self._acts.get(seat)
            if act is None:
                prints.name_callers(lambda: self._record.seats[state.seat or 0])
                act = self._acts[seat] = self._make(seat)
            answer = act(view, legal)
        except OURS:
            raise
        except RAISED:
            return self.put_out(seat, legal)
        if type(answer) is int and answer in legal:
            return answer
        action = as_action(answer, self._count)
        if action is None or not (action in legal or state.tolerates(action)):
            return self.put_out(seat, legal)
        return action

    def put_out(self, seat: int, legal: Sequence[int]) -> int:
        """Replaces a seat's bot by the house, and returns its action."""
        self.out.add(seat)
        act = self._acts[seat] = house(self._seed, seat)
        action: int = act(None, legal)
        return action

    def finish(self, state: State, choose: Choose, most: int, *first: Any) -> Outcome:
        """Plays a match to its end; `first` may be a first action, and the legal ones.

        Raises:
            GameError: The game's code fails, or does not end after `most` decisions.
        """
        match = match_of(self._record)
        with failing_in(match, self._game):
            if first:
                state.play(*first)
            if not play_out(state, choose, most):
                raise endless_match(match, f"it is not over after {most} more decisions")
            return Outcome(state.scores, state.places)


def _rest(
    record: Record, game: Game, state: State, seats: Seats, bots: Mapping[int, HostedBot], change: Change,
    fatal: Collection[tuple[int, int]] = (),
) -> Continuation:  # fmt: skip
    """Plays a match from the changed decision to its end.

    As long as it goes as recorded, bots are put out at the `fatal` decisions (number, seat) without being asked.
    """
    recorded = [game.action(text) for text in record.actions.split(" ")[change.decision - 1 :]]
    actions: list[int] = []

    def choose(state: State, legal: Sequence[int]) -> int:
        assert state.seat is not None
        decision = change.decision + len(actions), state.seat
        is_fatal = decision in fatal and actions == recorded[: len(actions)]
        if change.action is not None and not actions:
            if not is_fatal:
                with prints.labelled(record.seats[change.seat]):
                    ask(game, bots[change.seat], state.view(change.seat), legal)  # it may remember its views
            action = change.action
        else:
            action = seats.put_out(state.seat, legal) if is_fatal else seats.choose(state, legal)
        actions.append(action)
        return action

    seat_count = len(record.seats)
    most = game.max_decisions(seat_count, game.options(seat_count, record.options))
    with prints.redirected():
        outcome = seats.finish(state, choose, most - change.decision + 1)
        for seat, bot in sorted(bots.items()):
            if seat not in seats.out:
                try:
                    with prints.labelled(record.seats[seat]):
                        bot.end(outcome)
                except OURS:
                    raise
                except RAISED:
                    seats.out.add(seat)
            bot.close()
    places = final_places(outcome.places, seats.out)
    return Continuation(tuple(actions), outcome.scores, places, tuple(sorted(seats.out)))


def recorded_seat(record: Record, game: Game, seat: int) -> tuple[str, Callable[[], "_RecordedSeat"]]:
    """The factory of a bot that decides as recorded, and the name of the bot that takes over when the match differs."""
    decisions = [
        (replayed.view.as_dict(), NO_ACTION if replayed.step.fault else replayed.step.action)
        for replayed in walk(record, game)
        if replayed.step is not None and replayed.step.seat == seat
    ]
    name = substitute(record.game)
    make_other = registry.load_bot(name, Path()).maker({}, name)
    return name, lambda: _RecordedSeat(decisions, make_other())


class _RecordedSeat(Bot):
    """Decides as recorded for a seat as long as it sees the same; afterwards, another bot decides."""

    def __init__(self, decisions: Iterable[tuple[Any, int]], other: Bot) -> None:
        """Takes the seat's view at each decision, with the action, or `NO_ACTION` for a fault."""
        self._decisions = iter(decisions)
        self._other = other
        self._same = True

    def start(self, facts: SeatFacts) -> None:
        super().start(facts)
        self._other.start(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        seen, action = next(self._decisions, (None, 0))
        self._same = self._same and view.as_dict() == seen
        return action if self._same else self._other.act(view, legal)


def call_with_breakpoint(act: Act, view: Any, legal: Sequence[int]) -> Any:
    """Calls `act`, stopping in the debugger at its first line, or before the call if its source cannot be read."""
    function = inspect.unwrap(getattr(act, "__func__", act))  # without decorators
    code = _with_breakpoint(function) if isinstance(function, FunctionType) else None
    hook = sys.breakpointhook
    if hook is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _stop_in_pdb
    try:
        if code is None:
            breakpoint()
            return act(view, legal)
        old, function.__code__ = function.__code__, code
        try:
            return act(view, legal)
        finally:
            function.__code__ = old
    finally:
        sys.breakpointhook = hook


class ProfileRow(NamedTuple):
    """A function that was called during a decision."""

    is_own: bool  # whether it belongs to the bot: is in the folder of its file, or its outermost package
    file: str  # empty for a function in C
    line: int
    name: str
    calls: int
    own_s: float
    total_s: float  # its time with the functions that it called


def profiled(profile: Profile, act: Act, view: Any, legal: Sequence[int]) -> Any:
    """Calls `act` under the profile; a `ChargedError` if it takes longer than `PROFILED_S`."""
    (clock,) = MatchTime([Limits()], Timekeeper()).clocks
    clock.begin_alone(PROFILED_S, f"stopped after {PROFILED_S} s")
    return timed_call(clock, profile.runcall, act, view, legal)


def profile_rows(profile: Profile, act: Act) -> list[ProfileRow]:
    """The functions of a profile: the bot's, then the others, each by the time in which they ran."""
    code = getattr(inspect.unwrap(getattr(act, "__func__", act)), "__code__", None)
    root = Path(code.co_filename).resolve().parent if code else None
    while root is not None and (root.parent / "__init__.py").exists():
        root = root.parent
    rows = []
    for entry in profile.getstats():
        times = entry.callcount, entry.inlinetime, entry.totaltime
        if isinstance(entry.code, str):
            name = entry.code.strip("<>").removeprefix("built-in method ").removeprefix("builtins.")
            if "_lsprof.Profiler" not in name:
                rows.append(ProfileRow(False, "", 0, name, *times))
            continue
        path = Path(entry.code.co_filename).resolve()
        is_own = root is not None and path.is_relative_to(root) and "site-packages" not in path.relative_to(root).parts
        rows.append(ProfileRow(is_own, str(path), entry.code.co_firstlineno, entry.code.co_name, *times))
    return sorted(rows, key=lambda row: (not row.is_own, -row.total_s if row.is_own else -row.own_s))


def _stop_in_pdb() -> None:
    """Starts pdb in the calling frame, without a .pdbrc, which may belong to other users' files."""
    pdb.Pdb(readrc=False).set_trace(sys._getframe(1))


def _with_breakpoint(function: FunctionType) -> CodeType | None:
    """The function's code with a breakpoint in front; None if its source is missing or has changed."""
    old = function.__code__
    try:
        tree = ast.parse(Path(old.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or node.name != old.co_name:
            continue
        if min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]]) == old.co_firstlineno:
            first = int(ast.get_docstring(node) is not None and len(node.body) > 1)
            node.body.insert(first, _breakpoint(node, node.body[first].lineno))
    for code in _codes(compile(tree, old.co_filename, "exec")):
        same = (code.co_firstlineno, code.co_qualname) == (old.co_firstlineno, old.co_qualname)
        if same and code.co_freevars == old.co_freevars:
            return code
    return None


def _breakpoint(node: ast.FunctionDef, first_line: int) -> ast.stmt:
    """Makes the statement; a debugger stops at its line, before Python 3.13 at the next different line."""
    if sys.version_info >= (3, 13):
        line = first_line
    else:
        line = node.lineno if first_line > node.lineno else max(1, node.lineno - 1)
    return ast.increment_lineno(ast.parse("breakpoint()").body[0], line - 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)
