#!/usr/bin/env bash
# Makes all files of a release in dist/haichi-VERSION, with their checksums and a list of the software in them (SBOM).
# Nothing is uploaded. All dates in the files are the time of the last commit, so that a commit always gives identical
# files.
#
#   scripts/release.sh
#
# Requires Debian 12 with the packages of scripts/bootstrap.sh --developer, and a clone without changes.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/steps.sh
steps=8

if [ -n "$(git status --porcelain)" ]; then
    echo "error: the clone has changes that are not committed" >&2
    exit 1
fi
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
version=$(sed -n 's/^project(haichi VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
files=dist/haichi-$version
rm -rf "$files"
mkdir -p "$files"

source_archive() {
    git archive --prefix="haichi-$version/" HEAD | gzip -9n >"$files/haichi-$version.tar.gz"
}

debian_package() {
    cmake --workflow --preset release
    (cd build/release && quietly cpack -G DEB -B debian)
    cp "build/release/debian/haichi_${version}"-*.deb "$files"
}

mpi_libraries() {
    cmake --build build/release --target haichi_mpi_source_archive
    cp "build/release/haichi-mpi-libraries-$version.tar.gz" "$files"
}

portable_program() {
    scripts/portable.sh "$1"
    cp "build/portable-$1/haichi-$version-linux-$1.tar.gz" "$files"
}

wheel() {
    scripts/wheel.sh
    cp dist/haichi-"$version"-*.whl "$files"
}

software_list() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/release.txt
    .venv/bin/python scripts/software_list.py "$files" --output "$files/haichi-$version.cdx.json"
}

checksums() {
    (cd "$files" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
}

step "archive the sources" source_archive
step "build the Debian package" debian_package
step "archive the sources of the MPI libraries" mpi_libraries
step "build the program for old systems, x86-64" portable_program x86_64
step "build the program for old systems, AArch64" portable_program aarch64
step "build the wheel" wheel
step "list the software in the files" software_list
step "write the checksums" checksums
ls -l "$files"
