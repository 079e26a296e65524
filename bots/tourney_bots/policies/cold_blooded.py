"""How `steady` plays Cold Blooded: it infers the assassins from each seat's actions and talk, and acts on it.

Every seat has a score: each point doubles the odds that it is an assassin. The scores come from actions (who shot at
whom, who kept a card, which role a victim turned out to have) and from the talk of seats that can be trusted.
"""

from collections.abc import Sequence
from math import fsum
from typing import Any, Final

from tourney import Policy, SeatFacts

# the game's cards and roles in memory, and its actions, the first of each kind that names a seat
SNIPER_CARD: Final = 1
KNIFE_CARD: Final = 2
SACRIFICE_CARD: Final = 3
SHELL_CARD: Final = 4
BOMB_CARD: Final = 5
UPRISING_CARD: Final = 6
ASSASSIN: Final = 3
DRAW: Final = 0
PASS: Final = 1
TRADE: Final = 2
SNIPER: Final = 11
KNIFE: Final = 19
BOMB: Final = 28
UPRISING: Final = 29
ACCEPT: Final = 30
DECLINE: Final = 31
SHELL: Final = 32
SACRIFICE: Final = 33
STAY: Final = 34
HIDE: Final = 36
SAY_NOTHING: Final = 37
SAY_GUARD: Final = 38
ACCUSE: Final = 45
TRUST: Final = 53
OUT: Final = 61
ASSASSINS: Final = {4: 2, 5: 2, 6: 2, 7: 3, 8: 3}
ROOT_TWO: Final = 1.4142135623730951
NOBODY: Final = 8
"""The place of the Duke that no one plays."""
CLOCKWISE: Final = [[seat % 8 for seat in range(first + 1, first + 8)] for first in range(8)]


