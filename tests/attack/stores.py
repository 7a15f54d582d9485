# SPDX-License-Identifier: MIT
"""Stores that are damaged, and stores that are made to harm. Held: every command ends by itself within the time and in
little memory, with a promised exit code; it runs nothing; a sanitizer, if the tool was built with one, says nothing."""
import json
import os
import resource
import shutil
import sqlite3
import struct

from common import BENIGN, problem, run

COMMANDS = (["runs"], ["verify"], ["verify", "--repair"], ["export"], ["export", "--json"], ["report", "-o", "-"])
DEEP = "[" * 100_000 + "]" * 100_000


def sql(*statements, schema=False):
    def change(path, random):
        db = sqlite3.connect(path)
        if schema:
            db.execute("PRAGMA writable_schema=ON")
        for statement in statements:
            db.execute(statement) if isinstance(statement, str) else db.execute(*statement)
        db.commit()
        db.close()
    return change


def flipped(path, random):
    data = bytearray(path.read_bytes())
    for _ in range(random.choice([1, 2, 8, 64])):
        data[random.randrange(len(data))] = random.randrange(256)
    path.write_bytes(data)


def cut(path, random):
    data = path.read_bytes()
    path.write_bytes(data[:random.randrange(len(data))])


def page_circle(path, random):
    """Pages of the b-tree that refer to one another: a walk over them has no end."""
    data = bytearray(path.read_bytes())
    size = struct.unpack(">H", data[16:18])[0] or 65536
    pages = len(data) // size
    for page in range(1, pages):
        at = page * size
        if data[at] in (2, 5):  # an interior page
            data[at + 8:at + 12] = struct.pack(">I", random.randrange(1, pages + 1))
    path.write_bytes(data)


def long_tail(path, random):
    """An interior page whose many cells all point to one child, level upon level."""
    data = bytearray(path.read_bytes())
    size = struct.unpack(">H", data[16:18])[0] or 65536
    pages = len(data) // size
    for page in range(1, pages):
        at = page * size
        if data[at] in (2, 5):
            cells = struct.unpack(">H", data[at + 3:at + 5])[0]
            for k in range(cells):
                where = at + struct.unpack(">H", data[at + 12 + 2 * k:at + 14 + 2 * k])[0]
                data[where:where + 4] = struct.pack(">I", page if page > 1 else 2)
    path.write_bytes(data)


