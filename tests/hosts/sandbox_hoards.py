"""Measures how much memory a bot in the sandbox can hold, in each way that is known.

Run it by `python -m tests.hosts.sandbox_hoards`.

It needs root and the memory controller of cgroups (version 1), whose accounts it prints. With the name of a way as its
argument, it is the bot: it takes what it can in this way, and waits for a line.
"""

import contextlib
import ctypes
import mmap
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
MB = 1 << 20
MEMORY_MB, RESERVED_MB = 100, 1024
MOST = 100_000
kept = []


def mapped(size, protection):
    """The address of new private memory; None where there is no more."""
    address = LIBC.mmap(None, size, protection, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    return None if address == ctypes.c_void_p(-1).value else address


def private():
    while True:
        kept.append(bytearray(b"x") * MB)


def read_only():
    while address := mapped(8 * MB, mmap.PROT_READ | mmap.PROT_WRITE):
        ctypes.memset(address, 1, 8 * MB)
        LIBC.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(8 * MB), mmap.PROT_READ)


def shared():
    while len(kept) < 200:
        kept.append(mmap.mmap(-1, 8 * MB))
        kept[-1].write(bytes(8 * MB))


def streams():
    with contextlib.suppress(OSError):
        while True:
            kept.extend(socket.socketpair())
    for end in kept:
        end.setblocking(False)
        for size in (1 << 16, 1 << 10, 1):
            with contextlib.suppress(BlockingIOError):
                while True:
                    end.send(bytes(size))


def pipes():
    with contextlib.suppress(OSError):
        while True:
            kept.append(os.pipe()[1])
    for target in kept:
        os.set_blocking(target, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(target, bytes(4096))


def large_files():
    for number in range(200):
        with open(f"large-{number}", "wb") as file:
            file.write(bytes(8 * MB))


def long_links():
    for number in range(10_000):
        os.symlink(f"{number}".ljust(4000, "x"), f"{number}".ljust(250, "x"))


def timers():
    timer = ctypes.c_void_p()
    while len(kept) < MOST and LIBC.timer_create(1, None, ctypes.byref(timer)) == 0:
        kept.append(0)


def epoll():
    watches = [select.epoll() for _ in range(100)]
    kept.extend(watches)
    with contextlib.suppress(OSError):
        while True:
            kept.append(os.eventfd(0))
    for watch in watches:
        for event in kept[100:]:
            watch.register(event)


def pieces():
    while len(kept) < MOST and (address := mapped(4096, mmap.PROT_READ if len(kept) % 2 else 0)):
        kept.append(address)


def page_tables():
    while address := mapped(64 * MB, mmap.PROT_READ):
        for offset in range(0, 64 * MB, 2 * MB):
            ctypes.string_at(address + offset, 1)


WAYS = (private, read_only, shared, streams, pipes, large_files, long_links, timers, epoll, pieces, page_tables)


def own_group():
    """The folder of a new group of processes whose memory is accounted."""
    lines = [line.split(":") for line in Path("/proc/self/cgroup").read_text().split()]
    path = next((name for _, kinds, name in lines if kinds == "memory"), None)
    if path is None:
        sys.exit("this machine has no memory controller of cgroups, version 1")
    return Path(f"/sys/fs/cgroup/memory{path}") / f"hoards-{os.getpid()}"


def measured(way):
    """How much memory the sandbox of a bot takes that holds all it can in this way, in MB."""
    from tourney.hosts.sandbox import launcher  # noqa: PLC0415 - the bot has nothing but the standard library

    python, group = str(Path(sys.executable).resolve()), own_group()
    limits = launcher.SandboxLimits(memory_mb=MEMORY_MB, reserved_mb=RESERVED_MB)
    argv = launcher.sandboxed([python, "-I", __file__, way], [Path(__file__)], [], limits)
    group.mkdir()
    try:
        with subprocess.Popen(
            argv,
            env=launcher.ENV,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: group.joinpath("cgroup.procs").write_text(str(os.getpid())),  # noqa: PLW1509
        ) as bot:
            assert None not in (bot.stdin, bot.stdout)
            ended = not bot.stdout.readline()
            found = int(group.joinpath("memory.usage_in_bytes").read_text()) / MB
            bot.communicate(b"\n")
        return None if ended else found
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


def main(way=None):
    """Prints a line for each way, with the megabytes; or takes memory in one way."""
    if way is None:
        for each in WAYS:
            found = measured(each.__name__)
            print(each.__name__, "ended" if found is None else f"{found:.0f}", flush=True)
        return
    with contextlib.suppress(OSError, MemoryError):
        globals()[way]()
    if way == "private":
        kept.pop()
    os.write(1, b"held\n")
    sys.stdin.readline()


if __name__ == "__main__":
    main(*sys.argv[1:])
