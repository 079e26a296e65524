"""Tournaments of games that do not exist, and results drawn at random: schedules need no more."""

from collections.abc import Callable, Container, Iterable
from itertools import product
from math import comb
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from tourney.config import Entrant, Tournament
from tourney.config.tournament import Seatings
from tourney.contracts.game import places_by
from tourney.contracts.match import Block, Fault, GameSetup, Match, Record, record_of
from tourney.hosts.base import Sweep
from tourney.journal.folder import JOURNAL
from tourney.journal.reader import read_blocks
from tourney.plugins.registry import load_format
from tourney.schedule.base import Schedule, schedule
from tourney.schedule.round_robin import group_step

FORMATS = ("round-robin", "gauntlet", "swiss", "knockout")
SEEDS = st.integers(0, 2**128 - 1)
MOST = 100
"""About how many groups a drawn tournament has at most; where there would be more, a choice of them is played."""


def tournament(
    entrants: int, seats: list[int], deals: int = 1, seed: int = 1, form: str = "round-robin", **keys: Any
) -> Tournament:
    bots = tuple([Entrant(f"bot-{i}", "random", {}) for i in range(entrants)])
    setups = tuple([GameSetup(f"game-{i}", count, {}) for i, count in enumerate(seats)])
    options = load_format(form).Options
    own = {key: keys.pop(key) for key in list(keys) if key in options.__struct_fields__}
    return Tournament(
        name="test", seed=seed, format=form, format_options=options(**own), deals=deals, entrants=bots, setups=setups,
        match_s=120, folder=".", **keys,
    )  # fmt: skip


def with_sweep(given: Tournament, default: str, **values: list[Any]) -> Tournament:
    """The tournament whose first entrants are the combinations of these values."""
    settings = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
    sweep = Sweep("bot", tuple([(key, tuple(its)) for key, its in values.items()]), default)
    found = [replace(each, options=its, sweep=sweep) for each, its in zip(given.entrants, settings, strict=False)]
    return replace(given, entrants=(*found, *given.entrants[len(found) :]))


@st.composite
def fields(draw: st.DrawFn, most: int | None = None) -> tuple[int, int]:
    """Numbers of entrants (2 to 64) and seats (2 to 10) that fit each other and make at most `most` groups."""
    seats = draw(st.integers(2, 10))
    return draw(st.sampled_from([n for n in range(seats, 65) if most is None or comb(n, seats) <= most])), seats


@st.composite
def seatings_for(draw: st.DrawFn, seats: int) -> Seatings:
    """Rotations, a number, or all if there are few."""
    number = st.integers(1, 4 if seats > 3 else seats - 1).map(lambda orders: orders * seats)
    return draw(st.one_of(st.just("rotations"), number, *[st.just("all")] * (seats <= 5)))


@st.composite
def tournaments(draw: st.DrawFn, form: str) -> Tournament:
    """A tournament of the format, of any number of entrants, seats and games that it can have."""
    entrants, seats = draw(fields())
    keys: dict[str, Any] = {"seatings": draw(seatings_for(seats))}
    games = draw(st.integers(1, 2))
    if form == "round-robin" and comb(entrants, seats) > MOST:
        step = group_step(entrants, seats)
        keys["groups"] = step * draw(st.integers(1, max(1, MOST // step)))
    if form == "gauntlet":
        field = draw(st.sampled_from([n for n in range(seats - 1, entrants) if comb(n, seats - 1) <= MOST]))
        count = draw(st.integers(1, max(1, min(entrants - field, MOST // comb(field, seats - 1)))))
        entrants = field + count
        keys["challengers"] = tuple(draw(st.permutations([f"bot-{i}" for i in range(entrants)]))[:count])
    if form == "swiss":
        keys["rounds"] = draw(st.integers(1, 4))
    return tournament(entrants, [seats] * games, draw(st.integers(1, 2)), draw(SEEDS), form, **keys)


def record(match: Match, places: tuple[int, ...], charged: Container[str] = ()) -> Record:
    """A record with these places, in which the `charged` bots made a fault."""
    faults = tuple([Fault(seat, "error", 1, None, "") for seat, name in enumerate(match.seats) if name in charged])
    return record_of(match, "", (0,) * len(places), places, faults, ())


def drawn(match: Match, rng: Random) -> Record:
    """A record with random places, in which an entrant with a higher number is likely to do better."""
    luck = [round(rng.random() * 4 + int(name.partition("-")[2]) / 10) for name in match.seats]
    return record(match, places_by(luck))


def in_order(*bots: int) -> Callable[[Match], tuple[int, ...]]:
    """Returns what gives the places of a match, in which the bots finish in this order."""
    return lambda match: tuple([1 + bots.index(int(name.partition("-")[2])) for name in match.seats])


def settle(
    plan: Schedule, blocks: Iterable[Block], places: Callable[[Match], tuple[int, ...]], charged: Container[str] = ()
) -> None:
    """Adds the records of a round, with the places that each match is given, and a fault of the `charged` in each."""
    for match in [match for block in blocks for match in block.matches()]:
        plan.add(record(match, places(match), charged))


def play_round(plan: Schedule, blocks: list[Block], rng: Random) -> list[Record]:
    """Adds the records of a round, drawn at random, and returns them."""
    matches = [match for block in blocks for match in block.matches()]
    by_match = {match.id: drawn(match, rng) for match in sorted(matches, key=lambda _: rng.random())}
    records = [by_match[match.id] for match in matches]
    for found in records:
        plan.add(found)
    return records


def play(given: Tournament, luck: int = 0) -> list[list[Block]]:
    """Plays a tournament to the end, and returns its rounds."""
    plan, rng, found = schedule(given), Random(luck), []
    for blocks in plan.rounds():
        found.append(list(blocks))
        play_round(plan, found[-1], rng)
    return found


def meetings(blocks: list[Block]) -> list[tuple[str, ...]]:
    """Who met in a round: the groups of one game's blocks on one deal."""
    first = blocks[0]
    return [
        tuple(sorted(block.seatings[0]))
        for block in blocks
        if (block.setup.game, block.seed) == (first.setup.game, first.seed)
    ]


def follow(plan: Schedule, records: list[Record]) -> list[Block]:
    """The blocks that are read in a journal with these records, which the plan notes as far as they are complete."""
    with TemporaryDirectory() as folder:
        (Path(folder) / JOURNAL).write_bytes(b"".join([each.line() for each in records]))
        return [found.block for found in read_blocks(Path(folder), plan)]
