"""The game check: every part of the contract, tried on some deals at every number of seats."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from tourney import config
from tourney.base.deadline import deadline
from tourney.base.errors import GameError, PluginError
from tourney.base.validation import plain
from tourney.contracts.game import Game, seats_text
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import pick, seed_text
from tourney.hosts.base import BotHost
from tourney.plugins.failures import failure_text, is_of_game
from tourney.plugins.registry import load_game
from tourney.review.bot_check import Finding, hash_seed
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.worker import Player
from tourney.testing import rule_checks, view_checks
from tourney.testing.matches import BrokenContractError, EndlessMatchError, TriedTable, deal_seeds, require

MOST_S = 60.0  # how long a check of one table may take by default


class GameCheck(NamedTuple):
    """A part of the game contract."""

    topic: str
    holds: str  # the property of a game that passes
    on_deal: Callable[[TriedTable, int], None]  # tries a table on the deal of a seed
    one_deal: bool = False  # whether one deal is enough
    imagines: bool | None = None  # whether it is for games that imagine, or for others; None for both


class RuleCheck(NamedTuple):
    """A part of the contract that does not depend on seats or deals."""

    topic: str
    holds: str
    on_game: Callable[[Game], None]


GAME_CHECKS = (
    RuleCheck("description", "the game describes itself", rule_checks.describes_itself),
    RuleCheck("action texts", "every action has its own text", rule_checks.actions_have_texts),
    RuleCheck("options", "unknown ones are refused", rule_checks.refuses_unknown_options),
)

DEAL_CHECKS = (
    GameCheck("end", "every match ends, with whole scores and places that fit", rule_checks.match_ends),
    GameCheck("legality", "legal actions are distinct, of the game, and can be played", rule_checks.legal_actions),
    GameCheck("seed", "the seed and the actions decide everything", rule_checks.deal_depends_on_the_seed),
    GameCheck("deals", "deals do not depend on how seats play", rule_checks.deal_ignores_moves),
    GameCheck("events", "the log and the views are data for JSON", rule_checks.log_is_json),
    GameCheck("views", "they cannot be changed, and do not change", view_checks.views_stay),
    GameCheck("properties", "views make new lists and options each time", view_checks.views_share_nothing),
    GameCheck("secrets", "no view tells hidden actions apart", view_checks.views_show_no_secrets),
    GameCheck("copies", "a copy and its original are independent", rule_checks.copies_are_independent),
    GameCheck("imagine", "imagined states fit and can be played", view_checks.imagined_fits_view, False, True),
    GameCheck("imagine past", "hands in views allow past play", view_checks.imagined_hands_fit_the_past, False, True),
    GameCheck("imagine odds", "if few deals fit, each is as likely", view_checks.imagined_deals_are_even, True, True),
    GameCheck("imagine rng", "its rng alone decides the imagined state", view_checks.imagine_rng_decides, False, True),
    GameCheck("observe", "it reveals no more than views show", view_checks.observes_what_views_show),
    GameCheck("reveals", "the deciding seat learns from it as much as others", view_checks.reveals_to_who_decides),
    GameCheck("vectors", "views are encoded in one size", view_checks.vectors_have_one_size),
    GameCheck("hidden", "it returns lists of texts by name", view_checks.hidden_has_texts, True, True),
    GameCheck("imagine luck", "unknown cards and facts vary", view_checks.imagine_varies, True, True),
    GameCheck("imagine end", "it refuses finished matches", view_checks.imagine_refuses_the_end, True, True),
    GameCheck("imagine", "it refuses to imagine", view_checks.imagine_refuses_everything, True, False),
    GameCheck("replay", "a match is replayed from its record", rule_checks.record_replays, True),
    GameCheck("faults", "a match continues after the faults of bots", rule_checks.tolerates_faults, True),
    GameCheck("large values", "large options can be played", rule_checks.large_options_play, True),
    GameCheck("decisions", "their number is bounded", rule_checks.decisions_are_bounded, True),
)


def deal_checks(game: Game) -> list[GameCheck]:
    """The checks of a game's deals, including imagined states only if it imagines."""
    return [check for check in DEAL_CHECKS if check.imagines in (None, game.imagines)]


