#!/usr/bin/env bash
# Installs a build into an empty prefix and uses it from an outside project: tests/install/run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/outside" | tee "$work/answer"
grep -q 'feasible with probability' "$work/answer"
"$work/prefix/bin/zeroth" --version
for file in man/man1/zeroth.1 bash-completion/completions/zeroth zsh/site-functions/_zeroth fish/vendor_completions.d/zeroth.fish; do
  test -s "$work/prefix/share/$file"
done
# The Python package, if this build has one, works from the prefix too.
for package in "$work"/prefix/lib/python3*/*-packages; do
  [[ -d $package ]] || continue
  (cd "$work" && PYTHONPATH=$package "${2:-python3}" -c 'import zeroth; print(zeroth.__file__, zeroth.minimize(lambda x: x[0], [(0, 1)], budget=30).x)') |
    grep "^$package/zeroth/"
done
