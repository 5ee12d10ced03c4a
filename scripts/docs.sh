#!/usr/bin/env bash
# Builds the documentation in build/docs/html. Before that, it builds the program and the Python package, from which
# some pages are generated. The script can be run again. Neither the build nor the pages use the network.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
steps=5

step "install what is missing" scripts/bootstrap.sh --test
step "configure" configure_once
step "build the program" cmake --build --preset release --target haichi
step "build and install the Python package into .venv" scripts/install_python.sh
step "build the documentation" .venv/bin/python docs/site/build_site.py --haichi build/release/cli/haichi
printf 'The first page is %s/build/docs/html/index.html\n' "$PWD"
