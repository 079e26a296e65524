"""A bot that stalls until the time of its match is nearly up is charged itself, in whatever way it stalls."""

import pytest

from tests.helpers import BAD
from tests.hosts import machine
from tests.hosts.play import match_with
from tests.runner.test_local_pool import records_of
from tourney import config
from tourney.hosts.base import BotSpec, create_host
from tourney.hosts.limits import Limits

BOTS = BAD.parents[1] / "stalls" / "bots.py"
TABLES = {2: ("vole", "target = 6", 5), 4: ("voleur", "target = 5", 3)}
"""By the number of seats: the game, its options, and how long innocents think before each move, in ms: in a match they
need a tenth of `match_s` on a quiet machine."""
NEARLY_S = 0.03  # how much of `match_s` a staller leaves to the others, in seconds
SLACK_S = 0.5
"""How much longer than `match_s` a match may take where no clock is read: inline, without limits of their own."""


def inline(name: str, **options):
    """Bots in this process, whose time `match_s` alone bounds."""
    spec = BotSpec(name, "inline", f"{BOTS.name}:{name}", options, (), BOTS.parent, ("vole",))
    return create_host(spec, Limits(match_s=2.0, start_ms=60_000), None)


def test_a_bot_that_stalls_inline_is_charged_and_its_opponent_is_not():
    staller = inline("Staller", way="first", until_s=1.99)
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
    game, options, think_ms = TABLES[seats]
    until_s = 3 - NEARLY_S + (SLACK_S if host == "inline" else 0)
    bots = {"staller": f'{BOTS}:Staller"\noptions = {{ way = "{way}", until_s = {until_s} }}'}
    bots |= {f"innocent-{seat}": f'{BOTS}:Innocent"\noptions = {{ think_ms = {think_ms} }}' for seat in range(1, seats)}
    tables = "".join([f'[[bot]]\nname = "{name}"\nhost = "{host}"\nuse = "{use}\n' for name, use in bots.items()])
    text = (
        f'name = "clocks"\nseed = "clocks"\ndeals = 1\n{tables}[limits]\nmatch_s = 3.0\n'
        f'[[game]]\nname = "{game}"\nseats = {seats}\noptions = {{ {options} }}\n'
    )
    records = records_of(config.parse(text, BOTS.parent / "clocks.toml"), 2)
    found = {record["seats"][fault["seat"]] for record in records for fault in record["faults"]}
    assert found <= {"staller"}
    if host != "inline":  # there, a match that ends soon after its time may end without a look at the clock
        assert found
