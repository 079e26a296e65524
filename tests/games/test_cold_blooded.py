"""Cold Blooded, rule by rule (docs/rules/cold-blooded.md)."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.examples import examples, holds, settings
from tests.games.facts import facts_of
from tourney import testing
from tourney.base.errors import ActionError, ConfigError
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import pick
from tourney.games.cold_blooded import rules as cb
from tourney.plugins.registry import load_game

GAME = load_game("cold-blooded")
DECKS = [{}, {"sniper": 2, "knife": 4, "sacrifice": 5}, {"shell": 0, "bomb": 0, "uprising": 3}, {"shell": 30}]
OPTIONS = {"talk": st.booleans(), "target": st.integers(1, 3), "max_turns": st.integers(1, 90)}
ROLES = {"d": "duke", "g": "guard", "a": "assassin"}


def five(hands, deck="shell bomb shell", roles="dggaa", *, turn=None, first=None, out=(), mover=None, **options):
    """A game in which each seat holds one of the cards; the Duke, or seat `first`, is to move.

    Seat 0 is the Duke, 1 and 2 are guards, 3 and 4 assassins, unless `roles` says otherwise. At a table of four the
    last of the cards is the Duke's. Everyone has had the first turn, unless `turn` says otherwise.
    """
    seats, cards = len(roles), [None if card == "-" else card for card in hands.split()]
    counts = Counter([*cards, *deck.split()])
    options = {"talk": False, "deck": {card: counts[card] for card in cb.CARDS}} | options
    facts = {"deck": deck, "dummy": cards[4] if seats == 4 else None, "mover": mover, "out": out, "turn": turn}
    facts |= {"roles": [ROLES[role] for role in roles], "hands": cards[:seats], "starts": first}
    return testing.position(GAME, seats=seats, options=options, **facts)


def living(state):
    there = facts_of(state)
    places = [*range(len(there["hands"])), *[cb.DUMMY] * (len(there["hands"]) == 4)]
    return [place for place in places if place not in there["out"]]


def cards(state):
    """How many there are of each card in the game, those that were played in this turn included."""
    there = facts_of(state)
    held = [card for card in (*there["hands"], there["dummy"]) if card]
    elsewhere = [*there["tokens"]["bombs"], *there["tokens"]["deck"]]
    played = [card for _, token, card in there["decision"]["played"] if token not in elsewhere]
    return Counter([*held, *there["deck"].split(), *["bomb"] * len(there["bombs"]), *played])


@pytest.mark.parametrize(("seats", "guards", "assassins"), [(4, 2, 2), (5, 2, 2), (6, 3, 2), (7, 3, 3), (8, 4, 3)])
def test_a_deal_gives_roles_by_the_number_of_seats_and_a_card_each_of_the_whole_deck(seats, guards, assassins):
    deal = GAME.event(GAME.start(seats, GAME.options(seats, {}), 3).log[0])
    assert (deal["kind"], deal["game"], len(deal["hands"])) == ("deal", 1, seats)
    assert +Counter(deal["roles"]) == +Counter(guard=guards, assassin=assassins, duke=int(seats > 4))
    cards = Counter(deal["hands"] + deal["deck"] + ([deal["dummy"]] if seats == 4 else []))
    assert cards == {"sniper": 6, "knife": 2, "sacrifice": 2, "shell": 4, "bomb": 3, "uprising": 1}
    assert ("dummy" in deal) == (deal["duke"] is None) == (seats == 4)
    assert seats == 4 or (deal["roles"][deal["duke"]], deal["starts"]) == ("duke", deal["duke"])


@pytest.mark.parametrize(("seats", "cards"), [(5, 7), (4, 7), (8, 10)])
def test_a_deck_needs_two_cards_more_than_there_are_hands(seats, cards):
    few, rng = {"deck": dict.fromkeys(cb.CARDS, 0) | {"shell": cards - 1}}, Random(1)
    with pytest.raises(ConfigError, match=f"deck: must have at least {cards} cards .* got {cards - 1}$"):
        GAME.options(seats, few)
    enough = GAME.options(seats, {"deck": few["deck"] | {"bomb": 1}})
    assert play_out(GAME.start(seats, enough, 1), lambda _, legal: pick(legal, rng))


RULES = """
in its first turn a seat may only draw or pass; from its second turn on a seat may trade and play its card
    sniper sniper knife bomb uprising, turn 1 : pass pass pass pass -> seat = 4; legal = draw pass
      : pass -> legal = draw pass trade:1 trade:2 trade:3 trade:4 sniper:1 sniper:2 sniper:3 sniper:4
