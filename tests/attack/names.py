# SPDX-License-Identifier: MIT
"""Names that are commands, escapes or formulas, through every output format. Held: nothing is run, nothing acts on the
terminal, no cell of CSV is a formula, the page stays a page."""
import csv
import io
import json
import sqlite3

from common import BENIGN, problem, run

PIECES = ["`touch PWNED`", '"; system("touch PWNED"); "', "'; system('touch PWNED'); '", "\nsystem('touch PWNED')\n",
          "\\\n!touch PWNED\n", "$(touch PWNED)", "@x", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
          "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202e", "\x00", "=1+1", "@SUM(1)", "-1", "+1", "\t=1", "%s%n", "{0}", "{{", "''",
          "\\", "\r\n", ".so /etc/passwd", "'\\''", "EOD\n", "\ud7ff", "\U0010ffff", "é", "_^{}&~"]


def plain(data):
    text = data.decode("utf-8", "strict")
    return not any((ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) <= 0x9f or c in "\u202e" for c in text)


# Takes texts for x as they are; the answer is noise alone.
EVALUATOR = """import json, random, sys
for line in sys.stdin:
    question = json.loads(line)
    noise = random.Random(question["seed"])
    print(json.dumps({"id": question["id"], "objective": noise.random(), "constraints": [-noise.random(), -noise.random()]}), flush=True)
"""


def quoted(name):
    """A string of TOML. What TOML itself refuses (half of a pair of surrogates) is left out."""
    return '"' + "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in name if not 0xd800 <= ord(c) < 0xe000) + '"'


def no_formula(table):
    return all(cell[:1] not in ("=", "+", "-", "@", "\t") or is_number(cell) for row in csv.reader(io.StringIO(table)) for cell in row)


def is_number(cell):
    try:
        float(cell)
        return True
    except ValueError:
        return False


def are_json(texts):
    try:
        return all(json.loads(text) for text in texts)
    except ValueError:
        return False


def hostile_file(names, command):
    return f"""[problem]
name = {quoted(names[0])}
command = {json.dumps(command)}
constraints = [{quoted(names[1])}, {quoted(names[2])}]
common_noise = true
[[variable]]
name = {quoted(names[3])}
type = "categorical"
values = [{quoted(names[4])}, {quoted(names[5])}, "c"]
[[variable]]
name = {quoted(names[6])}
lower = 0.001
upper = 1
[solver]
name = "random"
budget = 20
"""


# In this order: what they write is read by those behind them.
OF_A_FILE = ("describe p.toml", "check p.toml", "solve p.toml", "solve p.toml --json", "ask p.toml -n 3 --store ask.db",
             "ask p.toml -n 3 --csv --store csv.db", "ask p.toml --result --store ask.db", "export", "runs", "verify", "report -o -")


def campaign_of_files(arena):
    """The same names in a problem file: each command either takes them as names or says which one it refuses."""
    tried = held = taken = 0
    for k in range(arena.times(8)):
        folder = arena.scratch()
        # Constraints with signs are statements, which are mostly refused: half of the files have none. A digit in front keeps names apart.
        mild = [piece for piece in PIECES if not set("<>=()") & set(piece)]
        names = ["".join(arena.random.choices(mild if k % 2 and i in (1, 2) else PIECES, k=arena.random.randint(1, 3))) for i in range(7)]
        if k % 2:
            names = [name if i == 0 else f"{i}{name}" for i, name in enumerate(names)]
        (folder / "p.toml").write_text(hostile_file(names, [arena.python, "evaluate.py"]))
        (folder / "evaluate.py").write_text(EVALUATOR)
        outputs = {command: run([arena.tool, *command.split()], folder, 60) for command in OF_A_FILE}
        refused = outputs["describe p.toml"][0] == 2
        taken += not refused
        checks = [all(code in BENIGN for code, _, _ in outputs.values()),
                  not list(folder.rglob("PWNED")),
                  all(plain(outputs[c][1]) and plain(outputs[c][2]) for c in OF_A_FILE if c != "report -o -")]
        if not refused:
            checks.append(outputs["solve p.toml"][0] in (0, 3, 4))
            checks.append(no_formula(outputs["ask p.toml -n 3 --csv --store csv.db"][1].decode()))
            checks.append(no_formula(outputs["export"][1].decode()))
            checks.append(are_json(outputs["ask p.toml -n 3 --store ask.db"][1].splitlines()))
            checks.append(are_json([outputs["solve p.toml --json"][1]]))
            page = outputs["report -o -"][1]
            checks.append(b"<script>alert" not in page and b"<img src=x" not in page)
        tried += 1
        held += all(checks)
    arena.table.add("names", "problem files: " + ", ".join(dict.fromkeys(c.split()[0] for c in OF_A_FILE[:5])), tried, held,
                    f"{taken} taken as names, the others refused")


def campaign(arena):
    campaign_of_stores(arena)
    campaign_of_files(arena)


def campaign_of_stores(arena):
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
