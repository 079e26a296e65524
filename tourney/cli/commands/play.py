"""`tourney play`: a match with a person at the table."""

import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click

from tourney.base.errors import EXIT_ENDED_EARLY, ConfigError, WriteError, one_line, type_name
from tourney.cli import completion, interrupt
from tourney.cli.options import toml_value
from tourney.cli.render.events import view_lines
from tourney.cli.render.text import plain, text_lines, wrapped
from tourney.cli.render.transcript import Transcript
from tourney.cli.screen import echo, show_markdown, show_question, width
from tourney.contracts.bot import ActionEstimate
from tourney.contracts.game import Game, State
from tourney.contracts.match import Match, Record
from tourney.contracts.wording import pairs_text
from tourney.table.live import unplayed_record
from tourney.table.replay import ReplayEvent, trace

if TYPE_CHECKING:
    from tourney.cli.screen import Paint
    from tourney.contracts.bot import SeatFacts
    from tourney.contracts.game import Entry, Game
    from tourney.contracts.match import Fault, Record
    from tourney.runner.person_match import PersonMatch
    from tourney.table.live import LiveMatch


SHOWN = 12
"""How many actions a hint lists at the most."""
GAP = 3


class PersonTable:
    """Puts a match that is being played into lines for the person in a seat."""

    def __init__(self, match: Match, game: Game, seat: int, is_open: bool) -> None:
        """Takes the match, and whether the person sees the hands of all seats."""
        self._game = game
        self._seat = seat
        self._names = match.seats
        self._is_open = is_open
        self._transcript = Transcript(unplayed_record(match), game, None if is_open else seat, brief=True)

    def news(self, found: ReplayEvent) -> list[str]:
        """Returns the lines for what has happened; to be called with each event, in order."""
        lines = self._transcript.lines(found)
        if found.event.get("kind") == "deal" and not self._is_open:
            return ["", self._game.wording.heading(found.event)]  # the rest is in the view
        return lines

    def rest(self) -> list[str]:
        """Returns the lines that are left of what has happened; to be called after the last event before a decision."""
        return self._transcript.rest()

    def position(self, state: State) -> Iterator[str]:
        """Yields the lines for what the seat sees, and if all hands are open, for what the others hold."""
        own = state.view(self._seat).as_dict()
        yield from view_lines(own, self._game, history=False)
        if not self._is_open:
            return
        for seat, name in enumerate(self._names):
            if seat != self._seat:
                view = plain(state.view(seat).as_dict())
                news = {key: value for key, value in view.items() if own.get(key) != value}
                texts = [news.pop(key) for key in self._game.wording.texts if key in news]
                nothing = "" if texts else "nothing else"
                yield from wrapped(f"  seat {seat}, {name}: {pairs_text(news) or nothing}".rstrip(), "      ")
                for text in texts:
                    yield from text_lines(text, "      ")

    def actions(self, called: Sequence[str]) -> Iterator[str]:
        """Yields what the legal actions are called with their numbers, in as many columns as there is room for."""
        digits = len(str(len(called)))
        cells = [f"{number:{digits}} {one_line(name)}" for number, name in enumerate(called, 1)]
        widest = max(map(len, cells))
        across = max(1, (width() - 2 + GAP) // (widest + GAP))
        down = -(-len(cells) // across)
        for row in range(down):
            yield "  " + (" " * GAP).join([f"{cell:{widest}}" for cell in cells[row::down]]).rstrip()

    def end(self, record: Record) -> list[str]:
        """Returns the lines for the end of the match."""
        return Transcript(record, self._game, None).end()


def head_lines(match: Match, game: Game, seat: int, seed: int | str, is_open: bool) -> Iterator[str]:
    """Yields the lines before the match."""
    options = next(trace(unplayed_record(match), game))["options"]
    yield from wrapped(f"{game.title}, seed {seed}{f': {pairs_text(options)}' if options else ''}", "  ")
    seats = [f"{number} {name}" for number, name in enumerate(match.seats)]
    yield from wrapped(f"seats: {', '.join(seats)}; yours is {seat}", "  ")
    yield from wrapped(
        "Give the number of an action, or its text. ? shows the rules, h what seer would do, q stops.", "  "
    )
    if is_open:
        yield "All hands are open."


def hint_lines(estimates: Sequence[ActionEstimate], called: Mapping[int, str]) -> Iterator[str]:
    """Yields what `seer` would do, and how good it takes each action to be; `called` is what each is called."""
    yield from wrapped(
        f"seer would {called[estimates[0].action]}. The points in percent that it expects after each action, +- the "
        "standard error, and the number of playouts:",
        "  ",
    )
    widest = max([len(called[each.action]) for each in estimates])
    for each in estimates[:SHOWN]:
        error = "" if each.error is None else f"+-{each.error:.1f}"
        yield f"  {called[each.action]:{widest}}  {each.mean:5.1f}  {error:6}  {each.playouts:4}"
    if len(estimates) > SHOWN:
        yield f"  and {len(estimates) - SHOWN} more, down to {min([each.mean for each in estimates]):.1f}"


ADVISER = "seer"
"""The bot whose estimates are the hint."""
KEYS = "? h q"
LISTED = 5
"""How many of the actions are listed that an answer may mean."""


@click.command("play", short_help="Play a match yourself, at the terminal.")
@click.argument("name", metavar="GAME", shell_complete=completion.games)
@click.option(
    "--against", metavar="BOT", multiple=True, shell_complete=completion.bots,
    help="A bot at the table, in the order of the seats; repeatable.  [default: steady]",
)  # fmt: skip
@click.option("--seat", metavar="N", type=click.IntRange(min=0), default=0, show_default=True, help="Your seat.")
@click.option(
    "--seats", metavar="N", type=click.IntRange(min=1),
    help="How many seats there are; bots fill them in turn.  [default: as --against, or the fewest]",
)  # fmt: skip
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game; repeatable.")
@click.option("--seed", metavar="S", help="The seed of the deal.  [default: a new one, which is told]")
@click.option("--open", "is_open", is_flag=True, help="Show the hands of all seats.")
def command(
    name: str,
    against: tuple[str, ...],
    seat: int,
    seats: int | None,
    options: tuple[str, ...],
    seed: str | None,
    is_open: bool,
) -> None:
    """Play a match of GAME yourself, against bots.

    At each of your decisions you see what the others did, what your seat may know, and the legal actions. Answer with
    the number of one, or with its text; ? shows the rules, h what seer would do and why, q stops.
    A match that is stopped leaves nothing behind. One that ends becomes a run, results/play-GAME-1 or the next free
    number, for tourney replay, analyse, report and verify.

    In a pipe there are no questions: each line is an action.
    """
    from tourney.runner.person_match import require_room

    root = _seed(seed)
    match = _match(name, against, seat, seats, _options(options), root, is_open)
    require_room()
    asker = PersonAtTerminal(match, is_open)
    echo(*head_lines(match.match, match.game, seat, root, is_open))
    try:
        record = match.play(asker.decide, asker.follow)
    except _StoppedError as stopped:
        again = "" if seed is not None else f"; the same deal again: --seed {root}"
        echo(f"stopped {stopped}; the match was not over, and no run was written{again}", err=True)
        return
    asker.show_end(record)
    try:
        path = match.write_run(record)
    except WriteError as error:
        echo(f"the record of the match: {record.line().decode().rstrip()}", err=True)
        error.exit_code = EXIT_ENDED_EARLY  # the match was played
        raise
    echo(
        "",
        f"The match is in {path}. Next, try:",
        f"  tourney replay {path} {record.match} --step",
        f"  tourney analyse {path} --bot {match.match.seats[seat]}",
        f"  tourney report {path}",
        err=True,
    )


def _seed(given: str | None) -> int | str:
    """Returns the seed: a number if it is one, as in a tournament file; by default a new one."""
    if given is None:
        return secrets.randbelow(10**9)
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 40 else given


def _options(given: Sequence[str]) -> dict[str, Any]:
    found = {}
    for option in given:
        key, sign, value = option.partition("=")
        if not (key and sign):
            raise ConfigError(f"--option {option}: write KEY=VALUE, as in target=11")
        found[key] = toml_value(value)
    return found


def _match(
    name: str,
    against: Sequence[str],
    seat: int,
    seats: int | None,
    options: dict[str, Any],
    seed: int | str,
    is_open: bool,
) -> "PersonMatch":
    """Returns the match that is asked for; refuses seats that do not fit each other."""
    from tourney.contracts.wording import counted
    from tourney.plugins.registry import load_game
    from tourney.review.bots import substitute
    from tourney.runner.person_match import PersonMatch

    game = load_game(name)
    if seats is None:
        seats = next((count for count in game.seats if count > len(against)), len(against) + 1)
    if len(against) >= seats:
        raise ConfigError(
            f"--against: {counted(len(against), 'bot')} and you do not fit on {counted(seats, 'seat')}; name fewer"
        )
    if seat >= seats:
        raise ConfigError(f"--seat {seat}: there are {seats} seats, 0 to {seats - 1}; give one of them")
    return PersonMatch(name, seats, options, seat, against or (substitute(name),), seed, is_open)


class _StoppedError(Exception):
    """The person has stopped the match; the text says when."""


class PersonAtTerminal:
    """Shows a person the match, and asks for each decision."""

    def __init__(self, match: "PersonMatch", is_open: bool) -> None:
        """Nothing has happened yet."""
        from tourney.cli.render.text import painter

        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="backslashreplace")
        self._match = match
        self._seat = match.seat
        self._is_open = is_open
        self._paint: Paint | None = painter(match.game, None)
        self._table = PersonTable(match.match, match.game, match.seat, is_open)
        self._live: LiveMatch

    def follow(self, log: "Sequence[Entry]", faults: "Sequence[Fault]") -> None:
        """Follows the match from its beginning."""
        from tourney.table.live import LiveMatch

        seat = None if self._is_open else self._seat
        self._live = LiveMatch(self._match.match, self._match.game, seat, log, faults)

    def decide(self, facts: "SeatFacts", view: Any, legal: Sequence[int]) -> int:
        """Shows what has happened and what there is to decide, and asks until the answer is an action."""
        game, number = facts.game, self._show_news() + 1
        texts, choices = [game.text(action) for action in legal], game.wording.choices(view)
        called = [choices.get(action, text) for action, text in zip(legal, texts, strict=True)]
        echo("", *self._table.position(self._live.state), *self._table.actions(called), paint=self._paint)
        while True:
            answer = _answer(f"decision {number}, 1-{len(legal)} or {KEYS}: ")
            if answer is None:
                raise _StoppedError(f"at decision {number}, where the input ended")
            if answer == "q":
                raise _StoppedError(f"at decision {number}")
            if answer == "?":
                self._show_rules(game)
            elif answer == "h":
                self._show_hint(facts, view, dict(zip(legal, called, strict=True)), number)
            else:
                try:
                    return legal[_index(answer, texts, called, game)]
                except _RefusedError as refused:
                    echo(str(refused), err=True)

    def show_end(self, record: "Record") -> None:
        """Shows what has happened since the last decision, and how the match ended."""
        self._show_news()
        echo(*self._table.end(record), paint=self._paint)

    def _show_news(self) -> int:
        """Shows what has happened since the last time; returns how many decisions there were so far."""
        lines = [line for found in self._live.news() for line in self._table.news(found)] + self._table.rest()
        if lines:
            echo(*lines, paint=self._paint)
        return self._live.decisions

    def _show_rules(self, game: "Game") -> None:
        from tourney.cli import pages

        try:
            if address := pages.rules_address(game):
                echo(f"the rules are at {address}")
            else:
                show_markdown(pages.read_rules(game).text)
        except ConfigError as error:
            echo(str(error), err=True)

    def _show_hint(self, facts: "SeatFacts", view: Any, called: Mapping[int, str], number: int) -> None:
        """Shows what the adviser takes each legal action for; the same each time at the same decision."""
        from tourney.plugins.registry import load_bot

        try:
            adviser = load_bot(ADVISER, Path()).maker({}, ADVISER)()
            adviser.start(facts._replace(rng=Random(number)))
            estimates = adviser.estimates(view, tuple(called))
        except Exception as error:  # the adviser is a bot, and the game may not be made for it
            echo(f"{ADVISER} has no advice here: {type_name(error)}: {one_line(str(error))}", err=True)
            return
        echo(*hint_lines(estimates, called), paint=self._paint)


def _answer(question: str) -> str | None:
    """Returns the next line without spaces around it; None at the end of the input. A pipe is asked nothing."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401 - lets the line be edited
        with interrupt.handled():
            try:
                return input(question).strip()
            except EOFError:
                echo("")  # the cursor stands behind the question
                return None
    if sys.stdin.isatty():
        show_question(question)
    line = sys.stdin.readline()
    return line.strip() if line else None


class _RefusedError(Exception):
    """An answer that is no action; the text says so to the person."""


def _index(answer: str, texts: Sequence[str], called: Sequence[str], game: "Game") -> int:
    """Returns which of the legal actions an answer means: by its number, its text, or what the game calls it.

    A text may be shortened to a beginning, or to what follows the colon, that no other action has. Cards may have signs
    for their suits, as they are shown. An empty answer means the only action that there is.
    """
    from tourney.cli.render.text import without_signs

    answer = without_signs(game, answer)
    if not answer and len(texts) == 1:
        return 0
    if answer.isascii() and answer.isdecimal() and len(answer) < 10 and 1 <= int(answer) <= len(texts):
        return int(answer) - 1
    pairs = list(zip(texts, called, strict=True))
    if exact := [i for i, pair in enumerate(pairs) if answer in pair]:
        meant = exact
    else:
        meant = [i for i, pair in enumerate(pairs) if answer and any([_is_part(answer, name) for name in pair])]
    if len(meant) == 1:
        return meant[0]
    what = one_line(answer[:40])
    if meant:
        raise _RefusedError(f"{what}: may be {', '.join([called[i] for i in meant[:LISTED]])}; say which")
    if answer in game.names:
        raise _RefusedError(f"{what}: is not legal now; give one of the actions above")
    raise _RefusedError(f"{what}: not an action here; give a number from 1 to {len(texts)}, or one of {KEYS}")


def _is_part(answer: str, name: str) -> bool:
    return name.startswith(answer) or name.endswith(f":{answer}")
