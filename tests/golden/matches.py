"""What the golden matches are, and what is compared of each."""

import hashlib
import inspect
import tomllib
from collections.abc import Sequence
from pathlib import Path
from random import Random

import orjson

from tourney.cli.render.transcript import transcript
from tourney.contracts.game import State
from tourney.contracts.match import Record
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import pick
from tourney.journal.reader import parse_sealed_record
from tourney.plugins.registry import load_game
from tourney.report.match_data import match_data
from tourney.table.replay import Replay, trace

FOLDER = Path(__file__).parent
CASES = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))
DRAWS = 3  # how many states each view is imagined to belong to
AHEAD = 20  # how many decisions these are played on


def told(record: Record) -> str:
    """The record of a golden match, its trace, and hashes of all that was seen, a line each."""
    lines = [orjson.loads(record.line()), *trace(record, load_game(record.game)), {"seen": seen(record)}]
    return "\n".join([orjson.dumps(line).decode() for line in lines])


def golden_record(name: str) -> Record:
    """The record of a golden match, as it was written down."""
    with (FOLDER / f"{name}.jsonl").open("rb") as lines:
        return parse_sealed_record(lines.readline(), name)


def seen(record: Record) -> dict[str, str]:
    """Hashes of what seats see at some hundred decisions of a match, and of what can be made of it.

    For each seat: its view with all properties and the encoded vector, the observation of the decision, an imagined
    state and how play continues from it, and all sentences, including the transcript. For the match: the names of the
    actions and of the elements of the vector, the most decisions there can be, the goal and the glossary; and the data
    of its page, for everyone and for a seat.
    """
    game, seats = load_game(record.game), range(len(record.seats))
    wording, rng = game.wording, Random(record.decisions)

    def choose(_state: State, legal: Sequence[int]) -> int:
        return pick(legal, rng)

    kinds = ("views", "properties", "vectors", "observed", "imagined", "ahead", "told")
    hashes = {kind: hashlib.sha256() for kind in kinds}
    replay = Replay(record, game)
    for step in replay.steps():
        if step.decision % (1 + record.decisions // 100):
            continue
        after, at = step.state.copy(), len(step.state.log)
        after.log.extend(step.state.log)
        after.play(step.action)
        for view in [step.state.view(seat) for seat in seats]:
            properties = [name for name, kind in inspect.getmembers(type(view)) if isinstance(kind, property)]
            imagined = [game.imagine(view, Random(step.decision + draw)) for draw in range(DRAWS)]
            found = {
                "views": view.as_dict(),
                "properties": repr([getattr(view, name) for name in properties]),
                "vectors": game.encode(view),
                "observed": [tuple(game.observe(after, entry, view.seat)) for entry in range(at, len(after.log))],
                "imagined": [[each.seat, *[each.view(seat).as_dict() for seat in seats]] for each in imagined],
                "ahead": repr([(play_out(each, choose, AHEAD), each.seat, each.scores, each.log) for each in imagined]),
                "told": repr([wording.situation(view, str), wording.choices(view), wording.holding(view)]),
            }
            for what, value in found.items():
                hashes[what].update(orjson.dumps(value))
    for view in map(replay.state.view, seats):  # of the match that is over
        hashes["vectors"].update(orjson.dumps([view.as_dict(), game.encode(view)]))
    for seat in (None, *seats):
        hashes["told"].update("\n".join(transcript(record, game, seat, (1, None))).encode())
    options = game.options(len(seats), record.options)
    fixed = [game.names, game.encoding(len(seats), options), game.max_decisions(len(seats), options)]
    fixed += [wording.goal, dict(wording.glossary)]
    hashes["fixed"] = hashlib.sha256(orjson.dumps(fixed))
    for views in ("all", 1):
        hashes[f"page {views}"] = hashlib.sha256(match_data(record, game, views, bots=record.seats[:1]))
    return {what: each.hexdigest()[:16] for what, each in hashes.items()}
