"""Tries what is forbidden inside a sandbox, and prints how each attempt ended, as JSON.

It imports nothing but the standard library, since it runs with this alone.
"""

import ctypes
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import sys
import threading
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
MB = 1 << 20
ADD_KEY = {"x86_64": 248, "aarch64": 217}


def outcome(attempt):
    try:
        return attempt()
    except Exception as error:
        return type(error).__name__


def call(function, *arguments):
    """Returns the result of a function of the C library, or raises the error that errno names."""
    result = getattr(LIBC, function)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def write(path):
    with open(path, "w") as file:
        return file.write("card")


def many_threads():
    threading.stack_size(1 << 16)  # small, so that memory is not what ends it
    stop = threading.Event()
    started = 0
    try:
        for _ in range(200):
            threading.Thread(target=stop.wait, daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    stop.set()
    return started


def many_files():
    opened = []
    try:
        while len(opened) < 1000:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    for descriptor in opened:
        os.close(descriptor)
    return len(opened)


def large_file():
    with open("large", "wb") as file:
        for _ in range(100):
            file.write(bytes(MB))
            file.flush()


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


def fork():
    """A fork bomb of one: the child, if there is one, leaves at once."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "forked"


def fork_by_number():
    """The system call itself, where the machine has one; the C library takes another."""
    if os.uname().machine != "x86_64":
        raise PermissionError
    if call("syscall", 57) == 0:
        os._exit(0)
    os.wait()
    return "forked"


def spawn():
    return os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})


def fill_scratch():
    for i in range(12):
        with open(f"part{i}", "wb") as file:
            file.write(bytes(MB))


def main(world, host):
    world, host = Path(world), int(host)
    attempts = {
        "environment": lambda: sorted(os.environ),
        "scratch at first": lambda: os.listdir("."),
        "write into scratch": lambda: write("note"),
        "folder in scratch": lambda: os.mkdir("inner"),
        "read the own bot": lambda: (world / "bots" / "mine.py").read_text(),
        "read the run": lambda: (world / "run" / "journal.jsonl").read_text(),
        "list the run": lambda: os.listdir(world / "run"),
        "write into the run": lambda: write(world / "run" / "journal.jsonl"),
        "truncate the run": lambda: os.truncate(world / "run" / "journal.jsonl", 0),
        "remove from the run": lambda: os.remove(world / "run" / "journal.jsonl"),
        "read a run among the bots": lambda: (world / "bots" / "results" / "journal.jsonl").read_text(),
        "read another bot": lambda: (world / "bots" / "theirs.py").read_text() or "empty",
        "read the own bot in a hidden folder": lambda: (world / "run" / "inside.py").read_text(),
        "change the own bot": lambda: write(world / "bots" / "mine.py"),
        "mode of the own bot": lambda: os.chmod(world / "bots" / "mine.py", 0o600),
        "times of the own bot": lambda: os.utime(world / "bots" / "mine.py"),
        "cache beside the own bot": lambda: os.mkdir(world / "bots" / "__pycache__"),
        "link out of scratch": lambda: os.link(world / "run" / "journal.jsonl", "linked"),
        "read by a symbolic link": lambda: (
            os.symlink(world / "run" / "journal.jsonl", "soft"),
            Path("soft").read_text(),
        ),
        **{f"write into {folder}": lambda folder=folder: write(f"{folder}/tourney-card")
           for folder in ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/usr", "/usr/bin", "/etc", "/home", "/run")},
        "list /proc": lambda: os.listdir("/proc"),
        "list /home": lambda: os.listdir("/home"),
        "read /etc/passwd": lambda: Path("/etc/passwd").read_text(),
        "internet": lambda: socket.socket(socket.AF_INET).fileno(),
        "internet 6": lambda: socket.socket(socket.AF_INET6).fileno(),
        "unix": lambda: socket.socket(socket.AF_UNIX).fileno(),
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno(),
        "datagram pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].fileno(),
        "stream pair": lambda: [end.close() for end in socket.socketpair()],
        "fork": fork,
        "fork by its number": fork_by_number,
        "spawn": spawn,
        "memory": lambda: len(bytearray(600 * MB)),
        "some memory": lambda: len(bytearray(20 * MB)),
        "memory that is made read-only": hoard,
        "shared memory": lambda: len(mmap.mmap(-1, 600 * MB)),
        "threads": many_threads,
        "open files": many_files,
        "large file": large_file,
        "memory file": lambda: os.memfd_create("x"),
        "raise a limit": lambda: resource.setrlimit(resource.RLIMIT_NPROC, (10_000, 10_000)),
        "limit of the host": lambda: resource.prlimit(host, resource.RLIMIT_CORE),
        "look for the host": lambda: os.kill(host, 0),
        "signal all": lambda: os.kill(-1, 0),
        "signal the group": lambda: os.kill(0, 0),
        "signal itself": lambda: os.kill(os.getpid(), 0),
        "signals by a file": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, host),
        "slow the host": lambda: os.setpriority(os.PRIO_PROCESS, host, 19),
        "pin the host": lambda: os.sched_setaffinity(host, {0}),
        "namespaces": lambda: call("unshare", 0x10000000),
        "trace": lambda: call("ptrace", 16, host, 0, 0),
        "outlive the host": lambda: call("prctl", 1, 0, 0, 0, 0),
        "lock": lambda: fcntl.flock(os.open(sys.executable, os.O_RDONLY), fcntl.LOCK_SH),
        "record lock": lambda: fcntl.lockf(os.open(sys.executable, os.O_RDONLY), fcntl.LOCK_SH),
        "keys": lambda: call("syscall", ADD_KEY[os.uname().machine], b"user", b"card", b"9t", 2, -4),
        "System V memory": lambda: call("shmget", 7, 4096, 0o1666),
        "watch": lambda: call("inotify_init1", 0),
        "become root": lambda: os.setuid(0),
        "user": os.getuid,
        "fill scratch": fill_scratch,
    }  # fmt: skip
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    print(json.dumps({name: outcome(attempt) for name, attempt in attempts.items()}, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
