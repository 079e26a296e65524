"""Pins: recorded decisions at which a bot is asked again, so that a mistake that was mended does not come back.

A pin is a match file with the key `pin`, which any command for match files reads as well.
"""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from tourney import config
from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.config import Entrant, Tournament
from tourney.contracts.match import GameSetup
from tourney.contracts.rng import derive
from tourney.contracts.wording import counted
from tourney.hosts import prints
from tourney.hosts.base import BotHost
from tourney.journal import export, folder
from tourney.journal.export import MatchFile, Pin
from tourney.journal.run import RunFolder
from tourney.journal.search import find_records
from tourney.journal.told import Told
from tourney.plugins.registry import load_game
from tourney.review.what_if import ask, find_step, warm_up
from tourney.table.replay import DifferenceError, does_not_replay, in_time
from tourney.table.seeds import bot_seed


class NamedPin(NamedTuple):
    """A pin of a folder, by the name of its file without the suffix."""

    name: str
    match: MatchFile
    pin: Pin


class PinResult(NamedTuple):
    """What a bot answers at a pin."""

    pin: NamedPin
    passed: bool
    text: str
    """What it answers and what it should, on one line."""


def make_pin(run: RunFolder, match: str, pin: Pin) -> MatchFile:
    """The pin of a decision; without `only` and `never`, the recorded action fails.

    Raises:
        ConfigError: An action is not legal there.
        RunError: There is no such decision, or the deals of the run are secret.
    """
    told = Told([run], asked=["seeds"])
    if not told.has("seeds"):
        raise RunError(f"{told.why_secret()}; a pin contains the secret seed of its match")
    (record,) = find_records(run, match)
    game = load_game(record.game)
    with in_time(record, run.tournament.replay_s):
        step = find_step(record, game, pin.decision)
        legal = [game.text(action) for action in step.legal]
        for action in (*pin.never, *pin.only):
            if action not in legal:
                raise ConfigError(f"decision {pin.decision}: {action} is not legal; {did_you_mean(action, legal)}")
        if not (pin.never or pin.only):
            pin = replace(pin, never=(game.text(step.action),))
        rules = run.manifest.get("games", {}).get(record.game, {}).get("sha256", "")
        return export.match_file(record, game, run.plan.block_names(record.seats), rules, pin)


def write_pin(path: Path, pinned: MatchFile) -> None:
    """Writes a pin into a file; raises an error if it is there already."""
    if path.exists():
        raise ConfigError(f"{path}: there already; give the pin another file, or remove this one")
    folder.make_parent(path, str(path))
    folder.write_atomically(path, export.as_json(pinned).encode())


def read_pins(path: Path) -> list[NamedPin]:
    """The pins in a folder, sorted by name.

    Raises:
        RunError: It has none, or a file that is no pin, or whose match the installed game does not play alike.
    """
    found = []
    for file in sorted(path.glob("*.json")):
        match = export.read_match_file(file)
        if match.pin is None:
            raise RunError(f"{file}: a match without a pin; write pins with `tourney pin`")
        try:
            with in_time(match.record):
                export.check_trace(file, match, load_game(match.game))
        except DifferenceError as difference:
            raise does_not_replay(match.record, difference) from None
        found.append(NamedPin(file.stem, match, match.pin))
    if not found:
        raise RunError(f"{path}: no pins in this folder; write one with `tourney pin`")
    return found


def setups_of(pins: Sequence[NamedPin]) -> list[GameSetup]:
    """The games of some pins, each once."""
    setups = [GameSetup(each.match.game, len(each.match.seats), each.match.options) for each in pins]
    return [setup for at, setup in enumerate(setups) if setup not in setups[:at]]


def pin_trial(bot: Mapping[str, Any], pins: Sequence[NamedPin], limits: Mapping[str, Any]) -> Tournament:
    """The tournament of a bot, given as a `[[bot]]` table, at the games of some pins."""
    games = [{"name": each.game, "seats": each.seats, "options": each.options} for each in setups_of(pins)]
    most = max([len(each.match.seats) for each in pins])
    others = [{"name": f"other-{seat}", "use": "random"} for seat in range(1, most)]
    data = {"name": "pins", "seed": 1, "bot": [{**bot, **limits}, *others], "game": games}
    return config.examine_bots(config.resolve(data, Path("check")), Path("check"))


