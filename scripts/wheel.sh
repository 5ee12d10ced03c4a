#!/usr/bin/env bash
# Builds the wheel of haichi for other computers, dist/haichi-VERSION-...-manylinux_2_28_ARCH.whl. It contains the
# program, its libraries and the Python package. The wheel works on Linux with glibc 2.28 or newer, which auditwheel
# checks.
#
# Requires Debian 12, GCC 12 (scripts/bootstrap.sh), and access to Debian's archive and PyPI.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
steps=3
architecture=$(uname -m)
others="3.13" # the Python of Debian 13; the one of Debian 12, which builds the wheel, is 3.11
tags="cp311-cp311-linux_$architecture;cp313-cp313-linux_$architecture"

step "prepare a sysroot with an old C library" scripts/portable_sysroot.sh "$architecture"
rm -rf build/wheel
HAICHI_PORTABLE_ARCH=$architecture HAICHI_PRESET=portable HAICHI_BUILD=build/portable-$architecture \
    step "build the wheel" scripts/install_python.sh wheel -w build/wheel \
    --config-settings=install.strip=true --config-settings=wheel.tags="$tags" \
    --config-settings=cmake.define.HAICHI_OTHER_PYTHONS="$others"

check() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/wheel.txt
    rm -f dist/haichi-*.whl
    PATH=$PWD/.venv/bin:$PATH .venv/bin/python -m auditwheel repair --plat "manylinux_2_28_$architecture" -w dist \
        build/wheel/haichi-*.whl
}
step "check the wheel, and name it by its policy" quietly check
ls -l dist/haichi-*.whl
