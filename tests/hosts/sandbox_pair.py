"""One of two programs that try to pass each other a card by every channel there is; outside a sandbox all work.

`sandbox_pair.py get SHARED KEY` prepares, prints "ready", waits for a line, and prints the channels by which the card
arrived, as JSON. `sandbox_pair.py put SHARED KEY` waits for a line, sends, prints "sent" and waits for another line.
"""

import ctypes
import fcntl
import json
import mmap
import os
import select
import socket
import struct
import sys
import threading
import time
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
CARD = b"9t"
SECONDS = 123_456_789
PRIORITY = 13
THREADS = 40
PIPES = 300
F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036
IN_OPEN = 0x20
IPC_CREAT = 0o1000
FUTEX = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
FUTEX_WAIT, FUTEX_WAKE = 0, 1
DESCRIPTORS = 40
FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run", ".", "~")


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class Channels:
    """Every method `put_…` has its `get_…`, and some a `ready_…` that the receiver calls before anything is sent."""

    def __init__(self, shared, key):
        self.shared, self.key = shared, int(key)
        self.open = []

    def port(self):
        return 20_000 + self.key % 40_000

    def put_files(self):
        for folder in FOLDERS:
            try:
                Path(folder).expanduser().joinpath(f"card-{self.key}").write_bytes(CARD)
            except OSError:
                continue

    def get_files(self):
        for folder in FOLDERS:
            path = Path(folder).expanduser().joinpath(f"card-{self.key}")
            if path.exists():
                return path.read_bytes()
        return None

    def listen(self, family, address):
        server = socket.socket(family, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen()
        server.setblocking(False)
        self.open.append(server)
        return server

    def send(self, family, address):
        client = socket.socket(family, socket.SOCK_STREAM)
        client.connect(address)
        client.sendall(CARD)
        self.open.append(client)

    def ready_abstract(self):
        self.abstract = self.listen(socket.AF_UNIX, f"\0card-{self.key}")

    def put_abstract(self):
        self.send(socket.AF_UNIX, f"\0card-{self.key}")

    def get_abstract(self):
        return self.abstract.accept()[0].recv(9)

    def ready_unix(self):
        self.unix = self.listen(socket.AF_UNIX, f"/tmp/card-{self.key}.socket")

    def put_unix(self):
        self.send(socket.AF_UNIX, f"/tmp/card-{self.key}.socket")

    def get_unix(self):
        return self.unix.accept()[0].recv(9)

    def ready_localhost(self):
        self.localhost = self.listen(socket.AF_INET, ("127.0.0.1", self.port()))

    def put_localhost(self):
        self.send(socket.AF_INET, ("127.0.0.1", self.port()))

    def get_localhost(self):
        return self.localhost.accept()[0].recv(9)

    def put_sysv(self):
        queue = checked(LIBC.msgget(self.key, IPC_CREAT | 0o666))
        checked(LIBC.msgsnd(queue, ctypes.create_string_buffer((1).to_bytes(8, "little") + CARD, 16), 8, 0))

    def get_sysv(self):
        queue = checked(LIBC.msgget(self.key, 0o666))
        buffer = ctypes.create_string_buffer(16)
        checked(LIBC.msgrcv(queue, buffer, 8, 0, 0o4000))
        LIBC.msgctl(queue, 0, None)
        return buffer.raw[8:10]

    def put_queue(self):
        queue = checked(LIBC.mq_open(f"/card-{self.key}".encode(), os.O_RDWR | os.O_CREAT, 0o666, None))
        checked(LIBC.mq_send(queue, CARD, len(CARD), 0))

    def get_queue(self):
        queue = checked(LIBC.mq_open(f"/card-{self.key}".encode(), os.O_RDONLY | os.O_NONBLOCK))
        LIBC.mq_unlink(f"/card-{self.key}".encode())
        buffer = ctypes.create_string_buffer(8192)
        checked(LIBC.mq_receive(queue, buffer, 8192, None))
        return buffer.raw[:2]

    def put_lock(self):
        descriptor = os.open(self.shared, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def get_lock(self):
        try:
            with open(self.shared, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return CARD
        return None

    def put_times(self):
        os.utime(self.shared, (SECONDS, SECONDS))

    def get_times(self):
        return CARD if os.stat(self.shared).st_mtime == SECONDS else None

    def put_mode(self):
        os.chmod(self.shared, 0o604)

    def get_mode(self):
        return CARD if os.stat(self.shared).st_mode & 0o777 == 0o604 else None

    def ready_watch(self):
        self.watch = checked(LIBC.inotify_init())
        checked(LIBC.inotify_add_watch(self.watch, self.shared.encode(), IN_OPEN))

    def put_watch(self):
        with open(self.shared, "rb") as file:
            file.read()

    def get_watch(self):
        return CARD if select.select([self.watch], [], [], 0)[0] else None

    def place(self):
        """Where the first page of a file is in memory that all programs have there, and the number that it holds."""
        LIBC.mmap.restype = ctypes.c_void_p
        file = os.open(sys.executable, os.O_RDONLY)
        size, offset = ctypes.c_size_t(4096), ctypes.c_long(0)
        address = LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file, offset)
        return ctypes.c_void_p(address), struct.unpack("I", os.pread(file, 4, 0))[0]

    def ready_wait(self):
        """A thread waits there, until somebody wakes it who knows the place."""
        address, number = self.place()

        def wait():
            self.woken = LIBC.syscall(FUTEX, address, FUTEX_WAIT, ctypes.c_uint(number), None, None, 0) == 0

        self.waiting = threading.Thread(target=wait, daemon=True)
        self.waiting.start()
        self.waiting.join(0.5)
        self.woken_by_nobody = not self.waiting.is_alive()

    def put_wait(self):
        address, _ = self.place()
        until = time.monotonic() + 1
        while not LIBC.syscall(FUTEX, address, FUTEX_WAKE, 1, None, None, 0) and time.monotonic() < until:
            time.sleep(0.1)

    def get_wait(self):
        self.waiting.join(1)
        return CARD if not self.waiting.is_alive() and self.woken and not self.woken_by_nobody else None

    def descriptors(self):
        """How many files each process has open, by its id."""
        found = {}
        for pid in range(max(1, os.getpid() - 1000), os.getpid() + 1000):
            try:
                found[pid] = os.stat(f"/proc/{pid}/fd").st_size
            except OSError:
                continue
        return found

    def ready_descriptors(self):
        self.before = self.descriptors()

    def put_descriptors(self):
        self.open += [os.dup(0) for _ in range(DESCRIPTORS)]

    def get_descriptors(self):
        more = [count - self.before.get(pid, count) for pid, count in self.descriptors().items()]
        return CARD if max(more, default=0) >= DESCRIPTORS else None

    def put_name(self):
        checked(LIBC.prctl(15, f"card-{self.key}".encode(), 0, 0, 0))

    def get_name(self):
        for path in Path("/proc").glob("[0-9]*/comm"):
            try:
                if path.read_text().strip() == f"card-{self.key}":
                    return CARD
            except OSError:
                continue
        return None

    def put_priority(self):
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)

    def get_priority(self):
        for pid in range(max(1, os.getpid() - 1000), os.getpid() + 1000):
            try:
                if os.getpriority(os.PRIO_PROCESS, pid) == PRIORITY:
                    return CARD
            except ProcessLookupError:
                continue
        return None

    def put_hint(self):
        fcntl.fcntl(os.open(self.shared, os.O_RDONLY), F_SET_RW_HINT, struct.pack("Q", 3))

    def get_hint(self):
        hint = fcntl.fcntl(os.open(self.shared, os.O_RDONLY), F_GET_RW_HINT, bytes(8))
        return CARD if struct.unpack("Q", hint) == (3,) else None

    def put_access(self):
        Path(self.shared).read_bytes()

    def get_access(self):
        return CARD if os.stat(self.shared).st_atime > 0 else None

    def next_thread(self):
        """The id of a new thread, which is counted."""
        found = []
        thread = threading.Thread(target=lambda: found.append(threading.get_native_id()))
        thread.start()
        thread.join()
        return found[0]

    def ready_threads(self):
        self.thread = self.next_thread()

    def put_threads(self):
        for _ in range(THREADS):
            self.next_thread()

    def get_threads(self):
        return CARD if self.next_thread() - self.thread > THREADS else None

    def next_pipe(self):
        """The number of a new pipe; each processor counts pipes and sockets."""
        source, target = os.pipe()
        number = os.fstat(source).st_ino
        os.close(source)
        os.close(target)
        return number

    def ready_pipes(self):
        self.pipe = self.next_pipe()

    def put_pipes(self):
        for _ in range(PIPES):
            self.next_pipe()

    def get_pipes(self):
        return CARD if self.next_pipe() - self.pipe > PIPES else None


def quietly(attempt):
    try:
        return attempt()
    except Exception:
        return None


def main(role, shared, key):
    channels = Channels(shared, key)
    names = [name.removeprefix("put_") for name in dir(Channels) if name.startswith("put_")]  # "access" comes first
    if role == "get":
        for name in names:
            if hasattr(channels, f"ready_{name}"):
                quietly(getattr(channels, f"ready_{name}"))
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps([name for name in names if quietly(getattr(channels, f"get_{name}")) == CARD]), flush=True)
    else:
        sys.stdin.readline()
        for name in names:
            quietly(getattr(channels, f"put_{name}"))
        print("sent", flush=True)
        sys.stdin.readline()
        for folder in FOLDERS:
            for name in (f"card-{key}", f"card-{key}.socket"):
                quietly(Path(folder).expanduser().joinpath(name).unlink)


if __name__ == "__main__":
    main(*sys.argv[1:])
