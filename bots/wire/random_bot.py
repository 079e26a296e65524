#!/usr/bin/env python3
"""Plays any legal action, in every game. It needs nothing but Python: a start for a bot that speaks the protocol.

Run by a tournament, as command = ["python3", "random_bot.py"]; docs/protocol.md shows every message.
"""

import json
import random
import sys

VERSION = 1


def main() -> None:
    """Answers each line with a line, until there are no more."""
    chance = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"type": message["type"]}
        if message["type"] == "hello":
            answer["protocol"] = VERSION
        elif message["type"] == "start":
            chance.seed(message["rng"])
        elif message["type"] == "act":
            answer["decision"] = message["decision"]
            answer["action"] = message["legal"][int(chance.random() * len(message["legal"]))]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
