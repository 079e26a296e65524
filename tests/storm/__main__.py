"""Runs in the storm: their processes are killed, stopped and signalled at random, and they write the same bytes.

`python -m tests.storm` plays them, and prints figures.
"""

import argparse
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.cli.runs import same_run
from tests.conftest import BAD, ROOT, TOURNEY, tournament_text, with_code
from tests.hosts import processes
from tourney.base.errors import EXIT_ENDED_EARLY
from tourney.hosts import linux

FATAL = ("HUP", "INT", "QUIT", "PIPE", "ALRM", "TERM", "USR1", "USR2", "VTALRM", "PROF", "IO")
HARMLESS = ("CHLD", "CONT", "URG", "WINCH")
MAIN = 0.06  # the share of signals that go to the main process
BOTS = ("bot", "sandbox", "examined", "loading")
"""Those who get no signal: a bot whose process somebody ends is charged, and one that cannot be examined is refused."""
EARLY = 0.2
"""The share of starts into which signals are sent from the first moment on; else only once there are workers."""
WAIT_S = 30  # how long, in seconds, what a run has left may stay stopped until the storm continues it
TRIAL = re.compile("[a-z0-9_]{8}")
"""The name of a file by which Python tries whether it may write into a folder; a process that is killed leaves it."""
CALM_S = 1200  # how long, in seconds, a run may take after the last signal; then it hangs
PROGRAM = [sys.executable, str(ROOT / "bots" / "wire" / "random_bot.py")]
POOL = f"{BAD}:Pool"
MAX_FAULTS = 4
HOSTS = {
    "inline": {
        "steady": 'use = "steady"',
        "random": 'use = "random"',
        "pool": f'use = "{POOL}"',
        "raises": f'use = "{BAD}:RaisesLater"',
        "exits": f'use = "{BAD}:KillsItselfLater"',
        "leaves": f'use = "{BAD}:LeavesChild"',
    },
    "process": {
        "random": 'use = "random"',
        "steady": 'use = "steady"\nhost = "process"',
        "pool": f'use = "{POOL}"\nhost = "process"',
        "program": f"command = {PROGRAM}",
        "segfaults": f'use = "{BAD}:Segfaults"\nhost = "process"',
        "forks": f'use = "{BAD}:Forks"\nhost = "process"',
    },
    "sandbox": {
        "random": 'use = "random"',
        "steady": 'use = "steady"\nhost = "sandbox"',
        "pool": f'use = "{POOL}"\nhost = "process"',
        "program": f'command = ["python3", "{PROGRAM[1]}"]\nhost = "sandbox"',
        "first": 'use = "first"\nhost = "sandbox"',
    },
}
"""By host: the entrants, who are not all there, so that the hosts also meet each other."""
FORMATS = {
    "round-robin": ({}, {"inline": 40, "process": 2, "sandbox": 2}),
    "gauntlet": ({"challengers": '["steady", "pool"]'}, {"inline": 60, "process": 4, "sandbox": 2}),
    "swiss": ({"rounds": "3"}, {"inline": 60, "process": 4, "sandbox": 4}),
    "knockout": ({}, {"inline": 60, "process": 6, "sandbox": 4}),
    "ladder": ({"max_matches": "{}"}, {"inline": 1200, "process": 80, "sandbox": 48}),
}
"""By format: its keys, and by host how many deals (of a ladder: how many matches) are played."""
KINDS = [f"{host}-{name}" for name in FORMATS for host in HOSTS]
CLOCKS = ("", "move_ms = 600000", 'clock = "10m"')
"""The limits for decisions, for each kind in turn: long ones, under which bots are stopped between their moves."""


