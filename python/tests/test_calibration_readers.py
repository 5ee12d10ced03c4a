"""What benchmarks print is read as they print it, and what is broken is refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

import haichi
from haichi.calibration.readers import read_results
from haichi.calibration.results import Results

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


def read(tmp_path: Path, text: str) -> Results:
    path = tmp_path / "results.txt"
    path.write_text(text)
    return read_results(str(path))[1]


def rows(results: Results) -> list[tuple[str, int, float]]:
    """Benchmark, bytes, microseconds."""
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
    # A message each way takes what two take at the sum of both rates.
    assert times == pytest.approx([1 / 0.95, 4096 / 3876, 2 * 4096 / 13482.6])
    assert results.points[0].resolution == pytest.approx(0.005 / 0.95)
    assert results.left_out == ["line 8: 'slurmstepd: an epilogue': not a row of OSU Bandwidth"]


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
        "line 16: IMB Sendrecv: not a benchmark that is fitted",
        "line 24: IMB Uniband of 4 processes: pairs are fitted",
        "line 37: IMB Allreduce: not a benchmark that is fitted",
    ]


@pytest.mark.parametrize("text", [NETPIPE, NETPIPE_FILE])
def test_netpipe_and_its_file(tmp_path: Path, text: str) -> None:
    results = read(tmp_path, text)
    assert [(name, size) for name, size, _ in rows(results)] == [("latency", 1), ("latency", 8192)]
    assert [time for *_, time in rows(results)] == pytest.approx([3.08, 10.0], rel=2e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "results.txt: not the output of a known benchmark"),
        ("", "results.txt: not the output of a known benchmark"),
        (OSU_5 + "a\0b", "results.txt:6: a NUL byte"),
        (OSU_5 + "64 12.x\n", "results.txt:6: the latency '12.x' is not a number"),
        (OSU_5 + "64 -1\n", "results.txt:6: the latency '-1' is not between 0 and 1e+12"),
        (OSU_5 + "64 nan\n", "results.txt:6: the latency 'nan' is not between"),
        (OSU_5 + "64 inf\n", "results.txt:6: the latency 'inf' is not between"),
        (OSU_5 + "6.5 1.0\n", "results.txt:6: the size '6.5' is not a whole number of bytes"),
        (OSU_5 + "99999999999999 1.0\n", "results.txt:6: the size '99999999999999' is more than the 2^40 bytes"),
        (OSU_5 + "2097152\n", "results.txt:6: 1 columns, but the header names 2"),
        (
            OSU_7.replace("3876.00              Pass", "3876.00              Fail"),
            "results.txt:7: the benchmark's valid",
        ),
        ("# OSU MPI Latency Test v7\n8 1.0\n", "results.txt:2: a row of OSU Latency before the names of its columns"),
        ("# OSU MPI Allreduce Latency Test v7\n# Size\n", "results.txt: OSU micro-benchmarks without a row"),
        (IMB.replace("2.00       512.00", "2.00"), "results.txt:13: 3 columns, but the header names 4"),
        (IMB.replace("2.00 ", "2,00 "), "results.txt:13: the time '2,00' is not a number"),
        (NETPIPE + "  2:  16384 bytes  9 times -->   62\n", "results.txt:6: a row of NetPIPE that is not whole"),
        (NETPIPE_FILE + "16384 6250.0\n", "results.txt:3: 2 columns, where NetPIPE writes bytes"),
    ],
)
def test_what_is_broken_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(haichi.InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(haichi.InputError, match=r"none\.txt: cannot be read: No such file or directory"):
        read_results(str(tmp_path / "none.txt"))