def names(**changes):
    return json.dumps({"variables": ["a", "b"], "constraints": ["p", "q"], "equalities": [], **changes})


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
ATTACKS = {
    "bytes overwritten": flipped,
    "cut short": cut,
    "pages in a circle": page_circle,
    "pages that all lead to one": long_tail,
    "a view that never ends for a table": sql("DROP TABLE runs", f"CREATE VIEW runs AS {ENDLESS}"),
    "a view for the answers": sql("ALTER TABLE answers RENAME TO old", f"CREATE VIEW answers AS {ENDLESS}"),
    "a trigger": sql("CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM answers; END"),
    "computed columns": sql("ALTER TABLE runs ADD COLUMN big TEXT AS (hex(zeroblob(400000000)))"),
    "an index on an expression": sql("CREATE INDEX i ON runs(hex(zeroblob(1000)))"),
    "a virtual table": sql("DROP TABLE trace", "CREATE VIRTUAL TABLE trace USING fts5(run, evaluations, x, multipliers, figures)"),
    "a schema that is no SQL": sql("UPDATE sqlite_schema SET sql = 'CREATE TABLE runs(' || hex(randomblob(1000))", schema=True),
    "a huge dimension": sql("UPDATE runs SET dimension = 1000000000000"),
    "a negative dimension": sql("UPDATE runs SET dimension = -5"),
    "a huge count of functions": sql("UPDATE runs SET functions = 1000000000"),
    "a huge number of an answer": sql("UPDATE answers SET number = 1000000000000 WHERE number = 5"),
    "a negative number of an answer": sql("UPDATE answers SET number = -1 WHERE number = 5"),
    "a large blob": sql('UPDATE answers SET "values" = zeroblob(200000000) WHERE number = 5'),
    "an odd blob": sql('UPDATE answers SET "values" = x\'0102\' WHERE number = 5'),
    "a text for numbers": sql("UPDATE answers SET \"values\" = 'many' WHERE number = 5"),
    "NaN and infinity": sql('UPDATE answers SET "values" = x\'000000000000f87f000000000000f07f000000000000f0ff\', x = x\'000000000000f87f000000000000f07f\' WHERE number % 3 = 0'),
    "points of other lengths": sql("UPDATE answers SET x = zeroblob(8 * (number % 7))"),
    "a trace of other lengths": sql("UPDATE trace SET x = zeroblob(8 * (evaluations % 50)), multipliers = zeroblob(8 * (evaluations % 9))"),
    "a trace at odd places": sql("UPDATE trace SET evaluations = evaluations * -100000"),
    "deep JSON": sql(("UPDATE runs SET identity = ?, names = ?, result = ?, overrides = ?", (DEEP, DEEP, DEEP, DEEP))),
    "deep figures": sql(("UPDATE trace SET figures = ?", (DEEP,))),
    "JSON of other types": sql(("UPDATE runs SET identity = '[1]', names = '3', result = '\"x\"', overrides = '{}'")),
    "names of other types": sql(("UPDATE runs SET names = ?", (names(variables=3, constraints={"a": [1]}, statements=[{}]),))),
    "a result of other types": sql(("UPDATE runs SET result = ?", (json.dumps({"x": {"a": [1], "b": 1e308}, "status": 3, "constraints": [3, None, {"name": 3}]}),))),
    "a result with many numbers": sql(("UPDATE runs SET result = ?", (json.dumps({"status": "budget", "x": [1.0] * 100_000}),))),
    "a deep document": sql(("UPDATE runs SET document = ?", ("a = " + "[" * 50_000,))),
    "a document with dots": sql(("UPDATE runs SET document = ?", ("[" + ".".join("a" * 50_000) + "]",))),
    "a document with many variables": sql(("UPDATE runs SET document = ?", ('[problem]\ncommand = ["x"]\n[variables]\ncount = 10000000\nlower = 0\nupper = 1\n',))),
    "a document with a large benchmark": sql(("UPDATE runs SET document = ?", ('[problem]\nbuiltin = "qcqp"\nn = 100000\n',))),
    "a long name": sql(("UPDATE runs SET name = ?", ("n" * 1_000_000,))),
    "times that are none": sql("UPDATE runs SET started = 'never', finished = x'ff', status = 'x'"),
    "text that is not UTF-8": sql("UPDATE runs SET name = CAST(x'ff80c0' AS TEXT), solver = CAST(x'ed a080' AS TEXT)".replace("ed a080", "eda080"),
                                  "UPDATE answers SET failure = CAST(x'c328' AS TEXT), \"values\" = NULL WHERE number = 2"),
    "itself continued": sql("UPDATE runs SET continues = id"),
}


def guarded(arena, argv, folder, seconds):
    sanitized = arena.guarded != arena.tool
    limits = None if sanitized else lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=2000"}
    return run([arena.guarded, *argv], folder, seconds, preexec_fn=limits, env=environment)


def campaign(arena):
    folder = arena.scratch()
    (folder / "p.toml").write_text(problem(arena.evaluator, ("ok",), 150, "", "adaptive-conex"))
    run([arena.tool, "solve", "p.toml", "-q", "--store", "sound.db"], folder)
    tried = held = 0
    wrong = []
    for name, attack in ATTACKS.items():
        for _ in range(arena.times(3) if attack in (flipped, cut, page_circle, long_tail) else 1):
            for old in folder.glob("bad.db*"):
                old.unlink()
            shutil.copy(folder / "sound.db", folder / "bad.db")
            try:
                attack(folder / "bad.db", arena.random)
            except sqlite3.Error as error:
                arena.table.skip("stores", name, f"SQLite of Python: {error}")
                continue
            for command in COMMANDS:
                tried += 1
                code, out, err = guarded(arena, [command[0], "bad.db", *command[1:]], folder, 60)
                if code in BENIGN and b"Sanitizer" not in err:
                    held += 1
                else:
                    wrong.append(f"{' '.join(command)} of {name}: {code}")
                    shutil.copy(folder / "bad.db", f"{arena.kept}/{name.replace(' ', '-')}.db") if arena.kept else None
    arena.table.add("stores", f"{len(ATTACKS)} kinds of hostile stores, {len(COMMANDS)} commands", tried, held, "; ".join(wrong[:8]))
