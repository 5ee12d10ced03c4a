"""Malformed input to the real program: it exits with 2 at once, states location and problem, and writes nothing.

The first table contains files that are wrong as a whole (missing, a directory, binary ...), for every kind of file. The
second one contains errors inside a file or an option. The tests of the modules cover each reader on its own.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import pytest
from bad_input import CHECK_SCRIPT, FUJITSU, OUTPUT, READERS, RING, SCRIPT, Bad
from bad_input_jobs import graph_files, json_workloads, machine_files, machine_names, text_workloads
from bad_input_maps import lists, maps
from haichi_program import BIN

MOST_MEMORY_KIB = 1 << 20
MOST_SECONDS = 5  # CPU time; most runs take 0.01


def has_sanitizer() -> bool:
    program = Path(BIN).read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


SANITIZED = has_sanitizer()  # sanitizers reserve terabytes and are slow


def run_limited(command: list[str], cwd: Path) -> tuple[int, str, str]:
    """Returns exit code, standard output and standard error. Fails if the run needs too much time or memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60) if SANITIZED else (20, 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [BIN, *command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = [stream.read().decode(errors="backslashreplace") for stream in (out, err)]
    if not SANITIZED:
        assert usage.ru_maxrss < MOST_MEMORY_KIB
        assert usage.ru_utime + usage.ru_stime < MOST_SECONDS
    return process.returncode, texts[0], texts[1]


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every path below a directory, with the content of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if not path.is_symlink()
    }


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "ring.json").write_text(RING)
    (tmp_path / "good.map").write_text(FUJITSU)
    return tmp_path


def refused(command: list[str], folder: Path, *, also_over_a_file: bool = False) -> str:
    """Returns the messages of a refused run. The run can be repeated over an existing output file."""
    words = ""
    for existing in [None, b"precious\n"] if also_over_a_file and OUTPUT in command else [None]:
        if existing is not None:
            (folder / OUTPUT).write_bytes(existing)
        before = tree(folder)
        code, out, words = run_limited(command, folder)
        assert code == 2, (code, out, words)
        assert words.startswith("error: "), words
        assert out == ""
        assert len(words) < 1000  # a long wrong value is shortened
        assert words.isprintable() or words.replace("\n", "").isprintable()
        assert "Traceback" not in words and "terminate called" not in words
        assert tree(folder) == before
    return words


# ---- files that are wrong as a whole --------------------------------------------------------------------------------

UNREADABLE = {
    "missing": "No such file or directory",
    "directory": "Is a directory",
    "endless links": "Too many levels of symbolic links",
    "below a file": "Not a directory",
}
ONE_OF_EACH_COMMAND = [
    "workload",
    "machine file",
    "graph file",
    "node list",
    "map to evaluate",
    "json map",
    "job script",
]


# All readers open files with the same function, so one reader of each command covers every kind of bad file.
@pytest.mark.parametrize(
    ("kind", "reader"),
    [("missing", reader) for reader in READERS]
    + [(kind, reader) for kind in UNREADABLE if kind != "missing" for reader in ONE_OF_EACH_COMMAND],
)
def test_a_path_that_cannot_be_read_is_named_with_the_reason(folder: Path, kind: str, reader: str) -> None:
    command = READERS[reader]
    if kind == "directory":
        (folder / "bad").mkdir()
    elif kind == "endless links":
        (folder / "bad").symlink_to("bad")
    elif kind == "below a file":
        command = [word if word[-3:] != "bad" else word[:-3] + "./ring.json/bad" for word in command]
    words = refused(command, folder, also_over_a_file=True)
    if (kind, reader) == ("directory", "workload"):  # a directory may contain a log
        assert "bad: the directory contains no log" in words.splitlines()[0]
        return
    assert re.search(r"cannot read \S*bad: " + re.escape(UNREADABLE[kind]), words.splitlines()[0])


BINARY = {
    "NUL bytes": b"\0" * 5000,
    "ELF": b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0",
    "UTF-16": b"\xff\xfe" + RING.encode("utf-16-le"),
    "no end": "/dev/zero",
}


@pytest.mark.parametrize(
    ("kind", "reader"),
    [(kind, reader) for kind in ("NUL bytes", "no end") for reader in READERS]
    + [(kind, reader) for kind in ("ELF", "UTF-16") for reader in ONE_OF_EACH_COMMAND],
)
def test_a_binary_file_is_refused_with_its_line(folder: Path, kind: str, reader: str) -> None:
    content = BINARY[kind]
    if isinstance(content, bytes):
        (folder / "bad").write_bytes(content)
    else:
        (folder / "bad").symlink_to(content)
    words = refused(READERS[reader], folder)
    assert "bad:1: " in words.splitlines()[0]


