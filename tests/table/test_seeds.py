"""Lots belong to the block: who sits in the same seat of the same block draws the same, in every format and game."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import tables
from tests.schedule.drawn import tournament
from tourney import config
from tourney.config import Tournament
from tourney.contracts.match import Block, Record, distinct_names
from tourney.plugins.registry import format_names, game_names, load_game
from tourney.review.recheck import recheck
from tourney.review.what_if import Change, find_step, play_on
from tourney.schedule.base import schedule
from tourney.standings.points import points
from tourney.table.seeds import bot_seed
from tourney.table.table import play

SHORT = {"vole": "target = 4", "voleur": "target = 4", "leon": "max_cards = 2", "cold-blooded": "target = 2"}
"""Options that make matches short, for those games that are long."""
KEYS = {"gauntlet": 'challengers = ["bot-0"]', "swiss": "rounds = 2"}  # the keys that a format needs
TOURNAMENTS = {
    "mirror": ("mirror", 2),
    "mirror with a field": ("mirror", 5),
    "mirror with a field of one": ("mirror", 3),
    "round-robin": ("round-robin", 4),
    "Swiss with a smaller table": ("swiss", 5),
}
"""The format, and the number of entrants."""
NAMES = st.sets(st.text("abAB01._+-", min_size=1, max_size=4), min_size=1, max_size=4)


def seats_of(game: str) -> int:
    """Three seats, or two where the game has no more."""
    seats = load_game(game).seats
    return 3 if 3 in seats else seats[0]


def of_one_bot(form: str, game: str, seats: int, entrants: int, bot: str = "random", deals: int = 2) -> Tournament:
    """A tournament of one bot under several names."""
    bots = ", ".join([f'{{ name = "bot-{i}", use = "{bot}" }}' for i in range(entrants)])
    return config.parse(
        f'name = "lots"\nseed = 5\nformat = "{form}"\ndeals = {deals}\nbot = [{bots}]\n{KEYS.get(form, "")}\n'
        f'[[game]]\nname = "{game}"\nseats = {seats}\noptions = {{ {SHORT.get(game, "")} }}\n',
        Path("lots.toml"),
    )


def played(tournament: Tournament) -> Iterator[tuple[Block, list[Record]]]:
    plan, makers = schedule(tournament), config.create_hosts(tournament)
    for blocks in plan.rounds():
        for block in blocks:
            game = load_game(block.setup.game)
            records = [play(match, game, [makers[name] for name in match.seats]) for match in block.matches()]
            for record in records:
                plan.add(record)
            yield block, records


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("case", TOURNAMENTS)
def test_bots_asked_again_about_a_single_record_draw_the_lots_of_its_block(game, case):
    form, entrants = TOURNAMENTS[case]
    meant = of_one_bot(form, game, seats_of(game), entrants, deals=1)
    plan, makers, rules = schedule(meant), config.create_hosts(meant), load_game(game)
    for block, records in played(meant):
        for record in records[:: len(records) - 1]:
            names, bots = plan.block_names(record.seats), [makers[name] for name in record.seats]
            assert names == block.names
            assert recheck(record, rules, bots, names) == [None] * len(bots)
            decision = record.actions.count(" ") // 2
            seat = find_step(record, rules, decision).seat
            ending, divergences = play_on(record, rules, bots, Change(decision, seat, None, bots[seat]), names)
            assert not divergences
            assert ending.scores == record.scores


@pytest.mark.parametrize(("game", "seats"), tables())
@pytest.mark.parametrize("case", ["mirror", "mirror with a field of one", "round-robin"])
def test_where_nothing_but_the_names_differs_every_block_is_even(game, seats, case):
    form, entrants = TOURNAMENTS[case]
    for block, records in played(of_one_bot(form, game, seats, seats if form == "round-robin" else entrants)):
        assert len({record.actions for record in records}) == 1
        won: dict[str, list[float]] = {name: [] for name in block.names}
        for record in records:
            for name, each in zip(record.seats, points(record.places), strict=True):
                won[name].append(each)
        compared = ("bot-0", "bot-1") if form == "mirror" else block.names
        assert len({tuple(sorted(won[name])) for name in compared}) == 1


def test_another_deal_another_seat_and_another_company_have_other_lots():
    assert len({bot_seed(*each) for each in ((1, 0, "ab"), (2, 0, "ab"), (1, 1, "ab"), (1, 0, "ac"))}) == 4


@given(NAMES, NAMES)
def test_different_names_never_spell_the_same_lots(some, others):
    assert (bot_seed(1, 0, distinct_names(some)) == bot_seed(1, 0, distinct_names(others))) == (some == others)


@pytest.mark.parametrize("form", format_names())
@pytest.mark.parametrize("entrants", [4, 5])
def test_every_match_carries_the_names_of_its_block_and_every_format_finds_them_again(form, entrants):
    keys = {"gauntlet": {"challengers": ("bot-0",)}, "swiss": {"rounds": 1, "fits_fewer_seats": True}}
    keys["track"] = {"pool": ("bot-0",)}
    plan = schedule(tournament(entrants, [4], 20, form=form, **keys.get(form, {})))
    blocks = list(next(plan.rounds()))
    assert blocks
    for block in blocks:
        seated = tuple(sorted({name for seats in block.seatings for name in seats}))
        assert block.names == (keys[form]["pool"] if form == "track" else seated)
        for match in block.matches():
            assert match.names == plan.block_names(match.seats) == block.names
