#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for a laboratory: bench.py TABLE.csv fills in the table's empty columns, as people would.

A reacts to B, the product, and B to C, waste; both reactions are of first order and speed up with the temperature (Arrhenius). Every
flask has its own small errors of temperature and dose, and the chromatograph an error of its own. One flask in sixteen breaks.
"""
import csv
import math
import random
import sys

KINETICS = {  # per minute at 70 degrees, and activation energy over the gas constant, in kelvin: of A -> B and of B -> C
    "nickel": ((0.020, 6500), (0.0030, 9500)),
    "palladium": ((0.045, 5500), (0.0055, 9000)),
}


def shares(catalyst, temperature, minutes):
    """Per cent of B and of C at the end."""
    (k1, e1), (k2, e2) = KINETICS[catalyst]
    heat = 1 / 343.15 - 1 / (temperature + 273.15)
    k1, k2 = k1 * math.exp(e1 * heat), k2 * math.exp(e2 * heat)
    a = math.exp(-k1 * minutes)
    b = k1 / (k2 - k1) * (a - math.exp(-k2 * minutes))
    return 100 * b, 100 * (1 - a - b)


def experiment(row):
    rng = random.Random(row["seed"])
    if rng.random() < 1 / 16:
        return {"error": "the flask broke"}
    product, waste = shares(row["catalyst"], float(row["temperature"]) + rng.gauss(0, 0.7), float(row["minutes"]) * (1 + rng.gauss(0, 0.02)))
    return {"objective": f"{product + rng.gauss(0, 0.8) - 0.2 * float(row['minutes']):.1f}", "impurity": f"{max(0, waste + rng.gauss(0, 0.5)):.1f}"}


def main():
    with open(sys.argv[1], newline="") as file:
        table = csv.DictReader(file)
        columns, rows = table.fieldnames, list(table)
    for row in rows:
        row.update(experiment(row))
    with open(sys.argv[1], "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
