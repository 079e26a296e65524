"""Planted mistakes: does the analysis find what a bot does wrong on purpose, and spare what a good one does?"""

import shutil
import subprocess
from pathlib import Path

import msgspec

from tests.conftest import TOURNEY
from tests.planted.bots import EVERY
from tourney import config
from tourney.debugging.analysis import MatchAnalysis, read_analysis, read_settings
from tourney.debugging.analysis_bots import PlayingBots
from tourney.debugging.analysis_job import DecisionAnalysis, DecisionRange, lines_of
from tourney.debugging.analysis_summary import sure_loss
from tourney.journal import folder, reader
from tourney.plugins import load_game
from tourney.replay import Replay
from tourney.runner.forkserver import Forkserver
from tourney.runner.job_pool import ItemJob, JobPool
from tourney.schedule.base import schedule

COSTLY = 5.0
"""A planted mistake ought to be found if it costs more than this, in points %."""
TRUTH = 1000
"""From how many playouts it is known what a planted mistake costs."""


def analysed_run(tmp: Path, name: str, use: str, game: str, deals: int, playouts: int) -> Path:
    """Plays `steady` against another bot, named by `name`, and analyses that one; returns the folder of the run."""
    shutil.copy(Path(__file__).parent / "bots.py", tmp / "bots.py")
    other = f'[[bot]]\nname = "{name}"\nuse = "{use}"\n'
    text = f'name = "{name}"\nseed = 7\ndeals = {deals}\nbots = ["steady"]\n{other}{game}'
    (tmp / f"{name}.toml").write_text(text, encoding="utf-8")
    subprocess.run([TOURNEY, "run", f"{name}.toml", "--quiet"], cwd=tmp, check=True, stdout=subprocess.DEVNULL)
    command = [TOURNEY, "analyse", name, "--bot", name, "--playouts", str(playouts)]
    subprocess.run(command, cwd=tmp, check=True, stdout=subprocess.DEVNULL)
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


def true_losses(run: Path, decisions: dict[str, list[int]], workers: int) -> dict[tuple[str, int], float]:
    """Returns what decisions cost, from many playouts in other worlds than those of the analysis."""
    manifest = folder.read_manifest(run)
    before = read_settings(run)
    assert before is not None
    bots = PlayingBots(config.of_manifest(manifest), manifest, run, None, lambda _code: None)
    tournament = bots.tournament(before.bots, before.substitutes)
    job = ItemJob(DecisionAnalysis(msgspec.structs.replace(before, playouts=TRUTH)))
    items = []
    for record in _records(run):
        others = msgspec.structs.replace(record, match=f"{record.match} again")  # whose worlds are others
        items += [DecisionRange(others, ("planted",), at, at) for at in decisions[record.match]]
    found = {}
    with Forkserver(fork=True) as server, JobPool(tournament, workers, job, tournament.replay_s, server) as pool:
        for played in pool.play(iter(items)):
            for item, line in zip(played.blocks, lines_of(played), strict=True) if played is not None else ():
                ((cost),) = msgspec.json.decode(line)
                found[item.record.match.removesuffix(" again"), item.first] = cost["loss"]
    return found


def found_first(run: Path, losses: dict[tuple[str, int], float]) -> tuple[int, int]:
    """Returns how many of the planted mistakes that truly cost much are among the first ones, and how many there are.

    The first ones are as many of the bot's costliest decisions as there are planted ones.
    """
    ranked = sorted(
        [
            (-sure_loss(cost), match.match, cost.decision)
            for match in read_analysis(run).values()
            for cost in match.decisions
        ]
    )
    first = {(match, decision) for _, match, decision in ranked[: len(losses)]}
    costly = [at for at, loss in losses.items() if loss > COSTLY]
    return len([at for at in costly if at in first]), len(costly)


def share_of_mistakes(matches: list[MatchAnalysis]) -> tuple[int, int]:
    """Returns how many decisions are called mistakes, and how many there are."""
    costs = [cost for match in matches for cost in match.decisions]
    return sum([cost.mistake for cost in costs]), len(costs)


def _records(run: Path):
    return reader.read_records(run, schedule(config.of_manifest(folder.read_manifest(run))))
