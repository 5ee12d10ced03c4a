"""`--slurm` with a stand-in for scontrol, and lists of node names."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from haichi_program import fail, haichi, succeed

TREE = """\
SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2,5]
SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]
SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-5] Switches=leaf[1-2]
"""
# Ranks 0 and 3, and ranks 1 and 2, belong together.
PAIRS = {"schema": "haichi-workload/1", "ranks": 4, "sets": [{"messages": [[0, 3, 1000], [1, 2, 1000]]}]}
SEARCH = ("--objective", "hop-bytes", "--evaluations", "2000")


@pytest.fixture()
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a workload and without a network that Slurm states."""
    for name in list(os.environ):
        if name.startswith("SLURM_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    scontrol(tmp_path, "exit 1")
    (tmp_path / "w.json").write_text(json.dumps(PAIRS))
    return tmp_path


def scontrol(place: Path, script: str) -> None:
    program = place / "bin" / "scontrol"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def leaves(hosts: list[str]) -> list[int]:
    return [1 if host in ("n1", "n2", "n5") else 2 for host in hosts]


def test_the_hostfile_of_a_job_names_its_nodes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scontrol(place, f"[ \"$*\" = 'show topology' ] && cat <<END\n{TREE}END")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[2-5]")
    monkeypatch.setenv("SLURM_NTASKS", "4")
    monkeypatch.setenv("SLURM_TASKS_PER_NODE", "1(x4)")
    done = succeed("map", "--slurm", "-w", "w.json", *SEARCH, "-o", "hosts", cwd=place)
    hosts = (place / "hosts").read_text().split()
    assert sorted(hosts) == ["n2", "n3", "n4", "n5"]
    assert leaves(hosts)[0] == leaves(hosts)[3] != leaves(hosts)[1] == leaves(hosts)[2]
    assert "SLURM_HOSTFILE=hosts" in done.stderr and "arbitrary" in done.stderr and "=4 " in done.stderr
    succeed("check", "--slurm", "--map", "hosts", cwd=place)
    assert "rank 0=" in succeed("convert", "--slurm", "--map", "hosts", "-t", "openmpi", cwd=place).stdout


def test_outside_of_a_job_the_nodes_and_tasks_are_options(place: Path) -> None:
    (place / "topology.conf").write_text(TREE)
    options = ("--nodelist", "n1,n3", "--ntasks", "4", "-w", "w.json", *SEARCH)
    done = succeed("map", "--slurm", *options, cwd=place)
    hosts = done.stdout.split()
    assert sorted(hosts) == ["n1", "n1", "n3", "n3"]
    assert hosts[0] == hosts[3] and hosts[1] == hosts[2]
    assert succeed("map", *options, cwd=place).stdout == done.stdout


def test_topology_yaml_beside_slurm_conf_is_a_network(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "topology.yaml").write_text(
        "- topology: ib\n  cluster_default: true\n  tree:\n    switches:\n"
        "      - switch: spine\n        children: leaf[1-2]\n"
        "      - switch: leaf1\n        nodes: n[1-2,5]\n"
        "      - switch: leaf2\n        nodes: n[3-4]\n"
    )
    (place / "topology.conf").write_text("SwitchName=all Nodes=n[1-5]\n")  # Slurm ignores it beside topology.yaml
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[2-5]")
    monkeypatch.setenv("SLURM_NTASKS", "4")
    hosts = succeed("map", "--slurm", "-w", "w.json", *SEARCH, cwd=place).stdout.split()
    assert leaves(hosts)[0] == leaves(hosts)[3] != leaves(hosts)[1] == leaves(hosts)[2]


def test_check_names_a_host_that_is_not_of_the_job(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "topology.conf").write_text(TREE)
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[2-5]")
    (place / "hosts").write_text("x9\nn3\nn4\nn5\n")
    done = haichi("check", "--slurm", "--map", "hosts", cwd=place)
    assert done.returncode == 2
    assert "hosts:1: the job has no node with the name 'x9'" in done.stdout + done.stderr


def test_the_addresses_of_all_nodes_are_a_network(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = place / "bin" / "srun"
    lines = [f"n{node} spine.leaf{1 + node // 3}.n{node} switch.switch.node" for node in (1, 2, 3, 4)]
    program.write_text("#!/bin/sh\n" + "".join(f"echo {line}\n" for line in lines))
    program.chmod(0o755)
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-4]")
    monkeypatch.setenv("SLURM_TOPOLOGY_ADDR", "spine.leaf1.n1")
    monkeypatch.setenv("SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node")
    hosts = succeed("map", "--slurm", "-w", "w.json", *SEARCH, cwd=place).stdout.split()
    assert {frozenset((hosts[0], hosts[3])), frozenset((hosts[1], hosts[2]))} == {
        frozenset(("n1", "n2")),
        frozenset(("n3", "n4")),
    }


def test_without_a_job_or_a_network_the_error_says_what_to_give(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = fail(2, "map", "--slurm", "-w", "w.json", cwd=place)
    assert "SLURM_JOB_NODELIST is not set" in error and "--nodelist" in error
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-4]")
    error = fail(2, "map", "--slurm", "-w", "w.json", cwd=place)
    assert "Slurm does not state the network" in error and "--machine" in error
    (place / "topology.conf").write_text(TREE.replace("n[3-4]", "n3").replace("n[1-5]", "n[1-3,5]"))
    assert "no node with the name 'n4'" in fail(2, "map", "--slurm", "-w", "w.json", cwd=place)
    assert "cannot be combined" in fail(2, "map", "--slurm", "--nodes", "n1", "-w", "w.json", cwd=place)


def test_a_machine_without_names_takes_them_from_hosts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "a[1-2],b[1-2]")
    machine = ("-m", "fattree:2x2", "--hosts", "a[1-2],b[1-2]")
    hosts = succeed("map", "--slurm", *machine, "-w", "w.json", *SEARCH, cwd=place).stdout.split()
    assert hosts[0][0] == hosts[3][0] != hosts[1][0] == hosts[2][0]
    listed = succeed(
        "map", *machine, "--nodes", "a1,b1", "--ppn", "2", "-w", "w.json", *SEARCH, "-f", "slurm", cwd=place
    )
    assert sorted(listed.stdout.split()) == ["a1", "a1", "b1", "b1"]
    assert "hint: its nodes have the numbers 0..3" in fail(
        2, "map", "-m", "torus:4", "--nodes", "a,b", "-w", "w.json", cwd=place
    )


