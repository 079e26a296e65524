"""What a bot comes to by stalling: who is charged."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from tests.stalls.play import BOTS, Played, played

HOSTS = ("inline", "process", "sandbox")
WAYS = ("start", "first", "middle", "random", "little", "two")
"""When stallers stall: as they are told the facts, at their first, a middle, a random decision, a little at each of
the first six; or two at one table at a random decision."""
TABLES = {
    2: ("vole", {"target": 6}, 3.0),
    4: ("voleur", {"target": 5}, 3.0),
    8: ("leon", {"max_cards": 2}, 6.0),
}
"""By the number of seats: the game, its options, and `match_s`, of which innocents need a tenth on a quiet machine."""
THINK_MS = 5
NEARLY_S = 0.03
"""How much of `match_s` a staller leaves to the others, in seconds."""
SLACK_S = 0.5
"""How much longer than `match_s` a match may take where no clock is read: inline, without limits of their own."""
HEADERS = ["host", "table", "way", "matches", "charged", "innocents charged", "late timeouts"]


class Cell(NamedTuple):
    """What came of one way to stall."""

    names: tuple[str, str, str]
    """The host, the table and the way to stall."""
    result: Played

    @property
    def charged(self) -> int:
        return self.result.faults_of("staller", "staller-2")

    @property
    def innocents_charged(self) -> int:
        return sum(self.result.faults.values()) - self.charged

    def row(self) -> list[str]:
        counts = self.result.matches, self.charged, self.innocents_charged, self.result.times.late_timeouts
        return [*self.names, *map(str, counts)]


def lineup(host: str, seats: int, way: str, stallers: int, think_ms: int) -> dict[str, str]:
    """The lines of each entrant, stallers first."""
    until_s = TABLES[seats][2] - NEARLY_S + (SLACK_S if host == "inline" else 0)
    found = {}
    for number in range(seats):
        name, options, use = f"innocent-{number}", f"think_ms = {think_ms}", "Innocent"
        if number < stallers:
            name = f"staller-{number + 1}" if number else "staller"
            use, options = "Staller", f'way = "{way}", until_s = {until_s}'
        found[name] = f'use = "{BOTS}:{use}"\nhost = "{host}"\noptions = {{ {options} }}'
    return found


def play_cell(host: str, seats: int, way: str, matches: int, workers: int, think_ms: int = THINK_MS) -> Played:
    """Plays the matches of a kind of attack."""
    game, options, match_s = TABLES[seats]
    bots = lineup(host, seats, *(("random", 2) if way == "two" else (way, 1)), think_ms)
    return played(bots, game, options, ceil(matches / seats), workers, f"match_s = {match_s}")


def attacks(hosts: list[str], tables: list[int], ways: list[str], matches: int, workers: int) -> Iterator[Cell]:
    """Plays all kinds of attack."""
    for host in hosts:
        for seats in tables:
            for way in ways:
                if way != "two" or seats > 2:  # else there would be no innocent
                    yield Cell((host, f"{seats} seats", way), play_cell(host, seats, way, matches, workers))
