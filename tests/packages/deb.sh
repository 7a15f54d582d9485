# The Debian packages: the program alone first, then Python's module where this is the Python it was built for, then the C++ library.
. /files/common.sh
apt-get update -qq
install /files/zeroth_*.deb
no_compiler
quickstart
no_mpi_is_explained
test -s /usr/share/man/man1/zeroth.1.gz || test -s /usr/share/man/man1/zeroth.1 || grep -q path-exclude=/usr/share/man /etc/dpkg/dpkg.cfg.d/* || exit 1
dpkg -L zeroth | grep -q doc/zeroth/copyright
dpkg -L zeroth | grep -q doc/zeroth/third-party/nlopt
dpkg -L zeroth | grep -q bash-completion/completions/zeroth
dpkg -L zeroth | grep -q vendor_completions.d/zeroth.fish
dpkg -L zeroth | grep -q site-functions/_zeroth
if apt-get install --dry-run -qq /files/python3-zeroth_*.deb >/dev/null 2>&1; then
  install /files/python3-zeroth_*.deb
  python3 /files/readme.py
else
  echo "python3-zeroth is for another Python than $(apt-cache policy python3 | sed -n 's/ *Candidate: //p'), and apt says so"
fi
install /files/zeroth-mpi_*.deb
same_on_three_ranks
install /files/libzeroth-dev_*.deb g++ cmake make
cp -r /files/outside /tmp/outside && cd /tmp/outside
cmake -S . -B build -DREADME=/files/readme.cpp >/dev/null
cmake --build build >/dev/null
./build/outside | grep 'feasible with probability'
apt-get remove -y -qq zeroth libzeroth-dev >/dev/null
test ! -e /usr/bin/zeroth  # bash remembers where a command was
