#!/usr/bin/env bash
# Installs what is needed, builds haichi and its Python package, and runs the fast tests. Ends with ctest's summary.
# Can be repeated.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh

export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD  # the Python package takes the same objects, from another folder
step "install what is missing" scripts/bootstrap.sh --test
step "configure (preset dev)" quietly cmake --preset dev
step "build" cmake --build --preset dev
# The test python.install repeats this; done here, its compilation is not part of the tests' time.
step "build and install the Python package into .venv" scripts/install_python.sh
printf '==> tests (preset dev)\n'
exec ctest --preset dev