a draw puts the own card under the deck and takes the top one
    sniper knife knife bomb bomb, deck shell uprising : draw
      -> hands = shell knife knife bomb bomb; deck = uprising sniper; seat = 1
a trade swaps the cards, and nobody but the Duke is asked
    sniper knife knife bomb bomb : trade:3 -> hands = bomb knife knife sniper bomb; seat = 1; may = pass
no trade back with a seat whose last turn was a trade with you
    sniper knife knife bomb bomb : pass trade:3 pass -> seat = 3; may = trade:2; may not = trade:1
a trade with somebody else since then lifts the bar, and sets another, of that pair alone; a pass lifts it
    sniper knife knife bomb bomb : pass trade:3 pass trade:2 pass pass -> seat = 1; may = trade:3
      : pass -> seat = 2; may = trade:1; may not = trade:3
    sniper knife knife bomb bomb : pass trade:3 pass pass pass pass pass pass -> seat = 3; may = trade:1
a knife cannot be given where a trade cannot
    sniper knife bomb shell shell : pass trade:3 pass -> may = knife:0 knife:2 knife:4; may not = knife:1
the Duke may decline a trade, which ends the turn; a declined trade does not count, and blocks no later trade
    sniper knife knife bomb bomb : pass trade:0 -> seat = 0; legal = accept decline
      : decline -> seat = 2; hands = sniper knife knife bomb bomb : pass pass pass -> seat = 0; may = trade:1
a trade that the Duke accepts is done, and bars the next
    sniper shell knife bomb bomb : pass trade:0 accept pass pass pass
      -> seat = 0; hands = shell sniper knife bomb bomb; may not = trade:1
with two assassins alive each has one action, the last has a second one at odd tables
    shell shell shell shell shell shell, roles dagggg, deck bomb bomb : pass draw -> seat = 2
    shell shell shell shell shell shell shell, roles daggggg, deck bomb bomb : pass draw -> seat = 1
    shell shell shell shell shell shell shell shell, roles dagggggg, deck bomb bomb : pass draw -> seat = 2
    shell shell shell shell shell, roles daagg : pass draw -> seat = 2
    shell shell shell shell shell, roles daggg : pass draw -> seat = 1
passing and being declined end a turn of two actions; the second may be declined, too, and there is no third
    shell shell shell shell shell, roles daggg : pass pass -> seat = 2
    shell shell shell shell shell, roles daggg : pass trade:0 decline -> seat = 2
    shell shell shell shell shell, roles daggg : pass draw trade:0 decline -> seat = 2
    shell shell shell shell shell, roles daggg : pass draw draw -> seat = 2
a seat without a card passes its second action, and so does nobody draw before
    shell sniper shell shell shell, roles daggg : pass sniper:2 shell
      -> seat = 1; legal = pass; hands = shell - - shell shell
whoever has played draws at the end of the turn, its player first
    shell sniper shell shell shell, roles daggg : pass sniper:2 shell pass
      -> hands = shell shell bomb shell shell; deck = shell sniper shell
of two actions either trade bars, but not a seat that it was not with
    shell shell shell shell shell, roles daggg : pass trade:2 trade:3 -> seat = 2; may not = trade:1
      : pass -> seat = 3; may not = trade:1
    shell shell shell shell shell, roles daggg : pass trade:2 trade:3 pass pass -> seat = 4; may = trade:1
the uprising does not take the second action away
    shell uprising shell shell -, roles dagga, deck shell bomb shell, out 4, mover 1 : uprising
      -> seat = 1; legal = pass
a sniper eliminates; the victim's card goes under the deck at once, the sniper after the turn
    sniper knife knife bomb bomb : sniper:3 hide
      -> living = 0 1 2 4; deck = bomb shell bomb sniper; hands = shell knife knife - bomb
a sniper may be aimed at anyone else alive
    sniper knife knife bomb sniper : pass pass pass bomb
      -> seat = 4; may = sniper:0 sniper:1 sniper:2 sniper:3; may not = sniper:4
a bomb's player has no card to show, and its bomb goes under the deck
    sniper knife knife bomb sniper, deck shell knife shell : pass pass pass bomb sniper:3
      -> seat = 0; deck = knife shell bomb sniper
the bomb of the eliminated does not explode
    sniper knife knife bomb sniper : pass pass pass bomb sniper:3 pass pass pass pass -> points = -
