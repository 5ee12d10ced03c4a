#!/usr/bin/env bash
# Installs what is needed, builds haichi and its Python package, and runs the fast tests. Ends with ctest's summary.
# Can be repeated.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh

step "install what is missing" scripts/bootstrap.sh
step "configure (preset dev)" quietly cmake --preset dev
step "build" cmake --build --preset dev
# The test python.install repeats this; done here, its compilation is not part of the tests' time.
step "build and install the Python package into .venv" \
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps .
printf '==> tests (preset dev)\n'
exec ctest --preset dev
