"""A referee for The Vole in the Valley: checks a match's trace from the rules alone, sharing no code with the game.

It is written from the rules page and the format of the trace, and imports nothing of what it judges. It follows the
match event by event, knows at each what must come next, and stops at the first thing that is otherwise.
"""

from typing import Any

Event = dict[str, Any]

SUITS = "tkm"
PACK = [f"{rank}{suit}" for suit in SUITS for rank in range(1, 12)]
FAULTS = ("illegal", "error", "timeout", "crash", "memory", "protocol")
PAY = {0: 6, 1: 6, 2: 6, 3: 6, 4: 1, 5: 2, 6: 3, 7: 6, 8: 6, 9: 6, 10: 0, 11: 0, 12: 0, 13: 0}


def check(events: list[Event]) -> None:
    """Raises an `AssertionError` that names the event, counted from 1, if this is no match by the rules."""
    reader = _Reader(events)
    try:
        _Match(reader).check()
    except AssertionError as error:
        raise AssertionError(f"event {reader.at}: {error}") from None


def rank(card: str) -> int:
    return int(card[:-1])


def suit(card: str) -> str:
    return card[-1]


def winner_of(led: str, answer: str, trump: str) -> int:
    """0 if the led card wins the trick, 1 if the answer does."""
    cards = [led, answer]
    nines = [card for card in cards if rank(card) == 9]
    counts_as = {card: trump if nines == [card] else suit(card) for card in cards}
    trumps = [card for card in cards if counts_as[card] == trump]
    rivals = trumps or [card for card in cards if suit(card) == suit(led)]
    return cards.index(max(rivals, key=rank))


def playable(hand: list[str], led: str | None) -> list[str]:
    """The cards of a hand that may be led, or may answer the led card."""
    same = [card for card in hand if led is not None and suit(card) == suit(led)]
    if led is None or not same:
        return hand
    if rank(led) == 11:
        highest = max(same, key=rank)
        return [card for card in same if rank(card) == 1 or card == highest]
    return same


def _is(value: Any, expected: Any, what: str) -> None:
    # by their texts, since Python holds 1, 1.0 and true for equal
    assert repr(value) == repr(expected), f"{what} is {value!r}, must be {expected!r}"


