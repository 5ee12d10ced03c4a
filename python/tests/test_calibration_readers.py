"""The output of benchmarks is read exactly, and errors in it are reported with their lines."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import signal
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import haichi
from haichi.calibration.readers import Read, read_results

OSU_5 = """\
# OSU MPI Latency Test v5.6.2
# Size          Latency (us)
0                       1.20
1                       1.25
1048576               210.50
"""
OSU_7 = """\
srun: job 17 has been allocated resources

# OSU MPI Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)        Validation
1                       0.95              Pass
4096                 3876.00              Pass
slurmstepd: an epilogue
# OSU MPI Bi-Directional Bandwidth Test v7.5
# Size      Bandwidth (MB/s)
# Datatype: MPI_CHAR.
4096                13482.60
"""
OSU_TAILS = """\
# OSU MPI Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)  P50 Tail Lat(us)  P99 Tail Lat(us)
8                       1.31              1.30              1.70
"""
OSU_BARRIER = """\
# OSU MPI Barrier Latency Test v7.3
# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
             1.41              1.00              1.90        1000
"""
IMB = """\
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
#----------------------------------------------------------------
# List of Benchmarks to run:
# PingPong
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.43         0.00
         1024         1000         2.00       512.00

#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 2
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
         1024         1000         2.10         2.50         2.30       819.20

#-----------------------------------------------------------------------------
# Benchmarking Uniband
# #processes = 4
#-----------------------------------------------------------------------------
       #bytes #repetitions   Mbytes/sec      Msg/sec
         1024         1000      2048.00      2000000

#---------------------------------------------------
# Benchmarking Biband
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions   Mbytes/sec      Msg/sec
         1024         1000      2048.00      2000000

#---------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            4         1000         0.57         0.57         0.57

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         1.24         1.28         1.26


# All processes entering MPI_Finalize
"""
NETPIPE = """\
0: vm
1: vm
Now starting the main loop
  0:       1 bytes 152797 times -->      2.48 Mbps in       3.08 usec
  1:    8192 bytes   1000 times -->   6250.00 Mbps in      10.00 usec
"""
NETPIPE_FILE = """\
       1 2.475778   0.00000308
    8192 6250.000000   0.00001000
