"""A bot that plays as `steady` does, and makes mistakes on purpose, which it notes."""

from random import Random
from statistics import fmean

from tourney_bots.steady import Steady

from tourney.contracts.bot import Bot, Noted, SeatFacts
from tourney.contracts.playouts import play_out
from tourney.standings.points import points

EVERY = 8  # how many decisions with a choice come from one mistake to the next, or more
WORLDS = 40  # in how many imagined worlds it looks for its worst action
COSTLY = 0.2  # by how many points the worst action must be expected to be worse than the best


class Blunderer(Bot):
    def start(self, facts):
        self.facts = facts
        self.choices = 0
        self.steady = Steady()
        self.steady.start(facts)

    def act(self, view, legal):
        self.choices += len(legal) > 1
        if self.choices >= EVERY and len(legal) > 1:
            worlds = [self.facts.game.imagine(view, self.facts.rng) for _ in range(WORLDS)]
            worth = {action: fmean([self.expected(world.copy(), action) for world in worlds]) for action in legal}
            worst = min(legal, key=worth.get)
            if max(worth.values()) - worth[worst] > COSTLY:
                self.choices = 0
                return Noted(worst, planted=True)
        return self.steady.act(view, legal)

    def expected(self, state, action):
        bots = [Steady() for _ in range(self.facts.seats)]
        for seat, bot in enumerate(bots):
            bot.start(SeatFacts(self.facts.game, self.facts.options, self.facts.seats, seat, Random(0)))
        state.apply(action)
        play_out(state, lambda state, legal: bots[state.seat].act(state.view(state.seat), legal))
        return points(state.places)[self.facts.seat]
