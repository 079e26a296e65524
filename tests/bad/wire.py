"""A program that breaks the wire protocol, in the way that its argument names; on stderr it counts its matches."""

import json
import os
import signal
import sys
import time

way = sys.argv[1]
AT = 3  # the decision at which it does so
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
        match way:
            case "nonsense":
                say("play something\n")
                continue
            case "not an object":
                say("[]\n")
                continue
            case "another type":
                answer["type"] = "move"
            case "another decision":
                answer["decision"] = number - 1
            case "twice":
                say(json.dumps(answer) + "\n")
            case "no action":
                del answer["action"]
            case "null":
                answer["action"] = None
            case "a number":
                answer["action"] = 3
            case "no such action":
                answer["action"] = "play:joker"
            case "illegal":
                held = {"play:" + card for card in message["view"]["hand"]}
                answer["action"] = next(
                    f"play:{n}{s}" for s in "tkm" for n in range(1, 12) if f"play:{n}{s}" not in held
                )
            case "a huge answer":
                say("x" * 2_000_000)
            case "half a line":
                say('{"type":"act"')
                time.sleep(600)
            case "half a line and the end":
                say('{"type":"act"')
                sys.exit(0)
            case "silence":
                time.sleep(600)
            case "exit":
                sys.exit(7)
            case "SIGTERM":
                os.kill(os.getpid(), signal.SIGTERM)
            case "closes its output":
                os.close(1)
                time.sleep(600)
            case "closes its input":
                say(json.dumps(answer) + "\n")
                os.close(0)
                time.sleep(600)
            case "closes its input, then answers":
                os.close(0)
                time.sleep(0.1)
                say(json.dumps(answer) + "\n")
                time.sleep(600)
            case "does not listen":
                say(json.dumps(answer) + "\n")
                time.sleep(600)
            case "an own fault":
                answer = {"type": "act", "fault": "error", "detail": "no\nidea " + "x" * 500}
            case "a fault that there is not":
                answer = {"type": "act", "fault": "timeout"}
            case "allocates":
                memory = []
                while True:
                    memory.append(bytearray(1 << 20))
    if kind == "end" and way == "ends by itself":
        sys.exit(0)
    if kind == "reset" and way == "ignores reset":
        continue
    if kind == "reset" and way == "answers reset wrongly":
        answer["type"] = "done"
    say(json.dumps(answer) + "\n")
    if kind == "end" and way == "ends before reset":
        sys.exit(0)
