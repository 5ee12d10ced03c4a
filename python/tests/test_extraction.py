"""Communication sets that Python extracts from logs are those of the program, as arrays."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import haichi

LOGS = Path(__file__).resolve().parents[2] / "tests" / "data" / "logs"


def test_sets_of_a_trace_are_those_of_the_program(tmp_path: Path) -> None:
    log = LOGS / "tit" / "ring.tit"
    found = haichi.extract_sets(log)
    assert found.workload.ranks == 4
    assert found.iterations == 5
    assert 0.9 < found.fraction_of_bytes < 1
    messages = found.workload.messages
    assert np.array_equal(np.sort(messages.source), np.arange(4))
    assert np.array_equal((messages.source + 1) % 4, messages.destination)
    program = os.environ.get("HAICHI_BIN")
    if not program:
        pytest.skip("compares with the built program, which ctest names in HAICHI_BIN")
    sets = tmp_path / "sets.json"
    done = subprocess.run([program, "ccs", log, "--json", "-o", sets], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == found.report
    ours = tmp_path / "ours.json"
    found.workload.write(ours)
    assert ours.read_bytes() == sets.read_bytes()


def test_sets_can_be_mapped_as_they_are() -> None:
    found = haichi.extract_sets(LOGS / "tit" / "ring.tit")
    job = haichi.Job(found.workload, "mesh:2x2")
    assert job.evaluate(job.optimize("tac3")).optimal


def test_options_reach_the_extraction() -> None:
    log = LOGS / "tit" / "ring.tit"
    expanded = haichi.extract_sets(log, main_loop="whole", expand="all", collectives={"allreduce": "ring"})
    plain = haichi.extract_sets(log, main_loop="whole")
    assert len(expanded.report["sets"]) > len(plain.report["sets"])
    assert expanded.report["main_loop"] == "whole"
    assert "Extraction(ranks=4" in repr(plain)


@pytest.mark.parametrize(
    ("log", "error", "words"),
    [
        ("mpip/ring.4.1234.1.mpiP", haichi.UnsupportedError, "not record the order of messages"),
        ("README.md", haichi.InputError, "README.md:1"),
        ("nothing.otf2", haichi.InputError, "cannot read .*nothing.otf2"),
    ],
)
def test_what_has_no_sets_is_refused(log: str, error: type[haichi.Error], words: str) -> None:
    with pytest.raises(error, match=words):
        haichi.extract_sets(LOGS / log)


def test_wrong_options_are_refused() -> None:
    log = LOGS / "tit" / "ring.tit"
    with pytest.raises(haichi.OptionError, match="main_loop 9"):
        haichi.extract_sets(log, main_loop=9)
    with pytest.raises(haichi.OptionError, match="did you mean|algorithms are"):
        haichi.extract_sets(log, collectives={"allreduce": "rings"})