def ask_pins(pins: Sequence[NamedPin], tournament: Tournament, bot: str, asks: bool = False) -> Iterator[PinResult]:
    """Asks an entrant of a tournament at each pin, in its host.

    Without `asks`, a bot that does not repeat itself is not asked; what was recorded is judged.
    """
    (entrant,) = [each for each in tournament.entrants if each.name == bot]
    repeats = asks or config.repeats_itself(entrant, Path(tournament.folder))
    host = config.create_hosts(tournament, only=[bot])[bot] if repeats else None
    try:
        for pin in pins:
            yield _asked(pin, entrant, host)
    finally:
        if host is not None:
            host.close()


def _asked(pinned: NamedPin, entrant: Entrant, host: BotHost | None) -> PinResult:
    record, pin, game = pinned.match.record, pinned.pin, load_game(pinned.match.game)
    step = find_step(record, game, pin.decision)
    root, seat = int(record.seed, 16), step.seat

    def rng_seed(number: int, seat: int) -> int:
        return bot_seed(root, seat, pinned.match.names) if number == 0 else derive(root, "pin", number, seat)

    answers = []
    for number in range(pin.times if host is not None else 1):
        if host is None:
            answers.append(game.text(step.action))
            continue
        seed = partial(rng_seed, number)
        with prints.redirected():
            point = warm_up(record, game, {seat: host}, pin.decision, pinned.match.names, seed)
            with prints.labelled(entrant.name):
                answers.append(ask(game, point.bots[seat], point.step.state.view(seat), step.legal).text)
            point.bots[seat].close()
    legal = {game.text(action) for action in step.legal}
    passing = set(pin.only or legal) - {*pin.never}
    right = sum([answer in passing for answer in answers])
    passed = right >= pin.share * len(answers)
    wanted = f"only {' or '.join(pin.only)}" if pin.only else f"not {' or '.join(pin.never)}"
    text = f"{_counted(answers)}, pinned: {wanted}"
    if host is None:
        text += ", as recorded: it does not repeat itself, so it is not asked"
    return PinResult(pinned, passed, text + (f" ({pin.why})" if pin.why else ""))


def _counted(answers: Sequence[str]) -> str:
    if len(answers) == 1:
        return answers[0]
    counts = {answer: answers.count(answer) for answer in sorted(answers)}
    return ", ".join([f"{answer} in {count} of {len(answers)}" for answer, count in counts.items()])


def read_known(path: Path | None, pins: Sequence[NamedPin]) -> set[str]:
    """The names of the pins that are known to fail, one a line of a file; `#` begins a comment."""
    if path is None:
        return set()
    try:
        lines = [line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}); give a file with the name of a pin on each line"
        ) from None
    names = [each.name for each in pins]
    for name in filter(None, lines):
        if name not in names:
            raise ConfigError(f"{path}: no pin {name}; {did_you_mean(name, names)}")
    return set(filter(None, lines))


def report(results: Sequence[PinResult], known: Collection[str] = ()) -> tuple[bool, list[str]]:
    """Whether exactly the known pins fail; and lines that name the others, with the commands that open them."""
    lines = []
    for pinned, passed, text in results:
        if passed and pinned.name in known:
            lines.append(f"FAIL  {pinned.name}: passes now; remove it from the known failures")
        elif not passed and pinned.name not in known:
            lines.append(f"FAIL  {pinned.name}: {text}")
            if pinned.pin.run:
                place = shlex.join([pinned.pin.run, pinned.match.record.match, str(pinned.pin.decision)])
                lines.append(f"      tourney debug {place}")
    failing = sum([not result.passed for result in results])
    counts = f"{counted(len(results), 'pin')} asked, {len(results) - failing} passed"
    return not lines, [*lines, f"{'FAIL' if lines else 'ok':4}  {counts}{f', {failing} failed' if failing else ''}"]
