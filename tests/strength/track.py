"""How often the format track finds where a bot has jumped, and how many matches that takes.

`python -m tests.strength.track` prints docs/measurements/track.csv. A repository of 60 commits has three jumps, two
gaps, and 30 commits that change no behaviour, which share the entrant of the commit before; each of the others is
another bot of the same strength. The real schedule is driven by simulated results, whose luck is that of
`tests.strength.intervals`.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from math import exp
from random import Random
from typing import Any, NamedTuple, TypeAlias
from unittest import mock

from msgspec.structs import replace

from tests.schedule import drawn
from tests.strength.intervals import places
from tourney.contracts.match import Block
from tourney.schedule import track
from tourney.schedule.track import Change, Moment, Track
from tourney.standings.ratings import ELO_PER_NAT

JUMPS = (40.0, -25.0, 60.0)
KINDS = ["gap"] * 2 + ["same"] * 30 + ["other"] * 24 + ["jump"] * 3  # of all commits but the first
POOL = (50.0, -50.0)


class History(NamedTuple):
    commits: list[int]  # the number of the version that each plays, but for the gaps
    strengths: list[float]  # of the versions, in Elo points
    jumps: dict[str, str]  # up or down, by the version


def history(seed: int) -> History:
    rng, found = Random(seed), History([0], [-30.0], {})
    jumps = rng.sample(JUMPS, 3)
    for kind in rng.sample(KINDS, len(KINDS)):
        if kind in ("other", "jump"):
            by = jumps.pop() if kind == "jump" else 0.0
            if by:
                found.jumps[f"bot-{len(found.strengths)}"] = "up" if by > 0 else "down"
            found.strengths.append(found.strengths[-1] + by)
        if kind != "gap":
            found.commits.append(len(found.strengths) - 1)
    return found


Luck: TypeAlias = Callable[[Block, dict[str, float], Random], list[tuple[int, ...]]]


def alike(block: Block, strengths: dict[str, float], rng: Random) -> list[tuple[int, ...]]:
    """Places for bots that mostly decide alike: of 100 matches, 99 take their luck from deal and seat alone."""
    of_deal, found = Random(block.seed), []
    for one, other in block.seatings:
        shared, own = of_deal.random(), rng.random()
        won = (shared if rng.random() < 0.99 else own) < 1 / (1 + exp(strengths[other] - strengths[one]))
        found.append((1, 2) if won else (2, 1))
    return found


def begun(
    strengths: list[float], seed: int, deals: int, luck: Luck = places, **keys: Any
) -> tuple[Track, Callable[[], Track]]:
    """A track that was not played, and what plays it to its end, or on from there."""
    named = {f"bot-{i}": elo / ELO_PER_NAT for i, elo in enumerate([*strengths, *POOL])}
    given = drawn.tournament(len(named), [2], deals, seed, "track", pool=tuple(named)[-len(POOL) :], **keys)
    plan = Track(replace(given, entrants=tuple([replace(each, use=each.name) for each in given.entrants])))
    rng = Random(seed)

    def play() -> Track:
        for block in plan.blocks():
            for seats, each in zip(block.seatings, luck(block, named, rng), strict=True):
                plan.note(block.number, seats, each)
        return plan

    return plan, play


def played(strengths: list[float], seed: int, deals: int = 10**9, parts: int = track.PARTS) -> Track:
    """Plays a track to its end; the versions that play first divide the range into so many parts."""
    with mock.patch.object(track, "PARTS", parts):
        return begun(strengths, seed, deals)[1]()


def looks(strengths: list[float], versions: list[int], seed: int, deals: int) -> Iterator[Track]:
    """Yields a track after each of its commits, which is added when all before are played."""
    plan, play = begun(strengths, seed, deals, alike, history=(Moment("bot-0"),))
    for number, version in enumerate(versions):
        if number:
            plan.history.append(Moment(f"bot-{version}", str(number)))
        yield play()


def taken_back(strengths: list[float], seed: int, deals: int) -> tuple[int, int]:
    """How many pairs and jumps were called at the looks at a history, and how many a later look called otherwise."""
    called: dict[tuple[str, str], list[str]] = {}
    at: dict[str, list[str]] = {}
    for plan in looks(strengths, [*range(len(strengths))], seed, deals):
        steps = plan.steps()
        for step in [step for step in steps if step.verdict is not None or (step.before, step.name) in called]:
            called.setdefault((step.before, step.name), []).append(str(step.verdict))
        for name, verdict in [*jumps(steps).items(), *[(name, "none") for name in at.keys() - jumps(steps).keys()]]:
            at.setdefault(name, []).append(verdict)
    for pair, verdicts in called.items():
        verdicts.append(str(plan.between(*pair).verdict))
    return len(called) + len(at), sum([len(set(verdicts)) > 1 for verdicts in [*called.values(), *at.values()]])


def calls(plan: Track) -> int:
    """How many pairs of all versions that have played are called up or down."""
    pairs = [plan.between(*pair) for pair in combinations(plan.deals_played, 2)]
    return sum([pair.verdict in ("up", "down") for pair in pairs])


class Revert(NamedTuple):
    """What is said of the last commit, which goes back to an earlier one."""

    truth: float  # by how much it is stronger than the first, in Elo points
    said: str | None
    before: str  # the bot of the commit before it that has played


def revert(seed: int, deals: int, commits: int = 12) -> Revert:
    """The last look at a history of commits far weaker or stronger than each other, or alike."""
    rng = Random(seed)
    strengths = [rng.choice([-200.0, 0.0, 0.0, 0.0, 200.0]) for _ in range(commits)]
    back = rng.randrange(commits - 1)
    *_, plan = looks(strengths, [*range(commits), back], seed, deals)
    (step,) = plan.steps()[-1:]
    assert step.name == f"bot-{back}"
    since = plan.between("bot-0", f"bot-{back}")
    return Revert(strengths[back] - strengths[0], since.verdict, step.before)


def jumps(steps: list[Change]) -> dict[str, str]:
    return {step.name: step.verdict for step in steps if step.adjacent and step.verdict in ("up", "down")}


def is_wrong(last: Revert) -> bool:
    """Whether what is said of the last commit against the first is not so."""
    return last.said is not None and last.said != ("up" if last.truth > 0 else "down" if last.truth else "equal")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.track", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="how many repositories")
    parser.add_argument("--every", type=int, default=20, help="for how many of them every commit is played, too")
    chosen = parser.parse_args()
    found = wrong = few = of_versions = of_commits = 0
    for seed in range(chosen.runs):
        its = history(seed)
        plan = played(its.strengths, seed)
        found += its.jumps.items() <= jumps(plan.steps()).items()
        wrong += not jumps(plan.steps()).items() <= its.jumps.items()
        matches = 2 * sum(plan.deals_played.values())
        print(f"{seed + 1} runs: all jumps found in {found}, others called in {wrong}; {matches} matches", flush=True)
        if seed < chosen.every:
            every = played(its.strengths, seed, parts=len(its.strengths)).deals_played
            few += matches
            of_versions += 2 * sum(every.values())
            of_commits += 2 * sum([every[f"bot-{version}"] for version in its.commits])
            print(f"{few} matches, {of_versions} if every version plays, {of_commits} if every commit does", flush=True)


if __name__ == "__main__":
    main()
