#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
import json
import sys

from cart_pole import episode

for line in sys.stdin:
    question = json.loads(line)
    cost, lean = episode(**question["x"], seed=question["seed"])
    print(json.dumps({"id": question["id"], "objective": -cost, "constraints": [lean]}), flush=True)
