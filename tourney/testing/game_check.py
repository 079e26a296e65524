"""The check of a game: every part of its contract, tried on some deals at every number of seats.

`tourney check` prints what it finds; `GameContract` has the same checks as tests.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tourney.base.deadline import deadline
from tourney.base.errors import GameError, PluginError
from tourney.contracts.game import Game, seats_text
from tourney.contracts.rng import seed_text
from tourney.plugins.failures import failure_text, is_of_game
from tourney.plugins.registry import load_game
from tourney.testing import game_checks, view_checks
from tourney.testing.game_elsewhere import digests, digests_elsewhere
from tourney.testing.matches import BrokenContractError, EndlessMatchError, TriedTable, deal_seeds, require

MOST_S = 60.0
"""How long a check of one table may take, in seconds, unless something else is said."""


class GameCheck(NamedTuple):
    """A part of the contract of a game."""

    topic: str
    holds: str
    """What holds of a game that passes, for people."""
    on_deal: Callable[[TriedTable, int], None] | None = None
    """Tries a table on the deal of a seed."""
    on_game: Callable[[Game], None] | None = None
    """Tries what does not depend on seats or deals."""
    imagines: bool = False
    """Whether it is for games that imagine only."""


GAME_CHECKS = (
    GameCheck("description", "it says what it is", on_game=game_checks.describes_itself),
    GameCheck("action texts", "every action has a text of its own", on_game=game_checks.actions_have_texts),
    GameCheck("options", "unknown ones are refused", on_game=game_checks.refuses_unknown_options),
)
"""The checks of a game itself."""

DEAL_CHECKS = (
    GameCheck("end", "every match ends, with whole scores and places that fit", game_checks.match_ends),
    GameCheck("legality", "legal actions are distinct, of the game, and can be played", game_checks.legal_actions),
    GameCheck("seed", "the seed and the actions decide everything", game_checks.deal_depends_on_the_seed),
    GameCheck("deals", "what is dealt does not depend on how seats play", game_checks.deal_ignores_moves),
    GameCheck("events", "the log and the views are data for JSON", game_checks.log_is_json),
    GameCheck("views", "they cannot be changed, and do not change", view_checks.views_stay),
    GameCheck("properties", "views make lists and options anew each time", view_checks.views_share_nothing),
    GameCheck("secrets", "no view tells hidden actions apart", view_checks.views_show_no_secrets),
    GameCheck("copies", "a copy and its original are independent", game_checks.copies_are_independent),
    GameCheck(
        "imagine", "what is imagined fits the view, and plays on", view_checks.imagined_fits_the_view, imagines=True
    ),
    GameCheck(
        "imagine rng", "its rng alone decides what is imagined", view_checks.imagine_depends_on_its_rng, imagines=True
    ),
    GameCheck("observe", "it tells no more than views show", view_checks.observes_what_views_show),
    GameCheck("reveals", "who decides learns by it what others do", view_checks.reveals_to_who_decides),
    GameCheck("vectors", "views are encoded in one size", view_checks.vectors_have_one_size),
)
"""The checks of every deal that is tried."""

ONE_DEAL_CHECKS = (
    GameCheck("imagine luck", "what a seat does not know varies", view_checks.imagine_varies, imagines=True),
    GameCheck("imagine end", "nothing is imagined from the end", view_checks.imagine_refuses_what_is_over),
    GameCheck("replay", "a match is replayed from its record", game_checks.record_replays),
    GameCheck("faults", "a match goes on when bots make faults", game_checks.faults_are_stood),
    GameCheck("large values", "large options can be played", game_checks.stands_the_largest_options),
    GameCheck("decisions", "their number is bounded", game_checks.decisions_are_bounded),
)
"""The checks for which one deal is enough."""

NO_IMAGINE = GameCheck("imagine", "it imagines nothing, and says so", view_checks.imagine_refuses_everything)
"""The check of games that do not imagine, in place of those of what is imagined."""

PROCESS_TOPIC = "processes"
PROCESS_HOLDS = "another process deals and plays the same"


class GameFinding(NamedTuple):
    """The result of one check of a game."""

    topic: str
    passed: bool
    text: str
    """The details, for people."""


def deal_checks(game: Game) -> list[GameCheck]:
    """Returns the checks of a game's deals: those of what is imagined only if it imagines."""
    checks = [*DEAL_CHECKS, *ONE_DEAL_CHECKS]
    return checks if game.imagines else [*[check for check in checks if not check.imagines], NO_IMAGINE]


