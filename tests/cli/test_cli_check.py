"""`haichi check`, and maps with host names: output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from haichi_program import JOB, QUICK, fail, haichi, succeed

SCRIPT = """#!/bin/bash
#PJM -L "rscgrp=small,elapse=1:00:00"
#PJM -L "node=2x6x8:torus"
#PJM --mpi "shape=2x6x8,proc=64,rank-map-hostfile=cg64.map"
mpiexec ./cg
"""


def test_a_map_and_the_lines_printed_beside_it_are_taken(place: Path) -> None:
    words = succeed("map", *JOB, "-w", "cg64.json", *QUICK, "-o", "cg64.map", cwd=place).stderr
    lines = [line for line in words.splitlines() if line.startswith("#PJM")]
    (place / "job.sh").write_text("#!/bin/sh\n" + "\n".join(lines) + "\nmpiexec ./cg\n")
    run = succeed("check", "--map", "cg64.map", *JOB, "--job", "job.sh", cwd=place)
    assert run.stderr == ""
    assert run.stdout == (
        "ok       job.sh:2: node=2x6x8:torus:strict is the logical shape of the job\n"
        "ok       job.sh:3: shape=2x6x8 fits into node=2x6x8\n"
        "ok       job.sh:3: proc=64 fits on 96 nodes with at most 1 rank each\n"
        "ok       job.sh:3: rank-map-hostfile='cg64.map' names the map\n"
        "ok       every line holds coordinates inside the logical shape 2x6x8\n"
        "ok       64 ranks, as in the script\n"
        "ok       at most 1 rank on a node with 1 rank slot\n"
        "cg64.map: PJM accepts the rank map\n"
    )


def test_the_job_of_a_check_may_be_the_script_s(mapped: Path) -> None:
    (mapped / "job.sh").write_text(SCRIPT)
    assert (
        "accepts the rank map"
        in succeed("check", "--map", "cg64.map", "-m", "fx10-kyushu", "--job", "job.sh", cwd=mapped).stdout
    )
    assert (
        "accepts the rank map"
        in succeed("check", "--map", "cg64.map", "-m", "fx10", "--job", "job.sh", cwd=mapped).stdout
    )


def test_every_problem_is_told_and_the_exit_code_is_2(mapped: Path) -> None:
    lines = (mapped / "cg64.map").read_text().splitlines()
    lines[2] = "(0,6,0)"
    lines[6] = "(0, 0,0)"
    (mapped / "cg64.map").write_text("\n".join(lines[:-1]) + "\n")
    (mapped / "job.sh").write_text(SCRIPT.replace("proc=64", "porc=64") + "#PJM --mpi proc=64\n")
    run = haichi("check", "--map", "cg64.map", *JOB, "--job", "job.sh", cwd=mapped)
    assert run.returncode == 2
    for problem in [
        "problem  job.sh:4: unknown MPI parameter 'porc'\n         hint: did you mean 'proc'?\n",
        "problem  cg64.map:3: invalid coordinates: '(0,6,0)' (the logical shape is 2x6x8)\n",
        "problem  cg64.map:7: expected coordinates (x,y,z) without blanks, found '(0, 0,0)'\n",
        "problem  cg64.map: 63 lines for 64 ranks\n",
        "cg64.map: PJM rejects the rank map, 4 problems\n",
    ]:
        assert problem in run.stdout


def test_json_holds_the_same_for_machines(mapped: Path) -> None:
    (mapped / "job.sh").write_text(SCRIPT.replace("64,", "63,"))
    run = haichi("check", "--map", "cg64.map", *JOB, "--job", "job.sh", "--json", cwd=mapped)
    assert run.returncode == 2
    report = json.loads(run.stdout)
    assert report["schema"] == "haichi-check/1"
    assert (report["map"], report["format"], report["accepted"], report["problems"]) == (
        "cg64.map",
        "fujitsu",
        False,
        1,
    )
    problem = [check for check in report["checks"] if check["result"] == "problem"]
    assert problem[0]["text"] == "cg64.map: 64 lines for 63 ranks"
    assert "INVALID HOSTFILE" in problem[0]["hint"]
    node = report["checks"][0]
    assert (node["result"], node["file"], node["line"]) == ("ok", "job.sh", 3)
    good = json.loads(succeed("check", "--map", "cg64.map", *JOB, "--json", cwd=mapped).stdout)
    assert (good["accepted"], good["ranks"], good["problems"]) == (True, 64, 0)


def test_wrong_usage_is_an_error(mapped: Path) -> None:
    assert "--map is missing" in fail(2, "check", *JOB, cwd=mapped)
    assert "no.sh" in fail(2, "check", *JOB, "--map", "cg64.map", "--job", "no.sh", cwd=mapped)
    assert "only one" in fail(2, "check", *JOB, "--map", "-", "--job", "-", cwd=mapped, input="")
    assert "did you mean 'fujitsu'?" in fail(2, "check", *JOB, "--map", "cg64.map", "-f", "fujitsi", cwd=mapped)


# ---- host names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["openmpi", "slurm", "hydra", "intel", "simgrid"])
def test_convert_to_host_names_and_back(mapped: Path, form: str) -> None:
    (mapped / "hosts").write_text("".join(f"node{i:03d}\n" for i in range(96)))
    for hosts in ["hosts", "node[000-095]", "node%03d"]:
        succeed("convert", *JOB, "--map", "cg64.map", "-t", form, "--hosts", hosts, "-o", "hosted", cwd=mapped)
        back = succeed("convert", *JOB, "--map", "hosted", "-f", form, "-t", "fujitsu", "--hosts", hosts, cwd=mapped)
        assert back.stdout == (mapped / "cg64.map").read_text()
    assert "node0" in (mapped / "hosted").read_text()
    words = succeed(
        "evaluate", *JOB, "-w", "cg64.json", "--map", "hosted", "--hosts", "hosts", "--no-timing", cwd=mapped
    )
    assert (
        words.stdout
        == succeed("evaluate", *JOB, "-w", "cg64.json", "--map", "cg64.map", "--no-timing", cwd=mapped).stdout
    )
    assert "accepts the rank map" in succeed("check", *JOB, "--map", "hosted", "--hosts", "hosts", cwd=mapped).stdout


def test_map_writes_host_names_and_needs_them_before_the_search(place: Path) -> None:
    run = succeed("map", *JOB, "-w", "cg64.json", *QUICK, "-f", "slurm", "--hosts", "c[1-96]", cwd=place)
    assert run.stdout.startswith("c") and run.stdout.count("\n") == 64
    words = fail(2, "map", *JOB, "-w", "cg64.json", "-f", "slurm", cwd=place)
    assert "the format slurm requires host names" in words and "hint: give --hosts" in words
    assert "3 host names for the 96 nodes" in fail(
        2, "map", *JOB, "-w", "cg64.json", "-f", "slurm", "--hosts", "c[1-3]", cwd=place
    )


def test_a_format_that_cannot_express_the_job_says_why(mapped: Path) -> None:
    words = fail(2, "convert", *JOB, "--map", "cg64.map", "-t", "bgq", cwd=mapped)
    assert "6 axes" in words
    words = fail(2, "convert", *JOB, "--map", "cg64.map", "-t", "cray", cwd=mapped)
    assert "the 64 ranks fill fewer than 96 nodes" in words
    words = fail(2, "map", "-m", "torus:8x4x4", "-w", "cg64.json", "-f", "bgl", cwd=mapped)
    assert "64 ranks for 128 rank slots" in words


def test_a_scattered_cray_order_is_warned_about(place: Path) -> None:
    succeed("pattern", "random-ring", "--ranks", 256, "-o", "ring.json", cwd=place)
    run = succeed("map", "-m", "torus:8x8x4", "-w", "ring.json", "--strategy", "random", "-f", "cray", cwd=place)
    assert "warning: " in run.stderr and "cray-mpich 9.1.0" in run.stderr
    assert "," in run.stdout
    run = succeed("map", "-m", "torus:4x4x4", "-w", "cg64.json", "--strategy", "row-major", "-f", "cray", cwd=place)
    assert "warning" not in run.stderr
