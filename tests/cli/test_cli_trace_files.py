"""Logs and workloads as tools leave them: compressed, in a pipe, in a directory, with other files beside them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from haichi_program import BIN, fail, succeed

PARAVER = (
    "#Paraver (13/01/2024 at 09:00):60000_ns:1(2):1:2(1:1,1:1),0\n"
    "3:1:1:1:1:1000:1050:2:1:2:1:1000:4000:4096:0\n3:2:1:2:1:2000:2050:1:1:1:1:2000:5000:512:0\n"
)
TIT = "0 init\n1 init\n0 send 1 0 4096 6\n1 recv 0 0 4096 6\n1 send 0 0 512 6\n0 recv 1 0 512 6\n"
EDGES = "0,1,4096\n1,0,512\n"


def zstd(data: bytes, window_log: int | None = None) -> bytes:
    """Stores the data in a frame of raw blocks (RFC 8878), because Python 3.11 has no module for zstd."""
    blocks = [data[at : at + 1000] for at in range(0, len(data), 1000)]
    size = b"\xa0" + len(data).to_bytes(4, "little")
    frame = b"\x28\xb5\x2f\xfd" + (size if window_log is None else bytes([0, window_log - 10 << 3]))
    for number, block in enumerate(blocks, 1):
        frame += (len(block) << 3 | (number == len(blocks))).to_bytes(3, "little") + block
    return frame


def zipped(*names: str, method: int = zipfile.ZIP_DEFLATED) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            for name in names:
                archive.writestr(name, data)
        return file.getvalue()

    return pack


NAMES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd", "zip": "zip"}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
    "zip": zipped("app.prv"),
}


def run_with(input: bytes, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([BIN, *map(str, arguments)], cwd=cwd, input=input, capture_output=True, timeout=60)


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("text", [PARAVER, TIT, EDGES], ids=["paraver", "tit", "edge-list"])
def test_compressed_inputs_are_read_from_files_and_pipes(tmp_path: Path, ending: str, text: str) -> None:
    packed = COMPRESSIONS[ending](text.encode())
    (tmp_path / "app").write_text(text)
    (tmp_path / "packed").write_bytes(packed)
    job = ("map", "-m", "torus:2", "--objective", "hop-bytes", "--no-timing", "--json", "-w")
    expected = succeed(*job, "app", cwd=tmp_path).stdout
    assert json.loads(expected)["value"] == 4608
    assert succeed(*job, "packed", cwd=tmp_path).stdout == expected
    for input in (packed, text.encode()):
        run = run_with(input, *job, "-", cwd=tmp_path)
        assert (run.returncode, run.stdout.decode()) == (0, expected), run.stderr


@pytest.mark.parametrize("ending", COMPRESSIONS)
def test_logs_are_shown_simulated_and_converted_from_a_pipe(tmp_path: Path, ending: str) -> None:
    packed = COMPRESSIONS[ending](PARAVER.encode())
    (tmp_path / f"app.prv.{ending}").write_bytes(packed)
    for command in (
        ("log", "show", "--json"),
        ("log", "convert", "-t", "json"),
        ("ccs", "--main-loop", "whole"),
        ("simulate", "-m", "torus:2", "--json", "--no-timing", "-w"),
    ):
        file = succeed(*command, f"app.prv.{ending}", cwd=tmp_path).stdout
        pipe = run_with(packed, *command, "-", cwd=tmp_path)
        assert pipe.returncode == 0, pipe.stderr
        assert pipe.stdout.decode().replace('"-"', f'"app.prv.{ending}"') == file, command


def test_compressed_files_of_all_ranks_are_found(tmp_path: Path) -> None:
    for rank in range(2):
        other = 1 - rank
        text = "# POINT TO POINT\n" + f"E\t{rank}\t{other}\t{100 + rank} bytes\t1 msgs sent\t0,1\n"
        (tmp_path / f"app.{rank}.prof.gz").write_bytes(gzip.compress(text.encode()))
    matrix = json.loads(succeed("log", "convert", "-t", "json", "app.1.prof.gz", cwd=tmp_path).stdout)
    assert matrix["sets"][0]["messages"] == [[0, 1, 100], [1, 0, 101]]


def test_a_compressed_log_of_the_profiler_is_read(tmp_path: Path) -> None:
    succeed("pattern", "nas-cg", "--class", "S", "--ranks", 4, "--iterations", 2, "-o", "cg.log", cwd=tmp_path)
    (tmp_path / "cg.log.gz").write_bytes(gzip.compress((tmp_path / "cg.log").read_bytes()))
    expected = succeed("ccs", "cg.log", cwd=tmp_path).stdout
    assert succeed("ccs", "cg.log.gz", cwd=tmp_path).stdout == expected
    assert run_with((tmp_path / "cg.log.gz").read_bytes(), "ccs", "-", cwd=tmp_path).stdout.decode() == expected


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (gzip.compress(PARAVER.encode())[:-9], "cannot unpack the file (gzip)"),
        (gzip.compress(EDGES.encode())[:-8] + bytes(8), "its checksum or length differs, so the file is damaged"),
        (gzip.compress(EDGES.encode()) + b"rest of another file", "the file is damaged"),
        (bz2.compress(PARAVER.encode())[:-9], "cannot unpack the file (bzip2)"),
        (lzma.compress(EDGES.encode()) + b"rest of another file", "cannot unpack the file (xz): the file is damaged"),
        (zipped("a.prv", method=zipfile.ZIP_LZMA)(EDGES.encode()), "compressed with method 14"),
        (zipped("a.prv", "b.prv")(EDGES.encode()), "the zip archive has several files"),
        (zipped("matrix.npy")(EDGES.encode()), "expected text, found a zip archive of NumPy arrays"),
        (gzip.compress(bytes(5000000)), "NUL byte"),
        (gzip.compress(b" " * 80_000_000), "longer than 64 MiB"),
    ],
    ids=["gzip", "checksum", "rest", "bzip2", "rest-of-xz", "lzma-in-zip", "zip", "npz", "zeros", "blanks"],
)
def test_compressed_inputs_that_cannot_be_read_are_refused(tmp_path: Path, packed: bytes, words: str) -> None:
    (tmp_path / "app").write_bytes(packed)
    command = ("map", "-m", "torus:2", "-w", "app", "--workload-format", "edge-list")
    assert words in fail(2, *command, cwd=tmp_path)


@pytest.mark.parametrize("inner", COMPRESSIONS)
@pytest.mark.parametrize("outer", COMPRESSIONS)
def test_a_file_that_is_compressed_twice_is_refused(tmp_path: Path, outer: str, inner: str) -> None:
    (tmp_path / "app").write_bytes(COMPRESSIONS[outer](COMPRESSIONS[inner](EDGES.encode())))
    words = fail(2, "map", "-m", "torus:2", "-w", "app", cwd=tmp_path)
    assert f"it is compressed twice ({NAMES[inner]} within {NAMES[outer]}); unpack it once" in words


@pytest.mark.parametrize("ending", [ending for ending in COMPRESSIONS if ending != "zip"])
@pytest.mark.parametrize("missing", [1, 3, 8, 20])
def test_a_compressed_file_without_its_end_is_said_to_end_too_early(tmp_path: Path, ending: str, missing: int) -> None:
    (tmp_path / "app").write_bytes(COMPRESSIONS[ending](PARAVER.encode())[:-missing])
    words = fail(2, "log", "show", "app", cwd=tmp_path)
    assert f"cannot unpack the file ({NAMES[ending]}): the file ends too early" in words


def xz_that_claims_4_gib() -> bytes:
    """The size of the dictionary in the header of the first block is 40. A checksum follows the header."""
    packed = bytearray(lzma.compress(EDGES.encode()))
    size = (packed[12] + 1) * 4
    assert (packed[13], packed[14:16]) == (0, b"\x21\x01")
    packed[16] = 40
    packed[12 + size - 4 : 12 + size] = zlib.crc32(packed[12 : 12 + size - 4]).to_bytes(4, "little")
    return bytes(packed)


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (xz_that_claims_4_gib(), "it was compressed with a dictionary (xz) of more than 128 MiB"),
        (lzma.compress(EDGES.encode()) + xz_that_claims_4_gib(), "a dictionary (xz) of more than 128 MiB"),
        (zstd(EDGES.encode(), 28), "cannot unpack the file (zstd)"),
    ],
    ids=["xz", "second-stream-of-xz", "zstd"],
)
def test_a_decoder_takes_no_more_memory_than_the_documents_state(tmp_path: Path, packed: bytes, words: str) -> None:
    (tmp_path / "app").write_bytes(packed)
    assert words in fail(2, "map", "-m", "torus:2", "-w", "app", "--workload-format", "edge-list", cwd=tmp_path)


def test_files_of_the_best_compression_are_read(tmp_path: Path) -> None:
    best = {
        "xz-9": lzma.compress(EDGES.encode(), preset=9),
        "xz-9e": lzma.compress(EDGES.encode(), preset=9 | lzma.PRESET_EXTREME),
        "xz-128": lzma.compress(EDGES.encode(), filters=[{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 2**27}]),
        "zstd-128": zstd(EDGES.encode(), 27),
    }
    for name, packed in best.items():
        (tmp_path / name).write_bytes(packed)
        succeed("map", "-m", "torus:2", "--objective", "hop-bytes", "-w", name, "-o", "map", cwd=tmp_path)


def test_the_log_of_a_directory_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "set-0"
    folder.mkdir()
    (tmp_path / "app").write_text(PARAVER)
    expected = succeed("log", "convert", "-t", "json", "app", cwd=tmp_path).stdout
    (folder / "app.prv").write_text(PARAVER)
    (folder / "app.pcf").write_text("DEFAULT_OPTIONS\n\nLEVEL               THREAD\n")
    (folder / "app.row").write_text("LEVEL CPU SIZE 2\n1.n0\n2.n0\n")
    assert succeed("log", "convert", "-t", "json", "set-0", cwd=tmp_path).stdout == expected
    succeed("map", "-m", "torus:2", "--objective", "hop-bytes", "-w", "set-0", "-o", "map", cwd=tmp_path)
    (folder / "other.prv").write_text(PARAVER)
    words = fail(2, "log", "show", "set-0", cwd=tmp_path)
    assert "contains 2 logs" in words and "name one of them: set-0/app.prv, set-0/other.prv" in words


def test_files_of_ranks_are_one_log_and_files_of_jobs_are_several(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for rank in range(2):
        text = f"# POINT TO POINT\nE\t{rank}\t{1 - rank}\t{100 + rank} bytes\t1 msgs sent\t0,1\n"
        (folder / f"app2.{rank}.prof").write_text(text)
    matrix = json.loads(succeed("log", "convert", "-t", "json", "traces", cwd=tmp_path).stdout)
    assert matrix["sets"][0]["messages"] == [[0, 1, 100], [1, 0, 101]]
    (folder / "app3.0.prof").write_text("# POINT TO POINT\nE\t0\t1\t5 bytes\t1 msgs sent\t0,1\n")
    words = fail(2, "log", "show", "traces", cwd=tmp_path)
    assert "contains 2 logs" in words and "traces/app2.0.prof, traces/app3.0.prof" in words
    (tmp_path / "ti").mkdir()
    for rank in range(2):
        lines = [line for line in TIT.splitlines(keepends=True) if line.startswith(str(rank))]
        (tmp_path / "ti" / f"rank{rank}.txt").write_text("".join(lines))
    assert "but no index" in fail(2, "log", "show", "ti", cwd=tmp_path)
    (tmp_path / "ti" / "app.tit").write_text("rank0.txt\nrank1.txt\n")
    assert "2 ranks" in succeed("log", "show", "ti", cwd=tmp_path).stdout


def test_a_directory_without_a_log_names_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "the directory contains no log" in fail(2, "log", "show", "empty", cwd=tmp_path)
    assert "the directory contains no log" in fail(2, "map", "-m", "torus:2", "-w", "empty", cwd=tmp_path)
    for name, hint in [
        ("profile.0.0.0", "TAU_TRACE_FORMAT=otf2"),
        ("profile.cubex", "SCOREP_ENABLE_TRACING"),
        ("app-000000-000-1.hpcrun", "HPCToolkit"),
        ("TRACE.mpits", "mpi2prv -f tool/TRACE.mpits"),
        ("run-0000.bin", "dumpi2ascii tool/run-0000.bin > tool/run-0000.txt"),
    ]:
        folder = tmp_path / "tool"
        folder.mkdir()
        text = b"\xff\xaa\xddDUMPI\0\0" if name.endswith(".bin") else b"/tmp/TRACE@n0.0001.mpit named\n"
        (folder / name).write_bytes(text)
        assert hint in fail(2, "log", "show", "tool", cwd=tmp_path), name
        shutil.rmtree(folder)


@pytest.mark.parametrize("command", [("log", "show"), ("map", "-m", "torus:2", "-w")], ids=["log", "map"])
def test_other_files_of_a_trace_name_the_file_to_read(tmp_path: Path, command: tuple[str, ...]) -> None:
    def words(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        return fail(2, *command, name, cwd=tmp_path)

    os.makedirs(tmp_path / "traces")
    (tmp_path / "traces.otf2").write_bytes(b"\x01OTF2")
    (tmp_path / "app.prv.gz").write_bytes(gzip.compress(PARAVER.encode()))
    assert "dumpi2ascii run-0000.bin > run-0000.txt" in words("run-0000.bin", b"\xff\xaa\xddDUMPI\0\0\0\0")
    meta = words("run.meta", b"hostname=n0\nnumprocs=2\nfileprefix=run\n")
    assert ".meta file of a DUMPI trace" in meta and "dumpi2ascii run-0000.bin > run-0000.txt" in meta
    (tmp_path / "run-0000.txt").write_text("")
    assert "hint: use run-0000.txt instead" in words("run.meta", b"fileprefix=run\n")
    assert "txt2bin" in words("app.bin", b"\x7f\x10" + bytes(6) + b"\x02\0\0\0\1\1")
    assert "hint: use traces.otf2 instead" in words("traces/0.evt", b"\x03B\0\0")
    assert "hint: use traces.otf2 instead" in words("traces.def", b"\x03B\0\0")
    assert "hint: use app.prv.gz instead" in words("app.pcf", b"DEFAULT_OPTIONS\n")
    assert "hint: use app.prv.gz instead" in words("app.row", b"LEVEL NODE SIZE 1\nn0\n")


def calls_of_both(*calls: str) -> str:
    """Returns a trace of Extrae in which two tasks make these calls."""
    lines = ["#Paraver (13/01/2024 at 09:00):60000_ns:1(2):1:2(1:1,1:1),2", "c:1:1:2:1:2"]
    for number, call in enumerate(calls, 1):
        for event, time in ((call, 1000 * number), (f"{call[:8]}:0", 1000 * number + 500)):
            lines += [f"2:{task}:1:{task}:1:{time}:{event}" for task in (1, 2)]
    return "\n".join(lines) + "\n"


def test_one_sided_operations_and_unknown_calls_are_counted_as_left_out(tmp_path: Path) -> None:
    puts = calls_of_both("50000004:65:50001000:4096:50001001:1", "50000002:8:50100004:1", "50000003:300")
    (tmp_path / "app.prv").write_text(puts)
    job = ("-m", "torus:2", "-w", "app.prv")
    left_out = json.loads(succeed("simulate", *job, "--json", "--no-timing", cwd=tmp_path).stdout)["runs"][0][
        "left_out"
    ]
    assert left_out == {"one_sided_operations": 1, "one_sided_bytes": 4096, "unknown_calls": 2}
    assert (
        "ignored calls of unknown functions, so their messages are missing: MPI call 300 (2 calls)"
        in succeed("log", "show", "app.prv", cwd=tmp_path).stdout
    )
    for command in (("ccs", "app.prv", "--expand", "all", "--main-loop", "whole"), ("map", *job)):
        words = fail(2, *command, cwd=tmp_path)
        assert "1 one-sided operation (4096 bytes)" in words and "haichi log convert" in words
    matrix = json.loads(succeed("log", "convert", "-t", "json", "app.prv", cwd=tmp_path).stdout)
    assert matrix["sets"][0]["messages"] == [[0, 1, 4096], [1, 1, 4096]]


def test_an_evaluation_counts_what_the_sets_leave_out(tmp_path: Path) -> None:
    message = "3:1:1:1:1:5000:5050:2:1:2:1:5000:5400:512:0\n"
    puts = calls_of_both("50000004:65:50001000:4096:50001001:1", "50000003:300")
    (tmp_path / "map.csv").write_text("rank,node\n0,0\n1,1\n")
    for calls, left_out in (
        (puts, {"one_sided_operations": 1, "one_sided_bytes": 4096, "unknown_calls": 2}),
        (calls_of_both("50000002:8"), None),
    ):
        (tmp_path / "app.prv").write_text(calls + message)
        job = ("-m", "torus:2", "-w", "app.prv", "--map", "map.csv", "--json")
        report = json.loads(succeed("evaluate", *job, cwd=tmp_path).stdout)
        assert report["metrics"]["max_link_bytes"] == 512 and report.get("left_out") == left_out


def test_nonblocking_collectives_of_extrae_are_simulated_and_extracted(tmp_path: Path) -> None:
    sizes = ":50100001:65536:50100002:65536:50100004:1"
    (tmp_path / "app.prv").write_text(calls_of_both(f"50000002:155{sizes}", "50000001:5", f"50000002:10{sizes}"))
    simulated = succeed("simulate", "-m", "torus:2", "-w", "app.prv", "--json", "--no-timing", cwd=tmp_path).stdout
    assert json.loads(simulated)["runs"][0]["payload_bytes"] == 262144
    sets = succeed("ccs", "app.prv", "--expand", "all", "--main-loop", "whole", cwd=tmp_path).stdout
    assert sum(len(messages["messages"]) for messages in json.loads(sets)["sets"]) == 8
