#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on the tool, and a table of what was tried and what held; ends with 1 if anything did not.

    tests/attack/run.py --build build/release                  under three minutes, as CI does
    tests/attack/run.py --build build/release --hours 4        as many rounds as fit into the time
    tests/attack/run.py --only kills --factor 9                more than 300 kills over all launch modes
    tests/attack/run.py --asan build/asan --only stores        hostile stores on a build with sanitizers
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import disk, evaluators, kills, limits, names, stores  # noqa: E401, E402
from common import Arena, Table  # noqa: E402

CAMPAIGNS = {"kills": kills, "disk": disk, "limits": limits, "evaluators": evaluators, "stores": stores, "names": names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="a build with the tool, the Python module and the test evaluator")
    parser.add_argument("--asan", help="a build with sanitizers, for hostile stores")
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter that the module was built for")
    parser.add_argument("--only", choices=CAMPAIGNS, action="append")
    parser.add_argument("--hours", type=float, default=0, help="go on with other dice until this time is over")
    parser.add_argument("--factor", type=float, default=1, help="how often the attacks that throw dice are repeated")
    parser.add_argument("--mode", action="append", help="of kills, this launch mode only; may be given several times")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a directory for the stores that did harm")
    options = parser.parse_args()
    begin = time.monotonic()
    table = Table()
    while True:
        print(f"  {'area':<11} {'attack':<58} {'tried':>7} {'held':>7}")
        arena = Arena(options, table)
        arena.kept = options.keep
        for name, campaign in CAMPAIGNS.items():
            if not options.only or name in options.only:
                campaign.campaign(arena)
        options.seed += 1
        if time.monotonic() - begin > 3600 * options.hours:
            break
    tried, held = sum(r[2] for r in table.rows), sum(r[3] for r in table.rows)
    print(f"{tried} attacks, {held} held, {time.monotonic() - begin:.0f} s")
    return 1 if table.failures() else 0


if __name__ == "__main__":
    sys.exit(main())