who holds a shell is asked
    sniper knife knife shell bomb : sniper:3 -> seat = 3; legal = shell stay
a shell saves from a sniper; the seat that played first draws first
    sniper knife knife shell bomb, deck bomb uprising : sniper:3 shell
      -> living = 0 1 2 3 4; hands = bomb knife knife uprising bomb; deck = sniper shell
a shell may be kept, and its holder dies
    sniper knife knife shell bomb : sniper:3 stay show -> living = 0 1 2 4
a shell protects its holder alone, and not from a knife
    sniper shell knife bomb shell : sniper:3 -> seat = 3; legal = show hide
    sniper knife knife shell bomb : pass knife:3 -> living = 0 1 2 4
a knife eliminates its partner and takes its card, and there is none to show
    sniper knife shell bomb bomb : pass knife:3
      -> seat = 2; living = 0 1 2 4; hands = sniper bomb shell - bomb; deck = shell bomb shell knife
a knife that the Duke declines stays in hand
    sniper shell shell knife bomb : pass pass pass knife:0 decline
      -> seat = 4; hands = sniper shell shell knife bomb; living = 0 1 2 3 4
an accepted knife kills the Duke
    shell shell shell knife bomb : pass pass pass knife:0 accept -> points = 0 0 0 1 1
a sacrificer dies instead, and has no card to show
    sniper sacrifice knife bomb bomb : sniper:3 sacrifice
      -> seat = 2; living = 0 2 3 4; deck = bomb shell sniper sacrifice
sacrifices are asked clockwise from the victim, after the shell; the next holder of a sacrifice is asked then
    sniper sacrifice shell sacrifice sacrifice : sniper:2 stay -> seat = 3; legal = sacrifice stay
      : stay -> seat = 4; legal = sacrifice stay
the last to be asked sits before the victim, which is not asked itself; if all stay, the victim dies
    sniper sacrifice shell sacrifice sacrifice : sniper:2 stay stay stay -> seat = 1; legal = sacrifice stay
      : stay -> seat = 2; legal = show hide
    sniper knife sacrifice bomb bomb : sniper:2 -> seat = 2; legal = show hide
the Duke may sacrifice himself, and the assassins win
    sacrifice sniper knife bomb bomb : pass sniper:2 sacrifice -> points = 0 0 0 1 1
the knife's player is not asked over the card that it has just taken
    sniper knife shell sacrifice bomb : pass knife:3 -> living = 0 1 2 4; hands = sniper sacrifice shell - bomb
nobody can sacrifice for a sacrificer
    sniper sacrifice sacrifice bomb bomb : sniper:3 sacrifice
      -> living = 0 2 3 4; hands = shell - sacrifice bomb bomb
a saved victim of a knife has lost its card and draws at the end; the knife was a trade
    sacrifice knife sacrifice bomb bomb, deck uprising bomb shell : pass knife:3 stay sacrifice
      -> living = 0 1 3 4; hands = sacrifice bomb - uprising bomb; deck = bomb shell knife sacrifice; seat = 3; may
        not = trade:1
a sacrifice saves the Duke from a knife
    shell sacrifice shell knife bomb : pass pass pass knife:0 accept sacrifice
      -> living = 0 2 3 4; hands = shell - shell shell bomb; points = -
a bomb waits while the others have their turns; a bomb wins as its player's next turn comes, before any talk
    shell shell shell bomb bomb, talk : say:nothing pass say:nothing pass say:nothing pass say:guard bomb say:nothing
      pass say:nothing pass say:nothing pass -> seat = 2; points = - : say:nothing pass -> points = 0 0 0 1 1
a bomb's player holds no card, and nobody can trade with it
    shell shell shell bomb knife : pass pass pass bomb
      -> hands = shell shell shell - knife; may not = trade:3 knife:3
the Duke cannot play a bomb; guards can play neither an uprising nor a bomb; assassins may play both
    bomb uprising bomb uprising bomb : -> may not = bomb : pass -> may not = uprising : pass -> may not = bomb
      : pass -> may = uprising
    bomb uprising bomb uprising bomb : pass pass pass pass -> may = bomb
the uprising brings eliminated assassins back, who draw last and have had their first turn, and leaves the game
    sniper shell shell bomb uprising, deck sniper knife shell : sniper:3 show pass pass uprising pass
      -> living = 0 1 2 3 4; hands = sniper shell shell shell knife; deck = bomb sniper
    sniper shell shell bomb uprising, deck sniper sniper sniper : sniper:3 show pass pass uprising pass pass pass
        pass
      -> seat = 3; may = sniper:0
