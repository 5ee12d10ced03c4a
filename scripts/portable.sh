#!/usr/bin/env bash
# Builds the program and the preloaded libraries for old systems with x86-64 or AArch64. The files require glibc 2.28
# (RHEL 8, Debian 10) or newer, and no other shared library. Makes build/portable-ARCH/haichi-VERSION-linux-ARCH.tar.gz.
#
#   scripts/portable.sh [x86_64 | aarch64]       default: the architecture of this machine
#
# Requires Debian 12, GCC 12 for the architecture (for AArch64 g++-aarch64-linux-gnu and qemu-user), and access to Debian's
# archive for scripts/portable_sysroot.sh. Root is not required.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

architecture=${1:-$(uname -m)}
scripts/portable_sysroot.sh "$architecture"
sysroot=$PWD/build/sysroot-$architecture
build=$PWD/build/portable-$architecture

export HAICHI_PORTABLE_ARCH=$architecture
cmake --preset portable
cmake --build --preset portable
cmake --build --preset portable --target haichi_mpi_source_archive
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=haichi-$version-linux-$architecture
rm -rf "${build:?}/$name"
cmake --install "$build" --prefix "$build/$name" --strip >"$build/install.log"

licenses=$build/$name/share/doc/haichi
mkdir -p "$licenses"
cp LICENSE NOTICE "$sysroot"/licenses/* "$licenses"

python3 scripts/check_portable.py "$build/$name"/bin/haichi "$build/$name"/lib/haichi/*.so
tar -C "$build" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" -czf "$build/$name.tar.gz" "$name"
ls -l "$build/$name.tar.gz"
