#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
import json
import sys

from warehouse import year

for line in sys.stdin:
    question = json.loads(line)
    cost, service = year(**question["x"], seed=question["seed"])
    print(json.dumps({"id": question["id"], "objective": cost, "constraints": [service]}), flush=True)
