#!/usr/bin/env bash
# A C++ project of five lines against the installed library: tests/first_hours/cmake_user.sh BUILD_DIR
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" > /dev/null
cmake -S "$root/examples/first-hours/cmake" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
cmake --build "$work/build" > /dev/null
"$work/build/plant" | grep 'feasible with probability'
