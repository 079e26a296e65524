"""Damage to any file of a run, random and aimed: every command says so in one line, or does what it did before."""

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from tests.cli.crafted import COUNTS, LINES, RECORDS, resealed, save_counts, sealed
from tests.conftest import tournament_text
from tourney.cli.main import main
from tourney.errors import EXIT_BUG
from tourney.journal import counts_cache, folder

TWO = '[[game]]\nname = "vole"\noptions = { target = 1 }\n[[game]]\nname = "voleur"\nseats = 2'
ONE = '[[game]]\nname = "vole"\noptions = { target = 1 }'
FILES = {
    "round-robin": {"deals": "2", "game": TWO},
    "swiss": {"format": '"swiss"', "rounds": "2", "deals": "1", "game": ONE},
    "ladder": {"format": '"ladder"', "max_matches": "24", "deals": "1", "game": ONE},
}
GATE = ("gate", "steady", "--against", "random", "--game", "vole", "--max-deals", 4, "--workers", 1, "--quiet")


def tourney(*arguments: object) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code != EXIT_BUG, (arguments, result.output)
    return result


class Run:
    """A finished run in a folder that can be damaged and restored."""

    def __init__(self, place: Path, name: str) -> None:
        self.name, self.path, self.sound = name, place / name, place / f"{name}-sound"
        self.start: tuple[object, ...] = (*GATE, "--out", self.path)
        if name != "gate":
            config = place / f"{name}.toml"
            config.write_text(tournament_text(name, **FILES[name]), encoding="utf-8")
            self.start = ("run", config, "--out", self.path, "--quiet", "--workers", 1)
        self.first = tourney(*self.start)
        assert self.first.exit_code in (0, 1, 3), self.first.output
        shutil.copytree(self.path, self.sound)
        self.files = {file.name: file.read_bytes() for file in self.path.iterdir()}
        lines = self.files[folder.JOURNAL].splitlines()
        matches = [orjson.loads(line)["match"] for line in (lines[0], lines[-1])]
        self.commands = [
            ("standings", self.path),
            ("standings", self.path, "--cross", "--format", "json"),
            ("matches", self.path),
            *[("replay", self.path, match) for match in matches],
            ("verify", self.path),
            ("diff", self.path, self.sound),
        ]
        self.results = [tourney(*command) for command in self.commands]
        assert [result.exit_code for result in self.results] == [0] * len(self.results)

    def restore(self) -> None:
        shutil.rmtree(self.path)
        shutil.copytree(self.sound, self.path)

    def examine(self, chosen: random.Random, forged: bool) -> None:
        """Runs some commands; in a `forged` run, whose seals somebody has made, results may be others."""
        for number in sorted(chosen.sample(range(len(self.commands)), 3)):
            command, before = self.commands[number], self.results[number]
            now = tourney(*command)
            if (now.exit_code, now.stdout) == (before.exit_code, before.stdout):
                continue
            told = [line for line in now.stderr.splitlines() if line]
            assert "Traceback" not in now.stderr
            if now.exit_code == 2:
                assert len(told) == 1, (command, now.stderr)
                assert told[0].startswith("tourney: ")
            elif now.exit_code == 1:
                assert command[0] in ("verify", "diff"), (command, now.output)
            else:
                unfinished = any([line.startswith("not finished: ") for line in told])
                assert now.exit_code == 0
                assert unfinished or forged, (command, now.output)
        if chosen.random() < 0.3:
            self.resume(forged)

    def resume(self, forged: bool) -> None:
        """Goes on with the run: it is refused and stays as it is, or comes to the same end."""
        journal = self.path / folder.JOURNAL
        before = journal.read_bytes() if journal.exists() else None
        now = tourney(*self.start, "--resume")
        told = [line for line in now.stderr.splitlines() if line.startswith("tourney: ")]
        assert "Traceback" not in now.stderr
        if now.exit_code in (2, 4):
            assert len(told) == 1, now.output
            assert not journal.exists() or journal.read_bytes() == (before or b"")
        elif not forged:
            assert (now.exit_code, now.stdout) == (self.first.exit_code, self.first.stdout)
            assert journal.read_bytes() == self.files[folder.JOURNAL]


