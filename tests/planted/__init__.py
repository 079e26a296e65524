"""Planted mistakes: does the analysis find what a bot does wrong on purpose, and spare what a good one does?"""

import shutil
from pathlib import Path

from tests.conftest import apart
from tests.planted.bots import EVERY
from tests.planted.truth import WORLDS, true_losses
from tourney import config
from tourney.journal import folder, reader
from tourney.plugins.registry import load_game
from tourney.review.analysis.file import MatchAnalysis, read_analysis
from tourney.review.analysis.summary import probable_loss
from tourney.schedule.base import schedule
from tourney.table.replay import Replay

FIRST = 0.25  # what share of a bot's decisions, the costliest first, somebody may look at
COSTLY = 5.0  # a planted mistake ought to be found if it costs more than this, in points %


def analysed_run(tmp: Path, name: str, use: str, game: tuple[str, int, str], deals: int, playouts: int) -> Path:
    """Plays a bot among `steady` in all other seats, and analyses it; returns the folder of the run.

    `game` is the name of the game, the number of seats, and its options.
    """
    shutil.copy(Path(__file__).parent / "bots.py", tmp / "bots.py")
    bots = {name: use} | {f"steady-{seat}": "steady" for seat in range(1, game[1])}
    tables = [f'[[bot]]\nname = "{each}"\nuse = "{made}"\n' for each, made in bots.items()]
    played = f'[[game]]\nname = "{game[0]}"\nseats = {game[1]}\noptions = {game[2]}\n'
    text = f'name = "{name}"\nseed = 7\ndeals = {deals}\n{"".join(tables)}{played}'
    (tmp / f"{name}.toml").write_text(text, encoding="utf-8")
    apart(tmp, "run", f"{name}.toml", "--quiet").check_returncode()
    apart(tmp, "analyse", name, "--bot", name, "--playouts", playouts).check_returncode()
    return tmp / "results" / name


def planted(run: Path, bot: str = "planted") -> dict[str, list[int]]:
    """Returns the numbers of the decisions at which the bot played its worst action, by match."""
    found = {}
    for record in _records(run):
        seat = record.seats.index(bot)
        steps = Replay(record, load_game(record.game)).steps()
        own = [step.decision for step in steps if step.seat == seat and len(step.legal) > 1]
        found[record.match] = own[EVERY - 1 :: EVERY]
    return found


def costs_of(
    run: Path, decisions: dict[str, list[int]], workers: int, worlds: int = WORLDS
) -> dict[tuple[str, int], float]:
    """Returns what some decisions truly cost, as far as playouts in that many worlds tell."""
    wanted = [(record, at) for record in _records(run) for at in decisions[record.match]]
    losses = true_losses(wanted, workers, worlds)
    return {(record.match, at): loss for (record, at), loss in zip(wanted, losses, strict=True)}


def ranks_of_costly(run: Path, losses: dict[tuple[str, int], float]) -> tuple[list[float], int]:
    """Returns where planted mistakes that truly cost much are among the bot's decisions, and how many are called so.

    The costliest decision is at 0, the last one at 1.
    """
    costs = [(match.match, cost) for match in read_analysis(run).values() for cost in match.decisions]
    ranked = sorted(costs, key=lambda each: (each[1].loss <= 0, -probable_loss(each[1])))
    costly = {at for at, loss in losses.items() if loss > COSTLY}
    places = [place / len(ranked) for place, (match, cost) in enumerate(ranked) if (match, cost.decision) in costly]
    return places, len([cost for match, cost in costs if cost.mistake and (match, cost.decision) in costly])


def share_of_mistakes(matches: list[MatchAnalysis]) -> tuple[int, int]:
    """Returns how many decisions are called mistakes, and how many there are."""
    costs = [cost for match in matches for cost in match.decisions]
    return sum([cost.mistake for cost in costs]), len(costs)


def _records(run: Path):
    return reader.read_records(run, schedule(config.of_manifest(folder.read_manifest(run))))
