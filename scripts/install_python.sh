#!/usr/bin/env bash
# Builds the Python package of this source tree and installs it into .venv. It is built in build/release, from the
# objects that the program and the tests are made of.
#   scripts/install_python.sh [more options of pip install]
#   scripts/install_python.sh wheel [options of pip wheel]     makes its wheel instead
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
export CC=${CC:-cc} CXX=${CXX:-c++} # by the names CMake finds; Python has others for the same compilers
command=install
if [[ ${1-} == wheel ]]; then
    command=wheel
    shift
fi
scripts/bootstrap.sh --python
configure_once
# pip installs through a folder of its own; `cmake --install` keeps the prefix that was configured.
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' build/release/CMakeCache.txt)
exec .venv/bin/python -m pip "$command" --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings=build-dir=build/release \
    --config-settings=cmake.define.CMAKE_INSTALL_PREFIX="$prefix" "$@" .
