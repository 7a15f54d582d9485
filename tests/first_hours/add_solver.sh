#!/usr/bin/env bash
# Adds a solver to a copy of the sources by the steps of CONTRIBUTING.md, builds and uses it:
# tests/first_hours/add_solver.sh [BUILD_DIR for the copy]. It builds everything: minutes, so it is no part of run-tests.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
git -C "$root" archive HEAD | tar -x -C "$work"
cp "$root"/examples/first-hours/solver/compass.* "$work/src/zeroth/solvers/"
# The one line in the catalog, after that of "random", and its include.
python3 - "$work/src/zeroth/catalog/catalog.cpp" <<'END'
import re, sys
path = sys.argv[1]
text = open(path).read()
text = text.replace('#include "zeroth/solvers/random_search.hpp"', '#include "zeroth/solvers/compass.hpp"\n#include "zeroth/solvers/random_search.hpp"', 1)
line = re.search(r'^( *)(\S*)<RandomSearchOptions>\("random".*$|^.*"random".*$', text, re.M).group(0)
print("beside:", line.strip())
new = line.replace("RandomSearchOptions", "CompassOptions").replace("random_search", "compass").replace('"random"', '"compass"')
text = text.replace(line, line + "\n" + new, 1)
open(path, "w").write(text)
END
build=${1:-$work/build}
cmake -S "$work" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DZEROTH_TESTS=OFF -DZEROTH_PYTHON=OFF -DZEROTH_UNITY=ON > /dev/null
cmake --build "$build" --target zeroth_cli
"$build/zeroth" list solvers | grep compass
cd "$work"
"$build/zeroth" solve examples/quickstart.toml --solver compass --set step=0.2 -q || test $? -ge 3
"$build/zeroth" solve examples/quickstart.toml --solver compass --set stepp=0.2 -q 2>&1 | grep "did you mean 'step'"
echo "all good"
