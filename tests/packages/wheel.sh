# A wheel, with this system's own Python and no compiler: README's example, the command line, MPI if it comes later.
. /files/common.sh
install python3-venv
no_compiler
python3 -m venv /venv
/venv/bin/pip install --quiet --no-index --find-links /files zeroth
export PATH=/venv/bin:$PATH
cd /tmp
python /files/readme.py
python3 -c 'import zeroth; print(zeroth.minimize(lambda x: (x[0] - 0.3) ** 2, [(0, 1)], budget=60).x)' | grep '^\[0\.[23]'  # README's proof
python -c 'import zeroth, importlib.metadata as m; assert zeroth.__version__ == m.version("zeroth")'
test -s /venv/lib/python3*/site-packages/zeroth/__init__.pyi
quickstart
zeroth report /tmp/run.db -o /tmp/report.html >/dev/null
no_mpi_is_explained
install openmpi-bin
same_on_three_ranks