# The list of faulty nodes may be empty.
@pytest.mark.parametrize("reader", [reader for reader in READERS if reader != "list of faulty nodes"])
@pytest.mark.parametrize("content", [b"", b" \n\n\t\n"], ids=["empty", "blank"])
def test_an_empty_file_is_refused(folder: Path, content: bytes, reader: str) -> None:
    (folder / "bad").write_bytes(content)
    assert "bad:" in refused(READERS[reader], folder).splitlines()[0]


TEXT = {
    "not UTF-8": b"\xff\xfe\xc3\x28\n",
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "long line": b"1" * 3_000_000,
    "words": b"dear reader of this file, you are none of them\n",
}


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader != "job script"])
@pytest.mark.parametrize("kind", TEXT)
def test_a_text_of_another_kind_is_refused_with_its_line(folder: Path, kind: str, reader: str) -> None:
    (folder / "bad").write_bytes(TEXT[kind])
    assert "bad:1: " in refused(READERS[reader], folder).splitlines()[0]


# ---- errors inside files and options ---------------------------------------------------------------------------------

CASES = [*json_workloads(), *text_workloads(), *machine_names(), *machine_files(), *graph_files(), *maps(), *lists()]


@pytest.mark.parametrize("bad", CASES, ids=str)
def test_broken_input_is_refused_with_place_and_value(folder: Path, bad: Bad) -> None:
    if bad.content is not None:
        content = bad.content if isinstance(bad.content, bytes) else bad.content.encode()
        (folder / "bad").write_bytes(content)
    words = refused(bad.command, folder)
    assert words.startswith("error: " + bad.start), words
    for piece in bad.pieces:
        assert piece in words


# ---- `check` reports a problem in the map or the script as its result, not as an error -------------------------------

PROBLEMS = [
    (
        "script",
        "node of 1e12",
        "node=2x2",
        "node=2x1000000000000",
        "bad:2: invalid size '1000000000000' in '2x1000000000000' (expected 1 to 8388608)",
    ),
    ("script", "node of size 0", "node=2x2", "node=0x2", "bad:2: invalid size '0' in '0x2' (expected 1 to 8388608)"),
    ("script", "negative node", "node=2x2", "node=-2x2", "bad:2: invalid size '-2' in '-2x2' (expected 1 to 8388608)"),
    (
        "script",
        "proc of 2^63",
        "proc=4",
        "proc=9223372036854775808",
        "bad:3: invalid parameter 'proc=9223372036854775808' (expected 1 to 2147483648)",
    ),
    ("script", "proc of 0", "proc=4", "proc=0", "bad:3: invalid parameter 'proc=0' (expected 1 to 2147483648)"),
    (
        "script",
        "two values",
        "proc=4",
        "proc=4,proc=5",
        "bad:3: 'proc=5' contradicts an earlier parameter on the same line",
    ),
    ("script", "open quote", 'map"', "map", 'bad:3: unterminated quote " in '),
    ("script", "unknown kind", ":mesh", ":mash", "bad:2: unknown kind of allocation 'mash'"),
    ("script", "count of mpiexec", "mpiexec", "mpiexec -n 1e9", "bad:4: expected a whole number, found '1e9'"),
    ("map", "two ranks on a node", "(1,1)", "(0,0)", "bad:4: rank 3 does not fit on node (0,0)"),
    ("map", "node out of range", "(1,1)", "(9,9)", "bad:4: invalid coordinates: '(9,9)' (the logical shape is "),
    ("map", "CR alone", "\n", "\r", "bad:1: expected coordinates (x,y) without blanks, found '(0,0)\\x0d(1,0)"),
]


@pytest.mark.parametrize(
    ("what", "old", "new", "problem"), [(row[0], *row[2:]) for row in PROBLEMS], ids=[row[1] for row in PROBLEMS]
)
def test_check_tells_problems_with_place_and_value(folder: Path, what: str, old: str, new: str, problem: str) -> None:
    good = SCRIPT if what == "script" else FUJITSU
    (folder / "bad").write_text(good.replace(old, new), newline="")
    command = CHECK_SCRIPT if what == "script" else ["check", "-m", "mesh:2x2", "--map", "bad"]
    before = tree(folder)
    code, out, words = run_limited(command, folder)
    assert (code, words) == (2, "")
    assert "problem  " + problem in out
    assert tree(folder) == before


def test_a_script_with_lines_that_end_with_cr_alone_is_refused(folder: Path) -> None:
    (folder / "bad").write_text(SCRIPT.replace("\n", "\r"), newline="")
    assert refused(CHECK_SCRIPT, folder).startswith("error: bad:1: a carriage return")


@pytest.mark.skipif(SANITIZED, reason="the address space is not limited")
def test_threads_that_cannot_start_are_refused(folder: Path) -> None:
    search = ["--objective", "tac3", "--restarts", "10000", "--evaluations", "1", "--threads", "4000"]
    words = refused(["map", "-m", "torus:2x2x2", "-w", "ring.json", *search, "-o", OUTPUT], folder)
    assert re.search(r"error: cannot start 4000 threads: .*\nhint: use --threads \d+,", words), words
