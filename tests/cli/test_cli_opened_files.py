"""Files that other files name: they are opened only below the directory of the naming file, or below --files-below."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from haichi_program import QUICK, fail, succeed
from sample_logs import sample

LOGS = Path(__file__).parent.parent / "data" / "logs"
SECRET = "root:x:0:0"
WORKLOAD = {"schema": "haichi-workload/1", "ranks": 2, "sets": [{"messages": [[0, 1, 100]]}]}
GRAPH = """<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="b">5GB/s</data></edge></graph></graphml>
"""

Escape = Callable[[Path], str]


def absolute(job: Path) -> str:
    return str(job.parent / "secret")


def upwards(job: Path) -> str:
    return "../secret"


def by_link(job: Path) -> str:
    (job / "link").symlink_to(job.parent / "secret")
    return "link"


def by_linked_directory(job: Path) -> str:
    (job / "up").symlink_to("..")
    return "up/secret"


ESCAPES = pytest.mark.parametrize("escape", [absolute, upwards, by_link, by_linked_directory])


@pytest.fixture()
def job(tmp_path: Path) -> Path:
    """A job's directory. Its parent contains a file that the job must not read."""
    (tmp_path / "secret").write_text(SECRET + "\n" + GRAPH)
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "w.json").write_text(json.dumps(WORKLOAD))
    return tmp_path / "job"


def check_refused(error: str, place: str, name: str) -> None:
    assert error.startswith(f"error: {place}: the file '{name[:60]}"), error  # long names are shortened
    assert "leads outside the directory of" in error and "--files-below DIR" in error and "HAICHI_FILES_BELOW" in error
    assert SECRET not in error


def machine(job: Path, topology: dict[str, object]) -> None:
    text = {"schema": "haichi-machine/1", "topology": topology, "link": {"bandwidth": "5GB/s"}}
    (job / "m.json").write_text(json.dumps(text, indent=1))


@ESCAPES
def test_a_machine_file_names_no_graph_outside(job: Path, escape: Escape) -> None:
    name = escape(job)
    machine(job, {"kind": "graph", "file": name})
    for command in [
        ["map", "-m", "m.json", "-w", "w.json", "-o", "out.map"],
        ["map", "-m", "m.json", "-w", "w.json", *QUICK],
        ["simulate", "-m", "m.json", "-w", "w.json"],
        ["check", "-m", "m.json", "--map", "w.json"],
        ["advise", "barrier", "-m", "m.json", "-w", "w.json"],
    ]:
        check_refused(fail(2, *command, cwd=job), "m.json:5", name)
    assert not (job / "out.map").exists()


@ESCAPES
def test_a_cluster_of_a_machine_file_names_no_graph_outside(job: Path, escape: Escape) -> None:
    name = escape(job)
    bridges = {"count": 1, "bandwidth": "60MB/s", "latency": "18us", "mtu": "8192B", "buffer": "10MB"}
    clusters = [{"kind": "tree", "children": [4]}, {"kind": "graph", "file": name}]
    machine(job, {"kind": "clusters", "clusters": clusters, "bridges": bridges})
    error = fail(2, "map", "-m", "m.json", "-w", "w.json", cwd=job)
    check_refused(error, error.split(": ")[1], name)
    assert error.startswith("error: m.json:")


@ESCAPES
def test_an_index_of_traces_names_no_file_outside(job: Path, escape: Escape) -> None:
    (job / "rank0.txt").write_text("0 init\n0 finalize\n")
    name = escape(job)
    (job / "index.txt").write_text(f"rank0.txt\n{name}\n")
    for command in [["log", "show"], ["ccs"], ["simulate", "-m", "fx10-kyushu", "-w"]]:
        check_refused(fail(2, *command, "index.txt", cwd=job), "index.txt:2", name)


def test_a_file_that_is_not_there_is_refused_as_one_that_is(job: Path) -> None:
    """Different messages would show an uploader which files exist on a server."""
    errors = []
    for name in ["../secret", "../absent"]:
        machine(job, {"kind": "graph", "file": name})
        errors.append(fail(2, "map", "-m", "m.json", "-w", "w.json", cwd=job).replace(name, ""))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("of", ["option", "environment"])
