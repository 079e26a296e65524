"""Limits of time on machines of different speeds."""

import msgspec
import pytest

from tests.cluster.test_introduction import with_keys
from tourney import config
from tourney.cluster.introduction import differences, introduction, speed
from tourney.cluster.tournament_parcel import pack, unpack
from tourney.hosts.limits import Limits

TIMED = (
    '[[bot]]\nname = "mine"\nuse = "first"\nhost = "process"\nclock = "2s+50ms"\ncpu_ms = 100\n[limits]\nmove_ms = 500'
)
SCALED = f"{TIMED}\nscale_clocks = true"


def shown(write, extra, **keys):
    """The introductions of this machine, and of another one that differs from it by these keys."""
    here = introduction(config.read(write(extra=extra)))
    own = msgspec.msgpack.decode(here)
    return here, with_keys(
        here, host="desk", machine="another", **{key: own[key] * times for key, times in keys.items()}
    )


@pytest.mark.parametrize(("times", "said"), [(1.09, ""), (1.12, "1.12"), (0.92, ""), (0.5, "0.50")])
def test_a_machine_that_is_much_quicker_or_slower_is_refused_where_time_is_limited(write, times, said):
    refusals, _ = differences(*shown(write, TIMED, speed=times))
    assert len(refusals) == bool(said)
    for line in refusals:
        assert line.startswith(f"desk: it computes {said} times as fast as this machine")
        assert "scale_clocks = true" in line


def test_workers_of_one_machine_are_not_compared(write):
    here, there = shown(write, TIMED, speed=3)
    own = msgspec.msgpack.decode(here)["machine"]
    assert differences(here, with_keys(there, machine=own)) == ([], [])


@pytest.mark.parametrize("extra", ["", SCALED], ids=["no limits", "scaled"])
def test_speeds_do_not_matter_without_limits_or_where_they_are_scaled(write, extra):
    here, there = shown(write, extra)
    assert msgspec.msgpack.decode(here)["speed"] is None
    assert differences(here, with_keys(there, speed=1.0)) == ([], [])


def test_limits_are_scaled_by_the_speed_of_the_machine(write, tmp_path):
    data = msgspec.msgpack.decode(pack(config.read(write(extra=SCALED))))
    content = msgspec.msgpack.decode(data["content"])
    assert content["speed"] == speed()
    content |= {"machine": "another", "speed": 2 * speed()}  # this one takes twice as long
    sent = msgspec.msgpack.encode(data | {"content": msgspec.msgpack.encode(content)})
    tournament = unpack(sent, tmp_path / "new")
    assert tournament.entrants[0].limits == Limits(move_ms=1000)
    assert tournament.entrants[-1].limits == Limits(1000, clock="4.000000s+0.100000s", cpu_ms=200)


@pytest.mark.parametrize("extra", [TIMED, SCALED], ids=["as they are", "scaled"])
def test_limits_stay_on_the_same_machine(write, tmp_path, extra):
    tournament = config.read(write(extra=extra))
    found = unpack(pack(tournament), tmp_path / "new")
    assert [each.limits for each in found.entrants] == [each.limits for each in tournament.entrants]


@pytest.mark.parametrize("limits", [Limits(), Limits(match_s=7, memory_mb=5)])
def test_what_is_no_limit_of_time_for_bots_is_not_scaled(limits):
    assert limits.scaled(3) == limits


def test_a_limit_is_never_scaled_to_nothing():
    assert Limits(move_ms=1).scaled(0.01) == Limits(move_ms=1)


def test_the_manifest_says_whether_limits_are_scaled(write):
    assert config.manifest(config.read(write(extra=SCALED)))["tournament"]["scale_clocks"] is True
    assert "scale_clocks" not in config.manifest(config.read(write(extra=TIMED)))["tournament"]
    scaled = config.read(write(extra=SCALED))
    assert config.of_manifest(config.manifest(scaled)).scale_clocks
