"""A program that breaks the wire protocol, in the way that its argument names; on stderr it counts its matches."""

import json
import os
import signal
import sys
import time

way = sys.argv[1]
AT = 3  # the decision at which it does so
SAID = {"nonsense": "play something\n", "not an object": "[]\n", "a huge answer": "x" * 2_000_000}
SAID |= dict.fromkeys(("half a line", "half a line and the end"), '{"type":"act"')
CHANGED = {
    "another type": {"type": "move"},
    "another decision": {"decision": AT - 1},
    "null": {"action": None},
    "a number": {"action": 3},
    "no such action": {"action": "play:joker"},
    "illegal": {"action": "swap:1t"},
    "an own fault": {"fault": "error", "detail": "no\nidea " + "x" * 500},
    "a fault that there is not": {"fault": "timeout"},
}
matches = 0


def say(text):
    os.write(1, text.encode())


for line in sys.stdin:
    message = json.loads(line)
    kind, number = message["type"], message.get("decision")
    answer = {"type": kind}
    if kind == "hello":
        answer["protocol"] = 2 if way == "another version" else 1
        time.sleep(4 if way == "a slow hello" else 0)
    if kind == "start":
        matches += 1
        print(f"match {matches} of process {os.getpid()}", file=sys.stderr, flush=True)
    if kind == "act":
        answer |= {"decision": number, "action": message["legal"][-1]}
    if kind == "act" and number == AT:
        right = json.dumps(answer) + "\n"
        answer |= CHANGED.get(way, {})
        say(SAID.get(way, ""))
        match way:
            case "no action":
                del answer["action"]
            case "twice":
                say(right)
            case "exit" | "half a line and the end":
                sys.exit(7 if way == "exit" else 0)
            case "SIGTERM":
                os.kill(os.getpid(), signal.SIGTERM)
            case "closes its output":
                os.close(1)
            case "closes its input" | "does not listen":
                say(right)
                if way == "closes its input":
                    os.close(0)
            case "closes its input, then answers":
                os.close(0)
                time.sleep(0.1)
                say(right)
            case "allocates":
                memory = []
                while True:
                    memory.append(bytearray(1 << 20))
        if way in ("half a line", "silence", "does not listen") or way.startswith("closes"):
            time.sleep(600)
    if kind == "end" and way == "ends by itself":
        sys.exit(0)
    if kind == "reset" and way == "ignores reset":
        continue
    if kind == "reset" and way == "answers reset wrongly":
        answer["type"] = "done"
    say(json.dumps(answer) + "\n")
    if kind == "end" and way == "ends before reset":
        sys.exit(0)
