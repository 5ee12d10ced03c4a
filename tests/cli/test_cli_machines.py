"""Graph files and faulty nodes on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from haichi_program import QUICK, QUICK_AUTO, check_map, fail, haichi, succeed

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="t" for="node" attr.name="terminal" attr.type="boolean"/>
<key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
<graph edgedefault="undirected">
"""
TAIL = "</graph></graphml>\n"


def leaf_and_spine(leaves: int, hosts: int, spines: int) -> str:
    """Nodes below leaf switches, with a link from every leaf to every spine."""
    text = HEAD
    for leaf in range(leaves):
        text += f'<node id="leaf{leaf}"/>\n'
        for host in range(hosts):
            text += f'<node id="host{leaf}.{host}"><data key="t">true</data></node>\n'
            text += f'<edge source="host{leaf}.{host}" target="leaf{leaf}"><data key="b">5GB/s</data></edge>\n'
        for spine in range(spines):
            text += f'<edge source="leaf{leaf}" target="spine{spine}"><data key="b">10GB/s</data></edge>\n'
    return text + "".join(f'<node id="spine{spine}"/>\n' for spine in range(spines)) + TAIL


@pytest.fixture()
def cluster(place: Path) -> Path:
    (place / "cluster.graphml").write_text(leaf_and_spine(8, 9, 2))
    return place


def test_a_job_on_a_graph_file_maps_under_every_objective_and_evaluates_the_same(cluster: Path) -> None:
    job = ["-m", "graph:cluster.graphml", "-w", "cg64.json"]
    for objective in ["hop-bytes", "rmatt", "max-link-load", "tac3", "tac3-bytes", "weighted(tac3=1,hop-bytes=1)"]:
        search = ["--objective", objective, "--evaluations", 2000, "--verify", "end"]
        run = succeed("map", *job, *search, "--json", "-o", "c.map", cwd=cluster)
        report = json.loads(run.stdout)
        assert report["machine"] == "graph:cluster.graphml"
        assert report["routing"] == "shortest-path"
        assert (report["shape"], report["nodes"]) == ([72], 72)
        assert report["value"] <= report["default"]["value"]
        check_map(report["node_of_rank"], 64, 72)
        evaluated = json.loads(succeed("evaluate", *job, "--map", "c.map", "--json", cwd=cluster).stdout)
        assert evaluated["metrics"] == report["metrics"]
        assert evaluated["most_loaded_links"][0]["link"].startswith("(")


def test_a_job_on_a_dragonfly_maps_and_evaluates_the_same(place: Path) -> None:
    job = ["-m", "dragonfly:2,4,2", "-w", "cg64.json"]
    for objective in ["hop-bytes", "tac3"]:
        search = ["--objective", objective, "--evaluations", 2000, "--verify", "end"]
        run = succeed("map", *job, *search, "--json", "-f", "json", "-o", "d.map", cwd=place)
        report = json.loads(run.stdout)
        assert report["machine"] == "dragonfly:2,4,2"
        assert report["routing"] == "minimal"
        assert (report["shape"], report["nodes"]) == ([72], 72)
        assert report["value"] <= report["default"]["value"]
        check_map(report["node_of_rank"], 64, 72)
        evaluated = json.loads(succeed("evaluate", *job, "--map", "d.map", "--json", cwd=place).stdout)
        assert evaluated["metrics"] == report["metrics"]
        assert evaluated["most_loaded_links"][0]["link"].split()[0] in {"up", "down", "local", "global"}


def test_equal_runs_on_a_graph_give_equal_bytes_for_any_number_of_threads(cluster: Path) -> None:
    job = ["-m", "graph:cluster.graphml", "-w", "cg64.json", *QUICK_AUTO, "--json", "--no-timing"]
    one, two = (succeed("map", *job, "--threads", n, cwd=cluster).stdout for n in (1, 2))
    assert one == two


