"""Prints how long runs of bots take that start slowly, with and without `keep`: `python -m tests.hosts.keep_times`."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import ROOT, TOURNEY

NET = """
import threading, time
time.sleep(1)  # as long as the import of a library for neural nets
threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()

class Net:
    def act(self, view, legal):
        return legal[0]
"""
BOTS = {
    "a program in Node": (240, f'command = ["node", "{ROOT}/bots/wire/first_bot.js"]'),
    "a program in Python": (240, f'command = ["{sys.executable}", "{ROOT}/bots/wire/random_bot.py"]'),
    "a Python bot with a thread, a second to import": (20, 'use = "net.py:Net"\nhost = "process"'),
}
"""The number of matches, and the keys of the bot."""


def seconds(folder: Path, matches: int, keys: str) -> float:
    """How long the run takes, with one worker."""
    (folder / "net.py").write_text(NET, encoding="utf-8")
    text = (
        f'name = "keep"\nseed = 1\ndeals = {matches // 2}\nbots = ["first"]\n'
        f'[[bot]]\nname = "slow"\n{keys}\n[[game]]\nname = "vole"\n'
    )
    (folder / "keep.toml").write_text(text, encoding="utf-8")
    started = time.perf_counter()
    command = [TOURNEY, "run", "keep.toml", "--workers", "1", "--quiet", "--out", f"out-{started}"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Prints a line for each kind of bot."""
    for name, (matches, keys) in BOTS.items():
        with TemporaryDirectory() as folder:
            before, after = [seconds(Path(folder), matches, each) for each in (keys, f"{keys}\nkeep = true")]
        print(f"{name}: {matches} matches in {before:.1f} s, with keep = true in {after:.1f} s")


if __name__ == "__main__":
    main()