class _Reader:
    """Hands out the events one by one; `at` is the number of the last, from 1."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.at = 0

    def next(self, kind: str) -> Event:
        self.at += 1
        assert self.at <= len(self.events), f"the trace ends where a {kind} must come"
        event = self.events[self.at - 1]
        _is(event.get("kind"), kind, "kind")
        return event


class _Match:
    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.out = [False, False]  # the seats whose bots have made a fault
        self.scores = [0, 0]
        self.extra = [0, 0]  # points for 7s that wait for the end of the match, or of the round
        self.points = [0, 0]  # of the last round

    def check(self) -> None:
        event = self.reader.next("match")
        _is(event["game"], "vole", "game")
        options = event["options"]
        for number in range(1, options["max_rounds"] + 1):
            self._round(number, options["sevens"])
            if max(self.scores) >= options["target"]:
                break
        self._end()

    def _round(self, number: int, sevens: str) -> None:
        tricks = _Round(self, number).check()
        self.points = [PAY[won] for won in tricks]
        if sevens == "round":
            self.points = [self.points[seat] + self.extra[seat] for seat in (0, 1)]
            self.extra = [0, 0]
        self.scores = [self.scores[seat] + self.points[seat] for seat in (0, 1)]
        event = self.reader.next("score")
        _is(event["round"], number, "round")
        _is(event["points"], self.points, "points")
        _is(event["scores"], self.scores, "scores")

    def _end(self) -> None:
        event = self.reader.next("end")
        scores = [self.scores[seat] + self.extra[seat] for seat in (0, 1)]
        _is(event["scores"], scores, "scores")
        ranking = [(scores[seat], self.points[seat]) for seat in (0, 1)]
        places = [1, 1] if ranking[0] == ranking[1] else [1, 2] if ranking[0] > ranking[1] else [2, 1]
        _is(event["places"], places, "places")
        assert self.reader.at == len(self.reader.events), "the match is over, but the trace goes on"

    def act(self, seat: int, legal: list[str]) -> str:
        """The action of a decision; checks who decides, what is legal, and who answers: the bot or the house."""
        event = self._asked(seat, legal)
        if "fault" in event:
            assert event["fault"] in FAULTS, f"fault is {event['fault']!r}"
            assert "by" not in event, "the house made a fault"
            assert not self.out[seat], "a bot that is out was asked"
            answer = event["action"]
            assert answer is None or isinstance(answer, str), f"the answer is {answer!r}"
            assert event["fault"] != "illegal" or answer not in legal, f"{answer} is a fault, but legal"
            self.out[seat] = True
            event = self._asked(seat, legal)
            assert "fault" not in event, "a second fault at one decision"
        if self.out[seat]:
            _is(event.get("by"), "house", "by")
        else:
            assert "by" not in event, f"by is {event['by']!r}, but the bot of seat {seat} is not out"
        action = event["action"]
        assert action in legal, f"{action!r} is none of the legal {legal}"
        return str(action)

    def _asked(self, seat: int, legal: list[str]) -> Event:
        event = self.reader.next("act")
        _is(event["seat"], seat, "seat")
        _is(sorted(event["legal"]), sorted(legal), "the list of legal actions")
        return event


class _Round:
    def __init__(self, match: _Match, number: int) -> None:
        self.match = match
        event = match.reader.next("deal")
        _is(event["round"], number, "round")
        _is([len(hand) for hand in event["hands"]], [13, 13], "the numbers of cards in hand")
        _is(len(event["deck"]), 6, "the number of cards in the deck")
        self.leader: int = event["leader"]
        self.hands: list[list[str]] = [list(hand) for hand in event["hands"]]
        self.up: str = event["up"]
        self.deck: list[str] = list(event["deck"])
        _is(sorted([*self.hands[0], *self.hands[1], self.up, *self.deck]), sorted(PACK), "the pack")

    def check(self) -> list[int]:
        """The tricks that each seat won."""
        tricks = [0, 0]
        while self.hands[0] or self.hands[1]:
            tricks[self._trick()] += 1
        return tricks

    def _trick(self) -> int:
        leader, other = self.leader, 1 - self.leader
        led = self._card(leader, None)
        answer = self._card(other, led)
        played = {leader: led, other: answer}
        winner = other if winner_of(led, answer, suit(self.up)) else leader
        _is(self.match.reader.next("trick")["winner"], winner, "winner")
        self.match.extra[winner] += [rank(led), rank(answer)].count(7)
        loser = 1 - winner
        self.leader = loser if rank(played[loser]) == 1 else winner
        return winner

    def _card(self, seat: int, led: str | None) -> str:
        """The card that the seat plays, with what a 3 or a 5 has it decide."""
        hand = self.hands[seat]
        card = self.match.act(seat, [f"play:{card}" for card in playable(hand, led)]).removeprefix("play:")
        hand.remove(card)
        if rank(card) == 3:
            self._swap(seat, hand)
        elif rank(card) == 5:
            self._bury(seat, hand)
        return card

    def _swap(self, seat: int, hand: list[str]) -> None:
        action = self.match.act(seat, ["keep", *[f"swap:{card}" for card in hand]])
        if action != "keep":
            given = action.removeprefix("swap:")
            hand[hand.index(given)], self.up = self.up, given

    def _bury(self, seat: int, hand: list[str]) -> None:
        hand.append(self.deck.pop(0))
        buried = self.match.act(seat, [f"bury:{card}" for card in hand]).removeprefix("bury:")
        hand.remove(buried)
        self.deck.append(buried)
