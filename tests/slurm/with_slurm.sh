#!/usr/bin/env bash
# A Slurm of one node, on loopback alone, for as long as a command runs: tests/slurm/with_slurm.sh COMMAND...
# Everything it writes lies in a directory of its own, which goes with it. Needs slurmctld, slurmd, slurm-client and munge, and root.
set -euo pipefail
for program in slurmctld slurmd srun munged; do
  if ! PATH=$PATH:/usr/sbin command -v "$program" > /dev/null; then
    echo "no $program here: install slurmctld slurmd slurm-client munge" >&2
    exit 77
  fi
done
export PATH=$PATH:/usr/sbin
here=$(mktemp -d)
chmod 755 "$here"
mkdir "$here/state" "$here/spool"
stop() {
  for name in slurmd slurmctld munged; do
    if [ -s "$here/$name.pid" ]; then kill "$(cat "$here/$name.pid")" 2> /dev/null || true; fi
  done
  sleep 1
  rm -rf "$here"
}
trap stop EXIT
# Two ports that nobody listens on, above those that are given out at random.
port=61100
while (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || (exec 3<> "/dev/tcp/127.0.0.1/$((port + 1))") 2> /dev/null; do port=$((port + 2)); done
host=$(hostname -s)
cat > "$here/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$here/munge.socket
SlurmUser=root
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=pmix
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$here/slurm.conf
head -c 1024 /dev/urandom > "$here/munge.key"
chmod 600 "$here/munge.key"
munged --force --socket="$here/munge.socket" --key-file="$here/munge.key" --pid-file="$here/munged.pid" \
  --log-file="$here/munged.log" --seed-file="$here/munge.seed" 2> /dev/null
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
for _ in $(seq 100); do
  if sinfo --noheader --format=%t 2> /dev/null | grep -q idle; then break; fi
  sleep 0.1
done
"$@"
