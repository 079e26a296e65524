"""Plays one match: the only caller of bots, the only judge of faults.

The table asks the bot whose seat it is, checks the answer, and writes down what happened. A bot that faults is out:
from then on the house, a seeded uniform choice, moves for its seat, and the seat ranks behind all whose bots stayed.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from tourney.bot import Outcome, SeatFacts
from tourney.game import Game
from tourney.hosts.base import Act, BotHost, FailedBot, HostedBot
from tourney.hosts.fault_kinds import ChargedError, as_action, kind_of, raised
from tourney.hosts.inline import InlineBot
from tourney.hosts.retries import MOST_ATTEMPTS, SAME_ENDS
from tourney.match import Fault, FaultKind, Match, Record, final_places, record_of
from tourney.rng import derive, pick, stream

BotFactory: TypeAlias = BotHost | Callable[[], Any]
"""Gives the bot of a seat: a host that it is begun in, or what makes it for the inline host."""
Verdicts: TypeAlias = Mapping[tuple[int, int], tuple[FaultKind, str]]
"""Where bots are known to bring their process down: (decision, seat) to the fault's (kind, detail)."""
Watch: TypeAlias = Callable[[int, int], None]
"""Told (decision, seat) before a bot is called: decision 0 to make it, one past the last to tell it the outcome."""


def bot_seed(seed: int, seat: int, name: str) -> int:
    """What the randomness of the bot of that name in that seat is made of, in the match of that seed."""
    return derive(seed, "bot", seat, name)


def house(seed: int, seat: int) -> Act:
    """The house for a seat: a seeded uniform choice among the legal actions."""
    rng = stream(seed, "house", seat)
    return lambda _view, legal: pick(legal, rng)


def play(
    match: Match,
    game: Game,
    makers: Sequence[BotFactory],
    verdicts: Verdicts | None = None,
    watch: Watch | None = None,
    out: Mapping[int, str] | None = None,
) -> Record:
    """Plays the match to its end and returns the record.

    `makers` give the bot of each seat. Where `verdicts` has an entry the bot is not called, but charged with that
    fault. `watch` is told before every call of a bot. `out` says of which seats the entrant was put out of the
    tournament, and why: their bots are not made, and the house plays from the first decision on.

    A bot's process may be killed by somebody else than the bot. So a match in which one was killed is played again,
    until so many plays come to the same.
    """
    came_to: Counter[bytes] = Counter()
    for _ in range(MOST_ATTEMPTS):
        record, killed = _played(match, game, makers, verdicts or {}, watch, out or {})
        if not killed:
            break
        line = record.line()
        came_to[line] += 1
        if came_to[line] == SAME_ENDS:
            break
    return record


def _played(
    match: Match,
    game: Game,
    makers: Sequence[BotFactory],
    verdicts: Verdicts,
    watch: Watch | None,
    out: Mapping[int, str],
) -> tuple[Record, bool]:
    """The record of one play of the match, and whether a bot's process was killed in it."""
    table = _Table(match, game, makers, verdicts, watch, out)
    try:
        if verdicts or watch:
            table.play_watched()
        else:
            table.play()
        table.end()
    finally:
        table.close()
    return table.record(), table.killed


