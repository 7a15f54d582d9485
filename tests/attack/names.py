# SPDX-License-Identifier: MIT
"""Names that are commands, escapes or formulas, through every output format. Held: nothing is run, nothing acts on the
terminal, no cell of CSV is a formula, the page stays a page."""
import csv
import io
import json
import sqlite3

from common import problem, run

PIECES = ["`touch PWNED`", '"; system("touch PWNED"); "', "'; system('touch PWNED'); '", "\nsystem('touch PWNED')\n",
          "\\\n!touch PWNED\n", "$(touch PWNED)", "@x", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
          "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202e", "\x00", "=1+1", "@SUM(1)", "-1", "+1", "\t=1", "%s%n", "{0}", "{{", "''",
          "\\", "\r\n", ".so /etc/passwd", "'\\''", "EOD\n", "\ud7ff", "\U0010ffff", "é", "_^{}&~"]


def plain(data):
    text = data.decode("utf-8", "strict")
    return not any((ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) <= 0x9f or c in "\u202e" for c in text)


def campaign(arena):
    folder = arena.scratch()
    (folder / "p.toml").write_text(problem(arena.evaluator, ("ok",), 40, "", "random"))
    run([arena.tool, "solve", "p.toml", "-q"], folder)
    tried = held = 0
    for _ in range(arena.times(8)):
        names = ["".join(arena.random.choices(PIECES, k=arena.random.randint(1, 4))) for _ in range(5)]
        with sqlite3.connect(folder / "zeroth.db") as db:
            db.execute("UPDATE runs SET name = ?, solver = ?, names = ?", (names[0], names[1], json.dumps(
                {"variables": names[2:4], "constraints": [names[4], names[0]], "equalities": []})))
            db.execute("UPDATE answers SET failure = ?, error_output = ?, \"values\" = NULL WHERE number = 3", (names[2] or "x", names[3]))
        outputs = {command: run([arena.tool, *command.split()], folder, 60) for command in
                   ("runs", "verify", "export", "export --json", "report -o -", "report --figures figures")}
        checks = [all(code in (0, 1) for code, _, _ in outputs.values()),
                  not list(folder.rglob("PWNED")),
                  all(plain(outputs[c][1]) and plain(outputs[c][2]) for c in ("runs", "verify", "export")),
                  outputs["runs"][1].count(b"\n") == 2]
        rows = list(csv.reader(io.StringIO(outputs["export"][1].decode())))
        checks.append(all(name[:1] not in ("=", "+", "-", "@", "\t") for name in rows[0]))
        checks.append(all(row[rows[0].index("failure")][:1] not in ("=", "+", "-", "@", "\t") for row in rows[1:]))
        try:
            json.loads(outputs["export --json"][1])
        except ValueError:
            checks.append(False)
        page = outputs["report -o -"][1]
        checks.append(b"<script>alert" not in page and b"<img src=x" not in page)
        tried += 1
        held += all(checks)
    arena.table.add("names", "runs, verify, export, page, figures", tried, held)