def flipped(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(rng.randint(1, 3)):
        changed[rng.randrange(len(changed))] ^= rng.randint(1, 255)
    return bytes(changed)


def digit_changed(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    digits = [found.start() for found in re.finditer(rb"\d", data)]
    if not digits:
        return data
    at = rng.choice(digits)
    return data[:at] + b"%d" % ((int(data[at : at + 1]) + rng.randint(1, 9)) % 10) + data[at + 1 :]


def on_lines(change: Callable[[random.Random, list[bytes]], None]) -> Callable[[random.Random, bytes, bytes], bytes]:
    def damage(rng: random.Random, data: bytes, _other: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        change(rng, lines)
        return b"".join(lines)

    return damage


def swap(rng: random.Random, lines: list[bytes]) -> None:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


DAMAGE: dict[str, Callable[[random.Random, bytes, bytes], bytes]] = {
    "flipped bytes": flipped,
    "a changed digit": digit_changed,
    "cut": lambda rng, data, _other: data[: rng.randrange(len(data))],
    "cut in front": lambda rng, data, _other: data[rng.randrange(1, len(data) + 1) :],
    "bytes missing": lambda rng, data, _other: data[: (at := rng.randrange(len(data)))] + data[at + 20 :],
    "bytes added": lambda rng, data, _other: data[: (at := rng.randint(0, len(data)))] + rng.randbytes(9) + data[at:],
    "a hole": lambda rng, data, _other: data[: (at := rng.randrange(len(data)))] + bytes(99) + data[at + 99 :],
    "a line missing": on_lines(lambda rng, lines: lines.pop(rng.randrange(len(lines))) and None),
    "a line twice": on_lines(lambda rng, lines: lines.insert(rng.randrange(len(lines)), rng.choice(lines))),
    "two lines swapped": on_lines(swap),
    "twice over": lambda _rng, data, _other: data + data,
    "that of another run": lambda _rng, _data, other: other,
    "empty": lambda _rng, _data, _other: b"",
}
FORGED = ("a record", "a line", "the counts", "the manifest")
"""What is damaged under a seal that somebody has computed anew."""


def damage(rng: random.Random, run: Run, other: Run) -> bool:
    """Damages one file of a run, and returns whether its seal is forged."""
    if rng.random() < 0.25:
        forge(rng, run)
        return True
    name = rng.choice(sorted(run.files))
    if rng.random() < 0.05:
        (run.path / name).unlink()
        return False
    kind = rng.choice(sorted(DAMAGE))
    (run.path / name).write_bytes(DAMAGE[kind](rng, run.files[name], other.files.get(name, b"")))
    return False


def forge(rng: random.Random, run: Run) -> None:
    lines = run.files[folder.JOURNAL].splitlines(keepends=True)
    at = rng.randrange(len(lines))
    match rng.choice(FORGED):
        case "a record":
            lines[at] = sealed(RECORDS[rng.choice(sorted(RECORDS))](orjson.loads(lines[at])))
        case "a line":
            change = rng.choice([*LINES.values(), lambda line: digit_changed(rng, line, b"")])
            lines[at] = resealed(change(lines[at]))
        case "the counts" if counts_cache.COUNTS in run.files:
            counts = orjson.loads(run.files[counts_cache.COUNTS])["counts"]
            save_counts(run.path, orjson.dumps(COUNTS[rng.choice(sorted(COUNTS))](counts)))
            return
        case _:
            manifest = folder.read_manifest(run.path)
            body = orjson.dumps({key: value for key, value in manifest.items() if key != "tournament"})
            played = digit_changed(rng, orjson.dumps(manifest["tournament"]), b"")
            try:
                folder.write_manifest(run.path, orjson.loads(body) | {"tournament": orjson.loads(played)})
            except orjson.JSONDecodeError:
                return  # a number that JSON does not have, such as 01
            return
    (run.path / folder.JOURNAL).write_bytes(b"".join(lines))


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> list[Run]:
    place = tmp_path_factory.mktemp("damaged")
    return [Run(place, name) for name in (*FILES, "gate")]


def damage_and_examine(runs: list[Run], seeds: range) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        run, other = rng.sample(runs, 2)
        try:
            forged = damage(rng, run, other)
            run.examine(rng, forged)
        except BaseException as error:
            error.add_note(f"seed {seed}: {run.name}")
            raise
        finally:
            run.restore()


@pytest.mark.slow
def test_damage_is_told_or_changes_nothing(runs):
    damage_and_examine(runs, range(15))


@pytest.mark.slow
def test_much_damage_is_told_or_changes_nothing(runs):
    damage_and_examine(runs, range(15, 300))