def check_game(
    name: str, deals: int, seed: str = "1", given: Mapping[str, Any] | None = None, limit_s: float = MOST_S
) -> Iterator[Finding]:
    """Checks a game with the given options on some deals at every number of seats; ends early if a match does not end.

    One check of one table may take `limit_s` seconds.
    """
    game, seeds, options = load_game(name), deal_seeds(deals, seed), given or {}
    for seats in game.seats:
        game.options(seats, options)

    def on_tables(check: GameCheck, _game: Game) -> None:
        for seats in game.seats:
            check_tables(check, game, seats, options, seeds, limit_s)

    def elsewhere(_game: Game) -> None:
        plays_the_same_elsewhere(game, options, seeds, limit_s)

    deals_checks = [RuleCheck(check.topic, check.holds, partial(on_tables, check)) for check in deal_checks(game)]
    processes = RuleCheck("processes", "another process deals and plays the same", elsewhere)
    for topic, holds, on_game in (*GAME_CHECKS, *deals_checks, processes):
        try:
            problem = _problem(game, partial(on_game, game))
        except EndlessMatchError as error:
            yield Finding(topic, False, f"{error}; no more was tried")
            return
        yield Finding(topic, not problem, problem or f"{game.name}, {seats_text(game.seats)} seats: {holds}")


def _problem(game: Game, trial: Callable[[], None]) -> str:
    try:
        trial()
    except (PluginError, EndlessMatchError):
        raise
    except (BrokenContractError, GameError) as error:
        return str(error)
    except BaseException as error:  # a game may raise anything
        if not is_of_game(error):
            raise
        return failure_text(game, error) + "".join([f" {note}" for note in getattr(error, "__notes__", ())])
    return ""


def check_tables(
    check: GameCheck, game: Game, seats: int, given: Mapping[str, Any], seeds: Sequence[int], limit_s: float = MOST_S
) -> None:
    """Tries one check of deals on a table, within `limit_s` seconds; the error names the seats and the seed."""
    __tracebackhide__ = True  # pytest shows the test and the message
    seed = seeds[0]
    table = TriedTable.of(game, seats, given)

    late = "took longer than"
    with deadline(limit_s, lambda: EndlessMatchError(f"{_where(seats, seed)}: {late} {limit_s:g} s")):
        for seed in seeds[:1] if check.one_deal else seeds:
            try:
                check.on_deal(table, seed)
            except BrokenContractError as error:
                raise type(error)(f"{_where(seats, seed)}: {error}") from None
            except AssertionError:
                raise
            except Exception as error:
                error.add_note(f"({_where(seats, seed)})")
                raise


def _where(seats: int, seed: int) -> str:
    return f"{seats} seats, seed {seed_text(seed)}"


def plays_the_same_elsewhere(
    game: Game, given: Mapping[str, Any], seeds: Sequence[int], limit_s: float = MOST_S
) -> None:
    """Checks that another process, with another `PYTHONHASHSEED`, plays the same matches.

    Raises a `GameError` if the game fails there, or takes longer than `limit_s` seconds for a match.
    """
    bots = [{"name": f"random-{seat}", "use": "random"} for seat in range(min(game.seats))]
    table = {"name": game.name, "seats": min(game.seats), "options": plain(dict(given))}
    data = {"name": "check", "seed": 1, "bot": bots, "game": [table], "limits": {"match_s": limit_s}}
    trial = config.resolve(data, Path("check"))
    player = _ElsewherePlayer(game.name, given)
    tables = [(seats, seed) for seats in game.seats for seed in seeds[:2]]
    with hash_seed("1"), LocalPool(trial, 1, performer=player) as pool:
        lines = b"".join([played.lines for played in pool.play(iter(tables)) if played is not None]).splitlines()
    for (seats, seed), digest in zip(tables, lines, strict=True):
        require(
            player.digest(game, seats, seed) == digest,
            f"{_where(seats, seed)}: another process plays another match; the game depends on hashes of texts, on the "
            "order of sets, on the clock, or on chance other than the seed",
        )


class _ElsewherePlayer:
    """Plays matches of a game in the worker of a pool; an item is a number of seats with the seed of a deal."""

    asks_bots = False

    def __init__(self, name: str, given: Mapping[str, Any]) -> None:
        self._name = name
        self._given = given

    def perform(self, item: tuple[int, int], _makers: Mapping[str, BotHost], _player: Player) -> bytes:
        game = load_game(self._name)
        try:
            return self.digest(game, *item) + b"\n"
        except BaseException as error:  # a game may raise anything
            if not is_of_game(error):
                raise
            raise GameError(f"in another process {failure_text(game, error)}", self._name) from None

    def digest(self, game: Game, seats: int, seed: int) -> bytes:
        """Plays a match at random, and returns a hash of everything that happened."""
        options, rng = game.options(seats, self._given), Random(seed)
        state = game.start(seats, options, seed)
        play_out(state, lambda _, legal: pick(legal, rng), game.max_decisions(seats, options))
        views = [state.view(seat).as_dict() for seat in range(seats)]
        return hashlib.sha256(orjson.dumps([state.log, state.scores, views])).hexdigest().encode()

    def game_error(self, item: tuple[int, int], why: str) -> GameError:
        return GameError(f'game "{self._name}" does not end in another process ({_where(*item)}): {why}', self._name)
