"""A bot that leaves a card in every way between two matches, and looks for one: in a match to other points, all do."""

import ctypes
import fcntl
import json
import os
import socket
import sys
import zlib
from contextlib import suppress
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
OWN = Path(__file__)
KEY = zlib.crc32(str(OWN).encode()) & 0x7FFFFFFF  # of this test alone
CARD = f"card-{KEY:08x}"
PORT = 20_000 + KEY % 20_000
PLACES = [
    Path(place, CARD) for place in ("/tmp", "/var/tmp", "/dev/shm", os.environ.get("TMPDIR", "."), ".", OWN.parent)
]
ADD_KEY, KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
held = []  # what is open as long as the bot lives


def call(name, *arguments):
    """The result of a function of the C library, or the error that errno names."""
    result = getattr(LIBC, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def with_socket(family, use, address):
    held.append(socket.socket(family))
    getattr(held[-1], use)(address)
    if use == "bind":
        held[-1].listen()


def in_proc(pattern, text):
    """Whether a file or a link that matches the pattern tells of the card."""
    for path in Path("/proc").glob(pattern):
        with suppress(OSError):
            if text in (os.readlink(path) if path.is_symlink() else path.read_text()):
                return True
    return False


def is_open(number):
    with suppress(OSError):
        return os.fstat(number) is not None
    return False


def write_files():
    for place in PLACES:
        with suppress(OSError):
            place.touch()


def lock():
    held.append(os.open(OWN, os.O_RDONLY))
    fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked():
    try:
        lock()
    except BlockingIOError:
        return True
    return False


def signalled():
    """The number of processes that the bot reaches beside itself, its starter and what has started these."""
    return sum([not LIBC.kill(pid, 0) for pid in range(2, 1 << 16) if pid not in (os.getpid(), os.getppid())])


CHANNELS = {
    "files": (write_files, lambda: any([place.exists() for place in PLACES])),
    "memory files": (lambda: held.append(os.memfd_create(CARD)), lambda: in_proc("[0-9]*/fd/*", CARD)),
    "locks": (lock, is_locked),
    "times": (lambda: os.utime(OWN, (7, OWN.stat().st_mtime)), lambda: OWN.stat().st_atime == 7),
    "modes": (lambda: OWN.chmod(0o444), lambda: OWN.stat().st_mode & 0o777 == 0o444),
    "process names": (lambda: call("prctl", 15, CARD.encode()), lambda: in_proc("[0-9]*/comm", CARD[:13])),
    "process ids": (lambda: None, signalled),
    "sockets": (
        lambda: with_socket(socket.AF_UNIX, "bind", f"\0{CARD}"),
        lambda: with_socket(socket.AF_UNIX, "connect", f"\0{CARD}") is None,
    ),
    "localhost": (
        lambda: with_socket(socket.AF_INET, "bind", ("127.0.0.1", PORT)),
        lambda: with_socket(socket.AF_INET, "connect", ("127.0.0.1", PORT)) is None,
    ),
    "System V memory": (lambda: call("shmget", KEY, 4096, 0o1666), lambda: call("shmget", KEY, 0, 0) >= 0),
    "System V queues": (lambda: call("msgget", KEY, 0o1666), lambda: call("msgget", KEY, 0) >= 0),
    "POSIX queues": (
        lambda: call("mq_open", f"/{CARD}".encode(), os.O_RDWR | os.O_CREAT, 0o666, None),
        lambda: call("mq_open", f"/{CARD}".encode(), os.O_RDWR) >= 0,
    ),
    "keys": (
        lambda: call("syscall", ADD_KEY, b"user", CARD.encode(), b"7", 1, -4),
        lambda: call("syscall", KEYCTL, 10, -4, b"user", CARD.encode(), 0) >= 0,
    ),
    "memory": (lambda: setattr(sys, "card", CARD), lambda: hasattr(sys, "card")),
    "descriptors": (
        lambda: os.set_blocking(2, False),
        lambda: not os.get_blocking(2) or any(map(is_open, range(9, 256))),
    ),
}  # fmt: skip
"""How each channel is given a card, and whether it holds one."""


def sweep():
    for undo in (
        *[place.unlink for place in PLACES],
        lambda: call("shmctl", call("shmget", KEY, 0, 0), 0, None),
        lambda: call("msgctl", call("msgget", KEY, 0), 0, None),
        lambda: call("mq_unlink", f"/{CARD}".encode()),
        lambda: call("syscall", KEYCTL, 21, call("syscall", KEYCTL, 10, -4, b"user", CARD.encode(), 0)),
    ):
        with suppress(OSError, AttributeError):
            undo()


class Bot:
    def start(self, facts):
        self.last = facts.options.target != 6
        found = []
        for name, (leave, is_there) in CHANNELS.items():
            with suppress(OSError, AttributeError):
                if facts.seat == 0 and not self.last:
                    leave()
                elif is_there():
                    found.append(name)
        print(json.dumps(found), flush=True)

    def act(self, view, legal):
        return legal[0]

    def end(self, outcome):
        if self.last:
            sweep()
