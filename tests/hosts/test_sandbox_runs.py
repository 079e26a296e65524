"""Bots that play in the sandbox: what they may use, and tournaments of them."""

import json
import shutil
import sys

import pytest

from tests.hosts import machine
from tests.hosts.play import ROOT, WIRE, against_good, opened
from tourney.hosts.base import BotSpec

MB = 1 << 20
LIMITED = """
import json, resource, sys

def limits():
    return "_".join([str(resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]) for name in NAMES])

class Limited:
    def act(self, view, legal):
        raise type(limits(), (Exception,), {})

if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"type": message["type"], "protocol": 1}
        if message["type"] == "act":
            answer |= {"fault": "error", "detail": limits()}
        print(json.dumps(answer), flush=True)
"""


def limits(folder, names, kind, **host_options) -> list[int]:
    """The limits of the process, as it reads them, that a bot of the kind, `python` or `program`, has with 300 MB."""
    machine.need_sandbox()
    file = folder / "limited.py"
    file.write_text(LIMITED.replace("NAMES", json.dumps(names)), encoding="utf-8")
    use = "limited.py:Limited" if kind == "python" else ""
    command = () if use else (sys.executable, "-I", "-S", "limited.py")
    spec = BotSpec("limited", "sandbox", use, {}, command, folder, ("vole",), (file,), host_options=host_options)
    with opened(spec, None, memory_mb=300) as host:
        (fault,) = against_good(host).faults
    assert fault.kind == "error"
    return [int(number) for number in fault.detail.split(" ")[0].split("_")]


@pytest.mark.parametrize(("kind", "reserved_mb"), [("python", 1024), ("program", 4096)])
def test_beyond_its_memory_a_bot_may_reserve_address_space(tmp_path, kind, reserved_mb):
    assert limits(tmp_path, ["DATA", "AS"], kind) == [300 * MB, (300 + reserved_mb) * MB]


def test_the_options_of_the_host_limit_threads_and_files(tmp_path):
    names = ["NPROC", "NOFILE", "FSIZE"]
    assert limits(tmp_path, names, "program") == [64, 256, 16 * MB]
    assert limits(tmp_path, names, "program", threads=5, open_files=40, file_mb=2) == [5, 40, 2 * MB]


def test_as_many_files_as_there_are_can_be_hidden(tmp_path):
    """Their paths are longer together than a word of a command may be."""
    machine.need_sandbox()
    hidden = [tmp_path / f"{number}-{200 * 'x'}" for number in range(700)]
    for path in hidden:
        path.touch()
    spec = BotSpec("first", "sandbox", "first", {}, (), tmp_path, ("vole",), (ROOT / "bots",), tuple(hidden))
    with opened(spec, None) as host:
        assert against_good(host).faults == ()


LOOKER = f"""
import os

def never():
    import wire, link
    from ....etc import beside
    from {60 * "."} import x
    from . import{5000 * chr(9)}y

class Looker:
    def act(self, view, legal):
        assert os.listdir(os.path.dirname(__file__)) == ["looker.py"]
        for path in PATHS:
            try:
                os.stat(path)
            except OSError:
                continue
            raise LookupError(path)
        return legal[0]
"""
TOURNAMENT = """
name = "locked"
seed = 1
deals = 1
bots = ["random"]
[[bot]]
name = "looker"
use = "looker.py:Looker"
host = "sandbox"
[[bot]]
name = "eater"
command = ["/usr/bin/env", "python3", "-S", "wire.py", "allocates"]
host = "sandbox"
[[game]]
name = "vole"
options = { target = 6 }
[limits]
memory_mb = 100
"""


def test_bots_see_their_own_files_alone_whatever_they_import_or_is_beside_them_and_are_charged_for_memory(
    tmp_path, tourney
):
    machine.need_sandbox()
    shutil.copy(WIRE, tmp_path)
    (tmp_path / "link.py").symlink_to("/proc/kmsg")
    paths = [str(tmp_path / name) for name in ("run", "run/journal.jsonl", "wire.py", "link.py")]
    (tmp_path / "looker.py").write_text(f"PATHS = {paths}\n{LOOKER}", encoding="utf-8")
    (tmp_path / "locked.toml").write_text(TOURNAMENT, encoding="utf-8")
    done = tourney("run", "locked.toml", "--out", "run")
    assert done.returncode == 0, done.stderr
    faults = [
        (record["seats"][fault["seat"]], fault["kind"])
        for record in map(json.loads, (tmp_path / "run" / "journal.jsonl").read_bytes().splitlines())
        for fault in record["faults"]
    ]
    assert set(faults) == {("eater", "crash")}
