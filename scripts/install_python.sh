#!/usr/bin/env bash
# Builds the Python package of this source tree and installs it into .venv, with the compiler options of the preset dev:
# what that has compiled comes out of ccache (which must not look at the folder it compiles in, nor at where generated
# headers are).
#   scripts/install_python.sh [more options of pip install]
#   scripts/install_python.sh wheel [options of pip wheel]     makes its wheel instead
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD
export CC=${CC:-cc} CXX=${CXX:-c++} # by the names CMake finds; Python has others for the same compilers
command=install
if [[ ${1-} == wheel ]]; then
    command=wheel
    shift
fi
scripts/bootstrap.sh --python
exec .venv/bin/python -m pip "$command" --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings=cmake.build-type=RelWithDebInfo \
    --config-settings='cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG' \
    --config-settings=cmake.define.HAICHI_WARNINGS_AS_ERRORS=ON "$@" .
