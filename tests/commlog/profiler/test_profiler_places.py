"""The call sites, regions, communicators and target ranks of a program's MPI calls."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import mpi_programs as mpi_jobs
import pytest

RANKS = 3


def line_of(site: str) -> int:
    lines = (mpi_jobs.PROGRAMS / "places.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if f"/* site: {site} */" in line)


def run(mpi: str, built: Path, place: Path, options: str = "") -> Path:
    mpi_jobs.require_mpi(mpi)
    executable = place / "places"
    shutil.copy(mpi_jobs.program(mpi, "places.c", built), executable)
    settings = {"HAICHI_PROF": f"file={place / 'profile'}{options}"}
    return mpi_jobs.run_profiled(mpi, executable, RANKS, place, **settings)


def show(log: Path, *options: str) -> str:
    done = subprocess.run([mpi_jobs.BIN, "log", "show", *options, log], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sites_of(shown: dict[str, Any], function: str) -> list[dict[str, Any]]:
    return [site for site in shown["call_sites"] if site["function"] == function]


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_calls_are_known_by_their_place(mpi: str, built: Path, tmp_path: Path) -> None:
    log = run(mpi, built, tmp_path)
    shown = json.loads(show(log, "--json", "--call-sites"))
    assert shown["warnings"] == []
    # The ranks load the program at different addresses, but each site is one entry.
    exchange = sites_of(shown, "MPI_Sendrecv")
    assert [(s["caller"], s["line"], s["ranks"], s["calls"]) for s in exchange] == [
        ("exchange", line_of("exchange"), RANKS, 15 * RANKS)
    ]
    assert exchange[0]["file"].endswith("programs/places.c") and exchange[0]["build_id"] != ""
    assert exchange[0]["sent_bytes"] == exchange[0]["received_bytes"] == RANKS * (10 * 100 + 5 * 1000)
    barriers = sites_of(shown, "MPI_Barrier")
    assert [(s["caller"], s["line"], s["calls"]) for s in barriers] == [
        ("late_barriers", line_of("late_barriers"), 4 * RANKS)
    ]
    # A received message counts for the site of its posted receive.
    posted = sites_of(shown, "MPI_Irecv")
    assert [(s["line"], s["received_bytes"]) for s in posted] == [(line_of("post_and_wait"), 4 * RANKS)]
    assert sites_of(shown, "MPI_Wait")[0]["received_bytes"] == 0
    text = show(log, "--call-sites")
    assert f"exchange (places.c:{line_of('exchange')})" in text and "note:" not in text


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_a_program_that_has_changed_is_not_asked(mpi: str, built: Path, tmp_path: Path) -> None:
    log = run(mpi, built, tmp_path)
    executable = tmp_path / "places"
    mpi_jobs.compile_with([f"mpicc.{mpi}", "-O2", "-g", mpi_jobs.PROGRAMS / "places.c", "-o", executable])
    text = show(log, "--call-sites")
    assert f"note: {executable}: the file was rebuilt after the run" in text and "places+0x" in text
    executable.unlink()
    text = show(log, "--call-sites")
    assert str(executable) in text and "places+0x" in text


def test_places_are_left_out_where_they_are_not_wanted(built: Path, tmp_path: Path) -> None:
    log = run("openmpi", built, tmp_path, ",call_sites=off")
    shown = json.loads(show(log, "--json"))
    assert shown["call_sites"] == [] and len(shown["communicators"]) > 2 and len(shown["regions"]) > 2
    assert "call_sites=off" in show(log, "--call-sites")


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_regions_have_the_calls_made_in_them(mpi: str, built: Path, tmp_path: Path) -> None:
    log = run(mpi, built, tmp_path)
    shown = mpi_jobs.show_log(log)
    regions = {region["name"]: region for region in shown["regions"]}
    assert list(regions) == ["inner part", "open at the end", "outer", ""]
    calls = {name: {f["name"]: f["calls"] for f in region["functions"]} for name, region in regions.items()}
    assert calls["inner part"] == {"MPI_Sendrecv": 5 * RANKS}
    assert calls["outer"] == {"MPI_Irecv": RANKS, "MPI_Send": RANKS, "MPI_Wait": RANKS}
    assert calls["open at the end"] == {}
    assert calls[""]["MPI_Sendrecv"] == 10 * RANKS and calls[""]["MPI_Barrier"] == 4 * RANKS
    entries = {name: region["entries"] for name, region in regions.items()}
    assert entries == {"inner part": 5 * RANKS, "outer": RANKS, "open at the end": RANKS, "": 0}
    assert regions["outer"]["seconds_inside"] >= regions["inner part"]["seconds_inside"] > 0
    assert "(outside all regions)" in show(log)


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_communicators_have_their_calls_and_waiting(mpi: str, built: Path, tmp_path: Path) -> None:
    shown = mpi_jobs.show_log(run(mpi, built, tmp_path))
    communicators = {c["name"]: c for c in shown["communicators"]}
    functions = {name: {f["name"]: f["calls"] for f in c["functions"]} for name, c in communicators.items()}
    assert functions["MPI_COMM_WORLD"]["MPI_Sendrecv"] == 10 * RANKS
    copies = [name for name in communicators if name.startswith("communicator ")]
    assert [functions[name] for name in copies] == [{"MPI_Sendrecv": 5 * RANKS}]
    assert communicators[copies[0]]["size"] == RANKS and communicators[copies[0]]["sent_bytes"] == 5000 * RANKS
    assert functions["no communicator"]["MPI_Wait"] == RANKS
    # All ranks except rank 0 wait for rank 0, four times.
    waiting = communicators["MPI_COMM_WORLD"]["waiting_seconds"]
    assert 0.03 * 4 * (RANKS - 1) * 0.7 < waiting["at_least"] <= waiting["at_most"] <= waiting["of"]


@pytest.mark.parametrize("mpi", mpi_jobs.MPIS)
def test_one_sided_operations_count_their_bytes_by_target(mpi: str, built: Path, tmp_path: Path) -> None:
    log = run(mpi, built, tmp_path)
    shown = mpi_jobs.show_log(log)
    for rank in shown["per_rank"]:
        # Put and accumulate move 12 doubles and Fetch_and_op one. Gets move 16, and Fetch_and_op one.
        assert rank["targets"] == [
            {
                "target": (rank["rank"] + 1) % RANKS,
                "put_operations": 3, "put_bytes": 13 * 8, "got_operations": 2, "got_bytes": 17 * 8,
            }
        ]  # fmt: skip
    sent = {f["name"]: f["sent"]["bytes"]["total"] for f in shown["functions"] if f["sent"]["messages"]}
    assert sent["MPI_Put"] == 64 * RANKS and sent["MPI_Accumulate"] == 32 * RANKS
    text = show(log)
    assert "one-sided operations: most active of 3 pairs of ranks" in text and "one-sided transfers" in text


def test_every_rank_has_its_time_by_function(built: Path, tmp_path: Path) -> None:
    text = show(run("openmpi", built, tmp_path), "--by-rank")
    rows = text[text.index("\nrank  computation") :].splitlines()[1:]
    assert "MPI_Barrier" in rows[0]
    assert [row.split()[0] for row in rows[1 : 1 + RANKS]] == ["0", "1", "2"]


def test_the_page_has_axes_places_and_a_next_step(built: Path, tmp_path: Path) -> None:
    log = run("openmpi", built, tmp_path)
    show(log, "--html", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    start = page.index(">", page.index('id="data"')) + 1
    data = json.loads(page[start : page.index("</script>", start)])
    assert any(step["command"].startswith("haichi ccs ") for step in data["next_steps"])
    assert data["call_sites"][0]["place"] != "" and data["rank_functions"]["rows"][0]["first"] == 0
    for text in ["to rank", "from rank", "time of a rank", "minimum bytes of a message"]:
        assert f'"{text}' in page
