#!/usr/bin/env bash
# Installs the required packages, builds haichi, and maps 64 ranks of the NAS CG kernel onto 96 nodes of a Tofu machine.
# The results are in build/demo. The script can be run again.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
steps=3

step "install what is missing" scripts/bootstrap.sh
step "configure" configure_once
step "build haichi, without the parts that a first map does not need" \
    cmake --build --preset release --target haichi_first

PATH="$PWD/build/release/first:$PATH"
out=build/demo
mkdir -p "$out"
job=(-m fx10-kyushu --shape 1x2x4x2x3x2 -w "$out/cg64.json")

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}
show haichi pattern cg --ranks 64 -o "$out/cg64.json"
show haichi map "${job[@]}" --seed 1 -o "$out/rankmap.txt"
show head -4 "$out/rankmap.txt"
show haichi evaluate "${job[@]}" --map "$out/rankmap.txt" --most-loaded 3
haichi evaluate "${job[@]}" --map "$out/rankmap.txt" --json >"$out/report.json"

printf '\nCompared with the default placement, per iteration:\n'
python3 scripts/compare_with_default.py "$out/report.json"
printf '\nThe rank map for the job script is %s, the report %s.\n' "$out/rankmap.txt" "$out/report.json"
