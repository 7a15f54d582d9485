#!/usr/bin/env bash
# The five problems of examples/first-hours, start to end, as a new user would: tests/first_hours/run.sh BUILD_DIR
# Steps that need what is not there say so and fail, except scikit-learn's, which is skipped without the package.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
python=${PYTHON:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cp -r "$root/examples/first-hours" "$work/"
cd "$work/first-hours"
zeroth() { "$build/zeroth" "$@"; }
# A confirmed answer, or one whose feasibility is undecided, is an answer; anything else is not.
solve() { zeroth solve "$@" || test $? -eq 4; }
has() { grep -q -- "$2" "$1" || { echo "missing in $1: $2" >&2; cat "$1" >&2; exit 1; }; }

echo "== R: two bandwidths and a coverage"
(cd r-study
 zeroth check problem.toml --replicates 4 > check.txt
 has check.txt honoured; has check.txt '"curve"'
 solve problem.toml -q > answer.txt
 has answer.txt 'mean(coverage) >= 0.9: 0\.[89]'
 zeroth report -o study.html > /dev/null; test -s study.html)

echo "== scikit-learn: categorical kernel, earlier evaluations, unequal run times"
if "$python" -c 'import sklearn' 2>/dev/null; then
  (cd sklearn && BUDGET=40 PYTHONPATH="$build/python" "$python" -B tune.py)
else
  echo "skipped: scikit-learn is not installed (Debian: python3-sklearn)"
fi

echo "== files: a simulator that crashes and hangs, with linear limits"
(cd simulator
 make -s
 zeroth check problem.toml --replicates 6 > check.txt || true
 has check.txt 'deflection:'
 solve problem.toml -q -j 2 --set width=2 --budget 60 > answer.txt
 has answer.txt 'timeout'; has answer.txt 'mean(deflection) <= 4: '
 "$python" - <<END
import json, subprocess
rows = json.loads(subprocess.run(["$build/zeroth", "export", "--json"], capture_output=True, text=True, check=True).stdout)
text = json.dumps(rows)
assert "timeout" in text
END
 if pgrep -f "$PWD/simulate" > /dev/null; then echo "a hanging simulator is left behind" >&2; exit 1; fi)

echo "== queue: 95 % wait at most three minutes"
(cd queue
 zeroth check problem.toml > check.txt
 has check.txt honoured
 solve problem.toml -q > answer.txt
 has answer.txt 'probability(wait <= 3) >= 0.95: probability \(0\.9\|1\)'
 zeroth report -o queue.html > /dev/null
 has queue.html '"what":"probability(wait \\u003c= 3)"')

echo "== cmake: a user of five lines"
"$root/tests/first_hours/cmake_user.sh" "$build"
echo "all good"
