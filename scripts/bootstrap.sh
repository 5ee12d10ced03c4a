#!/usr/bin/env bash
# Installs what haichi needs on Debian 12 and makes the virtual environment .venv. Can be repeated: it only adds what is
# missing, and removes no package.
#
#   scripts/bootstrap.sh               to build, run and test
#   scripts/bootstrap.sh --developer   also what the presets tsan, tidy and coverage and the pictures need
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

packages=(
    # build: compiler, CMake 3.25, libraries (Boost.Container, Boost.Graph, nlohmann-json, CLI11)
    g++ cmake ninja-build ccache libboost-dev libboost-graph-dev nlohmann-json3-dev libcli11-dev
    # OTF2 archives are read where it is installed
    libopen-trace-format2-dev
    # Python package
    python3 python3-dev python3-venv ca-certificates
    # tests and benchmarks
    libgtest-dev librapidcheck-dev libbenchmark-dev
    # both MPIs, side by side (mpicc.openmpi, mpicc.mpich): each has its profiler; Fortran for the tests of these
    libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran
    # programs that the profiler is tried with; the example goes the whole way with LAMMPS
    hpcc lammps netpipe-mpich2 scalapack-mpi-test
    # the report is looked at in a browser
    chromium chromium-driver
)
developer_packages=(clang libclang-rt-14-dev libomp-dev clang-format clang-tidy gcovr librsvg2-bin)

case "${1:-}" in
    "") ;;
    -h | --help)
        echo "usage: scripts/bootstrap.sh [--developer]"
        exit 0
        ;;
    --developer) packages+=("${developer_packages[@]}") ;;
    *)
        echo "usage: scripts/bootstrap.sh [--developer]" >&2
        exit 2
        ;;
esac

say() { printf '==> %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "error: these packages are missing and this is neither root nor is there sudo: ${missing[*]}" >&2
        exit 1
    fi
}

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    say "packages: all ${#packages[@]} are installed"
else
    say "packages: installing ${missing[*]}"
    as_root apt-get -qq update
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -y install --no-install-recommends --no-remove "${missing[@]}" >/dev/null
fi

# Debian's own Python: another one first in PATH may be older, or lack its headers.
venv_python=.venv/bin/python
if ! [ -x "$venv_python" ] || ! "$venv_python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "virtual environment: making .venv"
    rm -rf .venv
    /usr/bin/python3 -m venv .venv
fi
requirements=(requirements/build.txt requirements/run.txt requirements/test.txt requirements/docs.txt)
stamp=.venv/haichi-requirements
if cat "${requirements[@]}" | cmp -s - "$stamp"; then
    say "virtual environment: .venv has the pinned packages"
else
    say "virtual environment: installing the pinned packages of requirements/ into .venv"
    "$venv_python" -m pip install --quiet --disable-pip-version-check "${requirements[@]/#/-r}"
    cat "${requirements[@]}" >"$stamp"
fi
