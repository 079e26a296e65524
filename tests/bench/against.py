"""Compares whole runs of the checkout with those of another commit, in turn, game by game and build by build."""

import argparse
import filecmp
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.bench import own_measures
from tests.bench.builds import ROOT, Build, builds, checked_out
from tests.bench.tables import heading, number, table, with_distance

LEAST = 0.97
"""The least ratio of the checkout's speed to that of the other commit; each game has to keep it in every build."""


class Pairs(NamedTuple):
    game: str
    build: str
    before_decisions: int  # how many decisions a run of the other commit has
    now_decisions: int  # how many decisions a run of the checkout has: others, where the journals differ
    before_s: list[float]  # the CPU seconds of the other commit's run in each repeat
    now_s: list[float]  # the CPU seconds of the checkout's run in each repeat
    same_journals: bool  # whether both commits wrote the same journal, byte for byte, in every repeat

    @property
    def ratios(self) -> list[float]:
        """The decisions a second of the checkout divided by those of the other commit, in each repeat."""
        share = self.now_decisions / self.before_decisions
        return [share * before / now for before, now in zip(self.before_s, self.now_s, strict=True)]


class AgainstReport(NamedTuple):
    revision: str
    missing: Sequence[str]  # what could not be measured, and why
    pairs: Sequence[Pairs]

    def slower(self) -> list[Pairs]:
        return [each for each in self.pairs if median(each.ratios) < LEAST]

    def lines(self, about: dict[str, Any]) -> Iterator[str]:
        yield heading(about, self.missing)
        yield "whole runs with 1 worker, 1,000 decisions/s; speed now / before in each repeat"
        yield ""
        cells = [
            [
                f"{each.game}, {each.build}",
                number(each.before_decisions / median(each.before_s) / 1000),
                number(each.now_decisions / median(each.now_s) / 1000),
                with_distance(each.ratios),
                "same" if each.same_journals else "DIFFERENT",
            ]
            for each in self.pairs
        ]
        yield table(["run", self.revision, "now", "ratio", "journals"], cells)
        for each in self.slower():
            yield f"too slow: {each.game}, {each.build}: {median(each.ratios):.3f}, less than {LEAST}"

    def data(self, about: dict[str, Any]) -> dict[str, Any]:
        pairs = [each._asdict() | {"ratios": each.ratios} for each in self.pairs]
        return about | {"against": self.revision, "missing": list(self.missing), "pairs": pairs}


def compare(
    revision: str, games: Sequence[str], folder: Path, given: argparse.Namespace, progress: Callable[[str], None]
) -> AgainstReport:
    """Makes the builds of both commits, and takes turns between their runs.

    `given` are the arguments of the program: `pure`, `seconds` and `repeats`. The names of both folders are of one
    length: how long the environment of a process is changes where it has its memory, and so its speed.
    """
    short = subprocess.run(
        ["git", "rev-parse", "--short", revision], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    before, missing = builds(folder / "old", given.pure, sources=checked_out(short, folder / "sources"))
    now, lacking = builds(folder / "new", given.pure)
    both = [(old, new) for old in before for new in now if old.name == new.name]
    found: list[Pairs] = []
    for game in games:
        for old, new in both:
            file = own_measures.tournament_file(game, new, folder, given.seconds)
            found.append(_pairs(game, old, new, file, given.repeats, progress))
    return AgainstReport(short, list(dict.fromkeys([*missing, *lacking])), found)


def _pairs(game: str, old: Build, new: Build, file: Path, repeats: int, progress: Callable[[str], None]) -> Pairs:
    """Runs a tournament with both builds, `repeats` times; who goes first changes from repeat to repeat."""
    times: dict[Build, list[float]] = {old: [], new: []}
    same = True
    decisions = [0, 0]
    for repeat in range(repeats):
        progress(f"{game}, {new.name}: {repeat + 1} of {repeats}")
        with tempfile.TemporaryDirectory() as name:
            outs = {old: Path(name) / "old", new: Path(name) / "new"}
            for build in (old, new) if repeat % 2 == 0 else (new, old):
                times[build].append(own_measures.run(build, file, outs[build], 1).work_s)
            journals = [out / "journal.jsonl" for out in outs.values()]
            same = same and filecmp.cmp(journals[0], journals[1], shallow=False)
            decisions = [own_measures.decisions_in(journal) for journal in journals]
    return Pairs(game, new.name, *decisions, times[old], times[new], same)
