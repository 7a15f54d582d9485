#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes what docs/outside.md shows from the ledgers: report.py [--check]

A part of the page stands between `<!-- from SUITE: PART [NOISE-FREE|NOISY] -->` and `<!-- end -->`; a figure is a line
`<!-- figure SUITE LEVEL: NAME -->` followed by the image. --check changes nothing and ends with 1 if something would change.
Needs numpy alone.
"""
import argparse
import glob
import os
import re
import sys

from harness import ledger, page, scores, tables

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PART = re.compile(r"(<!-- from (\S+): (\S+)(?: (\S+))? -->\n).*?(<!-- end -->)", re.DOTALL)
FIGURE = re.compile(r"<!-- figure (\S+) (\S+): (\S+) -->")


def rows_of(suite):
    """All ledgers of a suite; scores that need the best of all are made here."""
    rows = [row for path in sorted(glob.glob(os.path.join(HERE, "ledgers", "*.csv"))) for row in ledger.read(path) if row["suite"] == suite]
    return tables.with_scores(scores.newest(rows))


def chosen(rows, which):
    if which == "noise-free":
        return [row for row in rows if row["noise_kind"] == "none"]
    if which == "noisy":
        return [row for row in rows if row["noise_kind"] != "none"]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "outside.md"))
    options = parser.parse_args()
    with open(options.page, encoding="utf-8") as file:
        text = file.read()
    cache, stale = {}, []

    def rows(suite):
        if suite not in cache:
            cache[suite] = rows_of(suite)
        return cache[suite]

    def part(found):
        begin, suite, name, which, end = found.groups()
        data = chosen(rows(suite), which)
        return begin + "\n" + (page.PARTS[name](data) if data else "Not measured yet.") + "\n\n" + end

    renewed = PART.sub(part, text)
    files = {options.page: renewed}
    for suite, level, name in FIGURE.findall(text):
        data = rows(suite)
        if data:
            files[os.path.join(os.path.dirname(options.page), "figures", name)] = page.profile_figure(data, float(level), suite == "coco")
    for path, content in files.items():
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else None
        if old != content:
            stale.append(path)
            if not options.check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(content)
    for path in stale:
        print(("not what the ledgers say: " if options.check else "written: ") + os.path.relpath(path, ROOT))
    sys.exit(1 if stale and options.check else 0)


if __name__ == "__main__":
    main()
