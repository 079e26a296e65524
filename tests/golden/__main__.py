"""Plays the golden matches anew (`make golden`); look at the changes before you commit them."""

import tomllib
from pathlib import Path

import orjson

from tests.helpers import play_match
from tourney.plugins.registry import load_game
from tourney.table.replay import trace

FOLDER = Path(__file__).parent


def main() -> None:
    """Plays every case of cases.toml, and writes its record and trace."""
    for old in FOLDER.glob("*.jsonl"):
        old.unlink()
    for name, case in tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8")).items():
        record = play_match(*case["bots"], game=case["game"], options=case.get("options", {}), seed=case["seed"])
        events = trace(record, load_game(record.game))
        lines = [record.line(), *[orjson.dumps(event) + b"\n" for event in events]]
        (FOLDER / f"{name}.jsonl").write_bytes(b"".join(lines))
        print(f"{name}: {record.actions.count(' ') + 1} decisions")


if __name__ == "__main__":
    main()
