"""Matches of a game played in another process, to see whether they come out the same there.

Run as a module (`python -m tourney.debugging.game_elsewhere`), it reads what to play from stdin, and writes the digests
of the matches to stdout, as JSON.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from random import Random
from typing import Any

import orjson

from tourney.errors import PluginError
from tourney.game import Game
from tourney.game_failures import failure_text, is_of_game
from tourney.playouts import play_out
from tourney.plugins import load_game
from tourney.rng import pick, seed_text
from tourney.validation import plain

START_S = 60.0
"""How long the process may take, in seconds, to load the game."""

Digests = dict[tuple[int, int], str]
"""Hashes over matches, by (seats, seed)."""


def digests(game: Game, given: Mapping[str, Any], seeds: Sequence[int]) -> Digests:
    """Plays a match at every number of seats and on each deal, at random; returns hashes of all that happened."""
    return {(seats, seed): _digest(game, given, seats, seed) for seats in game.seats for seed in seeds}


def _digest(game: Game, given: Mapping[str, Any], seats: int, seed: int) -> str:
    options, rng = game.options(seats, given), Random(seed)
    state = game.start(seats, options, seed)
    play_out(state, lambda _, legal: pick(legal, rng), game.max_decisions(seats, options))
    views = [state.view(seat).as_dict() for seat in range(seats)]
    return hashlib.sha256(orjson.dumps([state.log, state.scores, views])).hexdigest()


def digests_elsewhere(name: str, given: Mapping[str, Any], seeds: Sequence[int], most_s: float) -> Digests | str:
    """Plays the matches of `digests` in another process, with another `PYTHONHASHSEED`; returns why if that fails.

    Args:
        name: The name of the game.
        given: Values of its options.
        seeds: The deals.
        most_s: How long the matches may take, in seconds.
    """
    hashes = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    job = {"game": name, "options": plain(dict(given)), "seeds": [seed_text(seed) for seed in seeds]}
    modules = os.pathsep.join([folder for folder in sys.path if folder])  # what is found here is found there
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tourney.debugging.game_elsewhere"],
            input=orjson.dumps(job),
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": hashes, "PYTHONPATH": modules},
            timeout=START_S + most_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {START_S + most_s:g} s"
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        return told[-1] if told else f"it ended with exit status {done.returncode}"
    return {(seats, int(seed, 16)): digest for seats, seed, digest in orjson.loads(done.stdout)}


def main() -> None:
    """Plays the job that is read from stdin, and writes the digests."""
    job = orjson.loads(sys.stdin.buffer.read())
    with redirect_stdout(sys.stderr):
        try:
            game = load_game(job["game"])
        except PluginError as error:
            sys.exit(str(error))
        try:
            found = digests(game, job["options"], [int(seed, 16) for seed in job["seeds"]])
        except BaseException as error:  # a game may raise anything
            if not is_of_game(error):
                raise
            sys.exit(failure_text(game, error))
    sys.stdout.buffer.write(orjson.dumps([[seats, seed_text(seed), text] for (seats, seed), text in found.items()]))


if __name__ == "__main__":
    main()