"""


def read(tmp_path: Path, text: str) -> Read:
    path = tmp_path / "results.txt"
    path.write_text(text)
    return read_results(str(path))


def rows(results: Read) -> list[tuple[str, int, float]]:
    """Returns benchmark name, bytes and microseconds of each point."""
    return [(point.benchmark, point.size_bytes, point.seconds * 1e6) for point in results.points]


def test_osu_latency_of_version_5(tmp_path: Path) -> None:
    results = read(tmp_path, OSU_5)
    assert [(name, size) for name, size, _ in rows(results)] == [("latency", 0), ("latency", 1), ("latency", 1 << 20)]
    assert [time for *_, time in rows(results)] == pytest.approx([1.2, 1.25, 210.5])
    assert [point.line for point in results.points] == [3, 4, 5]


def test_osu_streams_with_validation_and_what_launchers_say(tmp_path: Path) -> None:
    results = read(tmp_path, OSU_7)
    assert [(name, size) for name, size, _ in rows(results)] == [
        ("bandwidth", 1),
        ("bandwidth", 4096),
        ("bibandwidth", 4096),
    ]
    times = [time for *_, time in rows(results)]
    # The benchmark reports the sum of both directions' rates, so two messages determine the time of a size.
    assert times == pytest.approx([1 / 0.95, 4096 / 3876, 2 * 4096 / 13482.6])
    assert results.points[0].resolution == pytest.approx(0.005 / 0.95)
    assert results.left_out == ["line 8: expected a row of OSU MPI Bandwidth Test, found 'slurmstepd: an epilogue'"]


def test_osu_with_more_columns(tmp_path: Path) -> None:
    assert [entry[:2] for entry in rows(read(tmp_path, OSU_TAILS))] == [("latency", 8)]
    assert read(tmp_path, OSU_TAILS).points[0].seconds == pytest.approx(1.31e-6)
    barrier = read(tmp_path, OSU_BARRIER)
    assert [entry[:2] for entry in rows(barrier)] == [("barrier", 0)]
    assert barrier.points[0].seconds == pytest.approx(1.41e-6)


def test_imb_with_several_benchmarks(tmp_path: Path) -> None:
    results = read(tmp_path, IMB)
    assert [(name, size) for name, size, _ in rows(results)] == [
        ("latency", 0),
        ("latency", 1024),
        ("biband", 1024),
        ("barrier", 0),
    ]
    assert [time for *_, time in rows(results)] == pytest.approx([0.43, 2.0, 1.0, 1.26])
    assert [point.processes for point in results.points] == [2, 2, 2, 4]
    assert results.left_out == [
        "line 16: IMB Sendrecv: haichi does not fit this benchmark",
        "line 24: IMB Uniband of 4 processes is not a pair of processes",
        "line 37: IMB Allreduce: haichi does not fit this benchmark",
    ]


@pytest.mark.parametrize("text", [NETPIPE, NETPIPE_FILE])
def test_netpipe_and_its_file(tmp_path: Path, text: str) -> None:
    results = read(tmp_path, text)
    assert [(name, size) for name, size, _ in rows(results)] == [("latency", 1), ("latency", 8192)]
    assert [time for *_, time in rows(results)] == pytest.approx([3.08, 10.0], rel=2e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "results.txt: expected the output of a known benchmark"),
        ("", "results.txt: expected the output of a known benchmark"),
        (OSU_5 + "a\0b", "results.txt:6: expected text, found a NUL byte"),
        (OSU_5 + "64 12.x\n", "results.txt:6: invalid latency: '12.x' (not a number)"),
        (OSU_5 + "64 -1\n", "results.txt:6: invalid latency: '-1' (not between 0 and 1e+12)"),
        (OSU_5 + "64 nan\n", "results.txt:6: invalid latency: 'nan' (not between"),
        (OSU_5 + "64 inf\n", "results.txt:6: invalid latency: 'inf' (not between"),
        (OSU_5 + "6.5 1.0\n", "results.txt:6: invalid size: '6.5' (not a whole number)"),
        (OSU_5 + "99999999999999 1.0\n", "results.txt:6: invalid size: '99999999999999' (the maximum is 2^40 bytes)"),
        (OSU_5 + "2097152\n", "results.txt:6: expected 2 columns, found 1"),
        (
            OSU_7.replace("3876.00              Pass", "3876.00              Fail"),
            "results.txt:7: the benchmark's valid",
        ),
        (
            "# OSU MPI Latency Test v7\n8 1.0\n",
            "results.txt:2: expected a header with column names, found a row of OSU MPI Latency Test",
        ),
        ("# OSU MPI Allreduce Latency Test v7\n# Size\n", "results.txt: no usable row of OSU micro-benchmarks"),
        (IMB.replace("2.00       512.00", "2.00"), "results.txt:13: expected 4 columns, found 3"),
        (IMB.replace("2.00 ", "2,00 "), "results.txt:13: invalid time: '2,00' (not a number)"),
        (NETPIPE + "  2:  16384 bytes  9 times -->   62\n", "results.txt:6: incomplete row of NetPIPE"),
        (
            NETPIPE_FILE + "16384 6250.0\n",
            "results.txt:3: expected 3 columns (bytes, megabits per second, seconds), found 2",
        ),
    ],
)
def test_what_is_broken_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(haichi.InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(haichi.InputError, match=r"cannot read .*none\.txt: No such file or directory"):
        read_results(str(tmp_path / "none.txt"))


def zipped(content: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("latency.txt", content)
    return archive.getvalue()


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_compressed_results_are_read(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "results"  # recognised by its content
    path.write_bytes(packed(OSU_7.encode()))
    assert rows(read_results(str(path))) == rows(read(tmp_path, OSU_7))


def test_compressed_results_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for content, message in (
        (gzip.compress(OSU_7.encode())[:-9], "cannot unpack the file (gzip)"),
        (gzip.compress(OSU_5.encode() + b"\0"), ":6: expected text, found a NUL byte"),
        (gzip.compress(bytes(70 << 20)), "more than 64 MiB"),
    ):
        (tmp_path / "results.gz").write_bytes(content)
        with pytest.raises(haichi.InputError) as caught:
            read_results(str(tmp_path / "results.gz"))
        assert message in str(caught.value)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    assert rows(read(tmp_path, "\ufeff" + OSU_5)) == rows(read(tmp_path, OSU_5))


def titled(title: str) -> str:
    return OSU_5.replace("# OSU MPI Latency Test v5.6.2", title)


def test_an_osu_title_is_read_by_its_words(tmp_path: Path) -> None:
    for title in (
        "#OSU MPI  Latency  Test   v7.5",
        "\t# OSU MPI Latency Test v7.5-rc1 ",
        "# OSU MPI Latency Test (Version 2.1)",
        "# OSU MPI Latency Test",
    ):
        assert rows(read(tmp_path, titled(title)))[0][0] == "latency"
    for text in ("# OSU MPI Latency", "# OSU MPI", "#", "OSU MPI Latency Test v5"):
        with pytest.raises(haichi.InputError, match="expected the output of a known benchmark"):
            read(tmp_path, titled(text))


@pytest.mark.parametrize(
    "title",
    [
        "MPI_Put Latency Test v5.8",
        "MPI_Get latency Test v5.8",
        "MPI_Accumulate latency Test v5.8",
        "MPI_Put Bandwidth Test v5.8",
        "OpenSHMEM Put Test v5.8",
        "OpenSHMEM Put Test",
        "UPC Memory Put Test v5.8",
        "NCCL-CUDA Latency Test v7.5",
        "MPI Multi Latency Test v7.5",
        "MPI Multi-threaded Latency Test v7.5",
        "MPI Latency Persistent Test v7.5",
        "MPI-CUDA Non-blocking Allreduce Latency Test v7.5",
    ],
)
def test_other_osu_benchmarks_are_named_and_end_the_table_before_them(tmp_path: Path, title: str) -> None:
    other = titled(f"# OSU {title}")
    why = f"OSU {title.removesuffix(' v5.8').removesuffix(' v7.5')}: haichi does not fit this benchmark"
    for text, line in ((OSU_5 + other, 6), (other + OSU_5, 1)):
        results = read(tmp_path, text)
        assert len(results.points) == 3 and results.left_out == [f"line {line}: {why}"]
    with pytest.raises(haichi.InputError, match="no usable row of OSU micro-benchmarks: line 1: OSU"):
        read(tmp_path, other)


def test_buffers_on_devices_are_not_host_times(tmp_path: Path) -> None:
    title = "# OSU MPI-CUDA Latency Test v5.8\n# Send Buffer on {} and Receive Buffer on {}"
    device, host = "DEVICE (D)", "HOST (H)"
    for buffers in ((device, device), (host, device), (device, host), ("MANAGED (M)", host)):
        results = read(tmp_path, OSU_5 + titled(title.format(*buffers)))
        assert len(results.points) == 3 and results.left_out == [
            f"line 7: OSU MPI-CUDA Latency Test: buffers on {buffers[0].split()[0]} and {buffers[1].split()[0]} "
            "are not host memory and are not fitted"
        ]
    assert len(read(tmp_path, titled(title.format(host, host))).points) == 3
    unknown = read(tmp_path, OSU_5 + titled("# OSU MPI-ROCM Latency Test v7.5"))
    assert len(unknown.points) == 3
    assert unknown.left_out[0].startswith("line 7: OSU MPI-ROCM Latency Test: the buffers are not stated to be in host")


def test_message_rates_of_one_pair_are_a_stream(tmp_path: Path) -> None:
    text = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.3\n# [ pairs: {} ] [ window size: 64 ]\n"
    text += "# Size                  MB/s        Messages/s\n1                       4.24        4235302.84\n"
    assert rows(read(tmp_path, text.format(1))) == [("bandwidth", 1, pytest.approx(1 / 4.24))]
    several = read(tmp_path, OSU_5 + text.format(620))
    assert len(several.points) == 3 and "620 pairs with windows of 64 are not fitted" in several.left_out[0]


def test_the_output_of_several_programs_in_a_file(tmp_path: Path) -> None:
    results = read(tmp_path, OSU_5 + IMB + NETPIPE + OSU_5)
    assert [name for name, *_ in rows(results)] == [*["latency"] * 8, "biband", "barrier", *["latency"] * 2]
    assert results.format == "OSU micro-benchmarks and Intel MPI Benchmarks and NetPIPE's output"
    for text, program in (("START mpiBench v1.5\n", "mpiBench"), (" #bytes #iterations BW peak[MB/sec]\n", "perftest")):
        assert program in read(tmp_path, OSU_5 + text).left_out[0]
        with pytest.raises(haichi.InputError, match=f"found the output of {program}"):
            read(tmp_path, text)


def test_what_job_scripts_print_after_a_table_is_named(tmp_path: Path) -> None:
    results = read(tmp_path, OSU_5 + "```\n2024-03-01 12:00:01 job 17 ended\n3 errors\n12:00:01 up\n1. Next, run\n")
    assert len(results.points) == 3
    assert results.left_out == [
        "lines 6, 7, 8 and 2 more: expected a row of OSU MPI Latency Test, found '```' and others"
    ]
    out_of_memory = IMB.replace(
        "         1024         1000         2.00       512.00", "  1024 out-of-mem.; needed X= 2 GB"
    )
    assert "line 13: expected a row of IMB PingPong" in read(tmp_path, out_of_memory).left_out[0]


def test_values_below_the_printed_precision_are_named(tmp_path: Path) -> None:
    results = read(tmp_path, OSU_5.replace("1.20", "0.00"))
    assert len(results.points) == 2
    assert results.left_out == ["line 3: OSU MPI Latency Test: the value is below the printed precision"]


NETPIPE_5 = """\
  1: \x1b[32m      1  B\x1b[0m     24999 times -->  \x1b[35m  2.500 Mbps\x1b[0m  in  \x1b[36m  3.200 usecs\x1b[0m
  2: \x1b[36m  8.192 KB\x1b[0m      1000 times -->  \x1b[31m  6.554 Gbps\x1b[0m  in  \x1b[36m 10.000 usecs\x1b[0m
"""


def test_netpipe_5(tmp_path: Path) -> None:
    results = read(tmp_path, NETPIPE_5)
    assert [(name, size) for name, size, _ in rows(results)] == [("latency", 1), ("latency", 8192)]
    assert [time for *_, time in rows(results)] == pytest.approx([3.2, 10.0], rel=2e-3)


@pytest.mark.parametrize(
    "mode", ["Streaming in one direction only.", "Passing data in both directions simultaneously."]
)
def test_other_modes_of_netpipe_are_named(tmp_path: Path, mode: str) -> None:
    results = read(tmp_path, NETPIPE + mode + "\n" + NETPIPE)
    assert len(results.points) == 2 and "run it without -s and -2" in results.left_out[0]


MANY = 1 << 20


@contextlib.contextmanager
def seconds_of_computing(most: float) -> Iterator[None]:
    """Limits CPU time, independent of other load. A reader with quadratic time takes hours for a line of 1 MB."""

    def end(*_: object) -> None:
        raise AssertionError(f"it computes for more than {most} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    "line",
    [
        "# OSU MPI" + " " * MANY + "x",
        "# OSU MPI Latency" + " v" * (MANY // 2),
        "# OSU MPI Latency" + " Test v5 " * (MANY // 9) + "!",
        "#" * MANY,
        "# " + "Latency (us)  " * (MANY // 14),
        "# Size" + "\t " * (MANY // 2) + ")",
        "# Benchmarking" + " " * MANY,
        "#" + " " * MANY + "#processes",
        "# #processes" + " " * MANY + "2",
        "0: " + "bytes " * (MANY // 6),
        "0: " + "bytes -- > " * (MANY // 11),
        "0: 1 bytes " + "1 times -->" * (MANY // 11),
        "0: " + " " * MANY + "1 bytes -->",
        "0:" + " 8 bytes 1 times --> 2 Mbps in" * (MANY // 30),
        "7" * MANY,
        " " * MANY + ":",
        "7 " * (MANY // 2),
        "\x0b" * (MANY // 8),
    ],
    ids=range(18),
)
def test_lines_of_a_megabyte_take_a_time_that_grows_with_them(tmp_path: Path, line: str) -> None:
    for before in ("", OSU_5, IMB, NETPIPE, NETPIPE_FILE):
        with seconds_of_computing(5), contextlib.suppress(haichi.InputError):
            read(tmp_path, f"{before}{line}\n")


@pytest.mark.parametrize(
    "word", ["0e999999999", "1e-999999999", "0e" + "9" * 5000, "1e-0" + "0" * 5000, "0." + "0" * 400]
)
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (OSU_5 + "64 {}\n", 6),
        (OSU_7.replace("0.95  ", "{}  "), 6),
        (IMB.replace("0.43  ", "{}  "), 12),
        (
            IMB.replace(
                "      2000000\n\n#---------------------------------------------------\n# Benchmarking A",
                " {}\n\n# Benchmarking A",
            ),
            34,
        ),
        (NETPIPE + "2: 8 bytes 9 times --> {} Mbps in 3 usec\n", 6),
        (NETPIPE + "2: 8 bytes 9 times --> 3 Mbps in {} usec\n", 6),
        (NETPIPE_FILE + "16384 {} 1.0\n", 3),
        (NETPIPE_FILE + "16384 1.0 {}\n", 3),
    ],
)
def test_numbers_of_any_exponent_are_read_or_refused_by_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    try:
        assert read(tmp_path, text.format(word)).points
    except haichi.InputError as error:
        assert f"results.txt:{line}: invalid " in str(error) and len(str(error)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OSU_5 + "64 1e-310\n", "results.txt:6: invalid time of a message: 1e-316 s (not between 1e-18 and 1e+06)"),
        (OSU_7.replace("0.95  ", "1e-320"), "results.txt:6: invalid time of a message: inf s (not between"),
        (
            IMB.replace("# #processes = 2", "# #processes = " + "2" * 5000),
            "results.txt:8: invalid number of processes: '222",
        ),
        (
            NETPIPE + "2: 8 bytes 9 times --> 1e-320 Mbps in 0.00 usec\n",
            "results.txt:6: invalid time of a message: inf s (not between",
        ),
        (OSU_5 + f"64 {'1' * 100}\n", "results.txt:6: invalid latency: '111"),
        (OSU_5 + "64 1_1.5\n", "results.txt:6: invalid latency: '1_1.5' (not a number)"),
        (OSU_5 + "64 \u0661\u0662.5\n", "results.txt:6: invalid latency: "),
    ],
)
def test_times_that_no_computer_has_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(haichi.InputError) as told:
        read(tmp_path, text)
    assert message in str(told.value)


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, end: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(f"{OSU_5}# note{end}2 5.0\n".encode())
    assert len(read_results(str(path)).points) == 3
    path.write_bytes(f"{OSU_5}2 1.5{end}4 2.5\n".encode())
    with pytest.raises(haichi.InputError, match=r"a.txt:6: expected 2 columns, found 4"):
        read_results(str(path))


@pytest.mark.parametrize("content", [OSU_5, OSU_7, IMB])
def test_a_carriage_return_before_a_line_feed_is_part_of_the_end(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_bytes(content.encode())
    (tmp_path / "b.txt").write_bytes(content.replace("\n", "\r\n").encode())
    unix, other = (read_results(str(tmp_path / name)) for name in ("a.txt", "b.txt"))
    assert [vars(point) | {"file": ""} for point in unix.points] == [
        vars(point) | {"file": ""} for point in other.points
    ]


def test_a_file_has_a_limited_number_of_points(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(OSU_5 + "2 1.5\n" * 9997)
    assert len(read_results(str(path)).points) == 10_000
    path.write_text(OSU_5 + "2 1.5\n" * 9998)
    with pytest.raises(haichi.InputError, match=r"a.txt:10003: the file has more than 10000 measured points"):
        read_results(str(path))
