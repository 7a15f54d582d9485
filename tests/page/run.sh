#!/usr/bin/env bash
# Opens the report page in headless Chromium: tests/page/run.sh BUILD_DIR
# Or the documentation's site:                tests/page/run.sh BUILD_DIR SITE_DIR
# Screenshots are left in BUILD_DIR/page-test/screenshots.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work="$build/page-test"
mkdir -p "$work"
for program in node npm chromium; do
  command -v "$program" >/dev/null || { echo "$program is missing; scripts/install-missing scripts/packages-test installs it" >&2; exit 1; }
done
# playwright-core alone, pinned by its checksum in package-lock.json: the browser is Debian's.
if ! cmp -s "$here/package-lock.json" "$work/package-lock.json" || [[ ! -d $work/node_modules/playwright-core ]]; then
  cp "$here/package.json" "$work/"
  (cd "$work" && cp "$here/package-lock.json" . && npm ci --ignore-scripts --no-audit --no-fund --silent) ||
    { rm -f "$work/package-lock.json"; echo "npm could not fetch playwright-core; is its registry reachable?" >&2; exit 1; }
fi
cp "$here"/*.mjs "$work/"
if [[ -n ${2:-} ]]; then
  exec node "$work/site_test.mjs" "$build" "$(cd "$2" && pwd)"
fi
node "$work/page_test.mjs" "$build"
exec node "$work/states_test.mjs" "$build"
