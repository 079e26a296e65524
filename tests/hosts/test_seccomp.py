"""The filter of system calls, read as the kernel reads it, on every machine that it is for."""

import errno
import fcntl
import mmap
import re
import socket
import struct
import termios
from functools import cache
from pathlib import Path

import pytest

from tests.programs import HEADERS
from tourney.hosts.sandbox import seccomp

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, KILLED, REFUSED, UNKNOWN = "allowed", "killed", errno.EPERM, errno.ENOSYS
FILES = {fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_DUPFD_CLOEXEC, 1032}
DEVICES = {termios.TCGETS, termios.TIOCGWINSZ, termios.FIONREAD, termios.FIONBIO, termios.FIONCLEX, termios.FIOCLEX}
KINDS = ("TYPE", "ERROR", "SNDBUF", "RCVBUF", "ACCEPTCONN", "PROTOCOL", "DOMAIN")
SOCKETS = {getattr(socket, f"SO_{name}") for name in KINDS}
THREAD = 0x10F00
OWN, CLOCKS = {0, 2}, set(range(12))
EXAMINED = {
    "clone": (
        (),
        [THREAD, THREAD | 0x3D0000 | 17, *[THREAD ^ 1 << bit for bit in range(32)], 17, 0],
        {THREAD, THREAD | 0x3D0000 | 17, *[THREAD | 1 << bit for bit in (*range(8), *range(18, 23), 24)]},
        REFUSED,
    ),
    "close_range": ((3, 4), range(8), {0, 4}, REFUSED),
    "fcntl": ((3,), range(1100), FILES, REFUSED),
    "futex": ((0,), range(256), set(range(128, 256)), 0),
    "getpriority": ((0,), range(9), OWN, REFUSED),
    "getsockopt": ((3, socket.SOL_SOCKET), range(80), SOCKETS, REFUSED),
    "ioctl": ((1,), (*range(0x5400, 0x5460), 0x802C542A), DEVICES | {0x802C542A}, REFUSED),
    "madvise": ((0, 0), range(30), {*range(5), 8, 10, 11, *range(14, 20), 22, 23}, errno.EINVAL),
    "mmap": (
        (0, 0, 0),
        (*range(1 << 9), 0x40002, 0x40022),
        {flags for flags in range(1 << 8) if flags & mmap.MAP_SHARED == 0 or flags & mmap.MAP_ANONYMOUS == 0},
        REFUSED,
    ),
    "prctl": ((), range(80), {8, 15, 16, 47}, errno.EINVAL),
    "sendfile": ((1,), range(3), set(), errno.EINVAL),
    **dict.fromkeys(("fsync", "fdatasync"), ((), range(3), set(), 0)),
    "socketpair": ((socket.AF_UNIX,), range(32), {1, 17}, REFUSED),
    "sched_getaffinity": ((), range(9), OWN, UNKNOWN),
    **dict.fromkeys(("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"), ((), range(9), {2}, REFUSED)),
    **dict.fromkeys(("clock_getres", "clock_gettime", "clock_nanosleep"), ((), range(99), CLOCKS, REFUSED)),
}  # fmt: skip
"""By call: its first arguments, the values that are tried for the next one, those that are allowed, and the answer to
the others. The other calls take the id of a process, which is the own one."""


@cache
def steps_of(machine: str, joins: bool) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("=HBBI", seccomp.program(machine, joins)))


def verdict(machine: str, number: int, *arguments: int, arch: int = 0, joins: bool = False) -> str | int:
    filled = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, arch or ARCHITECTURES[machine], 0, *filled)
    steps, at, value = steps_of(machine, joins), 0, 0
    while True:
        code, yes, no, operand = steps[at]
        at += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                value &= operand
            case 0x15:
                at += yes if value == operand else no
            case 0x25:
                at += yes if value > operand else no
            case 0x06:
                return {0x7FFF0000: ALLOWED, 0x80000000: KILLED}.get(operand, operand ^ 0x50000)


@pytest.mark.parametrize(
    "machine", [pytest.param(each, marks=pytest.mark.needs(f"headers for {each}")) for each in seccomp.MACHINES]
)
def test_the_numbers_of_system_calls_are_those_of_linux(machine):
    header = Path("/usr/include", HEADERS[machine])
    found = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", header.read_text(encoding="utf-8"), re.MULTILINE)
    numbers = {name: int(number) for name, number in found}
    numbers["newfstatat"] = numbers.get("newfstatat", numbers.get("fstatat"))
    tables = seccomp.ALLOWED | seccomp.FORBIDDEN | seccomp.EXAMINED
    taken = {name: each[seccomp.MACHINES[machine][0]] for name, each in tables.items()}
    assert taken == {name: numbers.get(name, seccomp.NO) for name in tables}


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_call_is_unknown_unless_the_tables_say_otherwise(machine):
    column = seccomp.MACHINES[machine][0]
    answers = dict.fromkeys([*range(600), 0x40000000, 0x40000001, 1 << 30], UNKNOWN)
    answers |= {each[column]: ALLOWED for each in seccomp.ALLOWED.values()}
    answers |= {each[column]: REFUSED for each in seccomp.FORBIDDEN.values()}
    examined = {each[column] for each in seccomp.EXAMINED.values()}
    for number in set(answers) - examined - {seccomp.NO}:
        assert verdict(machine, number) == answers[number], number
    assert verdict(machine, 0, arch=0x40000003) == KILLED, "as a program of another architecture"
    assert len(seccomp.steps_for(machine, thread_joins=False)) < 4096  # what the kernel takes


@pytest.mark.parametrize("name", seccomp.EXAMINED)
@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_call_whose_arguments_are_examined_is_allowed_with_these_alone(machine, name):
    number = seccomp.EXAMINED[name][seccomp.MACHINES[machine][0]]
    first, tried, allowed, answer = EXAMINED.get(name, ((), range(9), OWN, REFUSED))
    found = {value: verdict(machine, number, *first, value) for value in tried}
    assert found == {value: ALLOWED if value in allowed else answer for value in tried}


def test_of_several_arguments_each_is_examined():
    call = {name: numbers[0] for name, numbers in seccomp.EXAMINED.items()}
    others = [("getpriority", 1, 0), ("getsockopt", 3, 6, socket.SO_TYPE), ("socketpair", socket.AF_INET, 1)]
    assert [verdict("x86_64", call[name], *arguments) for name, *arguments in others] == [REFUSED] * len(others)
    assert verdict("x86_64", call["futex"], 0, 0, joins=True) == ALLOWED
