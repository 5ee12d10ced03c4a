"""Machines as values: their properties and their independence from their files."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import haichi

RING = {
    "schema": "haichi-machine/1",
    "name": "ring",
    "topology": {"kind": "torus", "axes": [{"name": "X", "size": 6, "wraps": True}]},
    "link": {"bandwidth": "1GB/s"},
}
GRAPH = """<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/><graph edgedefault="undirected">
<node id="n0"/><node id="n1"/><node id="n2"/><edge source="n0" target="n1"><data key="b">1GB/s</data></edge>
<edge source="n1" target="n2"><data key="b">2GB/s</data></edge></graph></graphml>"""


def test_the_fx10_of_kyushu_is_a_torus_of_768_nodes() -> None:
    machine = haichi.Machine("fx10-kyushu")
    assert (machine.name, machine.kind, machine.nodes, machine.nics_per_node) == ("fx10-kyushu", "torus", 768, 4)
    assert machine.axes[2] == haichi.Axis("Z", 8, True) and machine.axes[1].wraps is False
    assert machine.topology["logical"] == [["X", "A"], ["Y", "B"], ["Z", "C"]]
    assert (machine.link_bandwidth, machine.routing, machine.text) == (5_000_000_000, "dor:XYZACB,tie=+", None)
    assert repr(machine) == "Machine('fx10-kyushu', torus, axes=4x2x8x2x3x2, nodes=768, links=5 GB/s)"


@pytest.mark.parametrize(
    ("name", "kind", "nodes", "topology"),
    [
        ("mesh:3x4", "mesh", 12, {"axes": [{"name": "X", "size": 3}, {"name": "Y", "size": 4}]}),
        ("fattree:3x4", "fattree", 64, {"children": [4, 4, 4], "parents": [1, 4, 4]}),
        ("switch:16", "tree", 16, {"children": [16]}),
        ("dragonfly:2,4,2", "dragonfly", 72, {"terminals": 2, "routers": 4, "global_links": 2, "groups": 9}),
        ("fx10", "torus", None, {"axes": [{"name": "X", "size": None}]}),
    ],
)
def test_every_kind_says_what_it_is(name, kind, nodes, topology) -> None:
    machine = haichi.Machine(name)
    assert (machine.kind, machine.nodes) == (kind, nodes)
    for key, value in topology.items():
        found = machine.topology[key]
        if key == "axes":
            found = [{k: axis[k] for k in part} for axis, part in zip(found, value, strict=False)]
        assert found == value
    assert machine == pickle.loads(pickle.dumps(machine)) and name in repr(machine)
    assert f"<caption>{name}</caption>" in machine._repr_html_()


def test_a_machine_is_its_name_or_its_file(cg64, on_shape_1, tmp_path: Path) -> None:
    by_value = haichi.Job(cg64, haichi.Machine("fx10-kyushu"), shape=on_shape_1["shape"])
    assert by_value.evaluate().value == haichi.Job(cg64, **on_shape_1).evaluate().value
    path = tmp_path / "ring.json"
    path.write_text(json.dumps(RING))
    machines = [haichi.Machine(path), haichi.Machine.from_file(path), haichi.Machine.from_dict(RING)]
    assert [machine.nodes for machine in machines] == [6, 6, 6]
    assert machines[0] == machines[1] != machines[2]
    assert machines[0].digest() == machines[1].digest() != machines[2].digest()
    assert machines[0].text == path.read_text()
    ring = haichi.Workload.from_pattern("ring", ranks=6, bytes=1000)
    values = [haichi.Job(ring, m).evaluate(range(6), objective="hop-bytes").value for m in (*machines, path, RING)]
    assert values == values[:1] * 5
    assert (
        haichi.Job(ring, "torus:6").simulate().run.links
        == haichi.Job(ring, haichi.Machine("torus:6")).simulate().run.links
    )


def test_a_file_may_have_the_name_of_a_preset(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "k").write_text(json.dumps(RING))
    monkeypatch.chdir(tmp_path)
    assert haichi.Machine.from_file("k").nodes == 6
    assert haichi.Machine("k").nodes == 82_944


@pytest.mark.parametrize("by_preset", [True, False])
def test_a_pickled_machine_needs_none_of_its_files(tmp_path: Path, by_preset) -> None:
    (tmp_path / "net.graphml").write_text(GRAPH)
    file = {**RING, "topology": {"kind": "graph", "file": "net.graphml"}}
    (tmp_path / "net.json").write_text(json.dumps(file))
    machine = haichi.Machine(f"graph:{tmp_path / 'net.graphml'}" if by_preset else tmp_path / "net.json")
    assert (machine.kind, machine.nodes, machine.link_bandwidth) == ("graph", 3, 2_000_000_000 if by_preset else 10**9)
    pickled = pickle.dumps((machine, haichi.Workload.from_pattern("ring", ranks=3)))
    for path in tmp_path.iterdir():
        path.unlink()
    # The script has only the pickled bytes, like a process on another computer.
    script = (
        "import haichi, pickle, sys; machine, workload = pickle.load(sys.stdin.buffer); "
        "print(machine.name, machine.topology['links'], haichi.Job(workload, machine).nodes)"
    )
    run = subprocess.run([sys.executable, "-c", script], input=pickled, capture_output=True, check=True)
    assert run.stdout.decode().split() == [machine.name, "4", "3"]


def test_wrong_machines_are_refused_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(haichi.OptionError) as unknown:
        haichi.Machine("fugako")
    assert "fugaku" in unknown.value.hint
    wrong = json.dumps({**RING, "link": {"bandwidth": 5}}, indent=1)
    (tmp_path / "wrong.json").write_text(wrong)
    with pytest.raises(haichi.InputError, match=r"wrong\.json:\d+: "):
        haichi.Machine.from_file(tmp_path / "wrong.json")
    with pytest.raises(haichi.InputError, match=r"mine:\d+: "):
        haichi.Machine.from_json(wrong, name="mine")
    with pytest.raises(TypeError):
        haichi.Machine(5)  # type: ignore[arg-type]


def test_texts_in_notebooks_are_escaped() -> None:
    machine = haichi.Machine.from_dict({**RING, "name": "<script>alert(1)</script>"})
    assert "<script>" not in machine._repr_html_() and "&lt;script&gt;" in machine._repr_html_()
