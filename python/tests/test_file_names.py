"""Names of files that are not UTF-8, and texts that UTF-8 cannot encode."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import haichi

ODD = os.fsdecode(b"\xff\xe9")
"""A file name that is valid in Latin-1, but not in UTF-8."""

MACHINE = {
    "schema": "haichi-machine/1",
    "topology": {"kind": "torus", "axes": [{"name": "X", "size": 4}, {"name": "Y", "size": 4}]},
    "link": {"bandwidth": "1GB/s"},
}


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    odd = tmp_path / ODD
    odd.mkdir()
    return odd


def test_every_file_may_have_a_name_that_is_no_utf8(folder: Path) -> None:
    cg = haichi.Workload.from_pattern("cg", ranks=16)
    cg.write(folder / "cg.json")
    assert haichi.Workload.from_file(folder / "cg.json") == cg
    (folder / "nodes").write_text("".join(f"{node % 4} {node // 4}\n" for node in range(16)))
    (folder / "faulty").write_text("")
    (folder / "machine.json").write_text(json.dumps(MACHINE))
    where = {"machine": folder / "machine.json", "nodes": folder / "nodes", "faulty": folder / "faulty"}
    job = haichi.Job(folder / "cg.json", **where)
    found = job.optimize(strategy="random")
    found.write(folder / "map", format="json")
    measured = job.evaluate(folder / "map")
    np.testing.assert_array_equal(measured.placement.node_of_rank, found.node_of_rank)
    started = job.optimize(start=folder / "map", evaluations=10, restarts=1)
    assert job.evaluate(started).value <= measured.value
    run = job.simulate(folder / "map", sim_iterations=1, statistics=haichi.LinkStatistics(folder / "statistics.csv"))
    assert run.seconds > 0
    assert (folder / "statistics.csv").stat().st_size > 0
    robust = haichi.optimize_shapes(haichi.jobs(cg, "torus:4x4", ["4x4"]), robust="max", evaluations=10)
    robust.write(folder / "robust.json", format="json")
    assert (folder / "robust.json").exists()


def test_a_machine_keeps_its_odd_name(folder: Path) -> None:
    path = folder / f"{ODD}.json"
    path.write_text(json.dumps(MACHINE))
    machine = haichi.Machine(path)
    path.unlink()
    copied = pickle.loads(pickle.dumps(machine))
    assert copied == machine
    assert copied.digest() == machine.digest()
    assert ODD in machine.name
    assert ODD not in haichi.Job(np.ones((16, 16)), machine).evaluate(np.arange(16)).report["machine"]


def test_errors_name_the_odd_file(folder: Path) -> None:
    with pytest.raises(haichi.InputError, match="cannot read .*none.json: ") as caught:
        haichi.Workload.from_file(folder / "none.json")
    assert str(folder) in str(caught.value)
    with pytest.raises(haichi.OptionError, match="unknown machine"):
        haichi.Machine(ODD)
    with pytest.raises(haichi.OptionError, match="path"):
        haichi.Workload.from_file("\ud800")
    with pytest.raises(haichi.OptionError, match="NUL"):
        haichi.Machine("fx10\0")
    for text in (ODD, "\ud800"):
        with pytest.raises(haichi.InputError):
            haichi.Machine.from_json(text)


@pytest.mark.parametrize("label", ["\udcff", "\ud800", 3])
def test_labels_are_unicode(label) -> None:
    with pytest.raises(haichi.InputError, match="label"):
        haichi.Workload.from_messages([0], [1], [1], labels=[label])
    with pytest.raises(haichi.InputError, match="label"):
        haichi.Workload.from_matrix(np.eye(2), label=label)
