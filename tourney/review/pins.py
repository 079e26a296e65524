"""Pins: recorded decisions at which a bot is asked again, so that a mistake that was mended does not come back.

A pin is a match file with the key `pin`, which any command for match files reads as well.
"""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from tourney import config
from tourney.base.errors import ConfigError, RunError, TourneyError, did_you_mean, one_line
from tourney.config import Entrant, Tournament
from tourney.contracts.bot import Outcome
from tourney.contracts.game import Game
from tourney.contracts.match import GameSetup, Record
from tourney.contracts.rng import derive
from tourney.contracts.wording import counted
from tourney.hosts import prints
from tourney.hosts.base import BotHost, host_type
from tourney.journal import export, folder
from tourney.journal.export import MatchFile, Pin
from tourney.journal.run import RunFolder
from tourney.journal.told import Told
from tourney.plugins.registry import load_game
from tourney.review import bot_check
from tourney.review.what_if import RAISED, Answer, ask, find_step, legal_action, warm_up
from tourney.table import replay


class NamedPin(NamedTuple):
    """A pin of a folder."""

    path: Path
    match: MatchFile
    pin: Pin
    step: replay.Step

    @property
    def name(self) -> str:
        """The name of its file without the suffix."""
        return self.path.stem


class PinResult(NamedTuple):
    """A bot's answers at a pin."""

    pin: NamedPin
    passed: bool
    text: str  # the answers and what passes, on one line


def require_seeds(run: RunFolder) -> None:
    """Raises a `RunError` if the deals of the run are secret, and so cannot be pinned."""
    told = Told([run], asked=["seeds"])
    if not told.has("seeds"):
        raise RunError(f"{told.why_secret()}; a pin contains the secret seed of its match")


def make_pin(run: RunFolder, record: Record, pin: Pin) -> MatchFile:
    """The pin of a decision; without `only` and `never`, the recorded action fails.

    Raises:
        RunError: There is no such decision, an action is not legal there, or the deals of the run are secret.
    """
    require_seeds(run)
    game = load_game(record.game)
    with replay.in_time(record, run.tournament.replay_s):
        step = find_step(record, game, pin.decision)
        if not (pin.never or pin.only or step.fault):
            pin = replace(pin, never=(game.text(step.action),))
        _require_answer(game, step, pin)
        (entrant,) = [each for each in run.tournament.entrants if each.name == record.seats[step.seat]]
        pin = replace(pin, run=Told([run]).path(pin.run) if entrant.has_bots else "")
        return export.file_of(run, record, game, pin)


def _require_answer(game: Game, step: replay.Step, pin: Pin) -> None:
    for action in (*pin.never, *pin.only):
        legal_action(game, step, action)
    if not {*(pin.only or map(game.text, step.legal))} - {*pin.never}:
        raise RunError(f"decision {pin.decision}: no action would pass; choose another decision, or other actions")


def file_name(run: RunFolder, match: str, decision: int) -> str:
    """The usual name of a pin's file."""
    return f"{run.path.resolve().name}-{match}-{decision}.json"


def write_pin(path: Path, pinned: MatchFile) -> None:
    """Writes a pin into a file; raises an error if it already exists."""
    if path.exists():
        raise ConfigError(f"{path}: already exists; give the pin another file, or remove this one")
    folder.make_parent(path)
    folder.write_atomically(path, export.as_json(pinned).encode())


def read_pins(path: Path) -> list[NamedPin]:
    """The pins in a folder, sorted by name; a `RunError` if it has none, or see `read_pin`."""
    if not (files := sorted(path.glob("*.json"))):
        raise RunError(f"{path}: no pins; expected a folder with files that `tourney pin` wrote")
    return list(map(read_pin, files))


def read_pin(path: Path) -> NamedPin:
    """The pin in a file; a `RunError` if there is none, or the installed game plays its match differently."""
    match = export.read_match_file(path)
    if match.pin is None:
        raise RunError(f"{path}: a match without a pin; write pins with `tourney pin`")
    try:
        game = load_game(match.game)
        with replay.in_time(match.record):
            replay.check(match.record, game)
            step = find_step(match.record, game, match.pin.decision)
            _require_answer(game, step, match.pin)
            return NamedPin(path, match, match.pin, step)
    except replay.DifferenceError as difference:
        remedy = "remove this pin, or install the version of the game that played it"
        raise RunError(f"{path}: {match.game} now plays this match differently ({difference}); {remedy}") from None
    except TourneyError as error:
        raise RunError(f"{path}: {error}") from None


def for_pins(tournament: Tournament, pins: Sequence[NamedPin]) -> Tournament:
    """The tournament with the games of some pins; raises a `ConfigError` if its first bot does not play one."""
    setups = [GameSetup(each.match.game, len(each.match.seats), each.match.options) for each in pins]
    unique = tuple([setup for at, setup in enumerate(setups) if setup not in setups[:at]])
    tournament = replace(tournament, setups=unique, weights=())
    config.examine_bots(replace(tournament, entrants=tournament.entrants[:1]), pins[0].path.parent)
    return tournament


