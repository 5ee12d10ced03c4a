"""haichi.simulate_program runs MPI programs on the simulated machine."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import haichi
from haichi.base.program import find_program

MACHINE = "torus:4x4"


pytestmark = pytest.mark.usefixtures("live_programs")


@pytest.fixture(scope="session")
def built(live_programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    for name in ("ring", "deadlock", "crash", "refused", "abort", "barriers", "spin", "state"):
        source = live_programs / f"{name}.c"
        include = f"-I{live_programs.parents[3]}"
        subprocess.run(
            ["mpicc.mpich", "-D_DEFAULT_SOURCE", "-O1", "-g", "-w", include, str(source), "-o", str(folder / name)],
            check=True,
        )
    (folder / "reads.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        "int main(int argc, char** argv) { int rank, c; MPI_Init(&argc, &argv);\n"
        "MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "if (rank == 0) while ((c = getchar()) != EOF) putchar(c);\n"
        'fprintf(stderr, "said %d\\n", rank); MPI_Finalize(); return 3 * rank; }\n'
    )
    subprocess.run(["mpicc.mpich", "-w", str(folder / "reads.c"), "-o", str(folder / "reads")], check=True)
    return folder


def test_it_gives_what_the_program_gives(built: Path, tmp_path: Path) -> None:
    run = haichi.simulate_program([built / "ring", "65000"], MACHINE, ranks=8)
    command = [find_program(), "run", "-m", MACHINE, "-n", "8", "--json", "--", built / "ring", "65000"]
    printed = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=tmp_path, check=True)
    report = json.loads(printed.stdout)
    timing = ("wall_seconds", "packet_hops_per_second")
    ours = run.to_dict()
    assert ours["schema"] == "haichi-simulation/1"
    for entry in (report["runs"][0], ours["runs"][0]):
        for key in timing:
            del entry[key]
    assert ours == report
    assert run.seconds == report["runs"][0]["seconds"] == max(run.end_seconds) > 0
    assert run.output == printed.stderr and run.errors == ""
    assert run.exit_code == 0 and not run.interrupted and run.measured_factor is None
    assert run.calls == report["runs"][0]["calls"]
    assert run.node_of_rank.tolist() == list(range(8))
    assert run.form == "program" and run.payload_bytes >= 8 * 65000
    assert run.most_loaded_links[0].efficiency >= run.most_loaded_links[-1].efficiency > 0
    split = run.compute_seconds + run.call_seconds + run.wait_seconds
    np.testing.assert_allclose(split, run.end_seconds, rtol=1e-12)
    assert 0 < run.fractions_of_run.waiting < 1
    assert "ranks=8" in repr(run)
    pytest.importorskip("pandas")
    frame = run.to_dataframe()
    assert frame["node"].tolist() == list(range(8)) and frame.end_seconds.tolist() == run.end_seconds.tolist()
    assert run.to_dataframe("runs").seconds.tolist() == [run.seconds]
    assert run.to_dataframe("links").link[0] == run.most_loaded_links[0].link
    with pytest.raises(haichi.OptionError, match="invalid rows: 'sets'"):
        run.to_dataframe("sets")  # type: ignore[arg-type]


def test_ranks_are_where_a_placement_says(built: Path) -> None:
    workload = haichi.Workload.from_pattern("ring", ranks=4)
    job = haichi.Job(workload, "torus:8")
    near, far = job.place([0, 1, 2, 3]), job.place([0, 4, 1, 5])
    runs = [haichi.simulate_program([built / "ring"], "torus:8", ranks=4, placement=at) for at in (near, far)]
    assert runs[0].seconds < runs[1].seconds
    assert runs[1].node_of_rank.tolist() == [0, 4, 1, 5]
    by_array = haichi.simulate_program([built / "ring"], haichi.Machine("torus:8"), ranks=4, placement=[0, 4, 1, 5])
    assert by_array.seconds == runs[1].seconds


def test_nodes_ranks_per_node_and_a_machine_of_ones_own(built: Path) -> None:
    machine = {
        "schema": "haichi-machine/1",
        "name": "a line",
        "topology": {"kind": "mesh", "axes": [{"name": "X", "size": 6}]},
        "routing": {"kind": "dimension-order"},
        "link": {"bandwidth": "1GB/s"},
        "node": {"mpi_call_overhead": "1us"},
    }
    for given in (machine, haichi.Machine.from_dict(machine)):
        run = haichi.simulate_program([built / "ring"], given, ranks=6, nodes=[1, 3, 5], ppn=2)
        assert run.node_of_rank.tolist() == [0, 0, 1, 1, 2, 2]
        assert run.on_node_bytes > 0


def test_the_output_is_returned_or_passed_on(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "first\nsecond ä\n"
    run = haichi.simulate_program(built / "reads", MACHINE, ranks=3, input=text)
    assert run.output == text and run.exit_code == 3
    assert sorted((run.errors or "").splitlines()) == ["said 0", "said 1", "said 2"]
    assert capsys.readouterr().out == ""
    run = haichi.simulate_program(built / "reads", MACHINE, ranks=3, input=text.encode(), output="pass")
    assert run.output is None and run.errors is None and run.exit_code == 3
    passed = capsys.readouterr()
    assert passed.out == text and sorted(passed.err.splitlines()) == ["said 0", "said 1", "said 2"]
    assert haichi.simulate_program(built / "reads", MACHINE, ranks=1).output == ""


def test_an_exit_code_is_no_error(built: Path) -> None:
    assert haichi.simulate_program(built / "abort", MACHINE, ranks=3).exit_code == 7


def error_of(*arguments: object, **options: object) -> haichi.Error:
    with pytest.raises(haichi.Error) as raised:
        haichi.simulate_program(*arguments, **options)  # type: ignore[arg-type]
    return raised.value


def test_errors_have_the_words_and_the_kinds_of_the_program(built: Path, tmp_path: Path) -> None:
    stuck = error_of(built / "deadlock", MACHINE, ranks=3)
    assert isinstance(stuck, haichi.InputError) and "rank 0 in MPI_Recv (main (deadlock.c:" in str(stuck)
    assert stuck.hint.startswith("check why the messages that these ranks wait for are never sent")
    run = subprocess.run(
        [find_program(), "run", "-m", MACHINE, "-n", "3", "--", built / "deadlock"], capture_output=True, text=True
    )
    assert f"error: {stuck}\nhint: {stuck.hint}\n" in run.stderr
    refused = error_of(built / "refused", MACHINE, ranks=2)
    assert isinstance(refused, haichi.UnsupportedError) and "MPI_File_open" in str(refused)
    crashed = error_of(built / "crash", MACHINE, ranks=4)
    assert isinstance(crashed, haichi.InputError) and str(crashed).startswith("rank 2 accessed invalid memory")
    assert isinstance(error_of(built / "ring", MACHINE, ranks=17), haichi.OptionError | haichi.InputError)
    assert isinstance(error_of(built / "ring", MACHINE, ranks=2, compute="guessed"), haichi.OptionError)
    assert isinstance(error_of(built / "ring", MACHINE, ranks=2, payload="some"), haichi.OptionError)
    assert isinstance(error_of(tmp_path / "none", MACHINE, ranks=2), haichi.InputError)
    assert isinstance(error_of([], MACHINE), haichi.OptionError)
    assert isinstance(error_of(built / "ring", MACHINE, output="keep"), haichi.OptionError)
    with pytest.raises(TypeError, match="no parameter 'rank'"):
        haichi.simulate_program(built / "ring", MACHINE, rank=2)  # type: ignore[call-arg]


def test_statistics_and_history_are_written(built: Path, tmp_path: Path) -> None:
    run = haichi.simulate_program(
        [built / "ring", "65000"],
        MACHINE,
        ranks=16,
        statistics=haichi.LinkStatistics(tmp_path / "links.csv", bin="5us"),
        history=haichi.BufferHistory(tmp_path / "buffers.csv", router=1, interval=1e-6),
        partitions=2,
        most_loaded=3,
    )
    assert len(run.most_loaded_links) == 3
    bins = list(csv.DictReader((tmp_path / "links.csv").read_text().splitlines()))
    assert float(bins[-1]["end_seconds"]) == pytest.approx(run.seconds, rel=1e-9)
    assert sum(int(row["bytes"]) for row in bins) > 16 * 65000
    assert (tmp_path / "buffers.csv").read_text().count("\n") > 10


def test_code_between_calls_is_measured(built: Path) -> None:
    run = haichi.simulate_program([built / "spin", "0.05"], MACHINE, ranks=2, compute="measured*10")
    assert run.measured_factor == 10
    assert run.to_dict()["runs"][0]["computing"] == {"rule": "measured", "factor": 10, "reproducible": False}
    assert 0.4 < run.seconds < 2 and run.compute_seconds[0] > 0.4
    assert haichi.simulate_program([built / "spin", "0.01"], MACHINE, ranks=2).seconds < 1e-3


def test_ctrl_c_tells_what_is_known_and_progress_comes_before(built: Path) -> None:
    told: list[haichi.SimulationProgress] = []

    def stop(progress: haichi.SimulationProgress) -> None:
        told.append(progress)
        if len(told) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    watchdog = threading.Timer(100, os.kill, (os.getpid(), signal.SIGINT))
    watchdog.start()
    try:
        run = haichi.simulate_program([built / "barriers", "100000000"], MACHINE, ranks=16, progress=stop)
    finally:
        watchdog.cancel()
    assert run.interrupted
    assert run.seconds >= told[1].simulated_seconds > told[0].simulated_seconds > 0
    assert told[1].calls_done > told[0].calls_done > 0 and told[1].packet_hops > 0
    assert run.calls > 0 and run.wait_seconds.min() > 0


def test_an_error_of_the_callback_ends_the_run(built: Path) -> None:
    def fails(progress: haichi.SimulationProgress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        haichi.simulate_program([built / "barriers", "100000000"], MACHINE, ranks=16, progress=fails)
