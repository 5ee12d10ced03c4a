#!/usr/bin/env bash
# Checks whether two compilers make programs with equal results. Builds haichi with gcc and with clang (Release, in
# build/gcc and build/clang), runs every job below with both, and compares all outputs byte for byte. The outputs are
# maps, messages, and reports without wall-clock times (`--json --no-timing`). Prints a line per job. If outputs differ,
# prints the first difference and exits with 1. Exits with 77 if a compiler is missing.
#   scripts/compare_compilers.sh [JOBS]        JOBS is the number of parallel compile jobs (default: all cores)
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh

jobs=${1:-$(nproc)}
compilers=(gcc clang)
declare -A cxx=([gcc]=${GXX:-g++} [clang]=${CLANGXX:-clang++})
for compiler in "${compilers[@]}"; do
    if ! command -v "${cxx[$compiler]}" > /dev/null; then
        echo "skipped: ${cxx[$compiler]} is not installed"
        exit 77
    fi
done

build() {
    cmake -S . -B "build/$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
        -DCMAKE_CXX_COMPILER="${cxx[$1]}"
    cmake --build "build/$1" --target haichi --parallel "$jobs"
}
for compiler in "${compilers[@]}"; do
    step "build with ${cxx[$compiler]}" quietly build "$compiler"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- inputs: the file names are equal for both compilers, so that reports are equal, too ----

inputs() {
    local haichi=$1
    "$haichi" pattern cg --ranks 64 -o cg64.json
    "$haichi" pattern stencil3d --ranks 48 --shuffle 7 -o stencil48.json
    "$haichi" pattern random-ring --ranks 60 --seed 3 -o ring60.json
    "$haichi" pattern random-ring --ranks 2048 --seed 3 --bytes 64KiB -o ring2048.json
    "$haichi" pattern alltoall-bruck --ranks 24 --bytes 3KiB -o bruck24.json
    "$haichi" pattern fft --ranks 32 -o fft32.json
    # The sizes are not multiples of powers of two, so that their sums would be rounded in a float.
    awk 'BEGIN { x = 12345; for (i = 0; i < 400; ++i) { x = (x * 16807) % 2147483647; a = x % 40;
         x = (x * 16807) % 2147483647; b = x % 40; if (a != b) print a, b, x % 1000003, i % 5 } }' > uneven40.txt
    printf '0 1 7\n1 2 11\n2 5 3\n5 7 13\n7 0 2\n3 4 17\n6 1 5\n' > eight.txt
    printf '(0,1,2,1,2,0)\n0\n57\n' > faulty
    awk 'BEGIN { for (n = 767; n > 0; n -= 23) print n }' > nodes
    {
        echo '<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>'
        echo '<graph edgedefault="undirected">'
        for k in $(seq 0 63); do echo "<node id=\"n$k\"/>"; done
        for k in $(seq 0 63); do
            echo "<edge source=\"n$k\" target=\"n$(((k + 1) % 64))\"><data key=\"b\">5GB/s</data></edge>"
            echo "<edge source=\"n$k\" target=\"n$(((k * 5 + 17) % 64))\"><data key=\"b\">$((k % 3 + 2))GB/s</data></edge>"
        done | awk '{ split($0, f, "\""); if (f[2] != f[4]) print }'
        echo '</graph></graphml>'
    } > net.graphml
    cat > machine.json << 'EOF'
{"schema": "haichi-machine/1", "name": "odd",
 "topology": {"kind": "torus", "axes": [{"name": "X", "size": 5, "wraps": true}, {"name": "Y", "size": 7},
                                        {"name": "Z", "size": 3, "wraps": true}]},
 "routing": {"kind": "dimension-order", "order": "ZXY", "tie": "-"}, "link": {"bandwidth": "6.8GB/s"},
 "node": {"slots": 4}}
EOF
}

# ---- jobs: each has a name, followed by its arguments ----

