"""After signals, outputs are complete. Inputs are never overwritten, and no file is written through a link."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import haichi
from haichi import _core
from haichi.base.interruption import held_back
from haichi.base.outputs import write_files

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
JOB = ["-m", "mesh:4x4", "-w", "ring.json"]


@pytest.fixture()
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    haichi.Workload.from_pattern("random-ring", ranks=16).write(tmp_path / "ring.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_signals_take_effect_behind_what_must_be_whole() -> None:
    came: list[int] = []
    before = {number: signal.signal(number, lambda caught, frame: came.append(caught)) for number in SIGNALS}
    try:
        with held_back():
            for number in SIGNALS:
                signal.raise_signal(number)
            assert came == []
        assert came == SIGNALS
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_ctrl_c_while_a_file_is_written_leaves_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = _core.write_files

    def interrupted_write(files: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        write(files)

    monkeypatch.setattr(_core, "write_files", interrupted_write)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            write_files([(tmp_path / "x.json", "{}\n"), (tmp_path / "y.json", "[]\n")])
    finally:
        signal.signal(signal.SIGINT, before)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x.json": "{}\n", "y.json": "[]\n"}


def ended(folder: Path, work: str, number: signal.Signals) -> int:
    """Runs a program that is started like `compare` and `report` and does this work. Returns its exit code."""
    script = f"""
import atexit, os, signal, sys
from haichi.base.interruption import exit_code_of
number = signal.{number.name}
class Last:
    def __del__(self, kill=os.kill, process=os.getpid(), number=number):
        kill(process, number)
def work():
{work}
sys.exit(exit_code_of(work))
"""
    (folder / "program.py").write_text(script)
    command = [sys.executable, "-m", "program"]
    return subprocess.run(command, cwd=folder, preexec_fn=as_from_a_terminal, timeout=60).returncode


def as_from_a_terminal() -> None:
    for one in SIGNALS:
        signal.signal(one, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_program_that_is_done_is_not_killed_while_python_shuts_down(tmp_path: Path, number: signal.Signals) -> None:
    assert ended(tmp_path, "    global last; last = Last(); return 0", number) == 0
    assert ended(tmp_path, "    global last; last = Last(); raise KeyboardInterrupt", number) == 130
    assert ended(tmp_path, "    atexit.register(signal.raise_signal, number); return 0", number) == 130


@pytest.mark.parametrize("number", SIGNALS)
def test_a_program_that_is_interrupted_in_an_exec_is_not_killed(tmp_path: Path, number: signal.Signals) -> None:
    assert ended(tmp_path, "    exec('signal.raise_signal(number)')", number) == 130


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_signal_ends_what_the_first_has_begun(tmp_path: Path, number: signal.Signals) -> None:
    work = "    try: signal.raise_signal(number)\n    except KeyboardInterrupt: signal.raise_signal(number)\n"
    assert ended(tmp_path, work + "    return 0", number) == 130


@pytest.mark.parametrize("number", SIGNALS)
def test_compare_keeps_the_finished_cells_at_every_signal(place: Path, number: signal.Signals) -> None:
    options = ["--strategies", "random,hop-bytes", "--seeds", "300", "--processes", "1", "-o", "results.json"]
    run = subprocess.Popen(
        [sys.executable, "-m", "haichi", "compare", *JOB, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_from_a_terminal,
    )
    log = place / "results.json.journal-wal"
    until = time.monotonic() + 60
    while time.monotonic() < until and (not log.exists() or log.read_bytes().count(b'{"status"') < 3):
        time.sleep(0.02)
    run.send_signal(number)
    _, words = run.communicate(timeout=60)
    assert run.returncode == 130, words
    assert "Traceback" not in words
    assert haichi.Comparison.read(place / "results.json").interrupted
    assert sorted(path.name for path in place.iterdir()) == ["results.json", "results.json.journal", "ring.json"]


def test_outputs_that_are_inputs_are_refused(place: Path) -> None:
    content = (place / "ring.json").read_bytes()
    (place / "link.json").symlink_to("ring.json")
    os.link(place / "ring.json", place / "hard.json")
    for name in ("ring.json", "link.json", "hard.json"):
        command = [sys.executable, "-m", "haichi", "compare", *JOB, "-o", name]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert run.returncode == 2 and "input" in run.stderr
        with pytest.raises(haichi.OptionError, match="input"):
            haichi.Job("ring.json", "mesh:4x4").simulate(statistics=haichi.LinkStatistics(name))
        with pytest.raises(haichi.OptionError, match="input"):
            haichi.Job("ring.json", "mesh:4x4").simulate(history=haichi.BufferHistory(name, 0))
    (place / "results.html").symlink_to("ring.json")
    command = [sys.executable, "-m", "haichi", "report", "ring.json", "-o", "results.html"]
    assert "input" in subprocess.run(command, capture_output=True, text=True, timeout=60).stderr
    assert (place / "ring.json").read_bytes() == content
    assert not list(place.glob("*.journal"))


def test_files_that_an_input_names_are_inputs(place: Path) -> None:
    graph = """<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
<graph edgedefault="undirected"><node id="n0"/><node id="n1"/>
<edge source="n0" target="n1"><data key="b">1GB/s</data></edge></graph></graphml>"""
    topology = {"kind": "graph", "file": "net.json"}
    machine = {"schema": "haichi-machine/1", "topology": topology, "link": {"bandwidth": "1GB/s"}}
    (place / "m.json").write_text(json.dumps(machine))
    (place / "net.json").write_text(graph)
    haichi.Workload.from_pattern("ring", ranks=2).write("ring.json")
    command = [sys.executable, "-m", "haichi", "compare", "-m", "m.json", "-w", "ring.json", "-o"]
    assert "input net.json" in subprocess.run([*command, "./net.json"], capture_output=True, text=True).stderr
    for named in ("m.json", "graph:net.json"):
        with pytest.raises(haichi.OptionError, match="input"):
            haichi.Job("ring.json", named).simulate(statistics=haichi.LinkStatistics("net.json"))
    assert (place / "net.json").read_text() == graph
