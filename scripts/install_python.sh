#!/usr/bin/env bash
# Builds the Python package of this source tree and installs it into .venv. The build uses build/release, and shares
# object files with the program and the tests there. scripts/wheel.sh sets another build in HAICHI_PRESET and
# HAICHI_BUILD.
#
#   scripts/install_python.sh [options of pip install]
#   scripts/install_python.sh wheel [options of pip wheel]     builds the wheel instead
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
export CC=${CC:-cc} CXX=${CXX:-c++} # names that CMake finds; Python uses other names for the same compilers
command=install
if [[ ${1-} == wheel ]]; then
    command=wheel
    shift
fi
scripts/bootstrap.sh --python
build=${HAICHI_BUILD:-build/release}
configure_once "${HAICHI_PRESET:-release}" "$build"
# pip installs into a temporary directory, but `cmake --install` must keep the prefix from the configuration.
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
exec .venv/bin/python -m pip "$command" --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings=build-dir="$build" \
    --config-settings=cmake.define.CMAKE_INSTALL_PREFIX="$prefix" "$@" .
