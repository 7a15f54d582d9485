#!/usr/bin/env bash
# The Debian packages of a build: what is in them, what they depend on, and that the program runs: tests/install/packages.sh BUILD_DIR
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work" -D CPACK_PACKAGE_DIRECTORY="$work" -D CPACK_COMPONENTS_ALL="runtime;mpi;dev" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
version=$(sed -n 's/^project(zeroth VERSION \([0-9.]*\).*/\1/p' "$(dirname "$0")/../../CMakeLists.txt")
for package in zeroth zeroth-mpi libzeroth-dev; do
  file=$(ls "$work/$package"_*.deb)
  [[ $(dpkg-deb --field "$file" Package Version) == "Package: $package"$'\n'"Version: $version" ]] || fail "$file is not $package $version"
  dpkg-deb --extract "$file" "$work/root"
  echo "$(basename "$file"): $(dpkg-deb --field "$file" Depends)"
done
depends() { dpkg-deb --field "$work/$1"_*.deb Depends; }
# The program is linked to these; an MPI is nothing that it needs.
for library in libc6 libstdc++6 libsqlite3-0; do depends zeroth | grep -q "$library" || fail "zeroth does not depend on $library"; done
! depends zeroth | grep -q mpi || fail "zeroth depends on an MPI: $(depends zeroth)"
depends zeroth-mpi | grep -q "zeroth (= $version), openmpi-bin" || fail "zeroth-mpi: $(depends zeroth-mpi)"
depends libzeroth-dev | grep -q libeigen3-dev || fail "libzeroth-dev: $(depends libzeroth-dev)"
cd "$work/root/usr"
for file in share/man/man1/zeroth.1 share/bash-completion/completions/zeroth share/zsh/site-functions/_zeroth \
  share/fish/vendor_completions.d/zeroth.fish share/doc/zeroth/copyright share/doc/zeroth-mpi/copyright share/doc/libzeroth-dev/copyright \
  share/doc/zeroth/examples/quickstart.toml include/zeroth/zeroth.hpp; do
  test -s "$file" || fail "no $file"
done
find . -name zeroth-config.cmake | grep -q . || fail "no CMake package"
[[ $("$work/root/usr/bin/zeroth" --version) == *"$version"* ]] || fail "the program says $("$work/root/usr/bin/zeroth" --version)"
"$work/root/usr/bin/zeroth" list engines | grep -q 'mpirun -n N' || fail "the part for MPI is not found beside the program"