def text(kind):
    """Returns the tournament file of a kind, `HOST-FORMAT`."""
    host, name = kind.split("-", 1)
    keys, sizes = FORMATS[name]
    size = str(sizes[host])
    clock = CLOCKS[(list(HOSTS).index(host) + list(FORMATS).index(name)) % len(CLOCKS)]
    own = {key: value.format(size) for key, value in keys.items()}
    tables = "".join([f'[[bot]]\nname = "{bot}"\n{lines}\n' for bot, lines in HOSTS[host].items()])
    extra = f"{tables}[limits]\n{clock}\nmatch_s = 600\nmax_faults = {MAX_FAULTS}"
    deals = "2" if name == "ladder" else size
    return tournament_text(kind, format=f'"{name}"', deals=deals, bots="", **own, extra=extra)


def undisturbed(kind, folder):
    """Returns the folder of an undisturbed run of a kind, which is played once."""
    whole = folder / f"whole-{kind}"
    if not whole.exists():
        file = folder / f"{kind}.toml"
        file.write_text(text(kind), encoding="utf-8")
        command = [TOURNEY, "run", str(file), "--out", str(whole), "--quiet"]
        with_code(subprocess.run(command, capture_output=True, text=True, check=False))
    return whole


class Storm:
    """A run of one kind, under signals that are drawn by a seed."""

    def __init__(self, kind, seed, most, folder, figures):
        """Starts nothing yet; at most that many signals are sent."""
        self.kind, self.rng = kind, random.Random(seed)
        self.left, self.figures = most, figures
        self.whole = undisturbed(kind, folder)
        self.file = folder / f"{kind}.toml"
        self.folder = folder / f"{kind}-{seed}"
        self.out = self.folder / "run"
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir(parents=True)
        self.log = (self.folder / "storm.log").open("w", encoding="utf-8")
        self.early = False
        self.continues: list[tuple[float, int]] = []
        self.lost = False  # whether a helper was killed since the last start without which a run cannot go on

    def pass_over(self):
        """Starts and resumes the run until it has ended by itself; raises if it left or wrote something else."""
        again: list[str] = []
        while (code := self.play(again)) != 0:
            self.say(f"ended with {code}")
            again = ["--resume"] if (self.out / "manifest.json").exists() else []
            self.figures["resumes"] += 1
        same_run(self.out, self.whole)
        self.expect("a process", lambda: [str(each) for each in processes.descendants().values()])
        files = self.temporary.rglob
        self.expect("a file", lambda: [str(path) for path in files("*") if not TRIAL.fullmatch(path.name)])
        self.figures["runs"] += 1
        self.log.close()
        shutil.rmtree(self.folder)

    def play(self, again):
        """Plays the run once, until it ends or is ended; returns its exit code."""
        workers = f"{self.rng.randint(1, 3)}!"
        command = [TOURNEY, "run", str(self.file), "--out", str(self.out), "--quiet", *again]
        command += ["--workers", workers]
        self.say(" ".join(command))
        self.early = self.rng.random() < EARLY
        self.lost = False
        with (self.folder / "stderr.txt").open("wb") as errors:
            keys = {"env": os.environ | {"TMPDIR": str(self.temporary)}, "start_new_session": True}
            main = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, **keys)
        sent: set[int] = set()
        self.blow(main, sent)
        errors = (self.folder / "stderr.txt").read_text(encoding="utf-8", errors="replace")
        self.continues.clear()
        code = main.returncode
        expected = -code in sent or (code == 130 and sent & {signal.SIGINT, signal.SIGTERM}) or code == 0
        expected = expected or (code == EXIT_ENDED_EARLY and self.lost)
        if not expected or ("Traceback" in errors and code == 0):
            self.say(errors)
            raise AssertionError(f"it ended with {code}: {errors[-1000:]}")
        self.gone(main.pid)
        return code

    def blow(self, main, sent):
        struck, until = time.monotonic(), time.monotonic() + self.rng.expovariate(6)
        while main.poll() is None:
            now = time.monotonic()
            for at, pid in [each for each in self.continues if each[0] <= now]:
                self.continues.remove((at, pid))
                self.send(pid, signal.SIGCONT)
            if self.left > 0 and now >= until:
                self.strike(main, sent)
                struck, until = now, time.monotonic() + self.rng.expovariate(6)
            processes.reap(main.pid)
            if now - struck > CALM_S:
                raise AssertionError(f"it hangs: {list(processes.descendants(main.pid).values())}")
            time.sleep(0.02)
        main.wait()

    def strike(self, main, sent):
        family = {pid: each for pid, each in processes.descendants().items() if each.state != "Z"}
        roles: dict[str, list[int]] = {}
        for each in family.values():
            roles.setdefault(processes.role(each, family, main.pid), []).append(each.pid)
        others = sorted(set(roles) - {"main", *BOTS})
        role = "main" if self.rng.random() < MAIN else self.rng.choice(others or [""])
        if role not in roles or not (self.early or "worker" in roles):
            return
        pid = self.rng.choice(roles[role])
        chance = self.rng.random()
        name = (
            "KILL" if chance < 0.3 else "STOP" if chance < 0.5 else self.rng.choice(FATAL) if chance < 0.9
            else self.rng.choice(HARMLESS)
        )  # fmt: skip
        number = signal.Signals[f"SIG{name}"]
        if name == "STOP":
            self.continues.append((time.monotonic() + self.rng.expovariate(2), pid))
        self.say(f"{name} to {role} {pid}: {family[pid].command[:100]}")
        if self.send(pid, number):
            if pid == main.pid:
                sent.add(number)
            self.lost |= role == "spawner" or (role == "forkserver" and number == signal.SIGKILL)
            self.left -= 1
            self.figures.update(["signals", f"to {role}", name])

    def send(self, pid, number):
        """Sends a signal to a process of this run; returns whether it was there."""
        if pid not in processes.descendants():
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            return True
        return False

    def gone(self, main):
        """Waits until none of the run's processes is left; continues those that nobody else can continue."""
        patient = time.monotonic() + WAIT_S

        def left():
            processes.reap(main)
            found = processes.descendants()
            for each in found.values():
                if each.state == "T" and time.monotonic() > patient and self.send(each.pid, signal.SIGCONT):
                    self.say(f"CONT to {each.pid}, which nobody else continues")
                    self.figures["continued, as all that see to them were killed"] += 1
            return [str(each) for each in found.values()]

        self.expect("a process", left)

    def expect(self, what, left):
        until = time.monotonic() + 120
        while found := left():  # type: ignore[operator]
            if time.monotonic() > until:
                raise AssertionError(f"{what} is left: {found[:5]}")
            time.sleep(0.05)

    def say(self, what):
        self.log.write(f"{time.monotonic():.3f} {what}\n")
        self.log.flush()


