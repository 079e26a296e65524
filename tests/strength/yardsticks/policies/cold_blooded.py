"""How `steady` plays Cold Blooded: it infers who is an assassin from what each seat did and said, and acts on it.

Every seat has a score: each point doubles the odds that it is an assassin. The scores come from actions (who shot at
whom, who kept a card, which role a victim turned out to have) and from the talk of seats that can be trusted.
"""

from collections.abc import Sequence
from math import fsum
from typing import Any

from tourney import SeatFacts

SNIPER, KNIFE, SACRIFICE, SHELL, BOMB, UPRISING = range(1, 7)
GUARD, ASSASSIN = 2, 3
ASSASSINS = {4: 2, 5: 2, 6: 2, 7: 3, 8: 3}
ROOT_TWO = 1.4142135623730951
NOBODY = 8
"""The place of the Duke that nobody plays."""
CLOCKWISE = [[seat % 8 for seat in range(first + 1, first + 8)] for first in range(8)]


class ColdBloodedPolicy:
    """Shoots the likeliest assassin as a guard or the Duke, and goes for the Duke as an assassin."""

    def __init__(self, facts: SeatFacts) -> None:
        number = facts.game.action
        self.me, self.seats = facts.seat, facts.seats
        self.counts = [getattr(facts.options.deck, card) for card in facts.options.deck.__struct_fields__]
        self.draw, self.pass_ = number("draw"), number("pass")
        self.bomb, self.uprising = number("bomb"), number("uprising")
        self.accept, self.decline = number("accept"), number("decline")
        self.shell, self.sacrifice, self.stay = number("shell"), number("sacrifice"), number("stay")
        self.hide = number("hide")
        self.trade, self.sniper, self.knife = number("trade:0"), number("sniper:0"), number("knife:0")
        self.say_guard, self.say_nothing = number("say:guard"), number("say:nothing")
        self.accuse, self.trust = number("say:accuse:0"), number("say:trust:0")
        self.out = len(facts.game.names)
        self.accepted = [0] * 9
        """How many more trades each seat, as the Duke, has accepted than declined."""
        self.game = self.read = 0

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns one of the legal actions."""
        phase = view.phase
        if len(legal) == 1:
            return legal[0]
        if phase == "shell":
            return self.shell
        if phase == "show":
            return self.hide
        self._update(view)
        if phase == "move":
            return self._attack(view, legal) if self.assassin else self._defend(view, legal)
        if phase == "talk":
            return self._say(view)
        return self._sacrifice(view) if phase == "sacrifice" else self._answer(view)

    # what is known

    def _update(self, view: Any) -> None:
        """Updates the scores by what has happened since the last call."""
        moves = view.moves
        if view.game != self.game or len(moves) < self.read:
            self.game, self.read = view.game, 0
            self.score = [0] * 9
            self.claims: dict[tuple[int, int, bool], None] = {}
            self.shooter = self.target = -1
            self.duke = NOBODY if view.duke is None else view.duke
            self.assassin = view.role == "assassin"
            self.last = [-1] * 9
        for i in range(self.read, len(moves)):
            seat, code, first, _ = moves[i]
            if code >= self.accuse:
                self._hear(seat, code, first)
            elif code < self.bomb:
                self._watch(seat, code)
            elif code == self.shell:
                self.last[seat] = code
            elif code in (self.accept, self.decline):
                self.accepted[seat] += 1 if code == self.accept else -1
        self.read = len(moves)

    def _watch(self, seat: int, code: int) -> None:
        """Updates the scores by what a seat did in its turn."""
        self.last[seat] = code
        if code == self.pass_:
            # guards tend to keep a useful card; assassins look for another one
            self.score[seat] -= 1
        elif code >= self.sniper:
            self.shooter, self.target = seat, code - (self.sniper if code < self.knife else self.knife)
            # only an assassin attacks the Duke; a seat that attacks another is more likely a guard
            self.score[seat] += 7 if self.target == self.duke else -2

    def _hear(self, seat: int, code: int, role: int) -> None:
        """Notes what a seat says about another; scores attackers and talk when a seat is eliminated."""
        if code < self.trust:
            self.claims[seat, code - self.accuse, True] = None
        elif code < self.out:
            self.claims[seat, code - self.trust, False] = None
        elif code == self.out:
            assassin = role == ASSASSIN
            if seat == self.target:
                self.score[self.shooter] += -3 if assassin else 1
            for speaker, about, accused in self.claims:
                if about == seat:
                    self.score[speaker] += -1 if accused == assassin else 1

    def _chances(self, view: Any) -> list[float]:
        """Returns the probability that each place holds an assassin."""
        left = ASSASSINS[self.seats]
        roles, marked, possible = view.packed_roles, view.marked, view.alive & ~view.cleared
        chances = [0.0] * 9
        weights: list[tuple[int, float]] = []
        heard = self._talk_points()
        for seat in range(self.seats):
            role = roles >> 2 * seat & 3
            if role == ASSASSIN or (not role and marked >> seat & 1):
                left -= 1
                chances[seat] = 1.0
            elif not role and possible >> seat & 1:
                whole, half = divmod(2 * self.score[seat] + heard[seat], 2)
                weights.append((seat, 2.0**whole * (ROOT_TWO if half else 1.0)))
        while left > 0 and weights:
            share = left / fsum([weight for _, weight in weights])
            sure = [seat for seat, weight in weights if weight * share >= 1]
            if not sure:
                for seat, weight in weights:
                    chances[seat] = weight * share
                break
            for seat in sure:
                chances[seat] = 1.0
            left -= len(sure)
            weights = [(seat, weight) for seat, weight in weights if seat not in sure]
        return chances

    def _talk_points(self) -> list[int]:
        """Returns half points from the talk: two for the Duke's word, one for that of seats that look like guards."""
        heard = [0] * 9
        for speaker, about, accused in self.claims:
            if speaker != self.me:
                weight = 2 if speaker == self.duke else 1 if self.score[speaker] < -1 else 0
                heard[about] += weight if accused else -weight
        return heard

    def _share(self, view: Any, card: int) -> float:
        """Returns the probability that a card unknown to the seat is this one."""
        left, unknown, types = self.counts[card - 1], 0, view.types
        for token in range(sum(self.counts)):
            known = types >> 3 * token & 7
            unknown += not known
            left -= known == card
        return left / unknown if unknown else 0.0

    def _card(self, view: Any, place: int) -> int:
        """Returns the card at a place; 0 if there is none or it is unknown."""
        token = view.hands[place]
        card: int = view.types >> 3 * token & 7 if token >= 0 else 0
        return card

    def _suspect(self, view: Any) -> tuple[int, float]:
        """Returns the other living seat that most likely is an assassin, and the probability.

        The player of an active bomb comes first, with a number above 1.
        """
        best, most = -1, -1.0
        chances = self._chances(view)
        for seat in range(self.seats):
            if seat not in (self.me, self.duke) and view.alive >> seat & 1:
                worth = chances[seat] + (view.bombs[seat] >= 0)
                if worth > most:
                    best, most = seat, worth
        return best, most

    def _likeliest_guard(self, view: Any, legal: Sequence[int], first: int) -> tuple[int, float]:
        """Returns the least likely assassin among the seats that the actions from `first` on may name.

        Returns (seat, probability that it is an assassin); the seat is -1 if there is none.
        """
        best, least = -1, 2.0
        chances = self._chances(view)
        for seat in CLOCKWISE[self.me]:
            if seat != self.duke and chances[seat] < least and first + seat in legal:
                best, least = seat, chances[seat]
        return best, least

    # what to do

    def _say(self, view: Any) -> int:
        """Accuses a seat that almost certainly is an assassin, or else claims to be a guard."""
        suspect, chance = self._suspect(view)
        if chance >= 0.8:
            return self.accuse + suspect
        return self.say_nothing if self.me == self.duke else self.say_guard

    def _sacrifice(self, view: Any) -> int:
        """Sacrifices a guard for the Duke, and an assassin for the player of an active bomb."""
        dies = view.bombs[view.aim] >= 0 if self.assassin else view.aim == self.duke
        return self.sacrifice if dies else self.stay

    def _answer(self, view: Any) -> int:
        """Answers a trade as the Duke: accepts a shell he knows of, and without one, the card of a likely guard."""
        known = self._card(view, view.mover)
        if known or self._card(view, self.me) == SHELL:
            return self.accept if known == SHELL else self.decline
        return self.accept if self._chances(view)[view.mover] < 0.1 else self.decline

    def _defend(self, view: Any, legal: Sequence[int]) -> int:
        """Chooses the move of a guard or the Duke."""
        card = self._card(view, self.me)
        if view.turn <= self.seats:
            # with a Duke at the table, a guard that draws stands out
            return self.pass_ if self.duke != NOBODY or card in (SNIPER, KNIFE) else self.draw
        if card in (SNIPER, KNIFE):
            suspect, chance = self._suspect(view)
            action = (self.sniper if card == SNIPER else self.knife) + suspect
            if chance >= 0.35 and action in legal:
                return action
            return self.pass_ if card == SNIPER else self.draw
        if self.me == self.duke:
            # he keeps a shell; by passing every other round without one he does not show whether he has it
            return self.pass_ if card == SHELL or view.turn // self.seats % 2 else self.draw
        return self.pass_ if card == SACRIFICE and self.duke != NOBODY else self.draw

    def _attack(self, view: Any, legal: Sequence[int]) -> int:
        """Chooses the move of an assassin."""
        card = self._card(view, self.me)
        if view.turn <= self.seats:
            return self.pass_ if card == SNIPER or (card == KNIFE and self.duke == NOBODY) else self.draw
        if card == SNIPER:
            thin_out = self.duke == NOBODY or self._shielded(view)
            return self._thin_out(view, legal, self.sniper) if thin_out else self.sniper + self.duke
        if card == KNIFE:
            # a Duke who has declined more trades than he accepted will decline again
            stabs_duke = self.knife + self.duke in legal and self.accepted[self.duke] >= 0
            return self.knife + self.duke if stabs_duke else self._thin_out(view, legal, self.knife)
        if card == UPRISING and self.uprising in legal and self._assassin_out(view):
            return self.uprising
        if card == BOMB and self.bomb in legal and self._bomb_survival(view) >= 0.25:
            return self.bomb
        # another seat's card is as good as one from the deck, and the trade may disarm a guard
        guard, _ = self._likeliest_guard(view, legal, self.trade)
        return self.trade + guard if guard >= 0 and not self._card(view, guard) else self.draw

    def _shielded(self, view: Any) -> bool:
        """Whether the Duke seems to hold a shell, as he keeps his card after the first two rounds."""
        known = self._card(view, self.duke)
        if known:
            return known == SHELL
        return self.last[self.duke] == self.pass_ and bool(view.turn > 2 * self.seats)

    def _thin_out(self, view: Any, legal: Sequence[int], kind: int) -> int:
        """Attacks the likeliest guard by sniper or knife, or draws."""
        guard, chance = self._likeliest_guard(view, legal, kind)
        return kind + guard if chance < 0.6 else self.draw

    def _assassin_out(self, view: Any) -> bool:
        """Whether an assassin has been eliminated."""
        dead = [seat for seat in range(self.seats) if not view.alive >> seat & 1]
        return any([view.packed_roles >> 2 * seat & 3 == ASSASSIN for seat in dead])

    def _bomb_survival(self, view: Any) -> float:
        """Returns the probability that nobody shoots the bomb's player in time."""
        share = self._share(view, SNIPER)
        chances = self._chances(view)
        lives = 1.0
        for seat in range(self.seats):
            if seat != self.me and view.alive >> seat & 1:
                known = self._card(view, seat)
                armed = float(known == SNIPER) if known else share
                lives *= 1 - armed * (1 - chances[seat])
        return lives


POLICY = ColdBloodedPolicy
