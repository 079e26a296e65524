"""The tournaments that are played in the storm: every host with every kind of format."""

import sys
from pathlib import Path

from tests.conftest import BAD, ROOT, tournament_text

PROGRAM = [sys.executable, str(ROOT / "bots" / "wire" / "random_bot.py")]
POOL = f"{Path(__file__).with_name('bots.py')}:Pool"
MAX_FAULTS = 4

HOSTS = {
    "inline": {
        "steady": 'use = "steady"',
        "random": 'use = "random"',
        "pool": f'use = "{POOL}"',
        "raises": f'use = "{BAD}:RaisesLater"',
        "exits": f'use = "{BAD}:KillsItselfLater"',
        "leaves": f'use = "{BAD}:LeavesChild"',
    },
    "process": {
        "random": 'use = "random"',
        "steady": 'use = "steady"\nhost = "process"',
        "pool": f'use = "{POOL}"\nhost = "process"',
        "program": f"command = {PROGRAM}",
        "segfaults": f'use = "{BAD}:Segfaults"\nhost = "process"',
        "forks": f'use = "{BAD}:Forks"\nhost = "process"',
    },
    "sandbox": {
        "random": 'use = "random"',
        "steady": 'use = "steady"\nhost = "sandbox"',
        "pool": f'use = "{POOL}"\nhost = "process"',
        "program": f'command = ["python3", "{PROGRAM[1]}"]\nhost = "sandbox"',
        "first": 'use = "first"\nhost = "sandbox"',
    },
}
"""By host: the entrants, who are not all there, so that the hosts also meet each other."""

FORMATS = {
    "round-robin": ({}, {"inline": 40, "process": 2, "sandbox": 2}),
    "gauntlet": ({"challengers": '["steady", "pool"]'}, {"inline": 60, "process": 4, "sandbox": 2}),
    "swiss": ({"rounds": "3"}, {"inline": 60, "process": 4, "sandbox": 4}),
    "knockout": ({}, {"inline": 60, "process": 6, "sandbox": 4}),
    "ladder": ({"max_matches": "{}"}, {"inline": 1200, "process": 80, "sandbox": 48}),
}
"""By format: its keys, and by host how many deals (of a ladder: how many matches) are played."""

KINDS = [f"{host}-{name}" for name in FORMATS for host in HOSTS]
CLOCKS = ("", "move_ms = 600000", 'clock = "10m"')
"""The limits for decisions, for each kind in turn: long ones, under which bots are stopped between their moves."""


def text(kind: str) -> str:
    """Returns the tournament file of a kind, `HOST-FORMAT`."""
    host, name = kind.split("-", 1)
    keys, sizes = FORMATS[name]
    size = str(sizes[host])
    clock = CLOCKS[(list(HOSTS).index(host) + list(FORMATS).index(name)) % len(CLOCKS)]
    own = {key: value.format(size) for key, value in keys.items()}
    tables = "".join([f'[[bot]]\nname = "{bot}"\n{lines}\n' for bot, lines in HOSTS[host].items()])
    extra = f"{tables}[limits]\n{clock}\nmatch_s = 600\nmax_faults = {MAX_FAULTS}"
    deals = "2" if name == "ladder" else size
    return tournament_text(kind, format=f'"{name}"', deals=deals, bots="", **own, extra=extra)
