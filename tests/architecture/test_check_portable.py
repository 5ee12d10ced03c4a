"""Checks small libraries, which the compiler makes without a C library, with scripts/check_portable.py."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/check_portable.py"
COMPILER = sys.argv.pop()


class PortableFiles(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def library(self, name: str, source: str, versions: tuple[str, ...] = (), uses: str = "") -> Path:
        """Makes a shared library with this name. `versions` are its versions, and `uses` is a library that it needs."""
        (self.place / "source.c").write_text(source)
        (self.place / "versions").write_text("".join(f"{version} {{ }};\n" for version in versions))
        path = self.place / name
        options = ["-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{name}", "-Wl,--no-as-needed"]
        options += [f"-Wl,--version-script={self.place / 'versions'}"] if versions else []
        used = [self.place / uses] if uses else []
        sources = ["-x", "c", self.place / "source.c", "-x", "none", *used]
        subprocess.run([COMPILER, *sources, *options, "-o", path], check=True)
        return path

    def check(self, *files: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, SCRIPT, *files], capture_output=True, text=True, check=False)

    def c_library(self) -> None:
        source = "".join(
            f'void {name}_(void) {{}}\n__asm__(".symver {name}_, {name}@@GLIBC_{version}");\n'
            for name, version in (("old", "2.2.5"), ("fcntl64", "2.28"), ("fresh", "2.29"), ("newest", "2.100"))
        )
        self.library("libc.so.6", source, ("GLIBC_2.2.5", "GLIBC_2.28", "GLIBC_2.29", "GLIBC_2.100"))

    def calls(self, *names: str) -> str:
        declared = "".join(f"void {name}(void);\n" for name in names)
        return declared + "void f(void) {" + " ".join(f"{name}();" for name in names) + "}\n"

    def test_versions_up_to_2_28_pass(self) -> None:
        self.c_library()
        path = self.library("good.so", self.calls("old", "fcntl64"), uses="libc.so.6")
        ended = self.check(path)
        self.assertEqual(ended.stdout, f"{path}: only the C library, GLIBC_2.28\n", ended.stderr)
        self.assertEqual(ended.returncode, 0)

    def test_newer_versions_are_reported_with_their_functions(self) -> None:
        self.c_library()
        good = self.library("good.so", self.calls("old"), uses="libc.so.6")
        path = self.library("new.so", self.calls("old", "newest", "fresh"), uses="libc.so.6")
        ended = self.check(path, good)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(
            ended.stderr,
            f"error: {path} requires GLIBC_2.29, newer than 2.28, for fresh\n"
            f"error: {path} requires GLIBC_2.100, newer than 2.28, for newest\n",
        )
        self.assertEqual(ended.stdout, f"{good}: only the C library, GLIBC_2.2.5\n")

    def test_other_libraries_are_reported(self) -> None:
        self.library("libfmt.so.9", "void format(void) {}\n")
        path = self.library("fmt.so", self.calls("format"), uses="libfmt.so.9")
        ended = self.check(path)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr, f"error: {path} requires libfmt.so.9, which is not a part of the C library\n")


if __name__ == "__main__":
    unittest.main()
