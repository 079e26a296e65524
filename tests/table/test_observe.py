"""What a seat learns of what others do, as the game says it: nothing that its view does not show."""

import pytest

from tests.games.test_plain_game import Bidder, High
from tests.helpers import SHORT, play_match
from tourney.contracts.bot import Bot
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import walk
from tourney.table.sentences import Sentences
from tourney.table.table import play

GAMES = pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)


@GAMES
def test_a_seat_sees_its_own_decisions_whole_and_learns_nothing_twice(game):
    record = play_match(*["random"] * game.seats[-1], game=game.name, options=SHORT[game.name])
    for seat in range(0, game.seats[-1], 3):
        known = set()
        for found in walk(record, game, seat):
            if found.step is not None and found.step.seat == seat:
                assert found.seen == game.text(found.step.action)
            for earlier in found.revealed:
                assert earlier.number <= found.number
                assert (earlier.number, earlier.step is None) not in known
                known.add((earlier.number, earlier.step is None))


def decisions(name, seat, *bots, **keys):
    record = play_match(*bots, game=name, **keys)
    return {found.number: found for found in walk(record, load_game(name), seat) if found.step is not None}


def revealed(decisions):
    """The actions that come out later, each by its decision, with the decision at which they do."""
    return {
        earlier.number: (earlier.action, found.number) for found in decisions.values() for earlier in found.revealed
    }


def test_secret_bids_are_learned_when_the_round_is_over():
    found = decisions("leon", 0, "steady", "random", "random", options={"max_cards": 3})
    bids = [each for each in found.values() if each.action.startswith("bid")]
    for each in bids:
        assert each.seen == (each.action if each.step.seat == 0 else "bid:?")
    learned = revealed(found)
    assert {number: action for number, (action, _) in learned.items()} == {
        each.number: each.action for each in bids if each.step.seat != 0
    }
    last_of_first_round = next(number for number, each in found.items() if number > 6 and "bid" in each.action) - 1
    assert learned[2][1] == last_of_first_round


def test_of_a_revoke_nobody_learns_but_by_its_sanction():
    """docs/rules/leon: the others see a finished trick; confessions come out together once all have answered."""
    together = 0
    for seed in range(40):
        record = play_match(*["random"] * 4, game="leon", options={"revokes": "hidden", "max_cards": 5}, seed=seed)
        game = load_game("leon")
        everything = [found for found in walk(record, game) if found.action in ("confess", "silent")]
        numbers = {found.number for found in everything}
        for seat in range(4):
            seen = {}
            told = []  # the sanctions, at the decision with which they are told
            for found in walk(record, game, seat):
                told += [
                    (found.number, each.number)
                    for each in (*found.revealed, found)
                    if each.event.get("name") == "smokeleir repenti" and (each is not found or found.seen)
                ]
                if found.step is not None:
                    seen[found.number] = found
                assert not [each for each in found.revealed if each.action == "silent"]
            for found in everything:
                last = found.number
                while last + 1 in numbers:
                    last += 1
                mine = found.step.seat == seat
                confessed_last = found.action == "confess" and found.number == last
                assert seen[found.number].seen == (found.action if mine or confessed_last else None)
                if found.action == "confess":
                    assert (found.number if mine else last, found.number) in told
                    together += last > found.number
            assert len(told) == sum([found.action == "confess" for found in everything])
    assert together >= 3


def test_a_knife_is_a_trade_until_its_victim_dies_or_is_saved():
    """docs/rules/cold-blooded, also: of a declined one nobody learns, nor who was asked for a shell or a sacrifice."""
    options = {"target": 2, "talk": False, "deck": {"knife": 8, "sacrifice": 6, "shell": 6, "sniper": 4}}
    ends = set()
    for seed in range(30):
        record = play_match(*["random"] * 6, game="cold-blooded", options=options, seed=seed)
        game = load_game("cold-blooded")
        open_ = [found.action for found in walk(record, game) if found.step is not None]
        for seat in (0, 3):
            found = {each.number: each for each in walk(record, game, seat) if each.step is not None}
            learned = revealed(found)
            for number, action in enumerate(open_, 1):
                if found[number].step.seat == seat:
                    continue
                if action == "stay":
                    assert found[number].seen is None
                elif not action.startswith("knife"):
                    assert found[number].seen == action
                elif found[number].seen != action:
                    assert found[number].seen == action.replace("knife", "trade")
                    last = number
                    while open_[last : last + 1] in (["accept"], ["stay"]):
                        last += 1
                    answer = "".join(open_[last : last + 1])  # what comes after those
                    ends.add(answer if answer in ("decline", "sacrifice") else "dies")
                    if answer == "decline":
                        assert number not in learned
                    else:
                        assert learned[number] == (action, last + (answer == "sacrifice"))
    assert ends == {"decline", "sacrifice", "dies"}


def test_of_a_game_that_says_nothing_every_action_is_seen():
    match = Match("high-00000-0", GameSetup("high", 2, {}), 0, 7, ("low", "adder"))
    record = play(match, High(), [lambda: Bidder(3), lambda: Bidder(None)])
    found = list(walk(record, High(), 1))
    assert [each.event.get("kind") for each in found] == ["deal", None, None]
    assert [each.seen for each in found] == ["deal", *record.actions.split()]
    assert not any(each.revealed for each in found)


class Revokes(Bot):
    """Plays a card that it may not play, whenever it holds one."""

    def act(self, view, legal):
        held = [self.facts.game.action(f"play:{card}") for card in view.as_dict()["hand"] if card != "X"]
        return next((card for card in held if legal[0] in held and card not in legal), legal[0])


def test_of_a_card_that_is_not_allowed_the_others_see_what_counts():
    game = load_game("leon")
    record = play(Match("leon-00000-0", GameSetup("leon", 2, {}), 0, 5, ("a", "b")), game, [Revokes] * 2)
    assert record.faults == ()
    told = set()
    for seat in (None, 0, 1):
        sentences = Sentences(record, game, seat)
        for found in walk(record, game, seat):
            if found.step is not None and found.step.action not in found.step.legal:
                counted, note = game.text(found.step.legal[0]), sentences.note(found, found.step)
                is_open = seat in (None, found.step.seat)
                assert (found.action, note) == (counted, f"not allowed, counts as {counted}" if is_open else "")
                assert sentences.action(found, found.step) == (game.text(found.step.action) if is_open else counted)
                told.add((seat, found.step.seat))
    assert len(told) == 6
