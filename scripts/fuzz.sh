#!/usr/bin/env bash
# Fuzzes every reader with libFuzzer under ASan and UBSan. Each reader runs for SECONDS (600 by default), and JOBS
# readers run at the same time.
#   scripts/fuzz.sh [SECONDS [JOBS [NAME...]]]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
jobs=${2:-$(nproc)}
shift $(($# < 2 ? $# : 2))
cmake --preset fuzz
cmake --build --preset fuzz
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for folder in tests/fuzz/corpus/*/; do names+=("$(basename "$folder")"); done
fi
work=build/fuzz/work
mkdir -p "$work"
fuzz_one() {
  mkdir -p "$work/$1"
  words=()
  if [ -f "tests/fuzz/dictionaries/$1" ]; then words=("-dict=tests/fuzz/dictionaries/$1"); fi
  "build/fuzz/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/$1-" "${words[@]}" "$work/$1" "tests/fuzz/corpus/$1" > "$work/$1.log" 2>&1
}
export -f fuzz_one
export work seconds
failed=0
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {}' || failed=1
for name in "${names[@]}"; do
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
  echo "$name: ${runs:-?} inputs, $(ls "$work" | grep -c "^$name-" || true) findings ($work/$name.log)"
done
exit $failed
