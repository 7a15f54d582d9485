#!/usr/bin/env bash
# One seed, one result, bit for bit, from every build given: tests/bit_identity.sh ZEROTH ZEROTH...
set -euo pipefail
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cat > "$work/qcqp.toml" <<'TOML'
[problem]
builtin = "qcqp"
n = 40
m = 3
noise = "t5"
[solver]
name = "conex"
budget = 4000
TOML
status=0
# Printed digits identify a double; times and the version of the run are left out.
answer() {
  "$1" solve "$work/qcqp.toml" --json --quiet --store "$work/$2.db" --solver "$3" |
    python3 -c 'import json,sys; r=json.load(sys.stdin); r.pop("seconds"); print(json.dumps(r, sort_keys=True))'
}
for solver in conex proximal-conex random adaptive-conex; do
  number=0
  for build in "$@"; do
    number=$((number + 1))
    answer "$build" "$solver-$number" "$solver" > "$work/$solver-$number.json" || true  # exit 3: infeasible is an answer too
    if ! cmp -s "$work/$solver-1.json" "$work/$solver-$number.json"; then
      echo "$solver: $build differs from $1"
      diff "$work/$solver-1.json" "$work/$solver-$number.json" || true
      status=1
    fi
  done
  echo "$solver: $# builds, $(wc -c < "$work/$solver-1.json") bytes of result compared"
done
exit $status
