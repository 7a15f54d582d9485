# SPDX-License-Identifier: MIT
"""Says what to do where zeroth cannot be imported: this Python is too old, numpy or the compiled part is missing or another Python's.

Any Python 3 must be able to read this file, and nothing of the package is imported before it.
"""
import glob
import os
import re
import sys


def check():
    """Raises ImportError, with the remedy, for what would otherwise fail somewhere deep inside."""
    if sys.version_info < (3, 9):
        raise ImportError("zeroth needs Python 3.9 or newer; this is %s (%s)" % (sys.version.split()[0], sys.executable))
    pip = "%s -m pip install" % (sys.executable or "python3")
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError as e:
        if e.name != "numpy":
            raise
        raise ImportError("zeroth needs numpy, which %s does not have: %s numpy" % (sys.executable, pip)) from None
    from importlib.machinery import EXTENSION_SUFFIXES

    folder = os.path.dirname(os.path.abspath(__file__))
    if any(os.path.exists(os.path.join(folder, "_zeroth" + suffix)) for suffix in EXTENSION_SUFFIXES):
        return
    here = "%d.%d" % sys.version_info[:2]
    others = sorted(os.path.basename(path) for path in glob.glob(os.path.join(folder, "_zeroth.*.so")))
    if others:
        tags = re.search(r"cpython-(\d)(\d+)", others[0])
        built = "Python %s.%s" % tags.groups() if tags else "another Python (%s)" % others[0]
        raise ImportError("the zeroth in %s was built for %s, and this is Python %s; install it for this one: %s zeroth, or build it with "
                          "-DPython_EXECUTABLE=%s" % (folder, built, here, pip, sys.executable))
    raise ImportError("the zeroth in %s has no compiled part: it is the source. Install it (%s . in the repository), or put "
                      "build/release/python of a build before it in PYTHONPATH; if it is installed, start Python in another folder"
                      % (folder, pip))
