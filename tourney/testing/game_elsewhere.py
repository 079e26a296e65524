"""Matches of a game played in another process, to see whether they come out the same there.

Run as a module, it reads what to play from stdin, and writes the digests of the matches to stdout (see `elsewhere`).
"""

import hashlib
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from random import Random
from typing import Any

import orjson

from tourney.base.errors import PluginError
from tourney.base.validation import plain
from tourney.contracts.game import Game
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import pick, seed_text
from tourney.plugins.failures import failure_text, is_of_game
from tourney.plugins.registry import load_game
from tourney.testing import elsewhere

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


def digests_elsewhere(name: str, given: Mapping[str, Any], seeds: Sequence[int], limit_s: float) -> Digests | str:
    """Plays the matches of `digests` in another process, within `limit_s` seconds; returns why if that fails."""
    job = {"game": name, "options": plain(dict(given)), "seeds": [seed_text(seed) for seed in seeds]}
    data = orjson.dumps(job, option=orjson.OPT_APPEND_NEWLINE)
    for found in elsewhere.reports("tourney.testing.game_elsewhere", data, limit_s):
        if isinstance(found, str):
            return found
        return {(seats, int(seed, 16)): digest for seats, seed, digest in found}
    return f"its process ended, or took longer than {elsewhere.START_S + limit_s:g} s"


def main() -> None:
    """Plays the job that is a line of stdin, and writes the digests, or why there are none."""
    job = orjson.loads(sys.stdin.buffer.readline())
    threading.Thread(target=elsewhere.end_with_stdin, args=(0,), daemon=True).start()
    with redirect_stdout(sys.stderr):
        found = _reported(job)
    sys.stdout.buffer.write(orjson.dumps(found, option=orjson.OPT_APPEND_NEWLINE))


def _reported(job: Mapping[str, Any]) -> list[tuple[int, str, str]] | str:
    try:
        game = load_game(job["game"])
    except PluginError as error:
        return str(error)
    try:
        found = digests(game, job["options"], [int(seed, 16) for seed in job["seeds"]])
    except BaseException as error:  # a game may raise anything
        if not is_of_game(error):
            raise
        return failure_text(game, error)
    return [(seats, seed_text(seed), text) for (seats, seed), text in found.items()]


if __name__ == "__main__":
    main()
