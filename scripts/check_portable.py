"""Checks whether programs and shared libraries run on old systems. They must require only the C library, in version
2.28 or older.

    python3 scripts/check_portable.py FILE...

Prints one line per file. Exits with 1 if a file requires more. Uses readelf (binutils), for any architecture.
"""

from __future__ import annotations

import re
import subprocess
import sys

NEWEST = (2, 28)
C_LIBRARY = re.compile(r"(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1|ld-linux-.*\.so\.\d)")


def readelf(option: str, file: str) -> str:
    command = ["readelf", "--wide", option, file]
    return subprocess.run(command, capture_output=True, text=True, check=True, env={"LC_ALL": "C"}).stdout


def version(text: str) -> tuple[int, ...]:
    """Parses the version in `GLIBC_2.28`. A name without a version (GLIBC_PRIVATE) counts as newer than all others."""
    return tuple(map(int, text.split("."))) if re.fullmatch(r"[\d.]+", text) else (sys.maxsize,)


def check(file: str) -> tuple[str, list[str]]:
    """Returns the newest version of the C library that the file requires, and a list of complaints."""
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", file))
    foreign = [name for name in libraries if not C_LIBRARY.fullmatch(name)]
    complaints = [f"requires {name}, which is not a part of the C library" for name in foreign]
    needed = set(
        re.findall(r"Name: GLIBC_(\S+)", readelf("--version-info", file).partition("Version needs section")[2])
    )
    symbols = re.findall(r" UND (\S+)@GLIBC_(\S+)", readelf("--dyn-syms", file))
    for number in sorted(needed, key=version):
        if version(number) > NEWEST:
            names = ", ".join(sorted(name for name, of in symbols if of == number))
            complaints.append(f"requires GLIBC_{number}, newer than 2.28" + (f", for {names}" if names else ""))
    return max(needed, key=version, default="none"), complaints


def main(files: list[str]) -> int:
    failed = False
    for file in files:
        newest, complaints = check(file)
        failed |= bool(complaints)
        for complaint in complaints:
            print(f"error: {file} {complaint}", file=sys.stderr)
        if not complaints:
            print(f"{file}: only the C library, GLIBC_{newest}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
