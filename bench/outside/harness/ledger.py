# SPDX-License-Identifier: MIT
"""Finished runs as lines of a CSV file: a run that stands there is not done again."""
import csv
import fcntl
import math
import os

FIELDS = ["suite", "problem", "dimension", "constraints", "instance", "noise", "noise_kind", "budget", "solver", "version", "build",
          "direction", "evaluations", "failed", "score", "objective", "objective_se", "start_objective", "violation", "feasible", "claim",
          "low", "high", "covers", "own_ms", "seconds", "led_by", "note", "x"]
KEY = ["suite", "problem", "instance", "noise", "noise_kind", "budget", "solver", "build"]


def key_of(row):
    return tuple(f"{float(row[name]):g}" if name in ("noise", "budget", "instance") else str(row[name]) for name in KEY)


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row.get("x") is not None]  # the last line of a killed run may be cut


def append(path, row):
    """One line, flushed; several processes may write to one ledger."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "a+", newline="", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0, os.SEEK_END)
        if file.tell():
            with open(path, "rb") as end:
                end.seek(-1, os.SEEK_END)
                if end.read(1) != b"\n":
                    file.write("\n")
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not file.tell():
            writer.writeheader()
        writer.writerow({name: shown(row.get(name, "")) for name in FIELDS})


def shown(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.7g}"
    return value


def number(row, name):
    return float(row[name]) if row.get(name, "") != "" else math.nan
