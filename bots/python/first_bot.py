#!/usr/bin/env python3
"""The smallest bot: it plays a random legal move."""
import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"hello","protocol":1}', flush=True)
    elif message["type"] == "start":
        random.seed(message["seed"])
    elif message["type"] == "turn":
        print(json.dumps({"move": random.choice(message["legal"])}), flush=True)
    elif message["type"] == "quit":
        break
