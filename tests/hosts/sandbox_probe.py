"""Tries what is forbidden inside a sandbox, and prints how each attempt ended, as JSON.

It imports nothing but the standard library, since it runs with this alone.
"""

import asyncio
import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
MB = 1 << 20
OWN = open(__file__, "rb")  # noqa: SIM115 - as long as the process lives
RIGHTS = struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[1 << 21] * 3, 0, 0, 0)
"""The right to mount, CAP_SYS_ADMIN, which the process has had until it was locked in."""
NUMBERS = {
    "capset": (126, 91), "close_range": (436, 436), "futex": (202, 98), "io_uring_setup": (425, 425),
    "landlock_create_ruleset": (444, 444), "statx": (332, 291), "timer_create": (222, 107), "userfaultfd": (323, 282),
}  # fmt: skip
SO_COOKIE = 57
WRITTEN = ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/usr", "/usr/bin", "/etc", "/home", "/run")
"""The folders outside that a card is written into."""


def outcome(attempt):
    try:
        return attempt()
    except Exception as error:
        return errno.errorcode.get(getattr(error, "errno", None), type(error).__name__)


def call(function, *arguments):
    """Returns the result of a function of the C library, or raises the error that errno names."""
    result = getattr(LIBC, function)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def by_number(name, *arguments):
    """Returns the result of a system call that the C library has no function for."""
    return call("syscall", NUMBERS[name][["x86_64", "aarch64"].index(os.uname().machine)], *arguments)


def with_pair(use):
    """What a function makes of one end of a pair of streams."""
    one, other = socket.socketpair()
    with one, other:
        return use(one)


def move_pages_into_a_pipe():
    """Pages that are in a pipe are nobody's memory any more."""
    piece = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.c_char.from_buffer(piece)), 4096)
    return call("vmsplice", os.pipe()[1], vector, 1, 0)


def most(step, limit):
    """How often something can be done, with the number of the attempt; at most so often."""
    for number in range(limit):
        try:
            step(number)
        except (OSError, RuntimeError):
            return number
    return limit


def empty_files():
    """How many empty files, folders and links there may be: each takes memory of the kernel's."""
    made = most(lambda number: os.symlink("nowhere", f"link-{number}"), 10_000)
    for number in range(made):
        os.unlink(f"link-{number}")
    return made


def next_thread():
    """The id of a new thread; whoever counts with it sees how many threads another program has started."""
    found = []
    thread = threading.Thread(target=lambda: found.append(threading.get_native_id()))
    thread.start()
    thread.join()
    return found[0]


def write(path):
    return Path(path).write_text("card")


def many_threads():
    threading.stack_size(1 << 16)  # small, so that memory is not what ends it
    stop = threading.Event()
    threads = [threading.Thread(target=stop.wait, daemon=True) for _ in range(200)]
    started = most(lambda number: threads[number].start(), 200)
    stop.set()
    for thread in threads[:started]:
        thread.join()  # or there is no room for further ones
    return started


def many_files():
    opened = []
    most(lambda _number: opened.append(os.open("/dev/null", os.O_RDONLY)), 1000)
    os.closerange(opened[0], opened[-1] + 1)
    return len(opened)