def main():
    """Plays runs of all kinds in turn; returns 1 at the first that came to something else than an undisturbed one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("RUNS", "60")))
    parser.add_argument("--signals", type=int, default=25, help="the most signals for each run")
    parser.add_argument("--seed", default=os.environ.get("SEED", "1"), help="what the signals are drawn from")
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS, metavar="HOST-FORMAT")
    chosen = parser.parse_args()
    linux.adopt_orphans()
    figures: Counter[str] = Counter()
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="tourney-storm-"))
    for number, kind in zip(range(chosen.runs), itertools.cycle(chosen.kinds), strict=False):
        seed = f"{chosen.seed}.{number}" if chosen.runs > 1 else chosen.seed
        try:
            Storm(kind, seed, chosen.signals, folder, figures).pass_over()
        except AssertionError as error:
            processes.end()
            again = f"python -m tests.storm --runs 1 --kinds {kind} --seed {seed} --signals {chosen.signals}"
            print(f"{kind}: {error}\nthe folder {folder} is kept; continue with: {again}", file=sys.stderr)
            return 1
        print(f"{kind} {seed}: {figures['signals']} signals so far", flush=True)
    found = [f"{count} {what}" for what, count in figures.most_common()]
    print(f"{time.monotonic() - started:.0f} s", *found, sep="; ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
