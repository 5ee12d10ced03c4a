#!/usr/bin/env bash
# Builds the profiler for AArch64 and runs it under qemu-user. Uses Debian's cross compiler, and the C library and both
# MPIs from Debian's arm64 packages. The packages are unpacked in the build directory, so that the system needs no
# foreign architecture. The native mpiexec starts the ranks, and the native haichi reads their logs.
#
#   scripts/test_aarch64.sh [--install] [FOLDER]     builds in FOLDER (default: build/aarch64)
#
# Requires g++-aarch64-linux-gnu, qemu-user and both MPIs. The first run also requires access to Debian's archive.
# --install installs the first two packages. Exits with 77 if something is missing. The variable HAICHI_BIN names the
# program, and PYTHON names a Python with pytest.
set -euo pipefail
repository=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$repository"
. scripts/debian_packages.sh

install=false
folder=build/aarch64
for argument in "$@"; do
    case "$argument" in
        --install) install=true ;;
        -*)
            echo "usage: scripts/test_aarch64.sh [--install] [FOLDER]" >&2
            exit 2
            ;;
        *) folder=$argument ;;
    esac
done
mkdir -p "$folder"
folder=$(readlink -f "$folder")
sysroot=$folder/sysroot
libraries=$sysroot/usr/lib/aarch64-linux-gnu
# The MPIs and the libraries that they need. Only the headers of the development packages are used.
packages=(libopenmpi3 libmpich12 libgfortran5 libstdc++6)
headers=(libopenmpi-dev libmpich-dev)

say() { printf '==> %s\n' "$*"; }
skip() {
    echo "skipped: $*" >&2
    exit 77
}

if $install; then
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-remove --no-install-recommends g++-aarch64-linux-gnu qemu-user
fi
for tool in aarch64-linux-gnu-g++ qemu-aarch64 mpiexec.openmpi mpiexec.mpich apt-get dpkg-deb cmake ninja; do
    command -v "$tool" >/dev/null || skip "$tool is not installed (g++-aarch64-linux-gnu, qemu-user; --install)"
done

if [ ! -f "$folder/unpacked" ]; then
    say "arm64 packages"
    rm -rf "$sysroot"
    { debian_archive "$folder/apt" arm64 bookworm && unpack_with_dependencies "$folder/apt" "$sysroot" "${packages[@]}" &&
        unpack_packages "$folder/apt" "$sysroot" "${headers[@]}"; } || skip "the arm64 packages cannot be downloaded"
    touch "$folder/unpacked"
fi

say "cross-compile"
fortran_of() { (cd "$libraries" && printf '%s;' "${@/#/$libraries/}") | sed 's/;$//'; }
cmake -S . -B "$folder/cross" -G Ninja -DHAICHI_ONLY_MPI_LIBRARIES=ON -DHAICHI_WARNINGS_AS_ERRORS=ON \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DHAICHI_MPI_INCLUDE_openmpi="$libraries/openmpi/include" \
    -DHAICHI_MPI_INCLUDE_mpich="$sysroot/usr/include/aarch64-linux-gnu/mpich" \
    -DHAICHI_MPI_FORTRAN_openmpi="$(fortran_of libmpi_mpifh.so.40 libmpi_usempi_ignore_tkr.so.40 libmpi_usempif08.so.40)" \
    -DHAICHI_MPI_FORTRAN_mpich="$(fortran_of libmpichfort.so.12)" >"$folder/cmake.log" || {
    cat "$folder/cmake.log"
    exit 1
}
cmake --build "$folder/cross" --target haichi_prof_openmpi haichi_prof_mpich | tail -n 1

say "run under qemu-user"
python=${PYTHON:-python3}
[ -n "${PYTHON:-}" ] || [ ! -x .venv/bin/python ] || python=.venv/bin/python
HAICHI_BIN=${HAICHI_BIN:-$repository/build/release/cli/haichi} HAICHI_AARCH64=$folder \
    "$python" -m pytest -m slow tests/commlog/profiler/test_profiler_aarch64.py