tofu="-m fx10-kyushu --shape 1x2x4x2x3x2"
quick="--evaluations 3000 --restarts 3"
job_list() {
    local name
    for name in hop-bytes rmatt rmatt-3d max-link-load max-hops tac3 tac3-bytes 'weighted(tac3=0.7,hop-bytes=0.3)'; do
        echo "objective $name on a Tofu shape | map $tofu -w cg64.json --objective $name $quick"
        [ "$name" = rmatt-3d ] ||
            echo "objective $name, uneven sizes | map -m machine.json -w uneven40.txt --objective $name $quick"
    done
    for name in default no-ring row-major random greedy bisection; do
        echo "strategy $name | map $tofu -w cg64.json --strategy $name -f tofu6d"
        echo "start $name | map -m torus:4x4x4 -w stencil48.json --start $name $quick"
        echo "start $name on a graph | map -m graph:net.graphml -w ring60.json --start $name $quick"
    done
    for name in anneal tabu; do
        echo "strategy $name on few slots | map -m mesh:6x7 -w uneven40.txt --objective hop-bytes --strategy $name $quick"
        echo "strategy $name, full | map -m torus:4x4x4 -w cg64.json --objective hop-bytes --strategy $name $quick"
        echo "strategy $name, threads 2 | map -m mesh:8x8 -w cg64.json --objective hop-bytes --strategy $name --threads 2 $quick"
    done
    echo "strategy exhaustive | map -m mesh:2x4 -w eight.txt --objective hop-bytes --strategy exhaustive"
    for name in auto paper rmatt; do
        echo "schedule $name | map $tofu -w cg64.json --schedule $name --restarts 2"
        echo "schedule $name, rmatt-3d | map $tofu -w cg64.json --objective rmatt-3d --schedule $name --restarts 2"
    done
    for name in fattree:3x4 mesh:8x8 torus:64 torus:2x2x2x2x2x2 fx10:3x2x2:XZ dragonfly:2,4,2 machine.json graph:net.graphml; do
        echo "machine $name | map -m $name -w cg64.json $quick -f json"
    done
    for name in 1 2; do
        echo "threads $name | map $tofu -w cg64.json --threads $name --restarts 4 --evaluations 20000"
        echo "threads $name, uneven sizes | map -m mesh:7x7 -w uneven40.txt --threads $name --restarts 4 --evaluations 20000"
    done
    for name in uniform empty neighbour focused uniform,empty,neighbour,focused; do
        echo "moves $name | map $tofu -w cg64.json --moves $name $quick"
    done
    for name in off on 0.37; do
        echo "smoothing $name | map $tofu -w stencil48.json --smoothing $name $quick"
    done
    for name in hop-bytes tac3; do
        echo "4 ranks per node, $name | map -m mesh:4x5 -w cg64.json --ppn 4 --objective $name $quick -f tofu6d"
        echo "faulty nodes, $name | map -m fx10-kyushu --shape 4x2x8x2x3x2 -w cg64.json --faulty faulty --objective $name $quick"
        echo "a node list, $name | map -m fx10-kyushu --nodes nodes --ppn 2 -w cg64.json --objective $name $quick -f tofu6d"
        echo "NICs count, $name | map $tofu -w cg64.json --count-nic --objective $name $quick"
        echo "fat tree, $name | map -m fattree:2x8 -w uneven40.txt --objective $name $quick"
        echo "one size for all, $name | map $tofu -w fft32.json --message-size 1000003 --objective $name $quick"
    done
    for name in max mean; do
        echo "robust $name | map -m fx10-kyushu -w bruck24.json --shapes 1x2x2x2x3x2,2x1x2x2x3x2 --robust $name $quick"
        echo "robust $name, turned | map -m torus:4x4x4 -w bruck24.json --shapes 2x3x4,4x3x2 --robust $name --rotations $quick"
    done
    for name in 1 2 8; do
        echo "simulated, threads $name | simulate $tofu -w cg64.json --barrier both --sim-iterations 2 --threads $name"
        echo "simulated on a large torus, threads $name | simulate -m torus:16x16x8 -w ring2048.json --threads $name"
    done
    for name in torus:4x4x4 fattree:2x8 switch:64 dragonfly:2,4,2 machine.json graph:net.graphml; do
        echo "simulated on $name | simulate -m $name -w stencil48.json --sim-iterations 2"
    done
    echo "simulated, 4 ranks per node | simulate -m mesh:4x5 --ppn 4 -w uneven40.txt --barrier both"
    echo "simulated, statistics | simulate -m mesh:4x5 --ppn 4 -w uneven40.txt --stats bins.csv --stats-bin 10us"
    echo "validated | map $tofu -w fft32.json --simulate $quick"
    echo "shapes | map -m fx10-kyushu -w bruck24.json --shapes 1x2x2x2x3x2,2x1x2x2x3x2 $quick -o map-{shape}"
    echo "verified | map $tofu -w cg64.json --verify end $quick"
    echo "larger than bit rows | map -m torus:16x16x8 -w cg64.json --evaluations 2000 --restarts 2"
    for name in fujitsu tofu6d nsim csv json; do echo "format $name | map $tofu -w cg64.json $quick -f $name"; done
    for name in openmpi slurm hydra intel simgrid; do
        echo "format $name | map $tofu -w cg64.json $quick -f $name --hosts node%03d"
    done
    for name in bgq bgl cray; do echo "format $name | map -m torus:4x4x4 -w cg64.json $quick -f $name"; done
    echo "evaluate | evaluate $tofu -w cg64.json --map cg64.map --most-loaded 1000"
    echo "evaluate uneven sizes | evaluate -m machine.json -w uneven40.txt --map uneven40.map --most-loaded 1000"
    echo "evaluate on a graph | evaluate -m graph:net.graphml -w ring60.json --map ring60.map --most-loaded 1000"
}

