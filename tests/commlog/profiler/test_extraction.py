"""Communication sets extracted from profiled programs equal the sets that the rules of docs/reference/extraction.md
give by hand. They do not depend on timing."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import mpi_programs as mpi_jobs
import pytest

# A message (source, destination, bytes), and an ordered list of sets.
Message = tuple[int, int, int]
Sets = list[Counter[Message]]


def levels(programs: list[list[tuple[Any, ...]]]) -> dict[tuple[int, int], int]:
    """Returns the steps of the messages of one iteration. A program lists a rank's actions in order: ("post", messages
    out, messages in), and ("wait",) for all posted messages. The step of a message exceeds the highest step that its
    sender had completed before it posted the send. It also exceeds the highest step that its receiver had completed
    before it posted the receive. A message is identified by (source, number among the sends of the source): ("post",
    [number...], [(source, number)...])."""
    found: dict[tuple[int, int], int] = {}
    while True:
        before: dict[tuple[int, int], list[int]] = {}
        for rank, program in enumerate(programs):
            done, posted = 0, []
            for step in program:
                if step[0] == "wait":
                    done = max([done, *(found.get(message, 0) for message in posted)])
                    posted = []
                    continue
                for message in [(rank, place) for place in step[1]] + step[2]:
                    before.setdefault(message, []).append(done)
                    posted.append(message)
        after = {message: 1 + max(done) for message, done in before.items()}
        if after == found:
            return found
        found = after


def spread(by_level: dict[int, list[Message]], per_end: int = 1) -> Sets:
    """Returns the sets of each step's messages, which are given in (source, post order). Each message goes to the first
    set of its step in which both ends have capacity."""
    sets: Sets = []
    for level in sorted(by_level):
        first = len(sets)
        for source, to, size in by_level[level]:
            at = first
            while at < len(sets) and (
                sum(n for m, n in sets[at].items() if m[0] == source) >= per_end
                or sum(n for m, n in sets[at].items() if m[1] == to) >= per_end
            ):
                at += 1
            if at == len(sets):
                sets.append(Counter())
            sets[at][(source, to, size)] += 1
    return sets


def extract(log: Path, *options: object) -> tuple[dict[str, Any], Sets, bytes]:
    """Returns the report of haichi ccs, the sets that it writes, and its file."""
    workload = log.with_suffix(".json")
    command = [mpi_jobs.BIN, "ccs", log, "--json", "-o", workload, *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    text = workload.read_bytes()
    sets = [Counter(tuple(message) for message in s["messages"]) for s in json.loads(text)["sets"]]
    return json.loads(run.stdout), sets, text


def log_of(name: str, ranks: int, built: Path, place: Path, *arguments: object, mpi: str = "openmpi") -> Path:
    mpi_jobs.require_mpi(mpi)
    mpi_jobs.profiler(mpi)
    label = "-".join(map(str, [name, ranks, *arguments]))
    return mpi_jobs.run_profiled(mpi, mpi_jobs.program(mpi, f"{name}.c", built), ranks, place, *arguments, log=label)


def exchange(partner_of: list[int], size: int) -> Counter[Message]:
    """Returns an exchange of all ranks with their partners, without messages from a rank to itself."""
    return Counter((rank, partner, size) for rank, partner in enumerate(partner_of) if partner != rank)


def cg_sets(columns: int, rows: int) -> Sets:
    """Returns the exchanges in the rows, the transpose, and the exchanges in the rows twice more."""
    ranks = range(columns * rows)
    bits = [1 << i for i in range(columns.bit_length() - 1)]
    row = [[r // columns * columns + (r % columns ^ bit) for r in ranks] for bit in bits]
    if columns == rows:
        transpose = [r % rows * rows + r // rows for r in ranks]
    else:
        transpose = [2 * (r // 2 % rows * rows + r // 2 // rows) + r % 2 for r in ranks]
    sets = [exchange(partners, 8192) for partners in row]
    sets.append(exchange(transpose, 8192))
    sets += [exchange(partners, 8) for _ in range(2) for partners in row]
    if columns != rows:
        # Ranks that equal their own transposed rank are neighbours here. Both are free while the others exchange. So
        # their first scalar exchange waits for no rank and has the step of the transpose. (In a square they are alone
        # in their rows, and the transpose of their partners delays them.)
        alone = {r for r in ranks if transpose[r] == r}
        for message in list(sets[len(bits) + 1]):
            if message[0] in alone and message[1] in alone:
                del sets[len(bits) + 1][message]
                sets[len(bits)][message] += 1
    return sets


@pytest.mark.parametrize(
    "columns,rows,mpi",
    [
        (4, 4, "openmpi"),
        pytest.param(4, 4, "mpich", marks=pytest.mark.slow),
        pytest.param(8, 4, "openmpi", marks=pytest.mark.slow),
        pytest.param(8, 8, "openmpi", marks=pytest.mark.slow),
        pytest.param(8, 4, "mpich", marks=pytest.mark.slow),
    ],
)
def test_cg_has_its_row_transpose_and_scalar_sets(
    columns: int, rows: int, mpi: str, built: Path, tmp_path: Path
) -> None:
    log = log_of("cg_kernel", columns * rows, built, tmp_path, columns, rows, 12, 0, mpi=mpi)
    found, sets, _ = extract(log)
    steps = columns.bit_length() - 1
    assert [sum(s.values()) for s in sets[:steps]] == [columns * rows] * steps
    assert len(sets) == steps + 1 + 2 * steps
    # Large messages are only in the first sets, and the last sets have only messages of 8 bytes.
    assert all({size for _, _, size in s} == {8} for s in sets[steps + 1 :])
    assert all(8192 in {size for _, _, size in s} for s in sets[: steps + 1])
    assert sets == cg_sets(columns, rows)
    assert found["iterations"] == 12 and found["in_flight"] == 0
    assert found["fraction_of_bytes"] > 0.95


def test_iterations_inside_of_outer_ones_are_one_main_loop(built: Path, tmp_path: Path) -> None:
    """8 iterations, then 5 times 8 more. The inner and the outer loop are both listed. They carry nearly the same
    bytes, so the inner one is chosen."""
    found, sets, _ = extract(log_of("cg_kernel", 16, built, tmp_path, 4, 4, 8, 0, 5))
    assert sets == cg_sets(4, 4) and found["iterations"] == 6 * 8
    assert {main_loop["iterations"] for main_loop in found["main_loops"]} >= {6 * 8, 5}


def test_cg_gives_the_same_file_whatever_the_timing(built: Path, tmp_path: Path) -> None:
    texts = {extract(log_of("cg_kernel", 16, built, tmp_path, 4, 4, 20, seed))[2] for seed in [1, 2]}
    assert len(texts) == 1


def stencil_sets(sizes: tuple[int, int, int]) -> Sets:
    x, y, z = sizes
    messages: list[Message] = []
    for rank in range(x * y * z):
        place = [rank // (y * z), rank // z % y, rank % z]
        for axis in range(3):
            for step in [1, -1]:
                at = list(place)
                at[axis] = (at[axis] + step) % sizes[axis]
                messages.append((rank, (at[0] * y + at[1]) * z + at[2], 1024 * (axis + 1)))
    return spread({1: messages})


def test_a_stencil_is_one_level_spread_over_sets(built: Path, tmp_path: Path) -> None:
    found, sets, text = extract(log_of("stencil", 12, built, tmp_path, 3, 2, 2, 15, "all", 0))
    assert sets == stencil_sets((3, 2, 2)) and len(sets) == 6
    assert (found["iterations"], found["steps"], found["in_flight"]) == (15, 1, 0)
    # Waiting for any of the requests in varying orders equals waiting for all of them.
    texts = {extract(log_of("stencil", 12, built, tmp_path, 3, 2, 2, 15, "any", seed))[2] for seed in [1, 2]}
    assert texts == {text}


def test_a_rank_with_three_interfaces_sends_three_messages_in_a_set(built: Path, tmp_path: Path) -> None:
    log = log_of("stencil", 12, built, tmp_path, 3, 2, 2, 15, "all", 0)
    _, sets, _ = extract(log, "--sends-per-rank", 3)
    assert len(sets) == 2
    assert all(n <= 3 for s in sets for n in Counter(m[0] for m in s.elements()).values())
    assert sum(sets, Counter()) == sum(stencil_sets((3, 2, 2)), Counter())


def test_a_sweep_is_a_wave_of_levels(built: Path, tmp_path: Path) -> None:
    width, height = 3, 2
    programs: list[list[tuple[Any, ...]]] = []
    for rank in range(width * height):
        x, y = rank % width, rank // width
        program: list[tuple[Any, ...]] = []
        # A rank's sends have number 0 to the east and number 1 to the south.
        if x > 0:
            program += [("post", [], [(rank - 1, 0)]), ("wait",)]
        if y > 0:
            program += [("post", [], [(rank - width, 1)]), ("wait",)]
        if x < width - 1:
            program += [("post", [0], []), ("wait",)]
        if y < height - 1:
            program += [("post", [1], []), ("wait",)]
        programs.append(program)
    by_level: dict[int, list[Message]] = {}
    for (rank, place), level in sorted(levels(programs).items()):
        by_level.setdefault(level, []).append((rank, rank + (1 if place == 0 else width), [512, 1024][place]))
    # By hand: 0 sends east in step 1. In step 2, 1 has received it and sends east, while 0 sends south.
    assert by_level[1] == [(0, 1, 512)] and by_level[2] == [(0, 3, 1024), (1, 2, 512)]
    extracted = [
        extract(log_of("sweep", width * height, built, tmp_path, width, height, 25, seed)) for seed in [0, 1, 2]
    ]
    found, sets, text = extracted[0]
    assert sets == spread(by_level)
    assert found["iterations"] == 25
    assert {other[2] for other in extracted} == {text}


def test_reductions_are_expanded_on_split_communicators_only(built: Path, tmp_path: Path) -> None:
    ring = Counter((r, (r + 1) % 8, 2048) for r in range(8))
    phases = [exchange([r ^ bit for r in range(8)], 1024) for bit in [1, 2, 4]]
    doubling = ["--collectives", "allreduce=recursive-doubling"]

    world = log_of("allreduce_kernel", 8, built, tmp_path, "world", 20, 0)
    found, sets, _ = extract(world, *doubling)
    assert sets == [ring] and found["iterations"] == 20 and found["collectives_not_expanded"] > 0
    _, sets, _ = extract(world, *doubling, "--expand", "all")
    assert sets == [ring, *phases]

    halves = log_of("allreduce_kernel", 8, built, tmp_path, "halves", 20, 0)
    found, sets, text = extract(halves, *doubling)
    assert sets == [ring, *phases[:2]] and found["iterations"] == 20
    _, sets, _ = extract(halves, *doubling, "--expand", "none")
    assert sets == [ring]
    other = log_of("allreduce_kernel", 8, built, tmp_path, "halves", 20, 3)
    assert extract(other, *doubling)[2] == text


def test_a_master_with_workers_is_refused(built: Path, tmp_path: Path) -> None:
    """The order of requests is accidental, so no loop is common to all ranks."""
    log = log_of("master_worker", 5, built, tmp_path, 60, 1)
    run = subprocess.run([mpi_jobs.BIN, "ccs", log], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr.startswith("error: no loop that all ranks share")
    assert "hint: " in run.stderr


def test_tags_that_count_up_are_one_repetition(built: Path, tmp_path: Path) -> None:
    """Tags are step numbers (also more of them than a log distinguishes), or step numbers modulo a small number."""
    for tags, steps in [("step", 500), ("modulo", 40), ("step", 20)]:
        log = log_of("counting_tags", 6, built, tmp_path, tags, steps)
        found, sets, _ = extract(log)
        assert found["iterations"] == steps and found["in_flight"] == 0
        assert sets == [
            Counter((r, (r + 1) % 6, 4096) for r in range(6)),
            Counter((r, (r + 5) % 6, 512) for r in range(6)),
        ]
        assert log.stat().st_size < 6 * 40_000


def test_threads_with_tags_of_their_own_are_merged_and_others_refused(built: Path, tmp_path: Path) -> None:
    found, sets, _ = extract(log_of("thread_rings", 4, built, tmp_path, "own", 30))
    assert found["iterations"] == 30 and found["fraction_of_bytes"] == 1
    assert sum(sets, Counter()) == Counter((r, (r + 1) % 4, 1024 * t) for r in range(4) for t in [1, 2])
    log = log_of("thread_rings", 4, built, tmp_path, "shared", 30)
    run = subprocess.run([mpi_jobs.BIN, "ccs", log], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert "several threads of rank" in run.stderr and "hint: " in run.stderr


def test_parts_of_one_job_are_read_from_several_folders(built: Path, tmp_path: Path) -> None:
    """The nodes of a killed job leave parts on their own disks."""
    mpi_jobs.require_mpi("openmpi")
    program = mpi_jobs.program("openmpi", "stencil.c", built)
    settings = {"HAICHI_PROF": f"file={tmp_path / 'job'},keep_parts=on"}
    log = mpi_jobs.run_profiled("openmpi", program, 8, tmp_path, 2, 2, 2, 15, "all", 0, log="job", **settings)
    parts = []
    for rank in range(8):
        folder = tmp_path / f"node{rank // 4}"
        folder.mkdir(exist_ok=True)
        parts.append((tmp_path / f"job.{rank}.part").rename(folder / f"job.{rank}.part"))
    assert extract(log)[2] == extract_all([parts[0], parts[5]], tmp_path)
    shown = subprocess.run([mpi_jobs.BIN, "log", "show", *parts], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0 and shown.stdout.count("8 ranks") == 1, shown.stdout + shown.stderr
    assert "no data" not in shown.stdout


def extract_all(logs: list[Path], place: Path) -> bytes:
    run = subprocess.run(
        [mpi_jobs.BIN, "ccs", *logs, "-o", place / "all.json"], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return (place / "all.json").read_bytes()
