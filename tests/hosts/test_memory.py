"""Limits of memory: what the system's limit on data does not count is noticed while a bot holds it."""

import pytest

from tests.hosts.play import against_good, bad_wire, charged, written

BOTS = """
import contextlib, ctypes, mmap, socket, time
PIECE = 8 << 20
KEPT = []
def hold_shared():
    KEPT.append(mmap.mmap(-1, PIECE))
    KEPT[-1].write(bytes(PIECE))
def hold_read_only():
    KEPT.append(mmap.mmap(-1, PIECE, flags=mmap.MAP_PRIVATE))
    KEPT[-1].write(bytes(PIECE))
    address = ctypes.addressof(ctypes.c_char.from_buffer(KEPT[-1]))
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), ctypes.c_size_t(PIECE), mmap.PROT_READ):
        raise OSError
def hold_full():
    try:
        KEPT.append(socket.socketpair())
    except OSError:  # as many are open as may be
        return
    for end in KEPT[-1]:
        end.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                end.send(bytes(PIECE))
class Bot:
    def act(self, view, legal):
        if not KEPT:
            for _ in range(PIECES):
                hold_KIND()
            time.sleep(SECONDS)
        return legal[0]
"""
TOO_MUCH = [("memory", "process ran out of memory")]


CASES = {
    "too much, read-only": ("read_only", "process", 400, 600, {"memory_mb": 200}, TOO_MUCH),
    "too much, shared": ("shared", "process", 400, 600, {"memory_mb": 200}, TOO_MUCH),
    "too much in the sandbox": ("read_only", "sandbox", 400, 600, {"memory_mb": 200}, TOO_MUCH),
    "too many full streams": ("full", "sandbox", 1600, 600, {"memory_mb": 40}, TOO_MUCH),
    "within the limit": ("shared", "process", 80, 0.5, {"memory_mb": 200}, []),
    "no limit": ("read_only", "process", 400, 0, {}, []),
}
"""By name: the kind of memory, the host, how many MB are held for how many seconds, the limits, and the faults."""
QUICK = ("too much, read-only", "within the limit")


@pytest.mark.parametrize(
    ("kind", "host", "megabytes", "seconds", "limits", "faults"),
    [pytest.param(*CASES[name], id=name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in CASES],
)
def test_a_process_may_hold_what_its_limit_allows_and_is_charged_if_it_holds_more(
    tmp_path, kind, host, megabytes, seconds, limits, faults
):
    text = BOTS.replace("hold_KIND", f"hold_{kind}").replace("PIECES", str(megabytes // 8))
    with written(text.replace("SECONDS", str(seconds)), tmp_path, host=host, **limits) as found:
        assert [(fault.kind, fault.detail) for fault in against_good(found).faults] == faults


def test_a_program_that_takes_too_much_memory_is_charged_for_it():
    assert charged(bad_wire("allocates", memory_mb=60))[0] == "memory"
