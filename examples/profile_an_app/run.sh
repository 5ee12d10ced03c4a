#!/usr/bin/env bash
# Makes a rank map for an unmodified program that runs on real MPI. The script profiles LAMMPS (Debian packages lammps
# and openmpi-bin), extracts its communication sets, and maps them on a part of an FX10. Then it simulates the result
# and writes the map.
#
#   examples/profile_an_app/run.sh [FOLDER]       writes its results to FOLDER (default: a new directory in /tmp)
#
# HAICHI is the program, PROFILER is libhaichi-prof-openmpi.so. Both default to the files in build/release.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../../build/release
haichi=${HAICHI:-$build/cli/haichi}
profiler=${PROFILER:-$build/commlog/profiler/libhaichi-prof-openmpi.so}
folder=${1:-$(mktemp -d /tmp/profile_an_app.XXXXXX)}
ranks=16

for program in lmp mpiexec.openmpi; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed" >&2; exit 77; }
done
[ -r "$profiler" ] || {
    echo "skipped: there is no $profiler; build it: cmake --build --preset release --target haichi_prof_openmpi" >&2
    exit 77
}
mkdir -p "$folder"
cd "$folder"

say() { printf '\n==> %s\n' "$*"; }

rm -f lammps.haichi-log  # from an earlier run; the profiler does not overwrite logs
say "1. run it as always, with the profiler preloaded"
# A test machine may have fewer cores than ranks, and a container may run as root. Clusters do not need these settings.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
mpiexec.openmpi --oversubscribe -n $ranks -x LD_PRELOAD="$profiler" -x HAICHI_PROF=file=lammps \
    lmp -in "$here/lj.in" -log lammps.log >lammps.out
grep 'Loop time' lammps.out

say "2. where its time goes"
"$haichi" log show lammps.haichi-log | sed -n '1,16p'

say "3. which messages travel at the same time"
"$haichi" ccs lammps.haichi-log -o lammps.json

say "4. where the ranks should run, on 16 nodes of an FX10"
"$haichi" map -m fx10-kyushu --shape 1x1x4x2x1x2 -w lammps.json --simulate -f fujitsu -o rankmap.txt

say "5. would the scheduler take it?"
"$haichi" check --map rankmap.txt -m fx10-kyushu --shape 1x1x4x2x1x2

printf '\nresults are in %s\n' "$folder"
