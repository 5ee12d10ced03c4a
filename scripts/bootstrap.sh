#!/usr/bin/env bash
# Installs the packages that haichi requires on Debian 12. Each level includes the levels above it. The script can be
# run again: it only adds missing packages, and never removes any.
#
#   scripts/bootstrap.sh               for the first map: the compiler and the libraries of the program
#   scripts/bootstrap.sh --all         also for live programs, the profiler, renumbering, and readers of traces
#   scripts/bootstrap.sh --python      also for the Python package: a virtual environment in .venv
#   scripts/bootstrap.sh --test        also for all tests and the documentation
#   scripts/bootstrap.sh --developer   also for the presets tsan, tidy and coverage, benchmarks, the pictures and the
#                                      profiler on AArch64; installs the hook that checks commit messages
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

packages=(
    # compiler, CMake 3.25, libraries (Boost.Container, Expat, nlohmann-json, CLI11, libfmt, spdlog, yaml-cpp)
    g++ cmake ninja-build libboost-dev libexpat1-dev nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev
    libyaml-cpp-dev
    # the comparison at the end of scripts/demo.sh
    python3
)
part_packages=(
    # live programs: stacks of the ranks, and their MPI
    libboost-context-dev libmpich-dev mpich
    # the reader of OTF2 archives
    libopen-trace-format2-dev
    # source lines of MPI calls in profiled programs
    libdw-dev
    # the profiler: its wrappers are generated from the header of the MPI
    libopenmpi-dev openmpi-bin
)
python_packages=(python3-dev python3-venv ca-certificates)
test_packages=(
    libgtest-dev librapidcheck-dev
    # the tests of both profilers
    gfortran
    # programs for tests of the profiler; the example uses LAMMPS
    hpcc lammps netpipe-mpich2 scalapack-mpi-test
    # a browser for tests of the report
    chromium chromium-driver
)
developer_packages=(
    libbenchmark-dev clang libclang-rt-dev libomp-dev clang-format clang-tidy gcovr librsvg2-bin
    # scripts/test_aarch64.sh
    g++-aarch64-linux-gnu qemu-user
)

usage="usage: scripts/bootstrap.sh [--all | --python | --test | --developer]"
case "${1:-}" in
    "") level=0 ;;
    --all) level=1 ;;
    --python) level=2 ;;
    --test) level=3 ;;
    --developer) level=4 ;;
    -h | --help)
        echo "$usage"
        exit 0
        ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
esac
requirements=()
[ $level -lt 1 ] || packages+=("${part_packages[@]}")
if [ $level -ge 2 ]; then
    packages+=("${python_packages[@]}")
    requirements+=(requirements/build.txt requirements/run.txt)
fi
if [ $level -ge 3 ]; then
    packages+=("${test_packages[@]}")
    requirements+=(requirements/service.txt requirements/test.txt requirements/docs.txt)
fi
[ $level -lt 4 ] || packages+=("${developer_packages[@]}")

say() { printf '==> %s\n' "$*"; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "error: these packages are missing, and installing them requires root or sudo: ${missing[*]}" >&2
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

# Sets the Git hooks. A copy without git is not changed, and neither is a clone whose owner has set other hooks.
if [ $level -ge 4 ] && [ "$(git rev-parse --show-toplevel 2>/dev/null || true)" = "$PWD" ]; then
    hooks=$(git config core.hooksPath || true)
    if [ -z "$hooks" ]; then
        git config core.hooksPath .githooks
        say "commit messages: checked by .githooks/commit-msg"
    elif [ "$hooks" = .githooks ]; then
        say "commit messages: checked by .githooks/commit-msg already"
    else
        say "commit messages: not checked, because core.hooksPath is $hooks"
    fi
fi

[ ${#requirements[@]} -gt 0 ] || exit 0

# Uses Debian's Python. Another Python in PATH may be older, or its headers may be missing.
venv_python=.venv/bin/python
if ! [ -x "$venv_python" ] || ! "$venv_python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "virtual environment: making .venv"
    rm -rf .venv
    /usr/bin/python3 -m venv .venv
fi
# The stamp has a line per installed pinned package. Packages of a higher level thus count for the lower levels, too.
stamp=.venv/haichi-requirements
sed -n 's/^\([^ #]*==[^ ;]*\).*/\1/p' "${requirements[@]}" | sort -u >"$stamp.wanted"
if [ -f "$stamp" ] && [ -z "$(comm -23 "$stamp.wanted" "$stamp")" ]; then
    say "virtual environment: .venv has the pinned packages"
else
    say "virtual environment: installing the pinned packages of ${requirements[*]} into .venv"
    # The files list all required packages with hashes, so that pip accepts nothing else from the package index.
    "$venv_python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes "${requirements[@]/#/-r}"
    cat "$stamp.wanted" >"$stamp"
fi
rm -f "$stamp.wanted"
