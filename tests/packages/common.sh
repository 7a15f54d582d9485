# What each try begins with, inside a clean system (scripts/clean-system).
install() { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>/tmp/apt.log || { tail -5 /tmp/apt.log; exit 1; }; }
no_compiler() { for name in cc c++ gcc g++ clang; do ! command -v $name || { echo "a compiler is here: this proves nothing"; exit 1; }; done; }
# README's problem file. Infeasible (3) and undecided (4) are answers, too. Prints a hash of the answer: equal where all its bits are.
quickstart() {
  local code=0
  "${1:-zeroth}" solve /files/quickstart.toml --quiet --json --store /tmp/run.db >/tmp/answer || code=$?
  (( code == 0 || code == 3 || code == 4 )) && grep -q evaluations /tmp/answer || { cat /tmp/answer; exit 1; }
  echo "answer: $(sed 's/"seconds":[^,]*,//' /tmp/answer | sha256sum | head -c 8)"
}
# mpirun started it, but there is no MPI: it must say what to install.
no_mpi_is_explained() {
  ! OMPI_COMM_WORLD_RANK=0 "${1:-zeroth}" solve /files/quickstart.toml --quiet --store /tmp/mpi.db 2>/tmp/why || exit 1
  grep -q 'install Open MPI\|zeroth-mpi' /tmp/why || { cat /tmp/why; exit 1; }
}
# On three ranks the run is the same, but for the time it took.
same_on_three_ranks() {
  local how
  for how in "" "mpirun --allow-run-as-root --oversubscribe -n 3"; do
    rm -f /tmp/ranks.db
    $how zeroth solve /files/quickstart.toml --budget 30 --quiet --store /tmp/ranks.db 2>/tmp/why | sed 's/[0-9.]* m\?s\b//g' >"/tmp/answer-${how%% *}"
  done
  grep -q evaluations /tmp/answer- && diff /tmp/answer- /tmp/answer-mpirun || { cat /tmp/why; exit 1; }
}
