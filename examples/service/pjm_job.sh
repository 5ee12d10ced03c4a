#!/bin/bash
#PJM -L "node=2x6x8:torus,elapse=00:30:00"
#PJM --mpi "shape=2x6x8,proc=64,rank-map-hostfile=rankmap.txt"
# PJM reads the map when the job starts. Therefore run this file on the login node first: `bash pjm_job.sh submit`.
# The script requests a map from the service for the shape in its #PJM lines. If the service does not respond within a
# minute, the script runs the haichi program on the login node. Then it submits itself. HAICHI_URL and HAICHI_TOKEN are
# the address of the service and your token.
set -euo pipefail
machine=${HAICHI_MACHINE:-fx10-kyushu}
shape=${HAICHI_SHAPE:-1x2x4x2x3x2}  # a cuboid for the request node=2x6x8 (haichi advise shape compares them)
workload=${HAICHI_WORKLOAD:-app.json}

ask_service() {
    local api="$HAICHI_URL/v1/jobs" answer id state
    local curl=(curl --silent --show-error --fail --max-time 10 -H "Authorization: Bearer ${HAICHI_TOKEN:-}")
    answer=$("${curl[@]}" -F kind=map -F time=30s -F "machine=$machine" -F "shape=$shape" -F "workload=@$workload" "$api") || return
    id=$(sed 's/.*"id":"\([^"]*\)".*/\1/' <<< "$answer")
    for _ in $(seq 60); do
        state=$("${curl[@]}" "$api/$id" | sed 's/.*"state":"\([^"]*\)".*/\1/') || return
        case $state in
            done) "${curl[@]}" -o rankmap.txt "$api/$id/rankmap?format=fujitsu"; return ;;
            failed | cancelled) return 1 ;;
        esac
        sleep 1
    done
    return 1
}

if [ "${1:-}" = submit ]; then
    if [ -z "${HAICHI_URL:-}" ] || ! ask_service; then
        haichi map -m "$machine" --shape "$shape" -w "$workload" --time 60s -f fujitsu -o rankmap.txt
    fi
    exec pjsub "$0"
fi
mpiexec ./app
