"""A program that plays the last legal action and says on stderr who it is; its argument is what it does at `reset`."""

import json
import os
import sys
import time

way = sys.argv[1]
matches = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    answer = {"type": kind}
    if kind == "hello":
        answer["protocol"] = 1
        time.sleep(float(os.environ.get("SLOW_HELLO", "0")))
    elif kind == "start":
        matches += 1
        sys.stderr.write(f"match {matches} of process {os.getpid()}\n")
        sys.stderr.flush()
    elif kind == "act":
        answer |= {"decision": message["decision"], "action": message["legal"][-1]}
        if way == "ends in the second match" and matches == 2:
            sys.exit(3)
    elif kind == "reset":
        if way == "ignores it":
            continue
        if way == "answers wrongly":
            answer["type"] = "done"
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    if kind == "end" and way == "ends before it":
        sys.exit(0)
