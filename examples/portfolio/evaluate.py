#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
import json
import sys

from market import expected, month

for line in sys.stdin:
    question = json.loads(line)
    weights = list(question["x"].values())
    print(json.dumps({"id": question["id"], "objective": 100 * expected(weights),
                      "constraints": [-100 * month(weights, question["seed"])]}), flush=True)
