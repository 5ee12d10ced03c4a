#!/bin/bash
#SBATCH --nodes=96
#SBATCH --ntasks=64
#SBATCH --time=00:30:00
# Places the ranks on the nodes of the job. The script requests a map from the service. If the service does not respond
# within a minute, it runs the haichi program on this node. HAICHI_URL and HAICHI_TOKEN are the address of the service
# and your token. Your site provides the program nodes.sh, which prints the coordinates or numbers of the nodes of a
# host list, one per line.
set -euo pipefail
machine=${HAICHI_MACHINE:-fugaku}
workload=${HAICHI_WORKLOAD:-app.json}

scontrol show hostnames "$SLURM_JOB_NODELIST" > hosts.txt
./nodes.sh hosts.txt > nodes.txt

ask_service() {
    local answer state
    local api="$HAICHI_URL/v1/jobs"
    local curl=(curl --silent --show-error --fail --max-time 10 -H "Authorization: Bearer ${HAICHI_TOKEN:-}")
    # With this key, repeating a request whose response was lost returns the same job.
    answer=$("${curl[@]}" --retry 3 -H "Idempotency-Key: slurm-$SLURM_JOB_ID" -F kind=map -F time=30s -F "machine=$machine" \
        -F "workload=@$workload" -F nodes=@nodes.txt -F hosts=@hosts.txt "$api") || return
    local id
    id=$(sed 's/.*"id":"\([^"]*\)".*/\1/' <<< "$answer")
    for _ in $(seq 60); do
        state=$("${curl[@]}" "$api/$id" | sed 's/.*"state":"\([^"]*\)".*/\1/') || return
        case $state in
            done) "${curl[@]}" -o hostfile "$api/$id/rankmap?format=slurm"; return ;;
            failed | cancelled) return 1 ;;
        esac
        sleep 1
    done
    return 1
}

if [ -z "${HAICHI_URL:-}" ] || ! ask_service; then
    haichi map -m "$machine" -w "$workload" --nodes nodes.txt --hosts hosts.txt --time 60s -f slurm -o hostfile
fi
SLURM_HOSTFILE=hostfile srun --distribution=arbitrary ./app
