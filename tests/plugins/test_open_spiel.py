"""Games and bots of OpenSpiel: what the contract asks of every game, runs, replays, reports, and what is refused."""

import copy
import pickle
import re
import subprocess
import sys
from collections import Counter
from random import Random

import msgspec
import pyspiel
import pytest

from tests.conftest import ROOT, called
from tourney.base.errors import ActionError, ConfigError, PluginError, ViewError
from tourney.cli.render.transcript import transcript, view_lines
from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.open_spiel import OpenSpiel
from tourney.plugins.registry import load_bot, load_game
from tourney.table.replay import trace, walk
from tourney.table.table import play
from tourney.testing import GameContract

PAGE = (ROOT / "docs" / "included.md").read_text(encoding="utf-8")
LISTED = re.findall(r"`(\w+)`", PAGE.partition("These card and dice games")[2].partition("\n\nOther games")[0])
"""The card and dice games on the page."""
CARDS_AND_DICE = [f"open_spiel:{name}" for name in LISTED if f"open_spiel:{name}" in OpenSpiel().game_names()]
QUICK = ("open_spiel:goofspiel", "open_spiel:leduc_poker")
"""One game that imagines nothing, and one that does; the rest takes seconds."""
SHORT = {
    "open_spiel:bridge": {"use_double_dummy_result": False},
    "open_spiel:pig": {"winscore": 20},
    "open_spiel:repeated_leduc_poker": {"num_hands": 3},
}
"""Options that make matches short."""


def contract(name: str, marks: list) -> type[GameContract]:
    """Returns the contract as tests of one game, with the fewest seats and on one deal."""
    seats = load_game(name).seats[0]
    members = {
        "game": name,
        "options": SHORT.get(name, {}),
        "deals": 1,
        "pytestmark": marks,
        "seat_counts": lambda self: [seats],
        # it tries all numbers of seats; the tournament below is verified by another process, too
        "test_another_process_plays_the_same": None,
    }
    return type(f"Test_{name.partition(':')[2]}", (GameContract,), members)


for each in CARDS_AND_DICE:
    made = contract(each, [] if each in QUICK else [pytest.mark.slow])
    globals()[made.__name__] = made


def test_what_a_seat_cannot_tell_is_not_shown_to_it():
    game = load_game("open_spiel:hearts")
    record = played("open_spiel:hearts", 4)
    events = list(walk(record, game, 1))
    dealt = [found for found in events if found.event.get("kind") == "chance" and found.seen is not None]
    assert len(dealt) == 1 + 13  # the direction of the pass, and its own cards
    seen = {found.number: found.seen for found in events if found.step is not None}
    # the last pass comes from across, and this seat sees what it gets by it
    seats = {found.number: found.step.seat for found in events if found.step is not None}
    assert {number for number, text in seen.items() if text == "a?"} == {n for n in range(1, 12) if seats[n] != 1}


def played(name, seats, seed=3):
    match = Match(f"{name}-00000-0", GameSetup(name, seats, {}), 0, seed, ("ann", "bob", "cid", "dan")[:seats])
    return play(match, load_game(name), [load_bot("open_spiel:uniform_random", None).make] * seats)


@pytest.mark.parametrize(
    ("name", "seats", "unit", "imagines", "options", "decisions"),
    [
        ("tic_tac_toe", range(2, 3), 1, True, "", 9),
        ("leduc_poker", range(2, 11), 1, True, "action_mapping starting_player suit_isomorphism", 8),
        ("goofspiel", range(2, 11), 1, False, "egocentric imp_info num_cards num_turns points_order returns_type", 26),
        ("tiny_bridge_2p", range(2, 3), 1000, False, "abstracted", 8),
        ("skat", range(3, 4), 1000, False, "", 35),
        ("coop_box_pushing", range(2, 3), 1000, False, "fully_observable horizon", 200),
    ],
)
def test_a_game_is_as_open_spiel_says_and_comes_to_the_same_returns(name, seats, unit, imagines, options, decisions):
    game = load_game(f"open_spiel:{name}")
    given = game.options(seats[0], {})
    assert (game.seats, game.imagines, " ".join(given.__struct_encode_fields__)) == (seats, imagines, options)
    assert (game.max_decisions(seats[0], given), len(game.names), game.names[-1]) == (decisions, 4096, "a4095")
    record = played(game.name, seats[0])
    spiel = pyspiel.load_game_as_turn_based(name, {"players": seats[0]} if len(seats) > 1 else {}).new_initial_state()
    for event in trace(record, game):
        if event["kind"] == "chance":
            spiel.apply_action(event["outcome"])
        elif event["kind"] == "act":
            assert (event["seat"], event["legal"]) == (spiel.current_player(), [f"a{n}" for n in spiel.legal_actions()])
            words = spiel.action_to_string(spiel.current_player(), game.action(event["action"]))
            spiel.apply_action(game.action(event["action"]))
        elif event["kind"] == "move":
            assert event["words"] == words
    assert spiel.is_terminal()
    assert record.scores == tuple([round(value * unit) for value in spiel.returns()])
    assert record.places == tuple([1 + sum(other > value for other in record.scores) for value in record.scores])


