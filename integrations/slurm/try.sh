#!/bin/bash
# Tries simulate.sbatch on a real Slurm: one controller and one node on this machine, and an array of 8 tasks, compared with one process.
# Needs root, and Debian's slurmctld, slurmd, slurm-client and munge. Run it in the root folder of the project.
set -euo pipefail
folder=$(mktemp -d)
host=$(hostname -s)
processes=()
end() {
  for process in "${processes[@]}"; do kill "$process" 2> "$folder/kill" || true; done
  wait || true
  rm -rf "$folder"
}
trap end EXIT

mkdir "$folder/munge" "$folder/state" "$folder/spool" "$folder/out"
head -c 1024 /dev/urandom > "$folder/munge/key"
chmod 700 "$folder/munge"; chmod 400 "$folder/munge/key"; chmod 755 "$folder"
munged --foreground --force --key-file "$folder/munge/key" --socket "$folder/munge.socket" \
  --pid-file "$folder/munge/pid" --log-file "$folder/munge/log" --seed-file "$folder/munge/seed" > "$folder/munged.log" 2>&1 & processes+=($!)

cat > "$folder/slurm.conf" << END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -D > "$folder/slurmctld.log" 2>&1 & processes+=($!)
slurmd -D > "$folder/slurmd.log" 2>&1 & processes+=($!)
for _ in $(seq 120); do sinfo -h -o %T 2> "$folder/sinfo" | grep -qx idle && break; sleep 0.5; done

export COINTOSS=$PWD/cli/cointoss.mjs
node "$COINTOSS" generate --users 200 --output "$folder/log.ndjson"
node "$COINTOSS" simulate --input "$folder/log.ndjson" --seed 1 --output "$folder/reports.ndjson" \
  --sources-output "$folder/sources.ndjson" --summary "$folder/summary.json"
sbatch --wait --array=0-7 --output "$folder/task-%a.log" integrations/slurm/simulate.sbatch "$folder/log.ndjson" "$folder/out" 1 \
  || { cat "$folder"/task-*.log "$folder/slurmd.log"; exit 1; }

for kind in reports sources; do
  cmp <(zcat "$folder"/out/$kind-*.ndjson.gz | sort) <(sort "$folder/$kind.ndjson")
done
cmp <(node "$COINTOSS" merge "$folder"/out/summary-*.json) "$folder/summary.json"
echo "Slurm: 8 tasks made the same $(wc -l < "$folder/reports.ndjson") reports, $(wc -l < "$folder/sources.ndjson") sources and summary as one process"
