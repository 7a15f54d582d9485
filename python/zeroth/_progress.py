# SPDX-License-Identifier: MIT
"""What is seen of a run while it goes on: a bar in a terminal, one line of HTML in a notebook."""
import html
import sys
import time


def duration(seconds):
    seconds = int(seconds)
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min {seconds % 60:02} s" if seconds < 3600 else f"{seconds // 3600} h {seconds // 60 % 60:02} min"


def words(state):
    """One line about a state as callbacks get it."""
    parts = [f"{state['spent']:.10g} of {state['budget']} ({100 * state['spent'] / max(1, state['budget']):.0f} %)"]
    if state["checking"]:
        parts.append("checking the recommended point")
    elif state["best"] is not None:
        parts.append(f"best feasible evaluation {state['best']:.6g}")
    if state["failed"]:
        parts.append(f"{state['failed']} failed")
    if state["spent"] > 0:
        parts.append(f"about {duration(state['seconds'] * max(0.0, state['budget'] / state['spent'] - 1))} left")
    return ", ".join(parts)


def say(stream, text):
    """Writes, or raises, at once: what a full disk refused must not wait in a buffer, where the end of the program would fail of it."""
    stream.flush()
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    if raw is None:
        stream.write(text)
        stream.flush()
    else:
        raw.write(text.encode(stream.encoding or "utf-8", "replace"))


class _Terminal:
    def __init__(self, stream):
        self.stream = stream

    def show(self, state):
        share = min(1.0, state["spent"] / max(1, state["budget"]))
        bar = ("#" * round(20 * share)).ljust(20, ".")
        say(self.stream, f"\r\033[K[{bar}] {words(state)}")

    def end(self):
        say(self.stream, "\r\033[K")


class _Lines:
    """Where nothing can be drawn over: a line now and then."""
    pause = 5.0

    def __init__(self, stream):
        self.stream = stream

    def show(self, state):
        say(self.stream, words(state) + "\n")

    def end(self):
        pass


class _Notebook:
    """No widgets: the same output cell is written anew."""
    pause = 0.5

    def __init__(self, display, markup):
        self.markup = markup
        self.handle = display(markup("<span>0 evaluations</span>"), display_id=True)

    def show(self, state):
        share = 100 * min(1.0, state["spent"] / max(1, state["budget"]))
        self.handle.update(self.markup(
            f'<div style="font-size:90%"><progress max="100" value="{share:.1f}" style="vertical-align:middle"></progress> '
            f"{html.escape(words(state))}</div>"))

    def end(self):
        self.handle.update(self.markup(""))


def _in_notebook():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def _terminal():
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


class Progress:
    """A callback that shows what it is told, seldom enough to cost nothing. What cannot be shown (a closed terminal, a full disk)
    ends the show, never the run."""

    def __init__(self, out):
        self.out, self.last, self.pause = out, 0.0, getattr(out, "pause", 0.1)

    def __call__(self, state):
        now = time.monotonic()
        if now - self.last >= self.pause:
            self.last = now
            self._show(lambda out: out.show(state))

    def end(self):
        self._show(lambda out: out.end())

    def _show(self, what):
        if self.out is None:
            return
        try:
            what(self.out)
        except Exception:
            self.out = None


def progress_for(wanted):
    """The Progress for progress=True, False or None (in a terminal only); None: nothing is shown."""
    if wanted is None:
        return Progress(_Terminal(sys.stderr)) if _terminal() else None
    if not wanted:
        return None
    if _in_notebook():
        from IPython.display import HTML, display
        return Progress(_Notebook(display, HTML))
    if sys.stderr is None:
        return None
    return Progress(_Terminal(sys.stderr) if _terminal() else _Lines(sys.stderr))