def test_chance_is_drawn_as_likely_as_it_is_and_bots_of_a_seed_play_the_same():
    game = load_game("open_spiel:pig")
    options = game.options(2, {})
    starts = [game.start(2, options, seed) for seed in range(400)]
    for state in starts:
        state.play(0)
    drawn = Counter(state.log[-1][1] for state in starts)
    assert len(drawn) == 6
    assert min(drawn.values()) > 35
    bots = OpenSpiel()
    assert bots.bot("open_spiel:mcts").games[:2] == ("open_spiel:amazons", "open_spiel:antichess")
    assert "open_spiel:kuhn_poker" not in bots.bot("open_spiel:mcts").games
    assert {"open_spiel:euchre", "open_spiel:oh_hell"} < set(bots.bot("open_spiel:ismcts").games)
    assert not {"open_spiel:bridge", "open_spiel:hearts"} & set(bots.bot("open_spiel:ismcts").games)
    assert bots.bot("open_spiel:uniform_random").games == tuple(bots.game_names())
    view = starts[0].view(0)
    assert (view, hash(view), view.options) == (starts[0].view(0), hash(starts[0].view(0)), options)
    assert view != starts[0].view(1)
    assert set(view.as_dict()) == {"seat", "turn", "information", "choices", "over"}
    latest = [starts[0].view(0) for _ in range(9000)][-1]  # more than are kept to be imagined
    assert game.imagine(latest, Random(1)).view(0) == latest
    with pytest.raises(ViewError, match="only in the process of its match"):
        game.imagine(msgspec.structs.replace(view, _ticket=-1), Random(1))
    assert bots.fingerprint().version.startswith("open_spiel ")


def test_a_copy_and_a_pickle_of_a_match_go_on_alone_to_the_same_end():
    game = load_game("open_spiel:leduc_poker")
    state = game.start(2, game.options(2, {}), 3)
    state.play(state.legal()[0])
    on = "while state.seat is not None: state.play(state.legal()[0])"
    code = f"import pickle, sys\nstate = pickle.load(sys.stdin.buffer)\n{on}\nprint(state.log, state.scores)"
    elsewhere = subprocess.check_output([sys.executable, "-c", code], input=pickle.dumps(copy.deepcopy(state)))
    exec(on)
    assert elsewhere.decode() == f"{state.log} {state.scores}\n"


def test_a_search_of_open_spiel_finds_the_winning_move():
    game = load_game("open_spiel:tic_tac_toe")
    state = game.start(2, game.options(2, {}), 1)
    for action in (0, 3, 1, 4):
        state.play(action)
    for seed in range(3):
        bot = load_bot("open_spiel:mcts", None).maker({"simulations": 200}, "bot")()
        bot.start(SeatFacts(game, game.options(2, {}), 2, 0, Random(seed)))
        assert bot.act(state.view(0), state.legal()) == 2


def test_a_move_is_a_line_with_its_words_and_what_chance_deals_a_paragraph(golden):
    name = "open_spiel:kuhn_poker"
    record, game = played(name, 2), load_game(name)
    told = [transcript(record, game, seat, part) for seat, part in ((None, (1, None)), (0, (1, 1)), (None, (2, None)))]
    golden("kuhn_poker.txt", "\n".join([line for lines in told for line in lines]))


def test_colours_in_a_view_are_left_out_and_a_board_keeps_its_lines():
    game = load_game("open_spiel:twixt")
    view = game.start(2, game.options(2, {}), 1).view(0).as_dict()
    assert "\x1b" in "".join(view["information"])
    shown = list(view_lines(view, game))
    assert [line for line in shown if not line.isprintable() or "x1b" in line] == []
    assert "      1     .  .  .  .  .  .  " in [line + "  " for line in shown]


