"""Plants mistakes in `tourney/`, one at a time, and counts how many the tests find: `python -m tests.mutants --help`.

The lines are drawn at random from all that can hold a mistake, so that each room has its share. It works in copies of
the last commit, under `build/mutants/`, one for each job. First the tests run there once, and a recorder notes which
functions each of them calls, and which lines it runs; a mistake is then tried by the tests that are named for its file
or its folder, and by those that call its function, until one fails. Those that run its line come first, slow ones last,
and those that do not fit into `--longest` seconds are left out; so the count is, if anything, too low.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from tests.mutants.mistakes import Mistake, mistakes_in

ROOT = Path(__file__).parent.parent.parent
MARKS = {"make test": "not slow", "make test-all": "slow"}
USER = [] if os.geteuid() == 0 else ["--map-current-user"]
REAPS = ["sh", "-c", '(:); "$@"; exit $?', "sh"]  # `(:)` takes the id that a command has in the sandbox
ALONE = ["unshare", *USER, "--pid", "--fork", "--mount-proc", *REAPS] if sys.platform == "linux" else []
"""Runs a command where it sees no other processes, below one that reaps orphans: a mistake may kill all there are."""


class Outcome(NamedTuple):
    mistake: str
    room: str
    found_by: str | None  # the first of `MARKS` whose tests find it
    test: str  # the test that failed, or how many tests passed


class Tests:
    """The tests that can find a mistake, of those that there are, as the recorder has noted them."""

    def __init__(self, there: Iterable[str], notes: Path, mistakes: Iterable[Mistake]) -> None:
        self._callers: dict[tuple[str, int], set[str]] = defaultdict(set)
        self._runners: dict[tuple[str, int], set[str]] = {
            (mistake.file.removeprefix("tourney/"), mistake.line): set() for mistake in mistakes
        }
        self._files: dict[str, set[str]] = defaultdict(set)
        self._users: dict[str, set[str]] = defaultdict(set)
        self._took = dict.fromkeys(there, 1.0)  # a guess of those that were not noted
        self.failed: set[str] = set()
        for file in notes.glob("notes-*"):
            with file.open() as lines:
                for line in lines:
                    self._read(*map(sys.intern, line.rstrip("\n").split("\t")))

    def _read(self, kind: str, what: str, *fields: str) -> None:
        if kind == "called":
            self._callers[fields[0], int(fields[1])].add(what)
            self._files[fields[0]].add(what)
        elif kind == "ran":
            self._runners.get((fields[0], int(fields[1])), set()).add(what)
        elif kind == "uses":
            self._users[fields[0]].add(what)
        elif kind == "took":
            self._took |= {what: float(fields[0])} if what in self._took else {}
        else:
            self.failed.add(what)

    def finding(self, mistake: Mistake, longest: float) -> tuple[list[str], float]:
        """Returns the tests to try, the most likely to find the mistake first, with the seconds that they take."""
        file = mistake.file.removeprefix("tourney/")
        room = f"tests/{mistake.room}/"
        named_for = tuple([f"{room}test_{part}" for part in Path(file).with_suffix("").parts[1:]])
        callers = (mistake.function and self._callers[file, mistake.function]) or self._files[file]
        callers = callers or {name for name in self._took if name.startswith(room)}
        runners = self._with_users(self._runners[file, mistake.line])
        named = self._with_users(callers) | {name for name in self._took if name.startswith(named_for)}

        def cost(name: str) -> tuple[float, str]:
            weight = 0.02 if name.startswith(named_for) else 0.05 if name.startswith(room) else 1
            return self._took[name] * weight * (0.05 if name in runners else 1), name

        chosen, seconds = [], 0.0
        for name in sorted((name for name in named if name in self._took and name not in self.failed), key=cost):
            if not chosen or seconds + self._took[name] <= longest:
                seconds += self._took[name]
                chosen.append(name)
        return chosen, seconds

    def _with_users(self, names: Iterable[str]) -> set[str]:
        """Adds the tests that use what these have made, directly or by something else."""
        named = {user for name in names for user in (name, *self._users.get(name, ()))}
        return named | {user for name in named for user in self._users.get(name, ())}


class Copy:
    """A copy of the last commit, with an environment of its own, in which mistakes are planted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.exists():
            subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        for command in (["fetch", "--quiet", "origin", "HEAD"], ["reset", "--quiet", "--hard", "FETCH_HEAD"]):
            subprocess.run(["git", *command], cwd=folder, check=True)
        subprocess.run(["make", f"PYTHON={sys.executable}", ".venv/installed-dev"], cwd=folder, check=True)
        site = next(folder.glob(".venv/lib/python*/site-packages"))
        shutil.copy(ROOT / "tests/mutants/recorder.py", site / "tourney_recorder.py")
        line = "import os; 'TOURNEY_RECORDER' in os.environ and __import__('tourney_recorder')\n"
        (site / "tourney_recorder.pth").write_text(line)

    def recorded(self, marks: str, is_known: bool) -> Path:
        notes = self.folder / "build" / f"touched {marks}"
        if not is_known:
            shutil.rmtree(notes, ignore_errors=True)
            notes.mkdir(parents=True)
            command = [self.python, "-m", "pytest", "-q", "-n", "auto", "-p", "tests.mutants.touched", "-m", marks]
            subprocess.run(command, cwd=self.folder, env=os.environ | {"TOURNEY_RECORDER": str(notes)}, check=False)
        return notes

    def tests(self, marks: str) -> list[str]:
        command = [self.python, "-m", "pytest", "-q", "-n", "0", "--collect-only", "-m", marks]
        listed = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
        return [line for line in listed.stdout.splitlines() if "::" in line]

    @property
    def python(self) -> Path:
        return self.folder / ".venv" / "bin" / "python"

    def failing(self, mistake: Mistake, tests: Sequence[str], seconds: float) -> str | None:
        """Plants a mistake, and returns the first test that fails."""
        path, listed = self.folder / mistake.file, self.folder / "build" / "tests.txt"
        listed.parent.mkdir(exist_ok=True)
        listed.write_text("\n".join(tests))
        source = path.read_bytes()
        path.write_bytes(mistake.planted(source))
        command = ["-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", f"@{listed}"]
        process = subprocess.Popen(
            [*ALONE, self.python, *command],
            cwd=self.folder,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            printed = "FAILED no end\n"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            path.write_bytes(source)
        if process.returncode == 0:
            return None
        lines = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return lines[0] if lines else f"exit code {process.returncode}"


def main() -> None:
    given = _arguments()
    mistakes = drawn(given.count, given.seed, given.room)
    copies = [Copy(given.folder / str(number)) for number in range(given.jobs)]
    marks = {name: mark for name, mark in MARKS.items() if given.all or name == "make test"}
    first = copies[0]
    tests = {
        name: Tests(first.tests(mark), first.recorded(mark, given.known), mistakes) for name, mark in marks.items()
    }
    for failed in sorted(set().union(*(part.failed for part in tests.values()))):
        print(f"fails although nothing is planted, and is left out: {failed}")
    outcomes = []
    for number, outcome in enumerate(_tried(mistakes, copies, tests, given.longest), start=1):
        outcomes.append(outcome)
        verdict = f"{outcome.found_by}, {outcome.test}" if outcome.found_by else f"survives {outcome.test}"
        print(f"{number}/{len(mistakes)} {outcome.mistake} | {verdict}", flush=True)
    print("\n".join(_summary(outcomes, list(marks))))


def drawn(count: int, seed: int, rooms: Sequence[str] = ()) -> list[Mistake]:
    """Draws mistakes: lines at random, each at most once, and one of the mistakes of each."""
    lines = defaultdict(list)
    for path in sorted((ROOT / "tourney").rglob("*.py")):
        if not rooms or path.relative_to(ROOT / "tourney").parts[0] in rooms:
            for mistake in mistakes_in(ROOT, path):
                lines[mistake.file, mistake.line].append(mistake)
    chance = random.Random(seed)
    return [chance.choice(lines[line]) for line in chance.sample(list(lines), min(count, len(lines)))]


def _tried(
    mistakes: Sequence[Mistake], copies: Sequence[Copy], tests: dict[str, Tests], longest: float
) -> Iterator[Outcome]:
    free: Queue[Copy] = Queue()
    for copy in copies:
        free.put(copy)

    def outcome(mistake: Mistake) -> Outcome:
        copy, passed = free.get(), 0
        try:
            for name, known in tests.items():
                chosen, seconds = known.finding(mistake, longest)
                if chosen and (failed := copy.failing(mistake, chosen, 30 + 3 * seconds)):
                    return Outcome(str(mistake), mistake.room, name, failed)
                passed += len(chosen)
            return Outcome(str(mistake), mistake.room, None, f"{passed} tests")
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(copies)) as pool:
        yield from pool.map(outcome, mistakes)


def _summary(outcomes: Sequence[Outcome], names: Sequence[str]) -> Iterator[str]:
    for room in sorted({outcome.room for outcome in outcomes}):
        found = [outcome.found_by is not None for outcome in outcomes if outcome.room == room]
        yield f"{room:<12} {sum(found):>4} of {len(found)}"
    for number, name in enumerate(names, start=1):
        found = sum(outcome.found_by in names[:number] for outcome in outcomes)
        yield f"{name}: {found} of {len(outcomes)}, {100 * found / len(outcomes):.1f} %"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=400, help="how many mistakes (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="chooses them (%(default)s)")
    parser.add_argument("--room", action="append", default=[], help="only in this room; may be repeated")
    parser.add_argument("--all", action="store_true", help="try the tests of `make test-all`, too")
    parser.add_argument("--known", action="store_true", help="use what was noted last time of which test calls what")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (%(default)s)")
    parser.add_argument("--longest", type=float, default=120, help="seconds of tests for a mistake (%(default)s)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="for the copies (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
