"""All that was measured in one run of the bench: as tables, and as JSON."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from tests.bench import others, ours
from tests.bench.tables import Found, Ratio, heading, pooled, ratios, side_by_side, with_distance
from tests.bench.timing import Key


class Report(NamedTuple):
    """What was measured, and how."""

    about: dict[str, Any]
    """The machine, and how often and how long everything was measured."""
    missing: Sequence[str]
    """What could not be measured, and why."""
    found: Found
    builds: Sequence[str]
    games: Sequence[str]
    others: Sequence[str]

    def lines(self) -> Iterator[str]:
        """The tables, of at most 80 columns."""
        yield heading(self.about, self.missing)
        yield f"a run is of as many matches as the bare table plays in {self.about['seconds']:g} s"
        yield ""
        yield side_by_side(ours.SPEEDS, self.found, self.builds, 1000)
        yield ""
        yield pooled(others.GROUP, self.found, 1000)
        for group in (ours.PLAYOUTS, ours.HOSTS, ours.STARTS):
            yield ""
            yield side_by_side(group, self.found, self.builds)
        yield ""
        for build in self.builds:
            start = _start(build)
            yield f"{start.name}, {build}: {with_distance(start.values(self.found, ''))}"
        for build in self.builds:
            yield ""
            yield ratios(f"{build}, times", self._ratios(build), self.found, self.games)

    def data(self) -> dict[str, Any]:
        """Every single number."""
        measures = [
            {"unit": key.group, "game": key.game, "name": key.name, "build": key.build, **_of(values)}
            for key, values in self.found.items()
        ]
        lines = [
            {"game": game, "name": line.name, "build": build, **_of(line.values(self.found, game))}
            for build in self.builds
            for below, games in ((self._ratios(build), self.games), ([_start(build)], [""]))
            for line in below
            for game in games
        ]
        return self.about | {"missing": list(self.missing), "measures": measures, "ratios": lines}

    def _ratios(self, build: str) -> list[Ratio]:
        """What is told of a build: its parts against each other, against pure Python, and against the others."""
        run = _by_game(ours.ONE, build)
        found = [
            Ratio("2 workers / 1, by clock", _by_game(ours.TWO_CLOCK, build), _by_game(ours.ONE_CLOCK, build)),
            Ratio("run / bare table", run, _by_game(ours.BARE, build)),
        ]
        if build != "pure":
            playouts = [_by_game(ours.PLAYOUT, of, ours.PLAYOUTS) for of in (build, "pure")]
            found += [
                Ratio("playouts / pure", *playouts),
                Ratio("bare table / pure", _by_game(ours.BARE, build), _by_game(ours.BARE, "pure")),
                Ratio("run / pure", run, _by_game(ours.ONE, "pure")),
            ]
        for name in self.others:
            found.append(Ratio(f"run / {name.removeprefix('OpenSpiel ')}", run, _by_game(name, "", others.GROUP)))
        return found


def _by_game(name: str, build: str, group: str = ours.SPEEDS) -> Callable[[str], Key]:
    return lambda game: Key(group, game, name, build)


def _start(build: str) -> Ratio:
    """How much longer our help takes than to import Click."""
    above, below = [Key(ours.STARTS, "", name, build) for name in (ours.HELP, ours.CLICK)]
    return Ratio(f"{ours.HELP} / {ours.CLICK}", lambda _: above, lambda _: below)


def _of(values: list[float]) -> dict[str, Any]:
    return {"median": median(values), "values": values}