def test_a_list_of_hosts_may_have_no_brackets(place: Path) -> None:
    (place / "map.json").write_text('{"schema": "haichi-mapping/1", "ranks": 2, "node_of_rank": [1, 0]}')
    convert = ("convert", "--map", "map.json", "-t", "slurm")
    hosts = "c427-032,c429-002"
    assert succeed(*convert, "-m", "torus:2", "--hosts", hosts, cwd=place).stdout == "c429-002\nc427-032\n"
    (place / "hosts").write_text("node[1-2]\n")
    assert succeed(*convert, "-m", "torus:2", "--hosts", "hosts", cwd=place).stdout == "node2\nnode1\n"
    assert "node1,node2" in fail(2, *convert, "-m", "torus:2", "--hosts", "node7", cwd=place)


def test_a_job_with_fewer_tasks_than_ranks_is_refused(place: Path) -> None:
    tree = ("-m", "fattree:2x2", "--hosts", "n[1-4]", "-w", "w.json")
    words = fail(2, "map", "--slurm", "--nodelist", "n[1-4]", "--ntasks", "3", *tree, cwd=place)
    assert "the workload has 4 ranks, but the Slurm job has 3 tasks" in words


@pytest.mark.parametrize("line", ["n1 slots=2 slots=3", "n1:2 slots=3", "n1 2 slots=3", "n1 2 3"])
def test_rank_slots_that_are_stated_twice_are_refused(place: Path, line: str) -> None:
    (place / "nodes").write_text(line + "\n")
    words = fail(2, "map", "-m", "fattree:2x2", "--hosts", "n[1-4]", "--nodes", "nodes", "-w", "w.json", cwd=place)
    assert words.startswith("error: nodes:1: ") and "3" in words


def test_a_network_file_may_be_compressed_and_may_begin_with_a_mark(place: Path) -> None:
    text = TREE.encode()
    for name, content in {"marked.conf": b"\xef\xbb\xbf" + text, "small.conf.gz": gzip.compress(text)}.items():
        (place / name).write_bytes(content)
        run = succeed("map", "-m", name, "-w", "w.json", *SEARCH, "-f", "slurm", cwd=place)
        assert len(run.stdout.split()) == 4


def test_a_small_file_cannot_name_millions_of_cables(place: Path) -> None:
    (place / "fan.conf").write_text("".join(f"SwitchName=s{i} Nodes=n[1-200000]\n" for i in range(100)))
    assert fail(2, "map", "-m", "fan.conf", "-w", "w.json", cwd=place).startswith("error: fan.conf:11: ")
