"""Limits of memory: what the system's limit on data does not count is noticed while a bot holds it."""

import sys

import pytest

from tests.conftest import mostly_slow
from tests.hosts import machine
from tests.hosts.play import ROOT, against_good, opened, program
from tourney.hosts.base import BotSpec

BOTS = """
import ctypes, mmap, time

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

class Holder:
    def act(self, view, legal):
        while len(KEPT) < PIECES:
            hold_KIND()
        time.sleep(SECONDS)
        return legal[0]
"""


def faults(folder, kind, host, megabytes, seconds, **limits):
    source = BOTS.replace("hold_KIND", f"hold_{kind}").replace("PIECES", str(megabytes // 8))
    file = folder / "holder.py"
    file.write_text(source.replace("SECONDS", str(seconds)), encoding="utf-8")
    spec = BotSpec("holder", host, "holder.py:Holder", {}, (), folder, ("vole",), (file,))
    with opened(spec, None, **limits) as found:
        return [(fault.kind, fault.detail) for fault in against_good(found).faults]


TOO_MUCH = [("memory", "its process died for want of memory")]


@pytest.mark.parametrize("kind", mostly_slow(["shared", "read_only"], "read_only"))
def test_a_process_that_holds_too_much_is_charged(tmp_path, kind):
    assert faults(tmp_path, kind, "process", 400, 600, memory_mb=200) == TOO_MUCH


@pytest.mark.slow
def test_a_bot_in_the_sandbox_that_holds_too_much_is_charged(tmp_path):
    machine.need_sandbox()
    assert faults(tmp_path, "read_only", "sandbox", 400, 600, memory_mb=200) == TOO_MUCH


@pytest.mark.slow
def test_a_process_may_hold_what_its_limit_allows(tmp_path):
    assert faults(tmp_path, "shared", "process", 80, 0.5, memory_mb=200) == []
    assert faults(tmp_path, "read_only", "process", 400, 0) == []


@pytest.mark.slow
def test_a_program_that_takes_too_much_memory_is_charged_for_it():
    with program(sys.executable, "-S", ROOT / "tests/bad/wire.py", "allocates", memory_mb=60) as host:
        (fault,) = against_good(host).faults
    assert (fault.seat, fault.kind) == (1, "memory")