def test_what_is_imagined_while_cards_are_passed_can_be_played_to_its_end():
    game = load_game("open_spiel:hearts")
    found = [each for each in walk(played("open_spiel:hearts", 4), game) if each.step is not None and each.number < 14]
    for each in found:
        state, rng = game.imagine(each.view, Random(each.number)), Random(1)
        assert state.view(each.step.seat).information == each.view.information
        while state.seat is not None:
            state.apply(rng.choice(state.legal()))


def test_what_is_not_there_or_not_to_be_played_is_said_in_one_line():
    for name, says in (
        ("open_spiel:heart", 'no game "open_spiel:heart"; did you mean "open_spiel:hearts"?'),
        ("openspiel:hearts", 'did you mean "open_spiel:NAME"?'),
        ("open_spiel:blackjack", "is not supported: it is for one player"),
        ("open_spiel:misere", "is made of other games or of a file"),
        ("open_spiel:tarok", "draws by itself, so that its deals cannot be repeated"),
    ):
        with pytest.raises(PluginError, match=says.replace("?", r"\?")):
            load_game(name)
    with pytest.raises(PluginError, match='no bot "open_spiel:ismct"; did you mean "open_spiel:ismcts"'):
        load_bot("open_spiel:ismct", None)
    game = load_game("open_spiel:liars_dice")
    with pytest.raises(ActionError, match='no action "a99999"; did you mean'):
        game.action("a99999")
    with pytest.raises(ActionError, match="no action"):
        game.action("a01")
    assert game.options(2, {"dice_sides": 4}).dice_sides == 4
    with pytest.raises(ConfigError, match='no key "dice_side"; did you mean "dice_sides"'):
        game.options(2, {"dice_side": 4})
    with pytest.raises(ConfigError, match="seats, not 3"):
        game.options(3, {})
    with pytest.raises(ConfigError, match=r"OpenSpiel refuses them: dice_sides_ >= 1; dice_sides_ = -3, 1 = 1$"):
        game.options(2, {"dice_sides": -3})
    with pytest.raises(ConfigError, match="OpenSpiel refuses them: current_player_ < num_players_"):  # as it starts
        load_game("open_spiel:blotto").options(2, {"coins": -1})


def test_without_the_extra_one_line_names_it():
    code = """import contextlib, sys; sys.modules["pyspiel"] = None
from tourney.base.errors import MissingExtraError
from tourney.cli.main import main
from tourney.plugins.registry import game_fingerprint
with contextlib.suppress(MissingExtraError):
    sys.exit(game_fingerprint("open_spiel:hearts"))
main(["games", "open_spiel:hearts"], prog_name="tourney")"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert (
        done.stderr
        == "tourney: open_spiel requires pyspiel; install it with: pip install 'tourney-cards[open-spiel]'\n"
    )


@pytest.mark.parametrize(
    ("bot", "games"),
    [
        pytest.param(
            "mcts", {"tic_tac_toe": "", "pig": "seats = 2\noptions = { winscore = 10 }"}, marks=pytest.mark.slow
        ),
        ("ismcts", {"kuhn_poker": "seats = 2"}),
    ],
)
def test_bots_of_open_spiel_play_the_same_again_in_every_host(tmp_path, bot, games):
    tables = "".join([f'[[game]]\nname = "open_spiel:{name}"\n{keys}\n' for name, keys in games.items()])
    apart = '[[bot]]\nname = "apart"\nuse = "open_spiel:uniform_random"\nhost = "process"\n'
    text = f'name = "t"\nseed = 4\ndeals = 1\nbots = ["open_spiel:{bot}", "random"]\n{apart}{tables}'
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    runs = [["run", "t.toml", "--quiet", "--workers", str(workers), "--out", str(workers)] for workers in (1, 2)]
    for command in (*runs, ["verify", "1", "--bots"], ["report", "1"]):
        done = called(command, tmp_path)
        assert done.returncode == 0, done.stderr
    journals = [(tmp_path / str(workers) / "journal.jsonl").read_bytes() for workers in (1, 2)]
    assert journals[0] == journals[1]
    assert journals[0].count(b'"faults":[]') == journals[0].count(b"\n") > 0
