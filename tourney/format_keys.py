"""The keys of a tournament file that say how its format is played, and which of them can be played together."""

from collections.abc import Sequence
from math import ceil, comb, factorial, gcd, log2
from typing import Annotated, Literal, TypeAlias

import msgspec

from tourney.errors import ConfigError, did_you_mean
from tourney.match import GameSetup

Format: TypeAlias = Literal["round-robin", "gauntlet", "swiss", "knockout", "mirror"]
Seatings: TypeAlias = Literal["rotations", "all"] | Annotated[int, msgspec.Meta(ge=1)]

MOST_SEATINGS = 40_320
"""A block has no more seatings than this, which is all of eight seats."""

OWNERS = {"groups": "round-robin", "challengers": "gauntlet", "rounds": "swiss"}
"""The keys that belong to one format alone."""


class FormatKeys(msgspec.Struct, frozen=True, kw_only=True):
    """How the format is played."""

    groups: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Round-robin: how many groups of entrants meet in each game; None: see `tourney.schedule.round_robin`."""
    challengers: tuple[str, ...] | None = None
    """Gauntlet: the names of those who meet the others."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    """Swiss: how many rounds are played."""
    seatings: Seatings = "rotations"
    """Which seatings a block has, see `tourney.schedule.seatings`."""


def check(form: Format, keys: FormatKeys, names: Sequence[str], setups: Sequence[GameSetup]) -> None:
    """Raises a `ConfigError` that names the key and the remedy if a tournament like this cannot be played."""
    for key, owner in OWNERS.items():
        if getattr(keys, key) is not None and form != owner:
            raise ConfigError(f'{key}: belongs to format = "{owner}", not to "{form}"; leave it out')
    if form == "mirror":
        _check_mirror(keys, names)
        return
    for setup in setups:
        if len(names) < setup.seats:
            raise ConfigError(
                f"bots: {setup.game} has {setup.seats} seats, and the number of bots entered is "
                f"{len(names)}; enter more"
            )
        check_seatings(keys.seatings, setup)
    if form == "round-robin":
        _check_groups(keys.groups, len(names), setups)
    elif form == "gauntlet":
        _check_challengers(keys.challengers, names, setups)
    else:
        _check_meetings(form, setups)
        if form == "swiss" and keys.rounds is None:
            raise ConfigError(f"rounds: swiss needs it; for {len(names)} bots try rounds = {ceil(log2(len(names)))}")


def check_seatings(seatings: Seatings, setup: GameSetup) -> None:
    """Raises a `ConfigError` if a block of the setup cannot have these seatings."""
    game, seats = setup.game, setup.seats
    most = min(factorial(seats), MOST_SEATINGS // seats * seats)
    if seatings == "all" and factorial(seats) > MOST_SEATINGS:
        raise ConfigError(
            f"seatings: {game} has {seats} seats, and a block of all {factorial(seats)} seatings is too large; "
            f"take a number, as in seatings = {2 * seats}"
        )
    if not isinstance(seatings, int):
        return
    if seatings % seats:
        raise ConfigError(
            f"seatings: {seatings} is no multiple of the {seats} seats of {game}, so that entrants would not sit "
            f"equally often in every seat; take {min(max(1, round(seatings / seats)) * seats, most)}"
        )
    if seatings > most:
        raise ConfigError(f"seatings: {seatings} is more than a block of {game} can have; take {most} at the most")


def _check_groups(groups: int | None, entrants: int, setups: Sequence[GameSetup]) -> None:
    if groups is None:
        return
    for setup in setups:
        most, step = comb(entrants, setup.seats), group_step(entrants, setup.seats)
        where = f"groups: {setup.game} with {setup.seats} seats and {entrants} bots"
        if groups > most:
            raise ConfigError(f"{where} has only {most} groups, not {groups}; take fewer, or leave it out")
        if groups % step:
            near = [number for number in (groups // step * step, groups // step * step + step) if 0 < number <= most]
            raise ConfigError(
                f"{where}: in {groups} groups not every bot can play equally often; take {' or '.join(map(str, near))}"
            )


def _check_meetings(form: Format, setups: Sequence[GameSetup]) -> None:
    first = setups[0]
    for setup in setups[1:]:
        if setup.seats != first.seats:
            raise ConfigError(
                f"game: in a {form} every meeting plays each game, but {first.game} has {first.seats} seats "
                f"and {setup.game} has {setup.seats}; give all the same number of seats"
            )


def _check_mirror(keys: FormatKeys, names: Sequence[str]) -> None:
    if len(names) < 2:
        raise ConfigError(
            f"bots: a mirror compares two bots, and the number of bots entered is {len(names)}; enter more"
        )
    if keys.seatings != "rotations":
        raise ConfigError("seatings: a mirror has its own; leave it out")


def group_step(entrants: int, seats: int) -> int:
    """The smallest number of groups in which every entrant can sit equally often; any other is a multiple of it."""
    return entrants // gcd(entrants, seats)


def _check_challengers(challengers: Sequence[str] | None, names: Sequence[str], setups: Sequence[GameSetup]) -> None:
    if not challengers:
        raise ConfigError(f'challengers: a gauntlet needs one or more, as in challengers = ["{names[0]}"]')
    for i, name in enumerate(challengers):
        if name not in names:
            raise ConfigError(f'challengers: no bot "{name}" is entered; {did_you_mean(name, names)}')
        if name in challengers[:i]:
            raise ConfigError(f'challengers: "{name}" is there twice; remove one')
    field = len(names) - len(challengers)
    for setup in setups:
        if field < setup.seats - 1:
            raise ConfigError(
                f"challengers: {setup.game} seats a challenger with {setup.seats - 1} of the others, and there "
                f"are {field}; enter more bots, or name fewer challengers"
            )
