# The sdist, where there is a compiler and Python's headers but none of the libraries; pip's build tools come from /files.
. /files/common.sh
install g++ python3-dev python3-venv
test ! -e /usr/include/sqlite3.h
test ! -e /usr/include/eigen3
python3 -m venv /venv
export CMAKE_BUILD_PARALLEL_LEVEL=2
/venv/bin/pip install --verbose --no-index --find-links /files /files/zeroth-*.tar.gz >/tmp/build.log 2>&1 || { grep -m5 -A5 "error:" /tmp/build.log; tail -5 /tmp/build.log; exit 1; }
g++ --version | head -1
grep -q 'Building CXX object' /tmp/build.log  # or the next line proves nothing
! grep -A3 'warning:' /tmp/build.log || exit 1
export PATH=/venv/bin:$PATH
cd /tmp
python /files/readme.py
quickstart
