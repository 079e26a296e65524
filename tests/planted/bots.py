"""A bot that plays as `steady` does, and makes mistakes on purpose at decisions that are known."""

from random import Random

from tourney_bots.steady import Steady

from tourney.contracts.bot import Bot, SeatFacts
from tourney.contracts.playouts import play_out
from tourney.standings.points import points

EVERY = 8  # it plays its worst action at each decision with a choice whose number is a multiple of this
WORLDS = 40  # in how many imagined worlds it looks for its worst action


class Blunderer(Bot):
    """Plays as `steady`, but at every eighth decision with a choice the action after which it expects least."""

    def start(self, facts):
        self.facts = facts
        self.choices = 0
        self.steady = Steady()
        self.steady.start(facts)

    def act(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        self.choices += 1
        return self.worst(view, legal) if self.choices % EVERY == 0 else self.steady.act(view, legal)

    def worst(self, view, legal):
        worlds = [self.facts.game.imagine(view, self.facts.rng) for _ in range(WORLDS)]
        return min(legal, key=lambda action: sum([self.expected(world.copy(), action) for world in worlds]))

    def expected(self, state, action):
        bots = [Steady() for _ in range(self.facts.seats)]
        for seat, bot in enumerate(bots):
            bot.start(SeatFacts(self.facts.game, self.facts.options, self.facts.seats, seat, Random(0)))
        state.apply(action)
        play_out(state, lambda state, legal: bots[state.seat].act(state.view(state.seat), legal))
        return points(state.places)[self.facts.seat]
