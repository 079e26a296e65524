"""How often the format track finds where a bot has jumped, and how many matches that takes.

`python -m tests.strength.track` prints docs/measurements/track.csv. A repository of 60 commits has three jumps, two
gaps, and 30 commits that change no behaviour, which share the entrant of the commit before; each of the others is
another bot of the same strength. The real schedule is driven by simulated results, whose luck is that of
`tests.strength.intervals`.
"""

import argparse
from random import Random
from typing import NamedTuple
from unittest import mock

from tests.schedule import drawn
from tests.strength.intervals import places
from tourney.schedule import track
from tourney.schedule.track import Track
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


def played(strengths: list[float], seed: int, deals: int = 10**9, parts: int = track.PARTS) -> Track:
    """Plays a track to its end; the versions that play first divide the range into so many parts."""
    named = {f"bot-{i}": elo / ELO_PER_NAT for i, elo in enumerate([*strengths, *POOL])}
    given = drawn.tournament(len(named), [2], deals, seed, "track", pool=tuple(named)[-len(POOL) :])
    rng = Random(seed)
    with mock.patch.object(track, "PARTS", parts):
        plan = Track(given)
        for block in plan.blocks():
            for seats, each in zip(block.seatings, places(block, named, rng), strict=True):
                plan.note(block.number, seats, each)
    return plan


def jumps(plan: Track) -> dict[str, str]:
    return {step.name: step.verdict for step in plan.steps() if step.adjacent and step.verdict in ("up", "down")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.track", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="how many repositories")
    parser.add_argument("--every", type=int, default=20, help="for how many of them every commit is played, too")
    chosen = parser.parse_args()
    found = wrong = few = of_versions = of_commits = 0
    for seed in range(chosen.runs):
        its = history(seed)
        plan = played(its.strengths, seed)
        found += its.jumps.items() <= jumps(plan).items()
        wrong += not jumps(plan).items() <= its.jumps.items()
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
