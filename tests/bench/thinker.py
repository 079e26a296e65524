"""A bot that thinks for a few milliseconds about each decision, and says after each match how long it has thought."""

import sys
from time import perf_counter

THINKS_MS = 5
"""How long it thinks about a decision, in milliseconds."""


class Thinker:
    """Takes the first action, and writes the seconds of its thinking to stderr at the end."""

    thought_s = 0.0

    def act(self, view, legal):
        start = now = perf_counter()
        while now - start < THINKS_MS / 1000:  # it keeps the processor busy, as a bot that searches does
            now = perf_counter()
        self.thought_s += now - start
        return legal[0]

    def end(self, outcome):
        print(self.thought_s, file=sys.stderr)
