"""Programs from Debian packages give the same results with and without the profiler, and leave a log."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import mpi_programs as mpi_jobs
import pytest

SCALAPACK = Path("/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests")

HPCC_INPUT = """\
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
200          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""

LAMMPS_INPUT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 10
run 60
"""

QR_INPUT = """\
'ScaLAPACK, Orthogonal factorizations input file'
'MPI machine'
'QR.out'                output file name (if any)
6                       device out
2                       number of factorizations
'QR' 'LQ'               factorizations: QR, QL, LQ, RQ, QP, TZ
2                       number of problems sizes
5 13                    values of M
7 10                    values of N
1                       number of blocking sizes
3                       values of MB
3                       values of NB
2                       number of process grids (ordered pairs P & Q)
1 2                     values of P
2 1                     values of Q
5.0                     threshold
"""


def require_program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def outputs(
    mpi: str, ranks: int, command: list[object], inputs: dict[str, str], place: Path, tries: int = 1
) -> tuple[tuple[Path, str], tuple[Path, str], dict[str, Any]]:
    """Returns the directory and standard output of the program without the profiler and with it, and the log. A program
    that sometimes hangs, even without the profiler, may be tried several times."""
    runs = []
    for name in ["alone", "profiled"]:
        folder = place / name
        folder.mkdir()
        for file, text in inputs.items():
            (folder / file).write_text(text)
        settings = {"OMP_NUM_THREADS": "1"}
        if name == "profiled":
            settings |= {"LD_PRELOAD": str(mpi_jobs.profiler(mpi)), "HAICHI_PROF": f"file={folder / 'log'}"}
        for _ in range(tries):
            run = mpi_jobs.try_mpi(mpi, ranks, command, folder, 300 if tries == 1 else 30, **settings)
            if run is not None:
                break
        if run is None and name == "alone":
            pytest.skip(f"{command[0]} hangs without the profiler")
        assert run is not None, f"{command[0]} hangs under the profiler"
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
        runs.append((folder, run.stdout + run.stderr))
    shown = mpi_jobs.show_log(place / "profiled/log.haichi-log")
    assert shown["ranks"] == ranks and shown["ranks_with_data"] == ranks and shown["warnings"] == []
    assert all(rank["state"] == "finished" and rank["functions"] for rank in shown["per_rank"])
    return runs[0], runs[1], shown


def require_both(mpi: str) -> None:
    mpi_jobs.require_mpi(mpi)
    mpi_jobs.profiler(mpi)


def sent_and_received(shown: dict[str, Any]) -> tuple[int, int]:
    peers = [peer for rank in shown["per_rank"] for peer in rank["peers"]]
    return sum(p["sent_messages"] for p in peers), sum(p["received_messages"] for p in peers)


def test_lammps_computes_the_same(tmp_path: Path) -> None:
    require_both("openmpi")
    lmp = require_program("lmp")
    command = [lmp, "-in", "in.lj", "-log", "log.lammps"]
    alone, profiled, shown = outputs("openmpi", 4, command, {"in.lj": LAMMPS_INPUT}, tmp_path)

    def thermo(text: str) -> list[str]:
        return re.findall(r"^ +\d+(?: +[-0-9.e+]+){5} *$", text, re.MULTILINE)

    assert len(thermo(alone[1])) == 7
    assert thermo(profiled[1]) == thermo(alone[1])
    sent, received = sent_and_received(shown)
    assert sent == received > 1000
    assert {"MPI_Irecv", "MPI_Send", "MPI_Wait"} <= {function["name"] for function in shown["functions"]}


@pytest.mark.slow
def test_hpcc_verifies_the_same(tmp_path: Path) -> None:
    require_both("openmpi")
    hpcc = require_program("hpcc")
    alone, profiled, shown = outputs("openmpi", 2, [hpcc], {"hpccinf.txt": HPCC_INPUT}, tmp_path)

    def summary(folder: Path) -> dict[str, str]:
        text = (folder / "hpccoutf.txt").read_text()
        return dict(re.findall(r"^(\w+)=(\S*)$", text[text.index("Begin of Summary section") :], re.MULTILINE))

    one, two = summary(alone[0]), summary(profiled[0])
    assert two["Success"] == "1" and one.keys() == two.keys() and len(one) > 80
    # The computed results are compared, but not the times.
    for key in ["HPL_RnormI", "HPL_Anorm1", "HPL_Xnorm1", "PTRANS_residual", "MPIFFT_maxErr", "MPIFFT_N"]:
        assert two[key] == one[key], key
    for key in ["MPIRandomAccess_Errors", "MPIRandomAccess_LCG_Errors", "sizeof_double", "CommWorldProcs"]:
        assert two[key] == one[key], key
    sent, received = sent_and_received(shown)
    assert sent >= received > 1000


def test_netpipe_passes_its_integrity_check(tmp_path: Path) -> None:
    require_both("mpich")
    netpipe = require_program("NPmpich2")
    command: list[object] = [netpipe, "-i", "-u", 512, "-n", 3, "-o", "np.out"]
    alone, profiled, shown = outputs("mpich", 2, command, {}, tmp_path)

    def sizes(text: str) -> list[str]:
        return re.findall(r"(\d+) bytes +\d+ times --> +Integrity check passed", text)

    assert len(sizes(alone[1])) > 10
    assert sizes(profiled[1]) == sizes(alone[1])
    sent, received = sent_and_received(shown)
    assert sent == received > 50


def test_scalapack_factorises_the_same(tmp_path: Path) -> None:
    require_both("mpich")
    test_program = SCALAPACK / "xdqr"
    if not test_program.exists():
        pytest.skip("scalapack-mpi-test is not installed")
    # About one run in ten of Debian's 2.2.1-2 hangs on a busy machine, with and without the profiler.
    alone, profiled, shown = outputs("mpich", 2, [test_program], {"QR.dat": QR_INPUT}, tmp_path, tries=4)

    def results(text: str) -> list[tuple[str, str, str]]:
        """Returns the sizes, grid and result of each problem, without the times."""
        return re.findall(r"^WALL((?: +\d+){6}) +[0-9.]+ +[0-9.]+ (\w+) +([0-9.]+)", text, re.MULTILINE)

    assert len(results(alone[1])) == 8
    assert all(outcome == "PASSED" for _, outcome, _ in results(alone[1]))
    assert results(profiled[1]) == results(alone[1])
    sent, received = sent_and_received(shown)
    assert sent == received > 50