def test_a_machine_file_names_its_graph_beside_it(cluster: Path) -> None:
    (cluster / "site").mkdir()
    (cluster / "cluster.graphml").rename(cluster / "site" / "cluster.graphml")
    machine = {
        "schema": "haichi-machine/1",
        "name": "site",
        "topology": {"kind": "graph", "file": "cluster.graphml"},
        "faulty": [3],
        "link": {"bandwidth": "1GB/s"},
        "node": {"slots": 2},
    }
    (cluster / "site" / "site.json").write_text(json.dumps(machine))
    run = succeed("map", "-m", "site/site.json", "-w", "cg64.json", *QUICK, "--ppn", 2, "--json", cwd=cluster)
    report = json.loads(run.stdout)
    assert report["machine"] == "site"
    assert report["faulty"] == [3]
    assert 3 not in report["node_of_rank"]


@pytest.mark.parametrize(
    "preset",
    ["fx10-kyushu", "fx100:2x2x2:X", "torus:4x4x4", "mesh:8x8", "fattree:3x4", "nsim-fattree:3x4", "switch:64"]
    + ["dragonfly:2,4,2", "dragonfly-plus:4,4,4,5", "hyperx:4x4,4", "two-clusters:2,1ms,32"],
)
def test_a_preset_that_is_shown_is_a_machine_file_of_the_same_machine(place: Path, preset: str) -> None:
    text = succeed("list", "machines", "--show", preset, cwd=place).stdout
    assert json.loads(text)["name"] == preset and json.loads(text)["notes"][""]
    (place / "shown.json").write_text(text)
    # The output of these commands depends on every bandwidth and time of the machine.
    search = ["map", "--objective", "predicted-time", "--evaluations", 100, "--restarts", 1]
    for command in (search, ["simulate", "--barrier", "both", "--sim-iterations", 2]):
        job = [*command, "-w", "cg64.json", "--message-size", "100kB", "--json", "--no-timing"]
        if preset == "fx10-kyushu":
            job += ["--shape", "4x6x4"]
        by_name, by_file = (succeed(*job, "-m", m, cwd=place).stdout for m in (preset, "shown.json"))
        assert by_name == by_file


def test_what_has_no_machine_file_to_show_is_refused(place: Path) -> None:
    assert "leaves its sizes open" in fail(2, "list", "machines", "--show", "fx10", cwd=place)
    assert "did you mean 'torus'?" in fail(2, "list", "machines", "--show", "tours:4x4", cwd=place)
    assert "--show requires 'haichi list machines'" in fail(2, "list", "--show", "k", cwd=place)


def test_a_broken_graph_is_named_with_file_line_and_value(cluster: Path) -> None:
    for text, place, value in [
        ("", "g.graphml:1: ", "an empty file"),
        (HEAD + '<node id="a"/>\n<node id="a"/>\n' + TAIL, "g.graphml:7: ", "duplicate node 'a' on lines 6 and 7"),
        (HEAD + '<node id="a"/>\n<edge source="a" target="b"/>\n' + TAIL, "g.graphml:7: ", "'b'"),
        (HEAD + '<node id="a"/><node id="b"/>\n' + TAIL, "g.graphml: ", "no path from 'a' to 'b'"),
        ("<graphml>" * 200_000, "g.graphml:1: ", "deeper"),
    ]:
        (cluster / "g.graphml").write_text(text)
        words = fail(2, "map", "-m", "graph:g.graphml", "-w", "cg64.json", "-o", "none.map", cwd=cluster)
        assert words.startswith("error: " + place) and value in words
        assert not (cluster / "none.map").exists()
    assert "none.graphml" in fail(2, "map", "-m", "graph:none.graphml", "-w", "cg64.json", cwd=cluster)


