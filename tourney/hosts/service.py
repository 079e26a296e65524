"""Bots that ask a service elsewhere: it may be away, and then no bot is charged.

Such a bot is asked again after growing pauses. Clocks count only the time of the answered call. When `patience_s` is
over, the run pauses.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, TypeVar

import msgspec

from tourney.base.errors import ServiceError, one_line
from tourney.contracts.bot import Outcome, SeatFacts, UnavailableError
from tourney.hosts import awake
from tourney.hosts.base import BotHost, HostedBot
from tourney.hosts.clocks import SeatClock
from tourney.hosts.limits import Limits
from tourney.hosts.transport import INSTALL

T = TypeVar("T")
FIRST_PAUSE_S = 0.1  # after the first unanswered call; each pause is twice as long as the one before
LONGEST_PAUSE_S = 60.0  # unless the service asks for a longer one
LEAST_PAUSE_S = 0.02  # even if a service asks for a shorter one


class ServiceHost(BotHost):
    """Asks bots whose services may be away; `make` makes a match's bot from its facts and its seed.

    Only their `ChargedError`s are charged.
    """

    repeats = False

    def __init__(self, name: str, limits: Limits, make: Callable[[SeatFacts, int], HostedBot]) -> None:
        self._name = name
        self._make = make
        self.waits_s = limits.patience_s + limits.call_s
        self._bounded = limits.bounds_decisions
        self.limits = limits  # a bot without a limit for its decisions has no part in the time of the match
        if not self._bounded:
            self.limits = msgspec.structs.replace(limits, move_ms=max(1, round(limits.call_s * 1000)))

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        assert clock is not None, "the time of a bot that asks a service is always measured"
        return ServiceBot(self._name, clock, self._bounded, lambda: self._make(facts, rng_seed))


class ServiceBot:
    """One bot that asks a service, for one match, and is called until it answers."""

    def __init__(self, name: str, clock: SeatClock, bounded: bool, make: Callable[[], HostedBot]) -> None:
        """Makes the bot; a decision can come too late if it is `bounded`."""
        self._name, self._clock, self._bounded = name, clock, bounded
        self._bot = self._ask(make, clock.limits.start_ms, "start_ms")
        self.close = self._bot.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        """Returns the bot's answer; raises a `ChargedError`, or a `ServiceError` if the service stays away."""
        return self._ask(lambda: self._bot.act(view, legal), self._clock.limits.move_ms, "move_ms", decides=True)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises what `act` raises."""
        self._ask(lambda: self._bot.end(outcome), self._clock.limits.move_ms, "move_ms")

    def _ask(self, call: Callable[[], T], most_ms: int | None, key: str, decides: bool = False) -> T:
        try:
            import tenacity  # noqa: PLC0415 - few bots ask a service
        except ImportError:
            raise ServiceError(f"bot {self._name} requires tenacity; {INSTALL}") from None
        clock, limits = self._clock, self._clock.limits

        def asked() -> T:
            clock.begin(most_ms, key, decides)
            clock.expect(limits.call_s)
            return call()

        growing = tenacity.wait_exponential(FIRST_PAUSE_S, LONGEST_PAUSE_S)

        def pause_s(state: tenacity.RetryCallState) -> float:
            error = None if state.outcome is None else state.outcome.exception()
            asked_s = seconds_until(getattr(error, "retry_after", None))
            return float(growing(state) if asked_s is None else max(LEAST_PAUSE_S, asked_s))

        def announce(state: tenacity.RetryCallState) -> None:
            assert state.outcome is not None
            if state.attempt_number == 1:
                why = one_line(str(state.outcome.exception()))
                sys.stderr.write(f"service unavailable ({why}); retrying for {limits.patience_s:g} s\n")
                clock.expect(limits.patience_s + limits.call_s)

        patient = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(UnavailableError),
            wait=pause_s,
            stop=tenacity.stop_before_delay(limits.patience_s),
            before_sleep=announce,
            reraise=True,
        )
        with naming(self._name):
            try:
                answer: T = patient(asked)
            except UnavailableError as error:
                why = f"service unavailable: {error}; retried for up to {limits.patience_s:g} s"
                raise ServiceError(why) from None
        has_limit = self._bounded if key == "move_ms" else most_ms is not None
        late = has_limit and awake.now() > clock.until
        clock.finish()
        if late:
            raise clock.timeout()
        return answer


def seconds_until(retry_after: float | str | None) -> float | None:
    """Returns how long a service asks to wait, by seconds or by a date; None if it names neither."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(str(retry_after)).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None


@contextmanager
def naming(bot: str) -> Iterator[None]:
    """Names the bot in an error about its service."""
    try:
        yield
    except ServiceError as error:
        error.args = (f"bot {bot}: {error}",)
        raise
