"""Cards as numbers and as text."""

import copy

import pytest

from tourney.base.errors import ActionError
from tourney.contracts import cards
from tourney.contracts.cards import Deck

DECKS = [value for value in vars(cards).values() if isinstance(value, Deck)]


@pytest.mark.parametrize("deck", DECKS, ids=len)
def test_every_card_translates_to_text_and_back(deck):
    for card in range(len(deck)):
        assert deck.card(deck.text(card)) == card
    with pytest.raises(ActionError, match="no card"):
        deck.card("1x")


@pytest.mark.parametrize("deck", DECKS, ids=len)
def test_a_deck_that_bots_are_given_cannot_be_changed(deck):
    for name in ("names", "ranks", "anything"):
        with pytest.raises(AttributeError):
            setattr(deck, name, ())
    for name in (name for name in dir(deck) if not name.startswith("__")):
        assert not isinstance(getattr(deck, name), (list, dict, set)), name
    assert copy.deepcopy(deck).names == deck.names
