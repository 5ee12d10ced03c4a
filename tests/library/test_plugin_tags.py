"""Nothing of a library runs before haichi has read its tag from the file."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WRITES_AT_START = """
#include <cstdio>
[[gnu::constructor]] static void at_start() { std::fclose(std::fopen("constructor_ran", "w")); }
"""
EXPECTED = r"expected 'haichi-plugin/4 \S+ layout [0-9a-f]{8}'"


def compiled(source: str, cwd: Path) -> Path:
    (cwd / "library.cc").write_text(source)
    command = ["c++", "-std=c++20", "-fPIC", "-shared", "-I", REPOSITORY / "include", "library.cc", "-o", "library.so"]
    subprocess.run(command, cwd=cwd, check=True)
    return cwd / "library.so"


def mapped(cwd: Path) -> subprocess.CompletedProcess[str]:
    program = os.environ["HAICHI_BIN"]
    subprocess.run([program, "pattern", "ring", "--ranks", "8", "-o", "ring.json"], cwd=cwd, check=True)
    options = ["--evaluations", "500", "--objective", "./library.so:set-diameter", "--json"]
    command = [program, "map", "-m", "torus:4x4", "-w", "ring.json", *options]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def refusal(cwd: Path) -> str:
    done = mapped(cwd)
    assert done.returncode == 2
    assert not (cwd / "constructor_ran").exists()
    assert done.stderr.startswith("error: ./library.so: ") and "\nhint: " in done.stderr
    return done.stderr


def test_nothing_of_a_library_without_a_tag_runs(tmp_path: Path) -> None:
    compiled(WRITES_AT_START, tmp_path)
    assert re.search(rf"it has no note \.note\.haichi, {EXPECTED}", refusal(tmp_path))


def test_nothing_of_a_library_with_another_tag_runs(tmp_path: Path) -> None:
    source = (REPOSITORY / "examples/plugin_objective/set_diameter.cc").read_text()
    library = compiled(source + WRITES_AT_START, tmp_path)
    assert mapped(tmp_path).returncode == 0
    (tmp_path / "constructor_ran").unlink()  # it runs if the tag is right
    library.write_bytes(library.read_bytes().replace(b"haichi-plugin/4", b"haichi-plugin/3"))
    assert re.search(rf"built for 'haichi-plugin/3 \S+ layout [0-9a-f]{{8}}', {EXPECTED}", refusal(tmp_path))


def test_a_damaged_library_is_refused(tmp_path: Path) -> None:
    library = compiled(WRITES_AT_START, tmp_path)
    library.write_bytes(library.read_bytes()[:100])
    assert "damaged ELF file: expected 56 bytes of a program header" in refusal(tmp_path)
