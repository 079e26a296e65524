"""What must hold on every system, tried by the command alone: `python -m tests.elsewhere` on macOS and Linux.

Some tests of the suite need Linux; this needs nothing.
"""

import json
import subprocess
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path

BOTS = """
import os, subprocess, sys, time

class Good:
    def act(self, view, legal):
        return legal[-1]

class Raises(Good):
    def act(self, view, legal):
        raise ValueError

class Exits(Good):
    def act(self, view, legal):
        os._exit(3)

class Sleeps(Good):
    def act(self, view, legal):
        time.sleep(600)

class LeavesChild(Good):
    def start(self, facts):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
"""
RANDOM = Path(__file__).parent.parent / "bots" / "wire" / "random_bot.py"
GAME = '[[game]]\nname = "vole"\noptions = { target = 6 }'
AGAINST_FIRST = 'format = "gauntlet"\nchallengers = ["first"]'
ALL_GAMES = """
name = "all"
seed = 3
deals = 2
bots = ["first", "random"]
[[bot]]
name = "second"
use = "random"
[[bot]]
name = "third"
use = "random"
[[bot]]
name = "fourth"
use = "random"
[[game]]
name = "vole"
[[game]]
name = "voleur"
seats = 4
[[game]]
name = "leon"
seats = 3
[[game]]
name = "bang"
seats = 5
[[game]]
name = "cold-blooded"
seats = 5
"""
DIGEST = "bdca5bf4e2ad1ef2d9628aa9c667c81f"
"""The hash over the journal of that tournament, on Linux as everywhere; a change of the rules renews it."""
KINDS = {"Good": "", "Raises": "error", "Exits": "crash", "Sleeps": "timeout", "LeavesChild": ""}
"""The fault that each of these bots is charged with."""


def tournament(folder: Path, name: str, deals: int, *bots: str, more: str = "") -> Path:
    """Writes a tournament file of bots in that file, given as `Name`, `Name process`, or a plugin's name."""
    (folder / "bots.py").write_text(BOTS, encoding="utf-8")
    lines = [
        f'name = "{name}"',
        "seed = 3",
        f"deals = {deals}",
        more,
        '[[game]]\nname = "vole"\noptions = { target = 6 }',
    ]
    for bot in bots:
        use, _, host = bot.partition(" ")
        lines.append(f'[[bot]]\nname = "{use.lower()}"\nuse = "{f"bots.py:{use}" if use in KINDS else use}"')
        if host:
            lines.append(f'host = "{host}"')
    file = folder / f"{name}.toml"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return file


def tourney(folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tourney", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


def play(folder: Path, config: Path, out: str, *more: object) -> bytes:
    """Plays a tournament, and returns its journal."""
    ended = tourney(folder, "run", config, "--out", out, *more)
    assert ended.returncode == 0, (ended.returncode, ended.stdout, ended.stderr)
    return (folder / out / "journal.jsonl").read_bytes()


def faults(journal: bytes) -> set[tuple[str, str]]:
    """Who was charged with what kind of fault."""
    records = map(json.loads, journal.splitlines())
    return {(record["seats"][fault["seat"]], fault["kind"]) for record in records for fault in record["faults"]}


def same_bytes_with_one_worker_and_with_two_and_after_a_kill(folder: Path) -> None:
    config = tournament(folder, "same", 200, "first", "steady", "Good")
    whole = play(folder, config, "one", "--workers", 1)
    assert play(folder, config, "two", "--workers", 2) == whole
    assert tourney(folder, "verify", "one").returncode == 0
    command = [sys.executable, "-m", "tourney", "run", str(config), "--out", "killed", "--workers", "2"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = folder / "killed" / "journal.jsonl"
    while process.poll() is None and not (journal.exists() and journal.stat().st_size):
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert whole.startswith(journal.read_bytes().rpartition(b"\n")[0])
    assert play(folder, config, "killed", "--resume") == whole


def all_games_come_to_the_same_bytes_on_every_system(folder: Path) -> None:
    config = folder / "all.toml"
    config.write_text(ALL_GAMES, encoding="utf-8")
    digest = blake2b(play(folder, config, "all"), digest_size=16).hexdigest()
    assert digest == DIGEST, digest


def bad_bots_are_charged_and_nobody_else(folder: Path, host: str) -> None:
    bots = [f"{name} {host}".strip() for name in KINDS]
    config = tournament(folder, f"bad{host}", 1, "first", *bots, more=f"{AGAINST_FIRST}\n[limits]\nmove_ms = 2000")
    found = faults(play(folder, config, f"bad{host}", "--workers", 1))
    assert found == {(name.lower(), kind) for name, kind in KINDS.items() if kind}, found


def programs_play(folder: Path) -> None:
    config = tournament(folder, "programs", 2, "first", "random process")
    command = json.dumps([sys.executable, str(RANDOM)])
    with config.open("a", encoding="utf-8") as file:
        file.write(f'[[bot]]\nname = "program"\ncommand = {command}\n')
    assert not faults(play(folder, config, "programs", "--workers", 1))


def what_needs_linux_is_refused_in_one_line(folder: Path) -> None:
    for name, bot, more in (("locked", "Good sandbox", ""), ("memory", "Good", "[limits]\nmemory_mb = 100")):
        ended = tourney(folder, "run", tournament(folder, name, 1, "first", bot, more=more), "--out", name)
        lines = ended.stderr.strip().splitlines()
        assert (ended.returncode, len(lines)) == (2, 1), (ended.returncode, lines)
        assert "needs Linux" in lines[0], lines


def main() -> None:
    """Tries all of it, and says how long each part took."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for what, more in (
            (same_bytes_with_one_worker_and_with_two_and_after_a_kill, ()),
            (all_games_come_to_the_same_bytes_on_every_system, ()),
            (bad_bots_are_charged_and_nobody_else, ("",)),
            (bad_bots_are_charged_and_nobody_else, ("process",)),
            (programs_play, ()),
            *([(what_needs_linux_is_refused_in_one_line, ())] if sys.platform != "linux" else []),
        ):
            begun = time.monotonic()
            what(folder, *more)
            print(f"ok {' '.join([what.__name__.replace('_', ' '), *more]).strip()} ({time.monotonic() - begun:.1f} s)")


if __name__ == "__main__":
    main()
