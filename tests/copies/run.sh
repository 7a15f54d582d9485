#!/bin/sh
# SPDX-License-Identifier: MIT
# The same searches alone and on three ranks: the same bits.
set -eu
alone=$("$1" 5000)
ranks=$(mpirun --allow-run-as-root --oversubscribe -n 3 "$1" 5000)
echo "$alone"
[ "$alone" = "$ranks" ] || { echo "three ranks gave other bits:"; echo "$ranks"; exit 1; }
