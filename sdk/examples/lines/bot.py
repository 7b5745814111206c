#!/usr/bin/env python3
"""Plays a random legal action. parlor play gap --with exec:./bot.py"""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decision":
        action = random.choice(message["actions"])
        answer = {"table": message["table"], "decision": message["decision"], "index": action["index"]}
        print(json.dumps(answer), flush=True)