def test_a_wider_root_is_an_option(job: Path, of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (job.parent / "net.graphml").write_text(GRAPH)
    machine(job, {"kind": "graph", "file": "../net.graphml"})
    command: list[object] = ["map", "-m", "m.json", "-w", "w.json", *QUICK]
    if of == "option":
        command += ["--files-below", ".."]
    else:
        monkeypatch.setenv("HAICHI_FILES_BELOW", str(job.parent))
    succeed(*command, cwd=job)
    # Files outside of the wider root are still refused.
    machine(job, {"kind": "graph", "file": "/etc/passwd"})
    assert "leads outside" in fail(2, *command, cwd=job)


def test_a_root_that_is_no_directory_is_refused(job: Path) -> None:
    machine(job, {"kind": "graph", "file": "net.graphml"})
    command = ["map", "-m", "m.json", "-w", "w.json", "--files-below", "nowhere"]
    assert "--files-below: 'nowhere' is not a directory" in fail(2, *command, cwd=job)


def test_the_directory_is_that_of_the_file_wherever_the_program_runs(job: Path) -> None:
    (job / "net.graphml").write_text(GRAPH)
    machine(job, {"kind": "graph", "file": "net.graphml"})
    succeed("map", "-m", "job/m.json", "-w", "job/w.json", *QUICK, cwd=job.parent)
    succeed("map", "-m", job / "m.json", "-w", job / "w.json", *QUICK, cwd=Path("/"))


def test_an_index_as_smpirun_wrote_it_from_above_is_read(tmp_path: Path) -> None:
    """The names in the index are relative to the directory in which smpirun ran."""
    shutil.copytree(LOGS / "tit", tmp_path / "traces")
    index = tmp_path / "traces" / "ring.tit"
    index.write_text("".join(f"traces/{name}\n" for name in index.read_text().split()))
    assert "4 ranks" in succeed("log", "show", "traces/ring.tit", cwd=tmp_path).stdout
    # The files must still be below the directory of the index.
    (tmp_path / "indices").mkdir()
    index.rename(tmp_path / "indices" / "ring.tit")
    error = fail(2, "log", "show", "indices/ring.tit", cwd=tmp_path)
    assert "indices/ring.tit:1: cannot read indices/traces/" in error and "--files-below DIR" in error
    assert "4 ranks" in succeed("log", "show", "indices/ring.tit", "--files-below", ".", cwd=tmp_path).stdout


def test_traces_beside_the_named_one_are_not_links_that_lead_outside(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "dumpi", tmp_path / "far")
    (tmp_path / "job").mkdir()
    for file in (tmp_path / "far").iterdir():
        (tmp_path / "job" / file.name).symlink_to(file)
    error = fail(2, "log", "show", "dumpi-0000.txt", cwd=tmp_path / "job")
    assert "dumpi-0001.txt: the file leads outside the directory of dumpi-0000.txt" in error
    assert "4 ranks" in succeed("log", "show", "dumpi-0000.txt", "--files-below", "..", cwd=tmp_path / "job").stdout


def test_the_programs_of_a_log_are_opened_below_its_directory_only(tmp_path: Path) -> None:
    sample("hostile", 2, tmp_path / "app.haichi")
    refused = "the file '/opt/<u>app\\x1b[0m' leads outside the directory of app.haichi"
    shown = succeed("log", "show", "app.haichi", "--call-sites", cwd=tmp_path).stdout
    assert refused in shown and "use --files-below DIR" in shown
    succeed("log", "show", "app.haichi", "--html", "page.html", cwd=tmp_path)
    assert "leads outside the directory of app.haichi" in (tmp_path / "page.html").read_text()
    asked = succeed("log", "show", "app.haichi", "--call-sites", "--files-below", "/", cwd=tmp_path).stdout
    assert "leads outside" not in asked and "cannot read " in asked


def test_the_debug_link_of_a_program_beside_a_log_is_not_followed(tmp_path: Path) -> None:
    """A link to a pipe stopped the command forever, and links opened files anywhere."""
    sample("hostile", 2, tmp_path / "app.haichi")
    log = (tmp_path / "app.haichi").read_bytes()
    name = b"./linked_program"[: len(b"/opt/<u>app\x1b[0m")]
    (tmp_path / "app.haichi").write_bytes(log.replace(b"/opt/<u>app\x1b[0m", name))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").write_bytes(b"pipe".ljust(8, b"\0") + struct.pack("<I", 1))
    (tmp_path / "a.c").write_text("int f(void) { return 1; }\n")
    program = tmp_path / name.decode()
    for command in (
        ["gcc", "-shared", "-fPIC", "-Wl,--build-id=0xab01cd02", "a.c", "-o", program],
        ["strip", program],
        ["objcopy", "--add-section", ".gnu_debuglink=link", program],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    shown = succeed("log", "show", "app.haichi", "--call-sites", cwd=tmp_path).stdout
    assert "rebuilt" not in shown and "outside" not in shown and "cannot read" not in shown
