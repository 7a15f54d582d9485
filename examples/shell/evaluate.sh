#!/bin/sh
# SPDX-License-Identifier: MIT
# One question on stdin, one answer on stdout; see docs/evaluator-protocol.md.
read -r line

# The number behind "key": in the line of JSON.
number_of() {
  printf '%s\n' "$line" | sed -n "s/.*\"$1\":\([-+0-9.eE]*\).*/\1/p"
}

awk -v id="$(number_of id)" -v seed="$(number_of seed)" \
    -v reorder_at="$(number_of reorder_at)" -v order="$(number_of order)" 'BEGIN {
  srand(seed % 2147483647)
  stock = order; on_the_way = 0
  for (day = 1; day <= 100; ++day) {
    if (on_the_way > 0 && --days_left == 0) { stock += on_the_way; on_the_way = 0 }
    wanted = int(20 * rand())
    sold = wanted < stock ? wanted : stock
    stock -= sold; lost += wanted - sold; asked += wanted
    if (stock <= reorder_at && on_the_way == 0) { on_the_way = order; days_left = 2; orders += 1 }
    held += stock
  }
  printf "{\"id\":%d,\"objective\":%.17g,\"constraints\":[%.17g]}\n", id, held / 100 + 5 * orders / 10, lost / asked - 0.05
}'
