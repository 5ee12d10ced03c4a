"""Builds a small project with Ninja, without a compiler, and checks the costs that scripts/build_cost.py prints."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/build_cost.py"

# Objects are copies of their sources. Their dependency files are in the directory of the sources.
BUILD_NINJA = """\
rule CXX_COMPILER__core
  command = cp $in $out && cp $in.d $out.d
  depfile = $out.d
  deps = gcc
rule LINK
  command = cat $in > $out
build core/a.cc.o: CXX_COMPILER__core ROOT/core/a.cc || order
build core/unity.o: CXX_COMPILER__core ROOT/build/core/Unity/unity_0_cxx.cxx
build core/libcore.a: LINK core/a.cc.o core/unity.o
build cli/program: LINK core/libcore.a
build order: phony
build all: phony cli/program
"""
FILES = {
    "core/a.cc": "",
    "core/a.cc.d": "core/a.cc.o: ROOT/core/a.cc ROOT/core/all.h ROOT/core/a.h",
    "build/core/Unity/unity_0_cxx.cxx": '#include "ROOT/core/b.cc"\n#include "ROOT/core/c.cc"\n',
    "build/core/Unity/unity_0_cxx.cxx.d": "core/unity.o: ROOT/core/b.cc ROOT/core/c.cc ROOT/core/all.h",
    "build/build.ninja": BUILD_NINJA,
    "build/CMakeCache.txt": "CMAKE_HOME_DIRECTORY:INTERNAL=ROOT\n",
    **{f"core/{name}": "" for name in ("b.cc", "c.cc", "a.h", "all.h")},
}


@unittest.skipUnless(shutil.which("ninja"), "ninja is missing")
class BuildCost(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("ROOT", str(self.root)))
        subprocess.run(["ninja", "-C", self.root / "build"], check=True, capture_output=True)

    def run_script(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, SCRIPT, self.root / "build", *words], capture_output=True, text=True)

    def rebuilt(self, file: str) -> set[str]:
        return {row["step"] for row in json.loads(self.run_script("--json", "--touch", file).stdout)["steps"]}

    def test_modules_count_the_files_of_unity_sources(self) -> None:
        modules = json.loads(self.run_script("--json").stdout)["modules"]
        counts = {row["module"]: (row["objects"], row["files"]) for row in modules}
        self.assertEqual(counts, {"core": (2, 3), "cli": (0, 0), "all": (2, 3)})

    def test_a_change_reaches_objects_and_links(self) -> None:
        links = {"core/libcore.a", "cli/program"}
        self.assertEqual(self.rebuilt("core/a.h"), {"core/a.cc"} | links)
        self.assertEqual(self.rebuilt("core/c.cc"), {"core/b.cc and 1 more: c.cc"} | links)
        self.assertEqual(self.rebuilt("core/all.h"), {"core/a.cc", "core/b.cc and 1 more: c.cc"} | links)

    def test_errors_name_the_file_and_what_was_expected(self) -> None:
        self.assertIn("no step of", self.run_script("--touch", "core/gone.h").stderr)
        log = self.root / "build/.ninja_log"
        for text, words in (
            ("", "is empty"),
            ("# ninja log v4\n0\t1\t2\ta\tb\n", ":1: expected version 5, 6, 7, found '# ninja log v4'"),
            ("# ninja log v5\n0\t1\ta\tb\n", ":2: expected START END TIME OUTPUT HASH"),
        ):
            log.write_text(text)
            done = self.run_script()
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("error: ") and words in done.stderr, done.stderr)
        log.unlink()
        self.assertIn("No such file", self.run_script().stderr)


if __name__ == "__main__":
    unittest.main()