an uprising may come when nobody is eliminated, and only once
    sniper shell shell uprising uprising : pass pass pass uprising
      -> seat = 4; living = 0 1 2 3 4; may not = uprising
to show is asked even where the elimination ends the game; the assassins win as the Duke dies
    knife shell shell sniper bomb : pass pass pass sniper:0 -> legal = show hide; points = -
      : show -> points = 0 0 0 1 1
guards win as the last assassin is out
    sniper sniper shell bomb bomb : sniper:3 hide sniper:4 hide -> points = 1 1 1 0 0
the eliminated score with their side
    shell sniper shell sniper bomb : pass sniper:4 hide pass sniper:0 stay hide -> points = 0 0 0 1 1
a game that reaches max_turns is drawn though a bomb is due; the turns are counted to the last
    shell shell shell bomb bomb, max_turns 13 : pass pass pass bomb pass pass pass pass -> points = 0 0 0 0 0
    shell shell shell bomb bomb, max_turns 14 : pass pass pass bomb pass pass pass pass -> points = 0 0 0 1 1
the seat to move first says one thing about itself or any other living seat, and all hear it
    sniper shell shell bomb bomb, talk : -> legal = say:nothing say:guard say:sniper say:knife say:sacrifice say:shell
      say:bomb say:uprising say:accuse:1 say:accuse:2 say:accuse:3 say:accuse:4 say:trust:1 say:trust:2 say:trust:3
      say:trust:4
    sniper shell shell bomb bomb, talk : say:bomb -> last 4 = say:bomb - -; told 4 = say:bomb
a turn of two actions has one talk
    shell shell shell shell shell, roles daggg, talk : say:guard pass say:guard draw -> seat = 1; may = draw
nobody talks about the eliminated or itself
    sniper shell shell bomb bomb, talk : say:bomb sniper:3 hide
      -> seat = 1; may = say:accuse:0 say:trust:4; may not = say:accuse:3 say:trust:3 say:accuse:1 say:trust:1
the Duke of four seats always accepts a trade; he has no turn, so there is nothing that would bar the next trade
    sniper bomb bomb bomb knife, roles ggaa : trade:duke -> seat = 1; hands = knife bomb bomb bomb sniper
      : pass pass pass -> seat = 0; may = trade:duke
he is immune to the sniper
    sniper bomb bomb bomb shell, roles ggaa : -> may = sniper:1 sniper:2 sniper:3; may not = sniper:duke
anybody's knife in him wins for the assassins
    knife bomb bomb bomb shell, roles ggaa : knife:duke -> points = 0 0 1 1
    bomb bomb knife bomb shell, roles ggaa : pass pass knife:duke -> points = 0 0 1 1
he can be saved from the starting seat on; his saviours are asked clockwise; he draws last
    sacrifice sacrifice knife sacrifice bomb, roles ggaa, deck uprising shell, first 1
      : pass knife:duke -> seat = 1; legal = sacrifice stay : stay -> seat = 3
      : stay sacrifice -> living = 1 2 3 8; hands = - sacrifice bomb sacrifice uprising
he is not asked to sacrifice
    sniper bomb bomb bomb sacrifice, roles ggaa : sniper:1 -> seat = 1; legal = show hide
the last assassin of four seats has one action
    sniper shell shell shell shell, roles ggaa : sniper:2 stay hide pass draw -> seat = 0
assassins do not know each other
    shell shell shell shell shell : -> roles 3 = duke - - assassin -
who trades sees both cards; so does the other; nobody else sees the cards of a trade
    sniper knife knife bomb bomb
      : trade:3 -> last 0 = trade:3 sniper bomb; cards 3 = bomb - - sniper -; last 2 = trade:3 - -
cards are followed into other hands, on from there, and into the deck
    sniper knife shell bomb bomb, deck uprising sacrifice bomb : trade:2 draw -> cards 0 = shell - sniper - -
      : trade:3 -> cards 0 = shell - - sniper -
    sniper knife shell bomb bomb, deck uprising sacrifice bomb : trade:2 draw -> deck 1 = - - knife
the roles of the eliminated and of a sacrificer show
    sniper knife knife bomb bomb : sniper:3 hide -> roles 1 = duke guard - assassin -
    sniper sacrifice knife bomb bomb : sniper:3 sacrifice -> roles 3 = duke guard - assassin -
