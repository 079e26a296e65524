"""Plays the golden matches anew (`make golden`); look at the changes before you commit them."""

import hashlib
import inspect
import tomllib
from pathlib import Path
from random import Random

import orjson

from tests.helpers import play_match
from tourney.contracts.match import Record
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay, trace

FOLDER = Path(__file__).parent
DRAWS = 3  # how many states each view is imagined to belong to


def main() -> None:
    """Plays every case of cases.toml, and writes its record and trace, and hashes of all that was seen."""
    for old in FOLDER.glob("*.jsonl"):
        old.unlink()
    found = {}
    for name, case in tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8")).items():
        record = play_match(*case["bots"], game=case["game"], options=case.get("options", {}), seed=case["seed"])
        lines = [record.line(), *[orjson.dumps(event) + b"\n" for event in trace(record, load_game(record.game))]]
        (FOLDER / f"{name}.jsonl").write_bytes(b"".join(lines))
        found[name] = seen(record)
        print(f"{name}: {record.actions.count(' ') + 1} decisions")
    (FOLDER / "seen.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")


def seen(record: Record) -> dict[str, str]:
    """Hashes of what seats see at some hundred decisions of a match, and of what can be made of it.

    These are the views, their properties and vectors, what is observed of the decision, and what seats imagine; and
    what is fixed for the match: the names of actions and of the vector's elements, and the bound of its decisions.
    """
    game, seats = load_game(record.game), range(len(record.seats))
    hashes = {what: hashlib.sha256() for what in ("views", "properties", "vectors", "observed", "imagined")}
    for step in Replay(record, game).steps():
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
            }
            for what, value in found.items():
                hashes[what].update(orjson.dumps(value))
    options = game.options(len(seats), record.options)
    fixed = [game.names, game.encoding(len(seats), options), game.max_decisions(len(seats), options)]
    hashes["fixed"] = hashlib.sha256(orjson.dumps(fixed))
    return {what: each.hexdigest()[:16] for what, each in hashes.items()}


if __name__ == "__main__":
    main()
