"""A bot that leaves a card in every channel between two matches, and looks for one; to more points it only looks."""

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
QUEUE = f"/{CARD}".encode()
LOCAL = {"sockets": (socket.AF_UNIX, f"\0{CARD}"), "localhost": (socket.AF_INET, ("127.0.0.1", 20_000 + KEY % 20_000))}
PLACES = [Path(place, CARD) for place in ("/tmp", "/var/tmp", "/dev/shm", os.environ.get("TMPDIR", "."), OWN.parent)]
ADD_KEY, KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
SEARCH = KEYCTL, 10, -4, b"user", CARD.encode(), 0
held = []  # what is open as long as the bot lives


def call(name, *arguments):
    if (result := getattr(LIBC, name)(*arguments)) < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def fails(attempt, *arguments):
    """Whether an attempt is refused as not possible now."""
    try:
        attempt(*arguments)
    except BlockingIOError:
        return True
    return False


def works(attempt, *arguments):
    with suppress(OSError, AttributeError):
        attempt(*arguments)
        return True
    return False


def in_proc(pattern):
    """Whether a link or a file that matches the pattern tells of the card."""
    found = []
    for path in Path("/proc").glob(pattern):
        works(lambda path=path: found.append(os.readlink(path) if path.is_symlink() else path.read_text()))
    return any([CARD[:12] in text for text in found])


def lock():
    held.append(os.open(OWN, os.O_RDONLY))
    fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)


def listen(name):
    held.append(socket.socket(LOCAL[name][0]))
    held[-1].bind(LOCAL[name][1])
    held[-1].listen()


def reached():
    """How many processes the bot reaches, beside itself and the one that has started it."""
    return sum([not LIBC.kill(pid, 0) for pid in range(2, 1 << 16) if pid not in (os.getpid(), os.getppid())])


CHANNELS = {
    "files": (lambda: [works(place.touch) for place in PLACES], lambda: any([place.exists() for place in PLACES])),
    "memory files": (lambda: held.append(os.memfd_create(CARD)), lambda: in_proc("[0-9]*/fd/*")),
    "locks": (lock, lambda: fails(lock)),
    "modes": (lambda: OWN.chmod(0o444), lambda: OWN.stat().st_mode & 0o777 == 0o444),
    "process names": (lambda: call("prctl", 15, CARD.encode()), lambda: in_proc("[0-9]*/comm")),
    "process ids": (bool, reached),
    **{name: (lambda name=name: listen(name), lambda each=each: works(socket.socket(each[0]).connect, each[1]))
       for name, each in LOCAL.items()},
    "memory of System V": (lambda: call("shmget", KEY, 4096, 0o1666), lambda: works(call, "shmget", KEY, 0, 0)),
    "queues of System V": (lambda: call("msgget", KEY, 0o1666), lambda: works(call, "msgget", KEY, 0)),
    "queues": (lambda: call("mq_open", QUEUE, 0o102, 0o666, None), lambda: works(call, "mq_open", QUEUE, 2)),
    "keys": (lambda: call("syscall", ADD_KEY, *SEARCH[3:5], b"7", 1, -4), lambda: works(call, "syscall", *SEARCH)),
    "memory": (lambda: setattr(sys, "card", CARD), lambda: hasattr(sys, "card")),
    "descriptors": (
        lambda: os.set_blocking(2, False),
        lambda: not os.get_blocking(2) or any([works(os.fstat, number) for number in range(9, 256)]),
    ),
}  # fmt: skip
"""How each channel is given a card, and whether it holds one."""
SWEEP = (
    *[place.unlink for place in PLACES],
    lambda: call("shmctl", call("shmget", KEY, 0, 0), 0, None),
    lambda: call("msgctl", call("msgget", KEY, 0), 0, None),
    lambda: call("mq_unlink", QUEUE),
    lambda: call("syscall", KEYCTL, 21, call("syscall", *SEARCH)),
)


class Bot:
    def start(self, facts):
        self.last = facts.options.target != 6
        leaves = facts.seat == 0 and not self.last
        found = []
        for name, (leave, is_there) in CHANNELS.items():
            with suppress(OSError, AttributeError):
                if leaves:
                    leave()
                elif is_there():
                    found.append(name)
        print(json.dumps(found), flush=True)

    def act(self, view, legal):
        return legal[0]

    def end(self, outcome):
        for undo in SWEEP if self.last else ():
            works(undo)