# Runs a job in the directory of a compiler. Leaves the report, messages, exit code and maps in ./out.
run_job() {
    local folder=$1 haichi=$2 arguments=$3 words=()
    read -ra words <<< "$arguments"
    [ "${words[0]}" = map ] && [[ $arguments != *" -o "* ]] && words+=(-o map)
    (
        cd "$folder"
        rm -rf out
        mkdir out
        for input in inputs/*; do ln -s "../$input" "out/$(basename "$input")"; done
        cd out
        "$haichi" "${words[@]}" --json --no-timing > report 2> words && code=0 || code=$?
        echo "$code" > code
        find . -type l -delete
    )
}

for compiler in "${compilers[@]}"; do
    mkdir -p "$work/$compiler/inputs"
    haichi=$PWD/build/$compiler/cli/haichi
    (
        cd "$work/$compiler/inputs"
        inputs "$haichi" 2> /dev/null
        "$haichi" map $tofu -w cg64.json --strategy greedy -o cg64.map --quiet
        "$haichi" map -m machine.json -w uneven40.txt --strategy bisection -f json -o uneven40.map --quiet
        "$haichi" map -m graph:net.graphml -w ring60.json --strategy random -f json -o ring60.map --quiet
    )
done

compare() {
    diff -r --brief "$work/gcc/$1" "$work/clang/$1" > "$work/difference" && return
    echo "DIFFERS  $2"
    cat "$work/difference"
    diff -r "$work/gcc/$1" "$work/clang/$1" | head -20
    exit 1
}
compare inputs "the inputs"

count=0
job_list > "$work/jobs"
while IFS='|' read -r name arguments; do
    for compiler in "${compilers[@]}"; do
        run_job "$work/$compiler" "$PWD/build/$compiler/cli/haichi" "$arguments"
    done
    if [ "$(cat "$work/gcc/out/code")" != 0 ]; then
        echo "FAILS    $name:$arguments"
        cat "$work/gcc/out/words"
        exit 1
    fi
    compare out "$name:$arguments"
    echo "equal    $name"
    count=$((count + 1))
done < "$work/jobs"
echo "$count jobs equal"
