"""Plays one match: the only caller of bots, the only judge of faults.

The table asks the bot whose seat it is, checks the answer, and writes down what happened. A bot that faults is out:
from then on the house, a seeded uniform choice, moves for its seat, and the seat ranks behind all whose bots stayed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from random import Random
from types import TracebackType
from typing import Any, TypeAlias

from tourney.bot import Outcome, SeatFacts
from tourney.game import Game
from tourney.hosts.inline import Inline
from tourney.match import Fault, FaultKind, Match, Record, ranked, record_of
from tourney.rng import pick, stream

Act: TypeAlias = Callable[[Any, Sequence[int]], Any]
Verdicts: TypeAlias = Mapping[tuple[int, int], tuple[FaultKind, str]]
"""Where bots are known to bring their process down: (decision, seat) to the fault's (kind, detail)."""
Watch: TypeAlias = Callable[[int, int], None]
"""Told (decision, seat) before a bot is called: decision 0 to make it, one past the last to tell it the outcome."""


def bot_rng(seed: int, seat: int, name: str) -> Random:
    """The randomness of the bot of that name in that seat, in the match of that seed."""
    return stream(seed, "bot", seat, name)


def house(seed: int, seat: int) -> Act:
    """The house for a seat: a seeded uniform choice among the legal actions."""
    rng = stream(seed, "house", seat)
    return lambda _view, legal: pick(legal, rng)


def play(
    match: Match,
    game: Game,
    makers: Sequence[Callable[[], Any]],
    verdicts: Verdicts | None = None,
    watch: Watch | None = None,
) -> Record:
    """Plays the match to its end and returns the record.

    `makers` make the bot of each seat. Where `verdicts` has an entry the bot is not called, but charged with that
    fault. `watch` is told before every call of a bot.
    """
    table = _Table(match, game, makers, verdicts or {}, watch)
    if verdicts or watch:
        table.play_watched()
    else:
        table.play()
    table.end()
    return table.record()


class _KnownFaultError(Exception):
    """Stands for a fault that is known beforehand."""

    def __init__(self, kind: FaultKind, detail: str) -> None:
        self.fault: tuple[FaultKind, None, str] = kind, None, detail