def test_faulty_nodes_take_no_ranks_and_keep_their_numbers(place: Path) -> None:
    job = ["-m", "fx10-kyushu", "--shape", "1x2x4x2x3x2", "-w", "cg64.json"]
    # 0 1 2 1 2 0 is node 12 * (4 * 1 + 2) + 6 * 1 + 2 * 2 + 0 of the job
    (place / "down").write_text("# down since Monday\n(0,1,2,1,2,0)\n0\n")
    run = succeed("map", *job, *QUICK, "--faulty", "down", "--json", "-o", "c.map", cwd=place)
    report = json.loads(run.stdout)
    assert (report["nodes"], report["faulty"]) == (96, [0, 82])
    assert not {0, 82} & set(report["node_of_rank"])
    check_map(report["node_of_rank"], 64, 96)
    evaluated = json.loads(succeed("evaluate", *job, "--faulty", "down", "--map", "c.map", "--json", cwd=place).stdout)
    assert evaluated["metrics"] == report["metrics"]
    succeed("convert", *job[:4], "--faulty", "down", "--map", "c.map", "-t", "tofu6d", "-o", "c.tofu", cwd=place)
    assert "0 1 2 1 2 0" not in (place / "c.tofu").read_text().splitlines()
    assert "2 of them faulty" in succeed("map", *job, *QUICK, "--faulty", "down", cwd=place).stderr


def test_a_map_onto_a_faulty_node_is_refused_with_its_line(place: Path) -> None:
    job = ["-m", "fx10-kyushu", "--shape", "1x2x4x2x3x2"]
    succeed("map", *job, "-w", "cg64.json", "--strategy", "no-ring", "-f", "tofu6d", "-o", "plain.map", cwd=place)
    (place / "down").write_text("0 0 0 0 0 0\n")
    words = fail(
        2, "evaluate", *job, "-w", "cg64.json", "--map", "plain.map", "-f", "tofu6d", "--faulty", "down", cwd=place
    )
    assert words.startswith("error: plain.map:1: rank 0 is on node (0,0,0,0,0,0), which is faulty")
    check = haichi("check", *job, "--map", "plain.map", "-f", "tofu6d", "--faulty", "down", cwd=place)
    assert check.returncode == 2
    assert "plain.map:1: rank 0 is on node (0,0,0,0,0,0), which is faulty" in check.stdout + check.stderr


def test_a_faulty_node_that_no_route_avoids_is_named_with_the_pair(place: Path) -> None:
    (place / "down").write_text("1 1\n")
    words = fail(2, "map", "-m", "torus:9x9", "-w", "cg64.json", "--faulty", "down", cwd=place)
    assert "node (1,1) is faulty, and is on the route from node (2,1) to node (0,0)" in words
    assert "hint: " in words


def test_faulty_lists_are_checked_as_node_lists(place: Path) -> None:
    job = ["map", "-m", "fx10-kyushu", "-w", "cg64.json", "--faulty", "down"]
    (place / "down").write_text("0\n768\n")
    assert fail(2, *job, cwd=place).startswith("error: down:2: invalid node: '768' (the largest is 767)")
    (place / "down").write_text("0\n(0,0,0,0,0,0)\n")
    assert "down:2: " in fail(2, *job, cwd=place)
    assert "nothing" in fail(2, *job[:-1], "nothing", cwd=place)


def test_node_lists_with_gaps_and_several_ranks_per_node(place: Path) -> None:
    for machine in ["fx10-kyushu", "mesh:8x8x12"]:
        (place / "nodes").write_text("".join(f"{node}\n" for node in range(767, 0, -47)))
        job = ["-m", machine, "--nodes", "nodes", "--ppn", 4, "-w", "cg64.json"]
        run = succeed("map", *job, *QUICK, "--json", "-f", "json", cwd=place)
        report = json.loads(run.stdout)
        assert (report["nodes"], report["ranks_per_node"]) == (17, 4)
        check_map(report["node_of_rank"], 64, 17, 4)


def test_a_network_file_may_have_the_name_of_its_format(cluster: Path) -> None:
    (cluster / "anynet").write_text("router 0 node 0 router 1\nrouter 1 node 1\n")
    (cluster / "two.txt").write_text("0 1 8\n")
    run = succeed("map", "-m", "anynet", "-w", "two.txt", "--objective", "hop-bytes", "-f", "json", cwd=cluster)
    assert "2 ranks on 2 nodes of anynet" in run.stderr
    (cluster / "anynet").unlink()
    assert "requires a file" in fail(2, "map", "-m", "anynet", "-w", "two.txt", cwd=cluster)
