"""`tourney play`: a match with a human at the table, or with several in the browser."""

import shlex
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import click

from tourney.base.errors import EXIT_ENDED_EARLY, ConfigError, TourneyError, WriteError, one_line, type_name
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.commands.docs import show_rules
from tourney.cli.render.transcript import Transcript, painter, text_lines, view_lines, without_signs
from tourney.cli.screen import echo, say, width, wrapped
from tourney.config import writing
from tourney.contracts.bot import ActionEstimate, SeatFacts
from tourney.contracts.game import Entry, Game
from tourney.contracts.match import Fault, Record
from tourney.contracts.rng import secret_seed
from tourney.contracts.wording import counted, pairs_text
from tourney.plugins.registry import load_bot, load_game
from tourney.review.analysis.file import MatchAnalysis, read_analysis
from tourney.review.bots import substitute
from tourney.runner.person_match import NAME, PersonMatch, require_room
from tourney.table.describe import plain
from tourney.table.replay import LiveMatch, trace, unfinished_record

ADVISER = "seer"
KEYS = "? h q"
GAP = 3
SHOWN = 12  # the most actions listed in a hint
UNDO_S = 2.0


@click.command("play")
@click.argument("name", metavar="GAME[:SEATS]", shell_complete=opt.complete_game)
@click.option(
    "--against", metavar="BOT", multiple=True, shell_complete=opt.complete_bot,
    help="Opponent, in seat order; repeatable.  [default: steady]",
)  # fmt: skip
@click.option("--seat", metavar="N", type=click.IntRange(min=0), default=0, show_default=True, help="Your seat.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Set a game option; repeatable.")
@click.option("--seed", metavar="S", help="Seed of the deal.  [default: random, and printed]")
@click.option("--open", "is_open", is_flag=True, help="Show the hands of all seats.")
@click.option(
    "--person", "people", metavar="NAME", multiple=True,
    help="Player name, from your seat on; repeatable with --browser.  [default: you]",
)  # fmt: skip
@click.option("--browser", is_flag=True, help="Play in the browser, one page per person.")
@opt.address(0)
@click.option(
    "--undo-s", metavar="S", type=click.FloatRange(0, 60),
    help=f"Seconds for undoing an answer on a page.  [default: {UNDO_S:g}]",
)  # fmt: skip
@click.option(
    "--move-s", metavar="S", type=click.FloatRange(0, 86_400, min_open=True),
    help="Seconds for a decision on a page.  [default: no limit]",
)  # fmt: skip
def command(
    name: str, against: tuple[str, ...], seat: int, options: tuple[str, ...], seed: str | None, is_open: bool,
    people: tuple[str, ...], browser: bool, **of_browser: Any,
) -> None:  # fmt: skip
    """Play a match of GAME yourself, against bots and other people.

    Bots fill the other seats in turn. The number of seats defaults to the players you name, or the game's minimum.

    At each decision you see the others' moves, your view and the legal actions. Answer with an action's number or
    text; ? shows the rules, h a hint from seer with its reasons, q stops. A forced action is played automatically.
    A finished match becomes a run, results/play-GAME-1 or the next free number, for tourney replay, analyse, report
    and verify. A stopped match is not kept.

    With --browser, you and each other --person play on a web page. It prints a link for each; anyone with the link
    can take that seat. After the match, the pages show the cost of each decision, and where other actions lead,
    until Ctrl-C.

    In a pipe, each line of input is an action, without questions.
    """
    given = {key: value for key, value in of_browser.items() if value is not None}
    if not browser and (given or len(people) > 1):
        what = f"--{next(iter(given)).replace('_', '-')}" if given else "a second --person"
        raise ConfigError(f"{what} requires --browser")
    if browser and is_open:
        raise ConfigError("--open and --browser cannot be combined, because a page only shows its seat's view")
    root = _seed(secret_seed() if seed is None else seed)
    match = _match(name, against, seat, opt.key_values(options), root, is_open, people or (NAME,))
    if browser:
        _play_in_browser(match, root, **given)
        return
    require_room()
    asker = PersonAtTerminal(match, is_open)
    echo(*_head_lines(match, root, is_open))
    try:
        record = match.play(asker.decide, asker.follow)
    except _StoppedError as stopped:
        again = "" if seed is not None else f"; the same deal again: --seed {root}"
        say(f"stopped {stopped}; the match is unfinished, and no run was written{again}")
        return
    asker.show_end(record)
    _write(match, record)