def check_bot(
    pins: Sequence[NamedPin], bot: Mapping[str, Any], limits: Mapping[str, Any] = {}, known: Collection[str] = (),
    asks: bool = False,
) -> tuple[bool, list[str]]:  # fmt: skip
    """Asks a bot, given as a `[[bot]]` table, at each pin; see `report`."""
    trial = bot_check.make_trial(bot, sorted({each.match.game for each in pins}), limits, "1")
    return report(list(ask_pins(pins, trial.tournament, asks)), known)


def ask_pins(pins: Sequence[NamedPin], tournament: Tournament, asks: bool = False) -> Iterator[PinResult]:
    """Asks a tournament's first bot at each pin, in its host.

    Without `asks`, a bot that does not repeat itself is not asked; what was recorded is judged. The process of a Python
    bot is kept, because starting it takes longer than asking.
    """
    entrant, *others = tournament.entrants
    entrant = replace(entrant, keep=entrant.keep or (bool(entrant.use) and host_type(entrant.host).keeps))
    repeats = asks or config.repeats_itself(entrant, Path(tournament.folder))
    asked = replace(tournament, entrants=(entrant, *others))
    host = config.create_hosts(asked, only=[entrant.name])[entrant.name] if repeats else None
    try:
        for pinned in pins:
            answers = [_recorded(pinned)] if host is None else _answers(pinned, entrant, host)
            yield _result(pinned, answers, is_recorded=host is None)
    finally:
        if host is not None:
            host.close()


def _recorded(pinned: NamedPin) -> Answer:
    step = pinned.step
    if step.fault is not None:
        return Answer(None, f"{step.fault.kind} ({step.fault.what})")
    return Answer(step.action, load_game(pinned.match.game).text(step.action))


def _answers(pinned: NamedPin, entrant: Entrant, host: BotHost) -> list[Answer]:
    record, seat, names = pinned.match.record, pinned.step.seat, pinned.match.names
    game, root, answers = load_game(record.game), int(record.seed, 16), []
    with prints.redirected():
        for number in range(pinned.pin.times):
            seed = partial(derive, root, "pin", number) if number else None  # first as in the match
            point = warm_up(record, game, {seat: host}, pinned.pin.decision, names, seed)
            with closing(point.bots[seat]) as bot, prints.labelled(entrant.name):
                answers.append(ask(game, bot, point.step.state.view(seat), point.step.legal))
                if entrant.keep:
                    with suppress(*RAISED):  # without an end, its process is not kept
                        bot.end(Outcome(record.scores, record.places))
    return answers


def wanted(pin: Pin) -> str:
    """The actions that pass, in words."""
    if pin.only:
        return f"only {' or '.join(pin.only)}"
    return f"not {' or '.join(pin.never)}" if pin.never else "any legal action"


def _result(pinned: NamedPin, answers: Sequence[Answer], is_recorded: bool) -> PinResult:
    pin, step = pinned.pin, pinned.step
    texts = [answer.text for answer in answers]
    right = [
        (answer.action in step.legal or (answer.action is not None and step.state.tolerates(answer.action)))
        and answer.text not in pin.never
        and answer.text in (pin.only or [answer.text])
        for answer in answers
    ]
    counts = ", ".join([f"{text} in {texts.count(text)} of {len(texts)}" for text in sorted(set(texts))])
    text = f"{counts if len(texts) > 1 else texts[0]} at decision {pin.decision} of {pinned.match.record.match}"
    text += ", as recorded, as it does not repeat itself" if is_recorded else ""
    text += f"; pinned: {wanted(pin)}{f' ({pin.why})' if pin.why else ''}"
    return PinResult(pinned, sum(right) / len(right) >= pin.share, one_line(text))


def read_known(path: Path | None, pins: Sequence[NamedPin]) -> set[str]:
    """The names of the pins that are known to fail, one a line of a file; `#` begins a comment."""
    if path is None:
        return set()
    try:
        lines = [line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ConfigError(f"{path}: cannot be read ({why}); expected a file with a pin's name on each line") from None
    known, names = set(filter(None, lines)), [each.name for each in pins]
    for name in sorted(known - {*names}):
        raise ConfigError(f"{path}: no pin {name}; {did_you_mean(name, names)}")
    return known


def report(results: Sequence[PinResult], known: Collection[str] = ()) -> tuple[bool, list[str]]:
    """Whether exactly the known pins fail; and lines that name the others, with commands that show them."""
    lines = []
    for pinned, passed, text in results:
        if passed and pinned.name in known:
            lines.append(f"FAIL  {pinned.name}: passes now; remove it from the known failures")
        elif not passed and pinned.name not in known:
            lines += [f"FAIL  {pinned.name}: {text}", f"      {_look(pinned)}"]
    failing = sum([not result.passed for result in results])
    counts = f"{counted(len(results), 'pin')} asked, {len(results) - failing} passed"
    return not lines, [*lines, f"{'FAIL' if lines else 'ok':4}  {counts}{f', {failing} failed' if failing else ''}"]


def _look(pinned: NamedPin) -> str:
    run = pinned.pin.run
    try:
        folder.find_run(run)
    except RunError:
        return shlex.join(["tourney", "replay", str(pinned.path)])
    return shlex.join(["tourney", "debug", run, pinned.match.record.match, str(pinned.pin.decision)])