def hoard():
    """How many MB of memory are had by making each piece read-only, after which it is no longer counted as private."""
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    pieces = []
    while len(pieces) < 40:
        piece = LIBC.mmap(None, 32 * MB, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if piece == ctypes.c_void_p(-1).value:
            break
        pieces.append(piece)
        LIBC.mprotect(ctypes.c_void_p(piece), ctypes.c_size_t(32 * MB), 1)
    for piece in pieces:
        LIBC.munmap(ctypes.c_void_p(piece), ctypes.c_size_t(32 * MB))
    return 32 * len(pieces)


def out_of_reach(world):
    """What may fail in any way: it is forbidden, not there, or on a file system that can only be read."""
    run, bots = world / "run", world / "bots"
    return {
        "read the run": lambda: (run / "journal.jsonl").read_text(),
        "read a run among the bots": lambda: (bots / "results" / "journal.jsonl").read_text(),
        "read by a symbolic link": lambda: (os.symlink(run / "journal.jsonl", "soft"), Path("soft").read_text()),
        "write into the run": lambda: write(run / "journal.jsonl"),
        "truncate the run": lambda: os.truncate(run / "journal.jsonl", 0),
        "remove from the run": lambda: os.remove(run / "journal.jsonl"),
        "change the own bot": lambda: write(bots / "mine.py"),
        "mode of the own bot": lambda: os.chmod(bots / "mine.py", 0o600),
        "times of the own bot": lambda: os.utime(bots / "mine.py"),
        "cache beside the own bot": lambda: os.mkdir(bots / "__pycache__"),
        "link out of scratch": lambda: os.link(run / "journal.jsonl", "linked"),
        **{f"write into {folder}": lambda folder=folder: write(f"{folder}/tourney-card") for folder in WRITTEN},
        "list /proc": lambda: os.listdir("/proc"),
        "list /home": lambda: os.listdir("/home"),
        "read /etc/passwd": lambda: Path("/etc/passwd").read_text(),
        "become root": lambda: os.setuid(0),
    }


def forbidden(host):
    """What is refused as not permitted, or as unknown: `host` is a process outside."""
    return {
        # the network
        "internet": lambda: socket.socket(socket.AF_INET).fileno(),
        "datagram pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].fileno(),
        # further processes, and threads with open files of their own
        "fork": lambda: os.fork() or os._exit(0),
        "spawn": lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
        "open files of one thread": lambda: by_number("close_range", 900, 900, 2),
        # other processes, and what all have in common
        "limit of the host": lambda: resource.prlimit(host, resource.RLIMIT_CORE),
        "look for the host": lambda: os.kill(host, 0),
        "signals by a file": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, host),
        "trace": lambda: call("ptrace", 16, host, 0, 0),
        "outlive the host": lambda: call("prctl", 1, 0, 0, 0, 0),
        "namespaces": lambda: call("unshare", 0x10000000),
        "mount": lambda: call("mount", b"tmpfs", b"/scratch", b"tmpfs", 0, None),
        "rights": lambda: by_number("capset", *RIGHTS),
        "watch": lambda: call("inotify_init1", 0),
        "shared memory": lambda: len(mmap.mmap(-1, 600 * MB)),
        # what wakes a process that is stopped, or has others work for it
        "timer that signals": lambda: by_number("timer_create", 1, (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0), b""),
        "requests to the kernel": lambda: by_number("io_uring_setup", 4, ctypes.create_string_buffer(120)),
        "another core": lambda: os.sched_setaffinity(0, {0}),
        # what tells of another process by its id
        "priority of the host": lambda: os.getpriority(os.PRIO_PROCESS, host),
        "clock of the host": lambda: time.clock_gettime((~host << 3) | 2),
        # marks on what programs share: someone has read the same page of a file, or not
        "flush the disks": lambda: call("syncfs", 0),
        "number of a socket": lambda: with_pair(lambda end: end.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8)),
        "number of a mount": lambda: by_number("statx", -100, b"/", 0, 0x4000, ctypes.create_string_buffer(256)),
        # what the kernel keeps for a program
        "enlarge a buffer": lambda: with_pair(lambda end: end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MB)),
        "send a file": lambda: with_pair(lambda end: socket.send_fds(end, [b"card"], [0])),
        "pages in a pipe": move_pages_into_a_pipe,
        "pages of a file in a stream": lambda: with_pair(lambda end: os.sendfile(end.fileno(), OWN.fileno(), 0, 1)),
        "rules for files": lambda: by_number("landlock_create_ruleset", struct.pack("Q", 1), 8, 0),
        "faults of memory": lambda: by_number("userfaultfd", 1),
    }


def answered(world, host):
    """What has an answer, which the test knows."""
    run, bots = world / "run", world / "bots"
    return {
        "scratch at first": lambda: os.listdir("."),
        "write into scratch": lambda: write("note"),
        "folder in scratch": lambda: os.mkdir("inner"),
        "environment": lambda: sorted(set(os.environ) - {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "LC_CTYPE"}),
        "read the own bot": lambda: (bots / "mine.py").read_text(),
        "read the own bot in a hidden folder": lambda: (run / "inside.py").read_text(),
        "read the own bot in a hidden folder of a readable one": lambda: (bots / "results" / "inside.py").read_text(),
        "list the run": lambda: os.listdir(run),
        "read another bot": lambda: (bots / "theirs.py").read_text() or "empty",
        "look past a hidden folder": lambda: os.stat(bots / "results" / "journal.jsonl").st_size,
        "look into /proc": lambda: os.stat("/proc/self").st_size,
        "own id": os.getpid,
        "id of a thread": next_thread,
        "stream pair": lambda: with_pair(lambda end: len(end.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE, 8))),
        "affinity of the host": lambda: list(os.sched_getaffinity(host)),
        "own affinity": lambda: len(os.sched_getaffinity(0)) > 0,
        "signal itself": lambda: os.kill(os.getpid(), 0),
        "wait at a place that others have": lambda: by_number(
            "futex", ctypes.byref(ctypes.c_uint(0)), 0, 0, struct.pack("ll", 0, 500_000_000), None, 0
        ),
        "own event loop": lambda: asyncio.run(asyncio.sleep(0, "told")),
        "is root": lambda: 0 in (os.getuid(), os.getgid(), *os.getgroups()),
        "some memory": lambda: len(bytearray(20 * MB)) // MB,
        "memory": lambda: len(bytearray(600 * MB)),
        "memory that is made read-only": hoard,
        "threads": many_threads,
        "open files": many_files,
        "raise a limit": lambda: resource.setrlimit(resource.RLIMIT_NPROC, (10_000, 10_000)),
        "large file": lambda: Path("large").write_bytes(bytes(20 * MB)),
        "empty files": empty_files,
        "fill scratch": lambda: [Path(f"part{number}").write_bytes(bytes(MB)) for number in range(12)],
    }


def main(world, host):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    attempts = answered(Path(world), int(host)) | out_of_reach(Path(world)) | forbidden(int(host))
    print(json.dumps({name: outcome(attempt) for name, attempt in attempts.items()}, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
