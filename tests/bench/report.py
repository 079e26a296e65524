"""Renders the results of one run of the bench as tables and as JSON."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from tests.bench import own_measures, peer_measures
from tests.bench.tables import Found, Ratio, heading, pooled, ratios, side_by_side, with_distance
from tests.bench.timing import Key


class Report(NamedTuple):
    """The results, and how they were measured."""

    about: dict[str, Any]  # the machine, and how often and how long everything was measured
    missing: Sequence[str]  # what could not be measured, and why
    found: Found
    builds: Sequence[str]
    games: Sequence[str]
    peers: Sequence[str]

    def lines(self) -> Iterator[str]:
        """Yields the lines of the tables, of at most 80 columns."""
        yield heading(self.about, self.missing)
        yield f"a run is of as many matches as the bare table plays in {self.about['seconds']:g} s"
        yield ""
        yield side_by_side(own_measures.SPEEDS, self.found, self.builds, 1000)
        yield ""
        yield pooled(peer_measures.GROUP, self.found, 1000)
        ours = own_measures
        for group in (ours.PLAYOUTS, ours.SEARCHES, ours.STEPS, ours.HOSTS, ours.STARTS):
            if not any([key.group == group for key in self.found]):
                continue  # PettingZoo is not installed
            yield ""
            yield side_by_side(group, self.found, self.builds)
        yield ""
        for build in self.builds:
            start = _start(build)
            yield f"{start.name}, {build}: {with_distance(start.values(self.found, ''))}"
        for line in self._same_games():
            yield f"{line.name}: {with_distance(line.values(self.found, self.games[0]))}"
        for build in self.builds:
            yield ""
            yield ratios(f"{build}, times", self._ratios(build), self.found, self.games)

    def data(self) -> dict[str, Any]:
        """Returns every single number for JSON."""
        measures = [
            {"unit": key.group, "game": key.game, "name": key.name, "build": key.build, **_of(values)}
            for key, values in self.found.items()
        ]
        lines = [
            {"game": game, "name": line.name, "build": build, **_of(line.values(self.found, game))}
            for build in self.builds
            for below, games in (
                (self._ratios(build), self.games),
                ([_start(build)], [""]),
                (self._same_games(), self.games[:1]),
            )
            for line in below
            for game in games
        ]
        return self.about | {"missing": list(self.missing), "measures": measures, "ratios": lines}

    def _same_games(self) -> list[Ratio]:
        """Returns the ratios of our table, in pure Python, to a peer's loops, both with the same game of the peer."""
        found = []
        for name in self.peers:
            if name.endswith(peer_measures.HERE):
                for loop in ("Python loop", "own bots"):
                    other = name.replace(peer_measures.HERE, loop)
                    sides = [_by_game(each, "", peer_measures.GROUP) for each in (name, other)]
                    found.append(Ratio(f"{name} / {loop}", *sides))
        return found

    def _ratios(self, build: str) -> list[Ratio]:
        """Returns the ratios of a build: of its parts to each other, to pure Python, and to the peers."""
        run = _by_game(own_measures.ONE, build)
        found = [
            Ratio(
                "2 workers / 1, by clock",
                _by_game(own_measures.TWO_CLOCK, build),
                _by_game(own_measures.ONE_CLOCK, build),
            ),
            Ratio("run / bare table", run, _by_game(own_measures.BARE, build)),
        ]
        if build != "pure":
            playouts = [_by_game(own_measures.PLAYOUT, of, own_measures.PLAYOUTS) for of in (build, "pure")]
            found += [
                Ratio("playouts / pure", *playouts),
                Ratio("bare table / pure", _by_game(own_measures.BARE, build), _by_game(own_measures.BARE, "pure")),
                Ratio("run / pure", run, _by_game(own_measures.ONE, "pure")),
            ]
        steps = _by_game(own_measures.ENVIRONMENT, build, own_measures.STEPS)
        for name in self.peers:
            if name.endswith(peer_measures.HERE):
                continue
            above, what = (steps, "env") if name.startswith("PettingZoo") else (run, "run")
            found.append(
                Ratio(f"{what} / {name.removeprefix('OpenSpiel ')}", above, _by_game(name, "", peer_measures.GROUP))
            )
        return found


def _by_game(name: str, build: str, group: str = own_measures.SPEEDS) -> Callable[[str], Key]:
    return lambda game: Key(group, game, name, build)


def _start(build: str) -> Ratio:
    """Returns the ratio of the time of our help to that of importing Click."""
    above, below = [Key(own_measures.STARTS, "", name, build) for name in (own_measures.HELP, own_measures.CLICK)]
    return Ratio(f"{own_measures.HELP} / {own_measures.CLICK}", lambda _: above, lambda _: below)


def _of(values: list[float]) -> dict[str, Any]:
    return {"median": median(values), "values": values}