def _play_in_browser(
    played: PersonMatch, seed: int | str, address: tuple[str, int] | None = None, undo_s: float = UNDO_S,
    move_s: float | None = None,
) -> None:  # fmt: skip
    from tourney.web import server  # first: raises if the extra is missing
    from tourney.web.seats import MOST_S, Seats

    host, port = address or ("127.0.0.1", 0)
    listener = server.listen(host, port)
    require_room()
    url, reachable = server.address_of(listener)
    if host in ("0.0.0.0", "::"):  # noqa: S104 - asked for
        url = f"http://{socket.gethostname()}:{listener.getsockname()[1]}"
    if reachable:
        say("warning: anyone listening on the network can read the links and the cards; play among friends")
    seats = Seats(played, undo_s, move_s, say)
    with server.serving(server.application(seats.routes(), listener), listener):
        say(f"{played.game.title}, seed {seed}; Ctrl-C stops it. Anyone with a link can play its seat:")
        links = [f"{url}/table/{seats.tokens[seat]}/" for seat in played.people]
        echo(*[f"{name}: {link}" for name, link in zip(played.people.values(), links, strict=True)])
        if address is None and sys.stdout.isatty():
            click.launch(links[0])
        record = played.play(seats.decide, seats.follow)
        path = _write(played, record)
        seats.end(record, path)
        say("The pages stay open until Ctrl-C, and will show the cost of each decision.")
        with suppress(KeyboardInterrupt), interrupt.handled():
            seats.show_analysis(_analysed(path, record.match, played.people.values()))
            while True:
                time.sleep(MOST_S)


def _analysed(path: Path, match: str, people: Iterable[str]) -> MatchAnalysis | None:
    from tourney._api.runs import load

    try:
        for name in people:
            load(path).analyse(name)
        return read_analysis(path).get(match)
    except TourneyError as error:
        say(f"cannot analyse the decisions: {error}")
        return None


def _write(played: PersonMatch, record: Record) -> Path:
    try:
        path = played.write_run(record)
    except WriteError as error:
        say(f"the match record: {record.line().decode().rstrip()}")
        error.exit_code = EXIT_ENDED_EARLY  # the match was played
        raise
    say(
        "",
        f"The match is in {path}. Next, try:",
        f"  tourney replay {path} {record.match} --step",
        *[f"  tourney analyse {path} --bot {shlex.quote(name)}" for name in played.people.values()],
        f"  tourney report {path}",
    )
    return path


def _seed(given: str) -> int | str:
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 40 else given


def _match(
    text: str, against: Sequence[str], seat: int, options: dict[str, Any], seed: int | str, is_open: bool,
    people: Sequence[str],
) -> PersonMatch:  # fmt: skip
    players, (name, colon, _) = len(against) + len(people), text.partition(":")
    seats = (
        writing.game_table(text)["seats"]
        if colon
        else next((count for count in load_game(name).seats if count >= players), players)
    )
    if players > seats:
        who = "you" if len(people) == 1 else counted(len(people), "person", "people")
        bots = counted(len(against), "bot")
        raise ConfigError(f"--against: {bots} and {who} are too many for {counted(seats, 'seat')}")
    if len(set(people)) < len(people):
        raise ConfigError("--person: names must be different")
    if seat >= seats:
        raise ConfigError(f"--seat: must be 0 to {seats - 1}, got {seat}")
    return PersonMatch(name, seats, options, seat, against or (substitute(name),), seed, is_open, people)


def _head_lines(played: PersonMatch, seed: int | str, is_open: bool) -> Iterator[str]:
    options = next(trace(unfinished_record(played.match, played.game), played.game))["options"]
    yield from wrapped(f"{played.game.title}, seed {seed}{f': {pairs_text(options)}' if options else ''}", "  ")
    seats = [f"{number} {name}" for number, name in enumerate(played.match.seats)]
    yield from wrapped(f"seats: {', '.join(seats)}; yours is {next(iter(played.people))}", "  ")
    yield from wrapped(played.game.wording.goal, "")
    yield from wrapped("Enter an action's number or text. ? shows the rules, h seer's advice, q quits.", "  ")
    if is_open:
        yield "All hands are open."


class _StoppedError(Exception):
    """The user stopped the match; the text says when."""