a card of the eliminated is seen if it is shown
    sniper knife knife bomb bomb : sniper:3 show -> deck 1 = - - bomb sniper
    sniper knife knife bomb bomb : sniper:3 hide -> deck 1 = - - - sniper
who knifes sees what it takes; all others see the knife, and not the card
    sniper knife shell bomb bomb
      : pass knife:3 -> cards 1 = - bomb - - -; cards 2 = - - shell - -; knife 2 = knife:3 knife -; told 2 = knife:3
a bomb lies before its player
    shell shell shell bomb knife : pass pass pass bomb -> bombs 0 = 3
the uprising is gone for all, and whom it revives is known
    sniper shell shell bomb uprising : sniper:3 show pass pass uprising pass
      -> uprising_gone = True; roles 1 = duke guard - assassin -
a knife is a trade until its victim is saved or dies, and stays one if declined; nobody learns who was asked
    sacrifice knife sacrifice bomb bomb, deck uprising bomb shell : pass knife:3 -> told 1 = knife:3; told 2 = trade:3
      : stay -> told 0 = stay; told 4 = - : sacrifice -> told 2 = sacrifice knife:3; told 4 = sacrifice knife:3
    shell sacrifice shell knife bomb : pass pass pass knife:0 -> told 0 = trade:0 : accept -> told 2 = accept
      : stay -> told 1 = stay knife:0 score deal; told 2 = - knife:0 score deal
    shell shell shell knife bomb : pass pass pass knife:0 -> told 1 = trade:0 : decline -> told 0 = decline
nobody learns that another seat was asked for a shell
    sniper knife shell shell bomb : sniper:3 stay -> told 0 = -; told 2 = -; told 3 = stay
who trades with the Duke of four seats knows his card; nobody else does
    sniper bomb bomb bomb knife, roles ggaa : trade:duke -> dummy 0 = sniper; dummy 1 = -
