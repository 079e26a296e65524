"""Orders to a spawner: data of any length, with file descriptors."""

import errno
import os
import socket

from tourney.hosts import linux

_ORDER = b"order"
"""The message that an order is sent with."""


def send_order(channel: socket.socket, data: bytes, *files: int) -> None:
    """Sends data of any length with some file descriptors: as a file in memory, since a message has a bounded length.

    Raises:
        OSError: Nobody is at the other end, or the system allows no more open files.
    """
    memory = linux.memory_file("order")
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(memory, left) :]
        socket.send_fds(channel, [_ORDER], [memory, *files])
    finally:
        os.close(memory)


def receive_order(channel: socket.socket, size: int, files: int) -> tuple[bytes, list[int]]:
    """Returns the data of the next order that was sent by `send_order`, and its file descriptors.

    Of a message that was sent otherwise it returns the first `size` bytes, and no file descriptors.

    Args:
        channel: The socket.
        size: How many bytes such a message has at most.
        files: How many file descriptors an order has.

    Raises:
        OSError: The other end is gone, or this process may open no more files.
    """
    message, found, _, _ = socket.recv_fds(channel, size, files + 1)
    if message != _ORDER:
        return message, []
    if len(found) <= files:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    memory, *others = found
    with open(memory, "rb") as file:
        file.seek(0)
        return file.read(), others