class PersonAtTerminal:
    """Shows the match on the terminal, and asks for each decision."""

    def __init__(self, played: PersonMatch, is_open: bool) -> None:
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="backslashreplace")
        self._played = played
        self._match = played.match
        self._game = played.game
        (self._seat,) = played.people
        self._is_open = is_open
        self._sees = None if is_open else self._seat
        self._paint = painter(played.game, None)
        self._transcript = Transcript(unfinished_record(self._match, self._game), self._game, self._sees, brief=True)
        self._live: LiveMatch

    def follow(self, log: Sequence[Entry], faults: Sequence[Fault]) -> None:
        """Follows the match from its beginning."""
        self._live = LiveMatch(self._match, self._game, self._sees, log, faults)

    def decide(self, facts: SeatFacts, view: Any, legal: Sequence[int]) -> int:
        """Shows the news and the legal actions, and asks until the answer is an action."""
        self._show_news()
        number = self._live.decisions + 1
        texts = [self._game.text(action) for action in legal]
        called = list(self._played.called(view, legal).values())
        echo("", *self._position(), *_columns(called), paint=self._paint)
        while True:
            answer = _answer(f"decision {number}, 1-{len(legal)} or {KEYS}: ")
            if answer is None:
                raise _StoppedError(f"at decision {number}, at the end of the input")
            if answer == "q":
                raise _StoppedError(f"at decision {number}")
            try:
                if answer == "?":
                    show_rules(self._game)
                elif answer == "h":
                    self._show_hint(facts, view, dict(zip(legal, called, strict=True)), number)
                else:
                    return legal[_index(answer, texts, called, self._game)]
            except ConfigError as error:
                echo(str(error), err=True, paint=self._paint)

    def show_end(self, record: Record) -> None:
        """Shows the news since the last decision, and the result."""
        self._show_news()
        echo(*self._transcript.end(record), paint=self._paint)

    def _show_news(self) -> None:
        lines: list[str] = []
        for replayed in self._live.news():
            shown = self._transcript.lines(replayed)
            if replayed.event.get("kind") == "deal" and not self._is_open:
                shown = ["", self._game.wording.heading(replayed.event)]  # the rest is in the view
            lines += shown
        if lines := lines + self._transcript.rest():
            echo(*lines, paint=self._paint)

    def _position(self) -> Iterator[str]:
        state = self._live.state
        view = state.view(self._seat)
        own = view.as_dict()
        if sentences := self._played.situation(view):
            yield from (line for each in sentences for line in wrapped(f"  {each}", "      "))
        else:
            yield from view_lines(own, self._game, history=False)
        for seat, name in enumerate(self._match.seats if self._is_open else ()):
            if seat != self._seat:
                other = plain(state.view(seat).as_dict())
                news = {key: value for key, value in other.items() if own.get(key) != value}
                texts = [news.pop(key) for key in self._game.wording.texts if key in news]
                nothing = "" if texts else "nothing else"
                yield from wrapped(f"  seat {seat}, {name}: {pairs_text(news) or nothing}".rstrip(), "      ")
                for text in texts:
                    yield from text_lines(text, "      ")

    def _show_hint(self, facts: SeatFacts, view: Any, called: Mapping[int, str], number: int) -> None:
        try:
            adviser = load_bot(ADVISER, Path()).maker({}, ADVISER)()
            adviser.start(facts._replace(rng=Random(number)))
            estimates = adviser.estimates(view, tuple(called))
        except Exception as error:  # the adviser is a bot, which may not support the game
            say(f"{ADVISER} has no advice here: {type_name(error)}: {one_line(str(error))}")
            return
        echo(*_hint_lines(estimates, called), paint=self._paint)


def _columns(called: Sequence[str]) -> Iterator[str]:
    digits = len(str(len(called)))
    cells = [f"{number:{digits}} {one_line(name)}" for number, name in enumerate(called, 1)]
    widest = max(map(len, cells))
    across = max(1, (width() - 2 + GAP) // (widest + GAP))
    down = -(-len(cells) // across)
    for row in range(down):
        yield "  " + (" " * GAP).join([f"{cell:{widest}}" for cell in cells[row::down]]).rstrip()


def _hint_lines(estimates: Sequence[ActionEstimate], called: Mapping[int, str]) -> Iterator[str]:
    yield from wrapped(
        f"{ADVISER} would {called[estimates[0].action]}. The points in percent that it expects after each action, +- "
        "the standard error, and the number of playouts:",
        "  ",
    )
    widest = max([len(called[each.action]) for each in estimates])
    for each in estimates[:SHOWN]:
        error = "" if each.error is None else f"+-{each.error:.1f}"
        yield f"  {called[each.action]:{widest}}  {each.mean:5.1f}  {error:6}  {each.playouts:4}"
    if len(estimates) > SHOWN:
        yield f"  and {len(estimates) - SHOWN} more, down to {min([each.mean for each in estimates]):.1f}"


def _answer(question: str) -> str | None:
    """The next stripped line; None at the end of the input. Prompts only a terminal."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401 - lets the line be edited
        with interrupt.handled():
            try:
                return input(question).strip()
            except EOFError:
                echo("")  # the cursor is after the prompt
                return None
    if sys.stdin.isatty():
        click.echo(question, nl=False, err=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _index(answer: str, texts: Sequence[str], called: Sequence[str], game: Game) -> int:
    answer = without_signs(game, answer)
    if answer.isascii() and answer.isdecimal() and len(answer) < 10 and 1 <= int(answer) <= len(texts):
        return int(answer) - 1
    pairs = list(zip(texts, called, strict=True))
    meant = [i for i, pair in enumerate(pairs) if answer in pair] or [
        i
        for i, pair in enumerate(pairs)
        if answer and any([name.startswith(answer) or name.endswith(f":{answer}") for name in pair])
    ]
    if len(meant) == 1:
        return meant[0]
    what = one_line(answer[:40])
    if meant:
        raise ConfigError(f"{what}: ambiguous: {', '.join([called[i] for i in meant[:5]])}")
    if answer in game.names:
        raise ConfigError(f"{what}: illegal now; choose one of the actions above")
    raise ConfigError(f"{what}: unknown action; enter a number from 1 to {len(texts)}, or one of {KEYS}")