class _Table:
    def __init__(
        self,
        match: Match,
        game: Game,
        makers: Sequence[Callable[[], Any]],
        verdicts: Verdicts,
        watch: Watch | None,
    ) -> None:
        self.match = match
        self.game = game
        self.verdicts = verdicts
        self.watch = watch
        self.options = game.options(match.contest.seats, match.contest.options)
        self.state = game.start(match.contest.seats, self.options, match.seed)
        self.hosts = [self.host(seat, make) for seat, make in enumerate(makers)]
        self.acts: list[Act] = [host.act for host in self.hosts]
        self.faults: list[Fault] = []
        self.actions: list[int] = []

    def host(self, seat: int, make: Callable[[], Any]) -> Inline:
        """The bot of a seat, made and told the facts."""
        match = self.match
        rng = bot_rng(match.seed, seat, match.seats[seat])
        facts = SeatFacts(self.game, self.options, match.contest.seats, seat, rng)
        return Inline(lambda: self.called(seat, make, decision=0), facts)

    def called(self, seat: int, call: Callable[..., Any], *arguments: Any, decision: int | None = None) -> Any:
        """Calls a bot, unless it is known what that leads to, and tells who watches."""
        if self.verdicts or self.watch:
            at = self.decision if decision is None else decision
            if (at, seat) in self.verdicts:
                raise _KnownFaultError(*self.verdicts[at, seat])
            if self.watch is not None:
                self.watch(at, seat)
        return call(*arguments)

    def play(self) -> None:
        """Asks and applies until the match is over. The hot loop: no clocks, nothing made that is not needed."""
        state, acts = self.state, self.acts
        legal_of, view_of, apply = state.legal, state.view, state.apply
        done, note = self.actions.append, state.log.append
        while (seat := state.seat) is not None:
            legal = legal_of()
            try:
                action = acts[seat](view_of(seat), legal)
            except BaseException as error:  # a bot may raise anything, SystemExit too
                action = self.failed(seat, legal, error)
            if type(action) is not int or action not in legal:
                action = self.judged(seat, legal, action)
            done(action)
            note((seat, action, legal))
            apply(action)

    def play_watched(self) -> None:
        """The same, with every call of a bot watched."""
        for seat, act in enumerate(self.acts):
            self.acts[seat] = self.watched(seat, act)
        self.play()

    def watched(self, seat: int, act: Act) -> Act:
        """The bot's `act`, watched."""
        return lambda view, legal: self.called(seat, act, view, legal)

    def failed(self, seat: int, legal: Sequence[int], error: BaseException) -> int:
        """The bot raised: it is out; returns what the house does instead."""
        return self.fault(seat, legal, *_raised(error))

    def judged(self, seat: int, legal: Sequence[int], answer: Any) -> int:
        """An answer that is not plainly a legal action: returns it as an int, or what the house does instead."""
        action = as_action(answer, len(self.game.names))
        if action is None:
            return self.fault(seat, legal, "illegal", None, _kind_of(answer))
        if action in legal or self.state.tolerates(action):
            return action
        return self.fault(seat, legal, "illegal", self.game.text(action), "not a legal action")

    @property
    def decision(self) -> int:
        """The number of the decision that is being made, from 1; once the match is over, one past the last."""
        return len(self.actions) + 1

    def fault(self, seat: int, legal: Sequence[int], kind: FaultKind, answer: str | None, detail: str) -> int:
        """Charges the seat, puts its bot out, and returns what the house does instead."""
        self.faults.append(Fault(seat, kind, self.decision, answer, detail))
        self.acts[seat] = house(self.match.seed, seat)
        action: int = self.acts[seat](None, legal)
        return action

    def end(self) -> None:
        """Tells the bots that are still in how the match ended."""
        outcome = Outcome(self.state.scores, self.state.places)
        out = {fault.seat for fault in self.faults}
        for seat, host in enumerate(self.hosts):
            if seat in out:
                continue
            try:
                self.called(seat, host.end, outcome)
            except BaseException as error:  # a bot may raise anything, SystemExit too
                kind, answer, detail = _raised(error)
                self.faults.append(Fault(seat, kind, self.decision, answer, detail))

    def record(self) -> Record:
        """What the match came to."""
        state, names = self.state, self.game.names
        out = {fault.seat for fault in self.faults}
        return record_of(
            self.match,
            " ".join(map(names.__getitem__, self.actions)),
            state.scores,
            ranked(state.places, out),
            tuple(self.faults),
            state.log,
        )


def as_action(answer: Any, count: int) -> int | None:
    """The answer as one of the game's actions; ints of other kinds (numpy's) count as ints, bools do not."""
    if type(answer) is bool:
        return None
    try:
        action = int(answer.__index__())
    except BaseException:  # an answer is the bot's own object and may do anything
        return None
    return action if 0 <= action < count else None


def _kind_of(answer: Any) -> str:
    """What a nonsense answer is, in words that are the same in every replay."""
    if answer is None:
        return "answered None"
    if type(answer) is int:
        return "answered a number that is no action of the game"
    return f"answered with the type {_type_name(answer)}"


def _raised(error: BaseException) -> tuple[FaultKind, None, str]:
    """The fault that an exception is: its type and the bot's line, which no address and no hash order can change."""
    if isinstance(error, _KnownFaultError):
        return error.fault
    kind: FaultKind = "memory" if isinstance(error, MemoryError) else "error"
    return kind, None, _type_name(error) + _line(error.__traceback__)


def _line(traceback: TracebackType | None) -> str:
    """Where in the bot's code it happened, as ` at FILE:LINE`.

    That is the innermost frame in the file which the table called: lines of the standard library differ by version.
    """
    while traceback is not None and traceback.tb_frame.f_globals.get("__name__") in _OURS:
        traceback = traceback.tb_next
    if traceback is None:
        return ""
    file, line = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f" at {_plain(PurePath(file).name)}:{line}"


_OURS = (__name__, Inline.__module__)


def _type_name(value: object) -> str:
    """The name of the value's type, whatever its metaclass makes of `__name__`."""
    return _plain(type.__dict__["__name__"].__get__(type(value)))


def _plain(text: str) -> str:
    return re.sub(r"[^\w.-]", "?", text)[:80]
