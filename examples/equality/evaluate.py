#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A room heated by water: energy to be small, 21 degrees on average (an equality), a quiet pump (an inequality).

Reads one JSON object per line and answers in kind; all chance, the weather, comes from the seed that is sent.
"""
import json
import random
import sys

for line in sys.stdin:
    question = json.loads(line)
    flow, water = question["x"]["flow"], question["x"]["water"]
    weather = random.Random(question["seed"])
    outside = weather.gauss(2.0, 0.8)
    emitted = 9.0 * flow / (0.35 + flow)  # heat per degree between water and room: more flow helps less and less
    room = (emitted * water + 12.0 * outside) / (emitted + 12.0)  # where heat in and heat out balance
    energy = 0.02 * emitted * (water - room) * (1.0 + 0.02 * (water - 25.0)) + 0.8 * flow**2  # of the boiler, and of the pump
    pump = 34.0 + 9.0 * flow + weather.gauss(0.0, 1.0)  # decibels
    print(json.dumps({"id": question["id"], "objective": energy, "constraints": [(pump - 45.0) / 10.0],
                      "equalities": [room - 21.0]}), flush=True)
