# A wheel, with this system's own Python and no compiler: README's example, the command line, MPI if it comes later.
. /files/common.sh
install python3-venv
no_compiler
python3 -m venv /venv
/venv/bin/pip install --quiet --no-index --find-links /files zeroth
export PATH=/venv/bin:$PATH
cd /tmp
python /files/readme.py
python -c 'import zeroth, importlib.metadata as m; assert zeroth.__version__ == m.version("zeroth")'
test -s /venv/lib/python3*/site-packages/zeroth/__init__.pyi
quickstart
zeroth report /tmp/run.db -o /tmp/report.html >/dev/null
no_mpi_is_explained
if [ -e /files/with-mpi ]; then
  install openmpi-bin
  rm -f /tmp/run.db
  mpirun --allow-run-as-root --oversubscribe -n 3 zeroth solve /files/quickstart.toml --quiet --store /tmp/run.db >/tmp/ranks || infeasible $?
  same_answer /tmp/answer /tmp/ranks
fi
