"""What a bot in the sandbox may use: the limits of its process, as the process itself reads them."""

import json
import sys

import pytest

from tests.hosts import machine
from tests.hosts.play import ROOT, against_good, opened
from tourney.hosts.base import BotSpec

PYTHON_BOT = """
import resource

class Limited:
    def act(self, view, legal):
        limits = [resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in NAMES]
        raise type("_".join(str(soft) for soft, _ in limits), (Exception,), {})
"""
PROGRAM = """
import json, resource, sys

for line in sys.stdin:
    message = json.loads(line)
    answer = {"type": message["type"], "protocol": 1}
    if message["type"] == "act":
        limits = [resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in NAMES]
        answer |= {"fault": "error", "detail": "_".join(str(soft) for soft, _ in limits)}
    print(json.dumps(answer), flush=True)
"""
MB = 1 << 20


def limits(folder, names, kind, **host_options) -> list[int]:
    """The limits of these names that a bot of the kind, `python` or `program`, has with 300 MB of memory."""
    source = {"python": PYTHON_BOT, "program": PROGRAM}[kind].replace("NAMES", json.dumps(names))
    file = folder / "limited.py"
    file.write_text(source, encoding="utf-8")
    use = "limited.py:Limited" if kind == "python" else ""
    command = () if use else (sys.executable, "-I", "-S", "limited.py")
    spec = BotSpec("limited", "sandbox", use, {}, command, folder, ("vole",), (file,), host_options=host_options)
    with opened(spec, None, memory_mb=300) as host:
        (fault,) = against_good(host).faults
    assert fault.kind == "error"
    return [int(number) for number in fault.detail.split(" ")[0].split("_")]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "reserved_mb"), [("python", 1024), ("program", 4096)])
def test_beyond_its_memory_a_bot_may_reserve_address_space(tmp_path, kind, reserved_mb):
    machine.need_sandbox()
    assert limits(tmp_path, ["DATA", "AS"], kind) == [300 * MB, (300 + reserved_mb) * MB]


def test_the_options_of_the_host_limit_threads_and_files(tmp_path):
    machine.need_sandbox()
    names = ["NPROC", "NOFILE", "FSIZE"]
    assert limits(tmp_path, names, "program") == [64, 256, 16 * MB]
    assert limits(tmp_path, names, "program", threads=5, open_files=40, file_mb=2) == [5, 40, 2 * MB]


@pytest.mark.slow
def test_as_many_files_as_there_are_can_be_hidden(tmp_path):
    """Their paths are longer together than a word of a command may be."""
    machine.need_sandbox()
    hidden = [tmp_path / f"{number}-{200 * 'x'}" for number in range(700)]
    for path in hidden:
        path.touch()
    spec = BotSpec("first", "sandbox", "first", {}, (), tmp_path, ("vole",), (ROOT / "bots",), tuple(hidden))
    with opened(spec, None) as host:
        assert against_good(host).faults == ()