"""


def seen(key):
    return lambda state, *seat: (state.view(int(seat[0])).as_dict() if seat else facts_of(state))[key]


def step_seen(name):
    """The last step of that name, or the last of all, in the history that a seat sees, with the cards traded."""

    def find(state, seat):
        found = [step for step in state.view(int(seat)).as_dict()["history"] if name in step.get("action", "")][-1]
        return found["action"], found.get("gave"), found.get("got")

    return find


FACTS = {
    "hands": lambda state: [*facts_of(state)["hands"], *[card for card in [facts_of(state)["dummy"]] if card]],
    "deck": lambda state, *seat: seen("deck")(state, *seat) if seat else facts_of(state)["deck"].split(),
    "living": living,
    "points": lambda state: [each for event in testing.events(GAME, state, "score") for each in event["points"]],
    "last": step_seen(""),
    "knife": step_seen("knife"),
    **{key: seen(key) for key in ("roles", "cards", "bombs", "uprising_gone", "dummy")},
}


@examples(RULES)
def test_what_follows_by_the_rules(example):
    hands, given = settings(example.given)
    given |= {"out": [given["out"]] if "out" in given else [], "talk": "talk" in given}
    holds(GAME, five(hands, **given), example, FACTS)


def test_a_series_ends_after_forty_games():
    state = GAME.start(5, GAME.options(5, {"max_turns": 1}), 1)
    assert play_out(state, lambda _, legal: legal[0])
    assert len(testing.events(GAME, state, "score")) == 40
    assert state.scores == (0,) * 5
    assert state.places == (1,) * 5


KNIFE = "sniper shell shell knife bomb"
SECRETS = [
    ("sniper bomb bomb shell bomb : sniper:3 stay hide", "sniper bomb bomb bomb bomb : sniper:3 hide", (0, 1, 2, 4)),
    ("sniper sacrifice bomb bomb bomb : sniper:3 stay hide", "sniper bomb bomb bomb bomb : sniper:3 hide", (0, 2, 4)),
    ("sniper sacrifice bomb bomb shell : sniper:3", "sniper bomb sacrifice bomb shell : sniper:3", (0, 4)),
    ("sniper sacrifice bomb bomb shell : sniper:3", "sniper bomb bomb shell sacrifice : sniper:3", (0,)),
    (f"{KNIFE} : pass pass pass knife:0", f"{KNIFE} : pass pass pass trade:0", (0, 1, 2, 4)),
    (f"{KNIFE} : pass pass pass knife:0 decline", f"{KNIFE} : pass pass pass trade:0 decline", (0, 1, 2, 4)),
]
"""Two ways that it can be, and the seats to which they must look the same."""


@pytest.mark.parametrize(("one", "other", "watchers"), SECRETS)
def test_shells_sacrifices_knives_and_who_is_asked_do_not_show(one, other, watchers):
    ways = []
    for hands, actions in (one.split(" : "), other.split(" : ")):
        state = testing.act(GAME, five(hands), actions)
        # the counts of the deck are an option, which all know
        ways.append([tuple(state.view(seat))[2:] for seat in watchers])
    assert ways[0] == ways[1]


def test_who_is_asked_knows_it_and_who_has_stayed_and_the_others_wait():
    state = testing.act(GAME, five("sniper sacrifice bomb bomb shell"), "sniper:3")
    assert [state.view(seat).phase for seat in range(5)] == ["wait", "sacrifice", "wait", "wait", "wait"]
    state = testing.act(GAME, five("sniper sacrifice shell sacrifice bomb"), "sniper:2 stay stay")
    assert (state.seat, [seat for seat in range(5) if state.view(seat).phase_seen == cb.STAYED]) == (1, [2, 3])


@given(st.integers(4, 8), st.fixed_dictionaries(OPTIONS | {"deck": st.sampled_from(DECKS)}), st.integers(0, 2**64 - 1))
def test_no_card_is_lost_or_doubled(seats, options, seed):
    rng = Random(seed)
    state = GAME.start(seats, GAME.options(seats, options), seed)
    dealt = Counter(dict(zip(cb.CARDS, state.view(0).options.deck.by_card(), strict=True)))
    for _ in range(200):
        gone = Counter(uprising=facts_of(state)["uprising_gone"])
        assert +dealt in (cards(state), cards(state) + gone)  # an uprising leaves when its turn is over
        if state.seat is None:
            break
        state.apply(pick(state.legal(), rng))


def test_a_position_names_what_it_does_not_know():
    given = {"roles": ["duke", *["guard"] * 2, *["assassin"] * 2], "hands": ["shell"] * 5, "deck": "bomb knife"}
    for change, says in (
        ({"deck": "bomb ambush"}, 'no card "ambush"'),
        ({"hands": ["dagger"] * 5}, 'no card "dagger"'),
        ({"roles": ["king"] * 5}, 'no role "king"'),
    ):
        with pytest.raises(ActionError, match=says):
            testing.position(GAME, seats=5, **given | change)
    with pytest.raises(TypeError, match="hand"):
        testing.position(GAME, seats=5, **given, hand="shell")


def imagined_from(state, seat, times=40):
    return [GAME.imagine(state.view(seat), Random(i)) for i in range(times)]


def test_a_later_seat_than_the_one_that_has_stayed_is_imagined_to_be_asked_to_sacrifice():
    hands, deck = "sniper sacrifice sacrifice bomb bomb", "sacrifice sacrifice sacrifice"
    state = testing.act(GAME, five(hands, deck), "sniper:3 stay")
    for imagined in imagined_from(state, 1):
        assert imagined.seat == state.seat == 2
        assert imagined.view(1) == state.view(1)


def test_the_last_assassin_is_imagined_with_its_two_actions():
    state = testing.act(GAME, five("sniper shell shell shell shell", roles="dagga"), "sniper:4 stay hide")
    for imagined in imagined_from(state, 1, 5):
        testing.act(GAME, imagined, "draw")
        assert imagined.seat == 1
    # others imagine it where they imagine the last assassin
    known = ["assassin", "assassin"]
    for imagined in imagined_from(state, 2):
        testing.act(GAME, imagined, "draw")
        assert (imagined.seat == 1) == (facts_of(imagined)["roles"][1::3] == known)
    testing.act(GAME, state, "draw")
    after = [facts_of(imagined)["roles"][1::3] for imagined in imagined_from(state, 2)]
    assert after == [known] * 40, "it has a second action"


def test_a_declined_trade_of_a_knife_holder_may_be_imagined_as_either():
    state = testing.act(GAME, five("sniper knife shell bomb bomb"), "pass trade:0")
    found = [facts_of(imagined) for imagined in imagined_from(state, 0, 200)]
    knives = {(facts["decision"]["knife"], facts["hands"][1]) for facts in found}
    assert {(True, "knife"), (False, "knife"), (False, "bomb")} <= knives
    assert not any(knife and card != "knife" for knife, card in knives)