class ColdBloodedPolicy(Policy):
    """Shoots the likeliest assassin as a guard or the Duke, and goes for the Duke as an assassin."""

    name = "cold-blooded"

    def __init__(self, facts: SeatFacts) -> None:
        self.playouts = 1100 // facts.seats
        self.facts = facts
        self.me, self.seats = facts.seat, facts.seats
        options: Any = facts.options
        self.counts = [getattr(options.deck, card) for card in options.deck.__struct_fields__]
        self.accepted = [0] * 9
        """How many more trades each seat, as the Duke, has accepted than declined."""
        self.game = self.read = 0
        self.score: list[int] = []
        self.last: list[int] = []
        self.claims: dict[tuple[int, int, bool], None] = {}
        self.shooter = self.target = -1
        self.duke = NOBODY
        self.assassin = False

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """One of the legal actions."""
        phase = view.phase
        if len(legal) == 1:
            return legal[0]
        if phase == "shell":
            return SHELL
        if phase == "show":
            return HIDE
        self._update(view)
        self.assassin = view.role == "assassin"
        if phase == "move":
            return self._attack(view, legal) if self.assassin else self._defend(view, legal)
        if phase == "talk":
            return self._say(view)
        return self._sacrifice(view) if phase == "sacrifice" else self._answer(view)

    def settles(self, view: Any) -> bool:
        """Whether a search would find nothing: talk is worth what others make of it."""
        return bool(view.phase == "talk")

    def watch(self, view: Any) -> None:
        """Takes in public information, from the view of any seat."""
        self._update(view)

    def copy(self) -> "ColdBloodedPolicy":
        """An independent policy that has seen the same."""
        new = ColdBloodedPolicy(self.facts)
        new.game, new.read, new.duke = self.game, self.read, self.duke
        new.shooter, new.target = self.shooter, self.target
        new.accepted, new.score, new.last = self.accepted.copy(), self.score.copy(), self.last.copy()
        new.claims = self.claims.copy()
        return new

    # what is known

    def _update(self, view: Any) -> None:
        moves = view.moves
        if view.game != self.game or len(moves) < self.read:
            self.game, self.read = view.game, 0
            self.score = [0] * 9
            self.claims = {}
            self.shooter = self.target = -1
            self.duke = NOBODY if view.duke is None else view.duke
            self.last = [-1] * 9
        for i in range(self.read, len(moves)):
            seat, code, first, _ = moves[i]
            if code >= ACCUSE:
                self._hear(seat, code, first)
            elif code < BOMB:
                self._watch(seat, code)
            elif code == SHELL:
                self.last[seat] = code
            elif code in (ACCEPT, DECLINE):
                self.accepted[seat] += 1 if code == ACCEPT else -1
        self.read = len(moves)

    def _watch(self, seat: int, code: int) -> None:
        """Updates the scores by a seat's action in its turn."""
        first, self.last[seat] = self.last[seat] < 0, code
        if code == PASS:
            # guards tend to keep a useful card, assassins look for another one; in the first turn only with a Duke
            if not first or self.duke != NOBODY:
                self.score[seat] -= 1
        elif code >= SNIPER:
            self.shooter, self.target = seat, code - (SNIPER if code < KNIFE else KNIFE)
            # only an assassin attacks the Duke; a seat that attacks another is more likely a guard
            self.score[seat] += 7 if self.target == self.duke else -2

    def _hear(self, seat: int, code: int, role: int) -> None:
        """Notes a seat's talk about another; scores attackers and talk when a seat is eliminated."""
        if code < TRUST:
            self.claims[seat, code - ACCUSE, True] = None
        elif code < OUT:
            self.claims[seat, code - TRUST, False] = None
        elif code == OUT:
            assassin = role == ASSASSIN
            if assassin and seat == self.target:
                self.score[self.shooter] -= 3
            for speaker, about, accused in self.claims:
                if about == seat:
                    self.score[speaker] += -1 if accused == assassin else 1

    def _chances(self, view: Any) -> list[float]:
        left = ASSASSINS[self.seats]
        roles, marked, possible = view.packed_roles, view.marked, view.alive & ~view.cleared
        chances = [0.0] * 9
        weights: list[tuple[int, float]] = []
        talk = self._talk_points()
        for seat in range(self.seats):
            role = roles >> 2 * seat & 3
            if role == ASSASSIN or (not role and marked >> seat & 1):
                left -= 1
                chances[seat] = 1.0
            elif not role and possible >> seat & 1:
                whole, half = divmod(2 * self.score[seat] + talk[seat], 2)
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
        """Half points from the talk: two for the Duke's word, one for the word of seats that look like guards."""
        talk = [0] * 9
        for speaker, about, accused in self.claims:
            if speaker != self.me:
                weight = 2 if speaker == self.duke else 1 if self.score[speaker] < -1 else 0
                talk[about] += weight if accused else -weight
        return talk

    def _share(self, view: Any, card: int) -> float:
        """The probability that a card unknown to the seat is this one."""
        left, unknown, types = self.counts[card - 1], 0, view.types
        for token in range(sum(self.counts)):
            known = types >> 3 * token & 7
            unknown += not known
            left -= known == card
        return left / unknown if unknown else 0.0

    def _card(self, view: Any, place: int) -> int:
        token = view.hands[place]
        card: int = view.types >> 3 * token & 7 if token >= 0 else 0
        return card

    def _suspect(self, view: Any) -> tuple[int, float]:
        """The other living seat most likely an assassin, and the chance; above 1 for the player of an active bomb."""
        best, most = -1, -1.0
        chances = self._chances(view)
        for seat in range(self.seats):
            if seat not in (self.me, self.duke) and view.alive >> seat & 1:
                worth = chances[seat] + (view.bombs[seat] >= 0)
                if worth > most:
                    best, most = seat, worth
        return best, most

    def _likeliest_guard(self, view: Any, legal: Sequence[int], first: int) -> tuple[int, float]:
        """The least likely assassin of the seats that actions from `first` on name, and the chance; or -1."""
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
            return ACCUSE + suspect
        return SAY_NOTHING if self.me == self.duke else SAY_GUARD

    def _sacrifice(self, view: Any) -> int:
        """Sacrifices a guard for the Duke, and an assassin for the player of an active bomb."""
        dies = view.bombs[view.aim] >= 0 if self.assassin else view.aim == self.duke
        return SACRIFICE if dies else STAY

    def _answer(self, view: Any) -> int:
        """Answers a trade as the Duke: accepts a shell he knows of, and without one, the card of a likely guard."""
        known = self._card(view, view.mover)
        if known or self._card(view, self.me) == SHELL_CARD:
            return ACCEPT if known == SHELL_CARD else DECLINE
        return ACCEPT if self._chances(view)[view.mover] < 0.1 else DECLINE

    def _defend(self, view: Any, legal: Sequence[int]) -> int:
        card = self._card(view, self.me)
        armed = card in (SNIPER_CARD, KNIFE_CARD)
        if view.turn <= self.seats:
            if self.duke in (self.me, NOBODY):
                return PASS if armed or (card == SHELL_CARD and self.me == self.duke) else DRAW
            return PASS  # a guard that draws stands out, because all others pass
        if armed:
            suspect, chance = self._suspect(view)
            action = (SNIPER if card == SNIPER_CARD else KNIFE) + suspect
            if chance >= 0.35 and action in legal:
                return action
            return PASS if card == SNIPER_CARD else DRAW
        if self.me == self.duke:
            # he keeps a shell; by passing every other round without one he does not show whether he has it
            return PASS if card == SHELL_CARD or view.turn // self.seats % 2 else DRAW
        return PASS if card == SACRIFICE_CARD and self.duke != NOBODY else self._disarm(view, legal)

    def _disarm(self, view: Any, legal: Sequence[int]) -> int:
        best, most = -1, -1.0
        chances = self._chances(view)
        for seat in CLOCKWISE[self.me]:
            if seat != self.duke and chances[seat] > most and TRADE + seat in legal:
                best, most = seat, chances[seat]
        return TRADE + best if best >= 0 else DRAW

    def _attack(self, view: Any, legal: Sequence[int]) -> int:
        card = self._card(view, self.me)
        if view.turn <= self.seats:
            return PASS  # as guards do
        if card == SNIPER_CARD:
            thin_out = self.duke == NOBODY or self._shielded(view)
            return self._thin_out(view, legal, SNIPER) if thin_out else SNIPER + self.duke
        if card == KNIFE_CARD:
            # a Duke who has not accepted more trades than he declined will decline this one
            trusts = self.duke == NOBODY or self.accepted[self.duke] > 0
            stabs_duke = trusts and KNIFE + self.duke in legal
            return KNIFE + self.duke if stabs_duke else self._thin_out(view, legal, KNIFE)
        if card == UPRISING_CARD and UPRISING in legal and self._assassin_out(view):
            return UPRISING
        if card == BOMB_CARD and BOMB in legal and self._bomb_survival(view) >= 0.25:
            return BOMB
        # another seat's card is as good as one from the deck, and the trade may disarm a guard
        guard, _ = self._likeliest_guard(view, legal, TRADE)
        return TRADE + guard if guard >= 0 and not self._card(view, guard) else DRAW

    def _shielded(self, view: Any) -> bool:
        """Whether the Duke seems to hold a shell, because he keeps his card after the first two rounds."""
        known = self._card(view, self.duke)
        if known:
            return known == SHELL_CARD
        return self.last[self.duke] == PASS and bool(view.turn > 2 * self.seats)

    def _thin_out(self, view: Any, legal: Sequence[int], kind: int) -> int:
        guard, chance = self._likeliest_guard(view, legal, kind)
        return kind + guard if chance < 0.4 else DRAW

    def _assassin_out(self, view: Any) -> bool:
        roles, alive = view.packed_roles, view.alive
        return any([roles >> 2 * seat & 3 == ASSASSIN for seat in range(self.seats) if not alive >> seat & 1])

    def _bomb_survival(self, view: Any) -> float:
        """The probability that no one shoots the bomb's player in time."""
        share = self._share(view, SNIPER_CARD)
        chances = self._chances(view)
        lives = 1.0
        for seat in range(self.seats):
            if seat != self.me and view.alive >> seat & 1:
                known = self._card(view, seat)
                armed = float(known == SNIPER_CARD) if known else share
                lives *= 1 - armed * (1 - chances[seat])
        return lives
