#!/usr/bin/env bash
# Builds dist/haichi-VERSION-cpXY-cpXY-manylinux_..._x86_64.whl: the program, its libraries and the Python package, for
# Linux systems at least as new as the tag states. auditwheel checks that the wheel keeps to the policy of the tag.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
rm -rf build/wheel
scripts/install_python.sh wheel --config-settings=install.strip=true -w build/wheel
