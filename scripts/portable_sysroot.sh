#!/usr/bin/env bash
# Makes the sysroot for cmake/portable-toolchain.cmake in build/sysroot-ARCH. It contains the C library of Debian 11
# (glibc 2.31) and the static libraries of Debian 12. A few functions are newer than glibc 2.28; cmake/portable replaces
# them. A finished sysroot is kept until this script or these sources change.
#
#   scripts/portable_sysroot.sh [x86_64 | aarch64]       default: the architecture of this machine
#
# Requires Debian's compiler GCC 12 for the architecture and access to Debian's archive. Root is not required. Exits
# with 77 if the compiler is missing.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. scripts/debian_packages.sh

architecture=${1:-$(uname -m)}
case "$architecture" in
    x86_64) debian=amd64 ;;
    aarch64) debian=arm64 ;;
    *)
        echo "usage: scripts/portable_sysroot.sh [x86_64 | aarch64]" >&2
        exit 2
        ;;
esac
triple=$architecture-linux-gnu
sysroot=$PWD/build/sysroot-$architecture
for tool in "$triple-g++-12" apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || {
        echo "error: $tool is missing (scripts/bootstrap.sh; for AArch64 scripts/bootstrap.sh --developer)" >&2
        exit 77
    }
done
version=$(cat scripts/portable_sysroot.sh cmake/portable/* | sha256sum)
if [ -f "$sysroot/complete" ] && [ "$(cat "$sysroot/complete")" = "$version" ]; then
    exit 0
fi
echo "==> sysroot of $architecture: glibc of Debian 11, libraries of Debian 12"

c_library=(libc6/bullseye libc6-dev/bullseye linux-libc-dev/bullseye)
libraries=(libboost1.74-dev libboost-context1.74-dev libexpat1-dev nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev
    libyaml-cpp-dev libopen-trace-format2-dev libdw-dev libelf-dev zlib1g-dev liblzma-dev libbz2-dev libbz2-1.0)
pythons=(libpython3.11-dev/bookworm libpython3.13-dev/trixie) # their headers are used, for the modules of scripts/wheel.sh
mpis=(libopenmpi-dev libopenmpi3 libmpich-dev libmpich12)

lib=usr/lib/$triple
system=lib/$triple
rm -rf "$sysroot"
debian_archive "$sysroot/apt" "$debian" bullseye bookworm trixie
unpack_packages "$sysroot/apt" "$sysroot" "${c_library[@]}" "${libraries[@]/%//bookworm}" "${pythons[@]}"
unpack_packages "$sysroot/apt" "$sysroot/mpi" "${mpis[@]/%//bookworm}"
rm -rf "$sysroot/apt"
# Absolute links would lead to files outside the sysroot.
find "$sysroot" -type l -lname '/*' -printf '%p %l\n' | while read -r name target; do
    ln -sfnr "$sysroot$target" "$name"
done

# These options make the compiler search the sysroot before the directories of the host's C library.
c_flags="-nostdinc -B$sysroot/$lib"
cxx_flags=$c_flags
while read -r directory; do
    case "$directory" in
        */c++/*) cxx_flags+=" -isystem $(readlink -f "$directory")" ;;
    esac
done < <(echo | "$triple-g++-12" --sysroot="$sysroot" -x c++ -E -v - 2>&1 | sed -n '/^#include <...>/,/^End/s/^ //p')
for directory in "$("$triple-g++-12" -print-file-name=include)" "$sysroot/usr/include/$triple" "$sysroot/usr/include"; do
    c_flags+=" -isystem $directory"
    cxx_flags+=" -isystem $directory"
done
printf '%s\n' "$c_flags" "$cxx_flags" "-static-libstdc++ -static-libgcc" >"$sysroot/flags"

# shellcheck disable=SC2086
for name in libc libm; do
    "$triple-gcc-12" --sysroot="$sysroot" $c_flags -O2 -fPIC -fno-builtin -c "cmake/portable/$name.c" \
        -o "$sysroot/$name.o"
    "$triple-ar" rcs "$sysroot/$lib/${name}_2_28.a" "$sysroot/$name.o"
done
# shellcheck disable=SC2086
for name in libraries:fmt openmp:openmp_shared; do
    "$triple-g++-12" --sysroot="$sysroot" $cxx_flags -std=c++20 -O2 -fPIC -c "cmake/portable/${name%:*}.cc" \
        -o "$sysroot/${name%:*}.o"
    "$triple-ar" rcs "$sysroot/$lib/lib${name#*:}.a" "$sysroot/${name%:*}.o"
done

# The linker finds this static library before GCC's shared one.
cp "$("$triple-g++-12" -print-file-name=libgomp.a)" "$sysroot/$lib"

# Linker scripts replace the shared libraries. With them, the linker finds the functions of cmake/portable before newer
# ones.
rm "$sysroot/$lib"/lib{c,m,pthread}.so
cat >"$sysroot/$lib/libc.so" <<END
GROUP ( /$lib/libc_2_28.a /$system/libc.so.6 /$lib/libc_nonshared.a
        AS_NEEDED ( /$system/libpthread.so.0 /$system/libdl.so.2 /$system/librt.so.1 /$(cd "$sysroot" && ls "$system"/ld-*.so) ) )
END
echo "GROUP ( /$lib/libm_2_28.a /$system/libm.so.6 )" >"$sysroot/$lib/libm.so"
echo "GROUP ( /$lib/libc_2_28.a /$system/libpthread.so.0 )" >"$sysroot/$lib/libpthread.so"
mv "$sysroot/$lib/libdw.a" "$sysroot/$lib/libdw_objects.a"
echo "GROUP ( /$lib/libdw_objects.a /$lib/libelf.a /$lib/libz.a /$lib/liblzma.a /$lib/libbz2.a )" >"$sysroot/$lib/libdw.a"
for name in fmt.so.9.1.0:fmt spdlog.so.1.10.0:fmt yaml-cpp.so.0.7.0:yaml-cpp; do
    echo "INPUT ( /$lib/lib${name#*:}.a )" >"$sysroot/$lib/lib${name%:*}"
done
# Copies the licenses of the libraries that are linked statically. Boost's license does not apply to object code.
mkdir "$sysroot/licenses"
for package in "${libraries[@]:2}"; do
    cp "$sysroot/usr/share/doc/$package/copyright" "$sysroot/licenses/copyright.${package%-dev}"
done
cp /usr/share/doc/gcc-12-base/copyright "$sysroot/licenses/copyright.gcc"
echo "$version" >"$sysroot/complete"
