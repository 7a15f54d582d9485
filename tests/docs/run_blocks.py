#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every code block of README.md, ARCHITECTURE.md, CONTRIBUTING.md and docs/: tests/docs/run_blocks.py [--build DIR] [--update] [PAGE...]

Each page is a session of its own in an empty directory, its blocks run in order, with `zeroth` of the build in PATH, the Python module
importable, and the repository's examples/ beside.

  sh        run by bash, must end with exit code 0
  python    run in one Python session per page
  cpp       compiled against the library and run
  text      shown, not code
A comment on the line before a block changes that:
  <!-- file: NAME -->        written to NAME instead of run; executable if it begins with #!
  <!-- output -->            what the block before it printed (seconds and dates aside); --update writes it anew
  <!-- not run: REASON -->   left out, counted, and listed with its reason
A block in another language, or without one, is an error: nothing is skipped in silence.
"""
import argparse
import contextlib
import difflib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(\s*)```(\S*)\s*$")
MARK = re.compile(r"^\s*<!-- (file|not run|output)(?:: (.*?))? -->\s*$")
# What a clock decides, and lines of progress, differ from run to run.
CLOCK = re.compile(r"\d+(\.\d+)?(e-?\d+)? s\b|\d{4}-\d\d-\d\dT[\d:]+Z?")


class Block:
    def __init__(self, page, line, language, indent, mark, argument):
        self.page, self.line, self.language, self.indent = page, line, language, indent
        self.mark, self.argument, self.lines = mark, argument, []

    @property
    def text(self):
        return "".join(line[len(self.indent):] if line.startswith(self.indent) else line for line in self.lines)

    def where(self):
        return f"{self.page}:{self.line}"


def shown(path):
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def blocks_of(path):
    page, blocks, block, mark = shown(path), [], None, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        fence = FENCE.match(line)
        if block is not None:
            if fence and not fence.group(2):
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
        elif fence:
            kind, argument = mark or (None, None)
            block, mark = Block(page, number, fence.group(2), fence.group(1), kind, argument), None
        elif found := MARK.match(line):
            mark = found.group(1), found.group(2)
        elif line.strip():
            if mark:
                raise SystemExit(f"{page}:{number}: a mark must stand right before its block")
    if block is not None:
        raise SystemExit(f"{block.where()}: the block does not end")
    return blocks


class Session:
    """One page: a directory, an environment, a Python namespace."""

    def __init__(self, build, directory):
        self.build, self.directory = build, directory
        (directory / ".bin").mkdir()
        (directory / ".bin/python3").symlink_to(sys.executable)  # the interpreter that the module was built for
        (directory / "examples").symlink_to(ROOT / "examples")
        self.environment = {
            **os.environ, "PATH": f"{directory / '.bin'}:{build}:{os.environ['PATH']}", "PYTHONPATH": str(build / "python"),
            "PYTHONDONTWRITEBYTECODE": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        self.python = {"__name__": "__main__"}

    def write(self, block):
        path = self.directory / block.argument
        path.write_text(block.text, encoding="utf-8")
        if block.text.startswith("#!"):
            path.chmod(0o755)

    def run(self, block):
        """What it printed; raises if it failed."""
        return getattr(self, "run_" + block.language)(block)

    def run_sh(self, block):
        return self.command(["bash", "-euo", "pipefail", "-c", block.text])

    def run_python(self, block):
        # In a process of the page's own, kept by main(): blocks see what blocks before them defined.
        code = compile("\n" * block.line + block.text, str(ROOT / block.page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, self.python)
        return printed.getvalue()

    def run_cpp(self, block):
        source = self.directory / f"block{block.line}.cpp"
        source.write_text(block.text)
        cache = (self.build / "CMakeCache.txt").read_text()
        mpi = re.findall(r"^MPI_\w+_LIBRARY:FILEPATH=(/.+)$", cache, re.MULTILINE)  # none in a build without MPI
        self.command(["g++", "-std=c++20", "-O1", f"-I{ROOT / 'src'}", "-I/usr/include/eigen3", "-DEIGEN_MAX_ALIGN_BYTES=32",
                      str(source), str(self.build / "libzeroth.a"), "-o", str(source.with_suffix("")), *mpi, "-lfmt", "-lnlopt",
                      "-lsqlite3", "-ltomlplusplus", "-lpng", "-lmicrohttpd", "-lpthread", "-ldl"])
        return self.command([str(source.with_suffix(""))])

    def command(self, argv):
        done = subprocess.run(argv, cwd=self.directory, env=self.environment, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def comparable(text):
    return [CLOCK.sub("...", line.rstrip()) for line in text.strip().splitlines()]


def run_page(path, build, update):
    """Counts (run, written, outputs, shown) and what was left out; raises SystemExit at the first failure."""
    counts = {"run": 0, "file": 0, "output": 0, "text": 0}
    skipped, corrections = [], []
    printed = None
    with tempfile.TemporaryDirectory(prefix="zeroth-docs-") as name:
        session = Session(build, pathlib.Path(name))
        here = os.getcwd()
        os.chdir(name)
        try:
            for block in blocks_of(path):
                if block.mark == "not run":
                    if not block.argument:
                        raise SystemExit(f"{block.where()}: 'not run' needs a reason")
                    skipped.append((block.where(), block.argument))
                elif block.mark == "file":
                    session.write(block)
                    counts["file"] += 1
                elif block.mark == "output":
                    if printed is None:
                        raise SystemExit(f"{block.where()}: an output without a block that was run before it")
                    counts["output"] += 1
                    if comparable(printed) != comparable(block.text):
                        if not update:
                            difference = "\n".join(difflib.unified_diff(comparable(block.text), comparable(printed), "shown",
                                                                        "printed", lineterm=""))
                            raise SystemExit(f"{block.where()}: this is not what the block before printed\n{difference}\n"
                                             "(tests/docs/run_blocks.py --update writes it anew)")
                        corrections.append((block, printed))
                elif block.language == "text":
                    counts["text"] += 1
                elif block.language in ("sh", "python", "cpp"):
                    begin = time.perf_counter()
                    try:
                        printed = session.run(block)
                    except SystemExit:
                        raise
                    except BaseException:
                        raise SystemExit(f"{block.where()}: this block failed\n{traceback.format_exc(limit=-3)}")
                    counts["run"] += 1
                    seconds = time.perf_counter() - begin
                    if seconds > 5:
                        print(f"  {block.where()} took {seconds:.0f} s")
                else:
                    raise SystemExit(f"{block.where()}: blocks in '{block.language}' are not run; give a file name, 'text', or the "
                                     "reason why it is not run")
        finally:
            os.chdir(here)
    if corrections:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        for block, text in reversed(corrections):
            lines[block.line:block.line + len(block.lines)] = [line + "\n" for line in text.strip("\n").splitlines()]
        path.write_text("".join(lines), encoding="utf-8")
        print(f"  {len(corrections)} outputs written anew in {shown(path)}")
    return counts, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--part", default="1/1", help="K/N: every Nth page from the Kth on, so that several can run at a time")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    sys.path.insert(0, str(build / "python"))
    pages = [page.resolve() for page in options.pages] or [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md",
                                                              *sorted((ROOT / "docs").rglob("*.md"))]
    part, parts = map(int, options.part.split("/"))
    pages = pages[part - 1::parts]

    total, skipped, failed = {"run": 0, "file": 0, "output": 0, "text": 0}, [], []
    for page in pages:
        # A process per page, so that nothing of one page's Python session is left for the next.
        sys.stdout.flush()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                result = run_page(page, build, options.update)
            except SystemExit as error:
                result = str(error)
            sys.stdout.flush()
            with os.fdopen(write, "w") as pipe:
                pipe.write(repr(result))
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        result = eval(text) if text else f"{page}: the session ended early"  # written by our own child
        if isinstance(result, str):
            failed.append(result)
            print(f"FAILED {result}")
            continue
        for key, count in result[0].items():
            total[key] += count
        skipped += result[1]
    print(f"{len(pages)} pages: {total['run']} blocks run, {total['file']} files written, {total['output']} outputs compared, "
          f"{total['text']} blocks of plain text, {len(skipped)} not run")
    for where, reason in skipped:
        print(f"  not run: {where}: {reason}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