class _Table:
    def __init__(
        self,
        match: Match,
        game: Game,
        makers: Sequence[BotFactory],
        verdicts: Verdicts,
        watch: Watch | None,
        out: Mapping[int, str],
    ) -> None:
        self.match = match
        self.game = game
        self.makers = makers
        self.verdicts = verdicts
        self.watch = watch
        self.options = game.options(match.setup.seats, match.setup.options)
        self.state = game.start(match.setup.seats, self.options, match.seed)
        self.killed = False
        self.faults = [Fault(seat, "out", 0, None, why) for seat, why in out.items()]
        self.hosts = {seat: self.host(seat, make) for seat, make in enumerate(makers) if seat not in out}
        self.acts: list[Act] = [
            house(match.seed, seat) if seat in out else self.hosts[seat].act for seat in range(len(makers))
        ]
        self.actions: list[int] = []

    def host(self, seat: int, make: BotFactory) -> HostedBot:
        """The bot of a seat, made and told the facts. What goes wrong here is raised when it is first asked."""
        try:
            host: HostedBot = self.called(seat, self.begun, seat, make, decision=0)
        except BaseException as error:  # a bot may raise anything, SystemExit too
            self.mind_ours(seat, error)
            return FailedBot(error)
        return host

    def begun(self, seat: int, make: BotFactory) -> HostedBot:
        """The same; raises what goes wrong."""
        match = self.match
        rng_seed = bot_seed(match.seed, seat, match.seats[seat])
        facts = SeatFacts(self.game, self.options, match.setup.seats, seat, Random(rng_seed))
        return make.begin(facts, rng_seed) if isinstance(make, BotHost) else InlineBot(make, facts)

    def called(self, seat: int, call: Callable[..., Any], *arguments: Any, decision: int | None = None) -> Any:
        """Calls a bot, unless it is known what that leads to, and tells who watches."""
        if self.verdicts or self.watch:
            at = self.decision if decision is None else decision
            if (at, seat) in self.verdicts:
                raise ChargedError(*self.verdicts[at, seat])
            if self.watch is not None:
                self.watch(at, seat)
        return call(*arguments)

    def play(self) -> None:
        """Asks and applies until the match is over. The hot loop: no clocks, nothing made that is not needed."""
        state, acts = self.state, self.acts
        actions: list[Any] = self.actions  # what is known as an int here would be unpacked each time, and packed again
        log = state.log
        while (turn := state.seat) is not None:
            seat: int = turn
            legal = state.legal()
            try:
                action: Any = acts[seat](state.view(seat), legal)
            except BaseException as error:  # a bot may raise anything, SystemExit too
                action = self.failed(seat, legal, error)
            kind: Any = type(action)
            if kind is not int or action not in legal:
                action = self.judged(seat, legal, action)
            actions.append(action)
            entry: tuple[Any, ...] = (turn, action, legal)
            log.append(entry)
            state.apply(action)

    def play_watched(self) -> None:
        """The same, with every call of a bot watched."""
        for seat, host in self.hosts.items():
            self.acts[seat] = self.watched(seat, host.act)
        self.play()

    def watched(self, seat: int, act: Act) -> Act:
        """The bot's `act`, watched."""
        return lambda view, legal: self.called(seat, act, view, legal)

    def failed(self, seat: int, legal: Sequence[int], error: BaseException) -> int:
        """The bot raised: it is out; returns what the house does instead."""
        kind, detail = self.found(seat, error)
        return self.fault(seat, legal, kind, None, detail)

    def found(self, seat: int, error: BaseException) -> tuple[FaultKind, str]:
        """What the bot is charged with."""
        self.mind_ours(seat, error)
        self.killed |= type(error) is ChargedError and error.killed
        return raised(error)

    def mind_ours(self, seat: int, error: BaseException) -> None:
        """Raises an exception that no bot can have raised, as its code runs elsewhere."""
        make = self.makers[seat]
        if isinstance(make, BotHost) and not make.in_worker and not isinstance(error, ChargedError):
            raise error

    def judged(self, seat: int, legal: Sequence[int], answer: Any) -> int:
        """An answer that is not plainly a legal action: returns it as an int, or what the house does instead."""
        action = as_action(answer, len(self.game.names))
        if action is None:
            return self.fault(seat, legal, "illegal", None, kind_of(answer))
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
        self.hosts.pop(seat).close()  # now: a bot that hangs would take the time of the others
        action: int = self.acts[seat](None, legal)
        return action

    def end(self) -> None:
        """Tells the bots that are still in how the match ended."""
        self.outcome = outcome = Outcome(self.state.scores, self.state.places)
        for seat, host in self.hosts.items():
            try:
                self.called(seat, host.end, outcome)
            except BaseException as error:  # a bot may raise anything, SystemExit too
                kind, detail = self.found(seat, error)
                self.faults.append(Fault(seat, kind, self.decision, None, detail))

    def close(self) -> None:
        """Ends the bots."""
        for host in self.hosts.values():
            host.close()

    def record(self) -> Record:
        """What the match came to, once it has ended."""
        outcome, names = self.outcome, self.game.names
        out = {fault.seat for fault in self.faults}
        return record_of(
            self.match,
            " ".join([names[action] for action in self.actions]),
            outcome.scores,
            final_places(outcome.places, out),
            tuple(self.faults),
            self.state.log,
        )
