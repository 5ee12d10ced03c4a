#!/usr/bin/env bash
# Installs the required packages, builds all of haichi with its Python package, and runs the fast tests. The last lines
# of the output are the summary of ctest. The script can be run again.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
steps=4

step "install what is missing" scripts/bootstrap.sh --test
step "configure (preset dev)" quietly cmake --preset dev
step "build everything" cmake --build --preset dev
printf '==> [4/4] run the tests (preset dev)\n'
exec ctest --preset dev
