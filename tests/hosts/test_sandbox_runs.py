"""Bots that play in the sandbox: what they may use, and tournaments of them."""

import json
import shutil
import sys

import pytest

from tests.conftest import BAD, tournament_text
from tests.helpers import wire_bot
from tests.hosts.play import ROOT, WIRE, against_good, match_with, opened, spec_of, written

pytestmark = pytest.mark.needs("bubblewrap")

MB = 1 << 20
LIMITED = """
import resource
def limits():
    return "_".join([str(resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]) for name in NAMES])
class Limited:
    def act(self, view, legal):
        raise type(limits(), (Exception,), {})
"""
CARDS = BAD.with_name("cards.py").read_text(encoding="utf-8")


def limits(folder, names, kind, **host_options) -> list[int]:
    """The limits of the process, as it reads them, that a bot of the kind, `python` or `program`, has with 300 MB."""
    file = folder / "limited.py"
    text, use = LIMITED.replace("NAMES", json.dumps(names)), "limited.py:Limited" if kind == "python" else ""
    file.write_text(text if use else wire_bot('"fault": "error", "detail": limits()', text), encoding="utf-8")
    command = () if use else (sys.executable, "-I", "-S", "limited.py")
    spec = spec_of("limited", use, "sandbox", command, folder=folder, sources=(file,), host_options=host_options)
    with opened(spec, None, memory_mb=300) as host:
        (fault,) = against_good(host).faults
    assert fault.kind == "error"
    return [int(number) for number in fault.detail.split(" ")[0].split("_")]


@pytest.mark.parametrize(("kind", "reserved_mb"), [("python", 1024), ("program", 4096)])
def test_beyond_its_memory_a_bot_may_reserve_address_space(tmp_path, kind, reserved_mb):
    assert limits(tmp_path, ["DATA", "AS"], kind) == [300 * MB, (300 + reserved_mb) * MB]


def test_the_options_of_the_host_limit_threads_and_files(tmp_path):
    names = ["NPROC", "NOFILE", "FSIZE", "STACK", "SIGPENDING"]
    assert limits(tmp_path, names, "program") == [64, 256, 16 * MB, 8 * MB, 256]
    own = {"threads": 5, "open_files": 40, "file_mb": 2}
    assert limits(tmp_path, names, "program", **own) == [5, 40, 2 * MB, 8 * MB, 256]


def test_as_many_files_as_there_are_can_be_hidden(tmp_path):
    """Their paths are longer together than a word of a command may be."""
    hidden = [tmp_path / f"{number}-{200 * 'x'}" for number in range(700)]
    for path in hidden:
        path.touch()
    spec = spec_of("first", "first", "sandbox", folder=tmp_path, sources=(ROOT / "bots",), all_sources=tuple(hidden))
    with opened(spec, None) as host:
        assert against_good(host).faults == ()


LOOKER = """
import os
if any([os.path.exists(path) and os.path.getsize(path) for path in PATHS]):
    sys.exit(3)
"""
IMPORTS = f"""
def never():
    import wire
    from ....etc import beside
    from {60 * "."} import x
    from . import{5000 * chr(9)}y
"""
LOCKED = """
[[bot]]
name = "looker"
command = ["./looker.py"]
host = "sandbox"
[[bot]]
name = "policy"
use = "policy.py:Bot"
host = "sandbox"
[[bot]]
name = "eater"
command = ["/usr/bin/env", "python3", "-S", "wire.py", "allocates"]
reads = ["/usr/share/misc", "/bin/sh"]
host = "sandbox"
[limits]
memory_mb = 100
"""


def test_bots_see_what_is_everybodys_nothing_that_they_import_or_is_beside_them_and_are_charged_for_memory(
    tmp_path, tourney, monkeypatch
):
    packages = tmp_path / "site-packages"  # shown to every Python bot, with a tournament in it
    monkeypatch.syspath_prepend(packages)
    folder = packages / "cup"
    folder.mkdir(parents=True)
    shutil.copy(WIRE, folder)
    (folder / "link.py").symlink_to(shutil.copy(WIRE, tmp_path))
    paths = (tmp_path / "run", tmp_path / "run" / "journal.jsonl", folder / "wire.py", folder / "link.py")
    hidden = list(map(str, paths))
    looker = wire_bot('"action": asked["legal"][0]', LOOKER.replace("PATHS", repr(hidden)))
    (folder / "looker.py").write_text(looker, encoding="utf-8")
    (folder / "looker.py").chmod(0o755)
    looks = f"import os\nassert not any([os.path.exists(path) and os.path.getsize(path) for path in {hidden!r}])\n"
    own = "from tourney_bots.steady import Steady as Bot\n"  # who loads a policy
    (folder / "policy.py").write_text(looks + own + IMPORTS, encoding="utf-8")
    (folder / "locked.toml").write_text(tournament_text("locked", deals="1", bots="[]", extra=LOCKED), encoding="utf-8")
    done = tourney("run", folder / "locked.toml", "--out", "run")
    assert done.returncode == 0, done.stderr
    faults = [
        (record["seats"][fault["seat"]], fault["kind"])
        for record in map(json.loads, (tmp_path / "run" / "journal.jsonl").read_bytes().splitlines())
        for fault in record["faults"]
    ]
    assert set(faults) == {("eater", "crash")}


@pytest.mark.slow
@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_a_card_is_found_in_no_channel_of_the_sandbox_and_in_those_of_a_process(host, tmp_path):
    with written(CARDS, tmp_path, host=host, log=tmp_path / "log.txt") as found:
        for target in (6, 7):
            assert match_with(found, found, options={"target": target}).faults == ()
    leaver, beside, *after = [set(json.loads(line)) for line in (tmp_path / "log.txt").read_text().splitlines()]
    assert leaver == set()
    if host == "sandbox":
        assert [beside, *after] == [set()] * 3
    else:  # what could not be found here would prove nothing there
        assert beside >= {"files", "modes", "locks", "process ids", "process names", "sockets", "localhost"}
        assert not beside & {"memory", "descriptors"}