def check_tables(
    check: GameCheck, game: Game, seats: int, given: Mapping[str, Any], seeds: Sequence[int], limit_s: float = MOST_S
) -> None:
    """Tries one check of deals on a table.

    Args:
        check: One of `deal_checks`.
        game: The game.
        seats: How many seats play.
        given: Values of the game's options.
        seeds: The deals; those with one deal try the first.
        limit_s: How long it may take, in seconds.

    Raises:
        BrokenContractError: Something does not hold; the message names the seats and the seed.
        EndlessMatchError: A match does not end, or it took longer.
        Exception: What the game has raised.
    """
    __tracebackhide__ = True  # pytest shows the test and the message
    assert check.on_deal is not None
    seed = seeds[0]
    table = TriedTable.of(game, seats, given)

    def too_long() -> EndlessMatchError:
        return EndlessMatchError(f"{_where(seats, seed)}: it took longer than {limit_s:g} s")

    with deadline(limit_s, too_long):
        for seed in seeds if check in DEAL_CHECKS else seeds[:1]:
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
    """Checks that another process, in which hashes of texts are others, plays the same matches.

    Raises:
        BrokenContractError: It does not.
    """
    elsewhere = digests_elsewhere(game.name, given, seeds[:2], limit_s)
    if isinstance(elsewhere, str):
        raise BrokenContractError(f"another process cannot play it: {elsewhere}")
    for (seats, seed), digest in digests(game, given, seeds[:2]).items():
        require(
            elsewhere.get((seats, seed)) == digest,
            f"{_where(seats, seed)}: another process plays another match; the game depends on hashes of texts, on the "
            "order of sets, on the clock, or on chance other than the seed",
        )


def check_game(
    name: str, deals: int, seed: str = "1", given: Mapping[str, Any] | None = None, limit_s: float = MOST_S
) -> Iterator[GameFinding]:
    """Checks a game at every number of seats.

    Args:
        name: The name of the game.
        deals: How many deals are tried at each number of seats.
        seed: What the deals are drawn from.
        given: Values of the game's options.
        limit_s: How long one check of one table may take, in seconds.

    Yields:
        A finding for each part of the contract; it ends early if a match does not end.

    Raises:
        PluginError: There is no such game.
        ConfigError: It cannot be played with these options.
    """
    game, seeds, options = load_game(name), deal_seeds(deals, seed), given or {}
    for seats in game.seats:
        game.options(seats, options)
    for check in (*GAME_CHECKS, *deal_checks(game)):
        finding, goes_on = _finding(check.topic, check.holds, game, _trial(check, game, options, seeds, limit_s))
        yield finding
        if not goes_on:
            return
    yield _finding(PROCESS_TOPIC, PROCESS_HOLDS, game, lambda: plays_the_same_elsewhere(game, options, seeds, limit_s))[
        0
    ]


def _trial(
    check: GameCheck, game: Game, given: Mapping[str, Any], seeds: Sequence[int], limit_s: float
) -> Callable[[], None]:
    """Returns what tries one check on the game, or at all its numbers of seats."""
    if check.on_game is not None:
        on_game = check.on_game
        return lambda: on_game(game)

    def at_all_tables() -> None:
        for seats in game.seats:
            check_tables(check, game, seats, given, seeds, limit_s)

    return at_all_tables


def _finding(topic: str, holds: str, game: Game, trial: Callable[[], None]) -> tuple[GameFinding, bool]:
    """Returns what comes of a trial, and whether more can be tried."""
    try:
        trial()
    except EndlessMatchError as error:
        return GameFinding(topic, False, f"{error}; no more was tried"), False
    except (BrokenContractError, GameError) as error:
        return GameFinding(topic, False, str(error)), True
    except PluginError:
        raise
    except BaseException as error:  # a game may raise anything
        if not is_of_game(error):
            raise
        notes = "".join([f" {note}" for note in getattr(error, "__notes__", ())])
        return GameFinding(topic, False, failure_text(game, error) + notes), True
    return GameFinding(topic, True, f"{game.name}, {seats_text(game.seats)} seats: {holds}"), True
