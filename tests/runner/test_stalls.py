"""A bot that stalls until the time of its match is nearly up is charged itself, in whatever way it stalls."""

import pytest

from tests.hosts import machine
from tests.hosts.play import match_with
from tests.stalls.play import BOTS, charged
from tourney.hosts.base import BotSpec, create_host
from tourney.hosts.limits import Limits

MATCH_S = 2.0
THINK_MS = {2: 5, 4: 3}
"""How long innocents think, by the number of seats: a small part of their share of `match_s`, for busy machines."""


def inline(name: str, **options):
    """Bots in this process, whose time `match_s` alone bounds."""
    spec = BotSpec(name, "inline", f"{BOTS.name}:{name}", options, (), BOTS.parent, ("vole",))
    return create_host(spec, Limits(match_s=MATCH_S, start_ms=60_000), None)


def test_a_bot_that_stalls_inline_is_charged_and_its_opponent_is_not():
    staller = inline("Staller", way="first", until_s=MATCH_S - 0.01)
    (fault,) = match_with(inline("Innocent", think_ms=5), staller).faults
    assert (fault.seat, fault.kind, fault.detail) == (1, "timeout", "its match took too long")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "seats", "way"),
    [("inline", 4, "first"), ("process", 4, "first"), ("process", 4, "start"), ("process", 2, "random"),
     ("sandbox", 2, "first")],
)  # fmt: skip
def test_a_bot_that_stalls_harms_nobody(host, seats, way):
    if host == "sandbox":
        machine.need_sandbox()
    found = charged(host, seats, way, THINK_MS[seats])
    assert found <= {"staller"}
    if host != "inline":  # there, a match that ends soon after its time may end without a look at the clock
        assert found
