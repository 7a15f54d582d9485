#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
import json
import sys

from call_centre import cost, late

for line in sys.stdin:
    question = json.loads(line)
    staff = question["x"]
    answer = {"objective": cost(staff), "constraints": [late(staff, question["seed"])]}
    print(json.dumps({"id": question["id"], **answer}), flush=True)
