"""Renders the results of one run of the bench as tables and as JSON."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from tests.bench import own_measures, peer_measures
from tests.bench.tables import Found, Ratio, heading, pooled, ratios, side_by_side, with_distance
from tests.bench.timing import Key


class Report(NamedTuple):
    about: dict[str, Any]  # the machine, and how often and how long everything was measured
    missing: Sequence[str]  # what could not be measured, and why
    found: Found
    builds: Sequence[str]
    games: Sequence[str]
    peers: Sequence[str]

    def lines(self) -> Iterator[str]:
        yield heading(self.about, self.missing)
        yield f"a run is of as many matches as the bare table plays in {self.about['seconds']:g} s"
        yield ""
        yield side_by_side(own_measures.SPEEDS, self.found, self.builds, 1000)
        yield ""
        yield pooled(peer_measures.GROUP, self.found, 1000)
        ours = own_measures
        for group in (ours.PLAYOUTS, ours.SEARCHES, ours.STEPS, ours.HOSTS, ours.STARTS, ours.LOOKS):
            if any([key.group == group for key in self.found]):  # PettingZoo may not be installed
                yield ""
                yield side_by_side(group, self.found, self.builds)
        yield ""
        for build in self.builds:
            start = Ratio("", *[_by_game(name, build, ours.STARTS) for name in (ours.HELP, ours.CLICK)])
            yield f"{ours.HELP} / {ours.CLICK}, {build}: {with_distance(start.values(self.found, ''))}"
        for line in self._same_games():
            yield f"{line.name}: {with_distance(line.values(self.found, self.games[0]))}"
        for build in self.builds:
            yield ""
            yield ratios(f"{build}, times", self._ratios(build), self.found, self.games)

    def data(self) -> dict[str, Any]:
        measures = [{**key._asdict(), "median": median(each), "values": each} for key, each in self.found.items()]
        return self.about | {"missing": list(self.missing), "measures": measures}

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
        ours = own_measures
        run, bare = _by_game(ours.ONE, build), _by_game(ours.BARE, build)
        clocks = [_by_game(name, build) for name in (ours.TWO_CLOCK, ours.ONE_CLOCK)]
        found = [Ratio("2 workers / 1, by clock", *clocks), Ratio("run / bare table", run, bare)]
        if build != "pure":
            playouts = [_by_game(ours.PLAYOUT, of, ours.PLAYOUTS) for of in (build, "pure")]
            found.append(Ratio("playouts / pure", *playouts))
            found.append(Ratio("bare table / pure", bare, _by_game(ours.BARE, "pure")))
            found.append(Ratio("run / pure", run, _by_game(ours.ONE, "pure")))
        steps = _by_game(ours.ENVIRONMENT, build, ours.STEPS)
        for name in [each for each in self.peers if not each.endswith(peer_measures.HERE)]:
            above, what = (steps, "env") if name.startswith("PettingZoo") else (run, "run")
            title = f"{what} / {name.removeprefix('OpenSpiel ')}"
            found.append(Ratio(title, above, _by_game(name, "", peer_measures.GROUP)))
        return found


def _by_game(name: str, build: str, group: str = own_measures.SPEEDS) -> Callable[[str], Key]:
    return lambda game: Key(group, game, name, build)
