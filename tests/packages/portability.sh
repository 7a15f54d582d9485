# The library by this system's own g++ (scripts/portability in the tree that is in /files): what it says, then the bits.
. /files/common.sh
install g++ cmake ninja-build libgtest-dev libgmock-dev
mkdir /tree
tar xzf /files/portability-*.tar.gz -C /tree
cd /tree
export CMAKE_BUILD_PARALLEL_LEVEL=2
code=0
scripts/portability baseline || code=1
grep 'warning:' build/portability-baseline.log >&2 || true
echo bits:
cat build/portability-baseline.bits
exit $code
