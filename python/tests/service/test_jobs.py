"""Submitted jobs run and return the program's result."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import haichi
from haichi.base.program import find_program
from haichi.service.kinds import JOB_KINDS, Form, offered
from haichi.service.problems import WrongRequest, told_by_program
from haichi.service.program import Program
from haichi.service.requests import job_request

CG = {"pattern": {"name": "cg", "ranks": 64}}
ON_SHAPE_1 = {"machine": "fx10-kyushu", "shape": "1x2x4x2x3x2"}
RING = {"pattern": {"name": "ring", "ranks": 16}}


def words_of(options: dict[str, Any]) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


@pytest.fixture(scope="module")
def cg(tmp_path_factory: pytest.TempPathFactory, run_program) -> Path:
    folder = tmp_path_factory.mktemp("cg")
    (folder / "workload").write_bytes(run_program(folder, "pattern", "cg", "--ranks=64"))
    return folder / "workload"


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("map", ON_SHAPE_1 | {"objective": "tac3", "seed": 3}),
        ("map", {"machine": "torus:4x4x4", "objective": "max-link-load", "evaluations": 20000}),
        (
            "map",
            {
                "machine": "fx10-kyushu",
                "shapes": "1x2x4x2x3x2,2x2x2x2x3x2",
                "objective": "tac3",
                "robust": "max",
                "evaluations": 20000,
            },
        ),
        ("simulate", ON_SHAPE_1 | {"sim_iterations": 2, "barrier": "both"}),
        ("advise-barrier", ON_SHAPE_1 | {"sizes": "64KiB"}),
        ("compare", {"machine": "torus:4x4x4", "strategies": "default,hop-bytes", "seeds": 2, "evaluations": 5000}),
    ],
)
def test_a_result_is_what_the_program_prints(server, run_program, cg, kind: str, options: dict[str, Any]) -> None:
    job = server.client().submit(kind, workload=cg, **options).wait()
    row = JOB_KINDS[kind]
    wanted = run_program(
        cg.parent,
        *row.command,
        *[option for option in row.result_options if not option.startswith("--output")],
        "--workload=workload",
        *words_of(options),
    )
    assert job.result_text().encode() == wanted


def test_a_map_is_what_the_program_writes(server, run_program, cg) -> None:
    search = ON_SHAPE_1 | {"objective": "tac3", "evaluations": 20000}
    job = server.client().submit("map", workload=cg, **search).wait()
    words = words_of(search | {"workload": "workload"})
    for name in ("fujitsu", "tofu6d", "csv", "json"):
        assert job.rank_map(name).encode() == run_program(cg.parent, "map", *words, f"--format={name}")
    hosts = job.rank_map("slurm", hosts="node[000-095]").splitlines()
    assert len(hosts) == 64 and set(hosts) <= {f"node{number:03}" for number in range(96)}


def test_maps_of_several_shapes_are_had_by_shape(server) -> None:
    shapes = ["1x2x4x2x3x2", "2x2x2x2x3x2"]
    search = {"machine": "fx10-kyushu", "shapes": ",".join(shapes), "objective": "tac3", "evaluations": 20000}
    job = server.client().submit("map", **search, **CG).wait()
    maps = [job.rank_map("csv", shape=shape) for shape in shapes]
    entries = job.result()["shapes"]
    assert [[int(line.split(",")[1]) for line in text.splitlines()[1:]] for text in maps] == [
        entry["node_of_rank"] for entry in entries
    ]
    with pytest.raises(haichi.OptionError, match="1x2x4x2x3x2, 2x2x2x2x3x2"):
        job.rank_map("csv")


def test_uploads_stand_for_files(server, run_program, cg) -> None:
    folder = cg.parent
    machine = run_program(folder, "list", "machines", "--show", "torus:5x4x4")
    nodes = "\n".join(str(number) for number in range(3, 70)) + "\n"
    (folder / "machine.json").write_bytes(machine)
    (folder / "nodes.txt").write_text(nodes)
    fields = {
        "workload": cg.read_text(),
        "machine": json.loads(machine),
        "nodes": nodes,
        "objective": "rmatt",
        "evaluations": 20000,
    }
    status, job = server.ask("POST", "/v1/jobs", {"kind": "map", **fields})
    assert status == 201, job
    wanted = run_program(
        *(folder, "map", "--json", "--no-timing", "--machine=machine.json", "--nodes=nodes.txt"),
        *("--workload=workload", "--objective=rmatt", "--evaluations=20000"),
    )
    assert server.client().job(job["id"]).wait().result_text().encode() == wanted


def test_a_comparison_has_its_page(server) -> None:
    job = server.client().submit("compare", machine="torus:4x4", strategies="default,random", seeds=1, **RING)
    page = job.wait().report()
    assert page.startswith("<!DOCTYPE html>") and "random" in page


@pytest.mark.slow
def test_a_placement_is_shown_beside_the_default_one(server, cg) -> None:
    client = server.client()
    job = client.submit("map", workload=cg, objective="tac3", **ON_SHAPE_1).wait()
    status, comparison = server.ask("GET", f"/v1/jobs/{job.id}/comparison")
    assert status == 200
    assert [cell["strategy"] for cell in comparison["cells"]] == ["default", "map:found"]
    report = job.result()
    assert comparison["cells"][1]["node_of_rank"] == report["node_of_rank"]
    values = [cell["objectives"]["tac3"]["value"] for cell in comparison["cells"]]
    assert values == [report["default"]["value"], report["value"]]
    assert {view["role"] for view in comparison["views"]} == {"before", "after"}
    assert job.report().startswith("<!DOCTYPE html>")
    given = client.submit("evaluate", workload=cg, map=job.rank_map("tofu6d"), **ON_SHAPE_1).wait()
    _, evaluated = server.ask("GET", f"/v1/jobs/{given.id}/comparison")
    assert evaluated["cells"][1]["metrics"] == comparison["cells"][1]["metrics"]
    scattered = client.submit("map", machine="torus:8x8", nodes="\n".join(map(str, range(0, 64, 4))), **RING).wait()
    assert server.ask("GET", f"/v1/jobs/{scattered.id}/comparison")[1]["cells"][1]["nodes"] == 16
    compared = client.submit("compare", machine="torus:4x4", strategies="default,random", seeds=1, **RING).wait()
    assert server.ask("GET", f"/v1/jobs/{compared.id}/comparison")[1] == compared.result()
    simulated = client.submit("simulate", machine="torus:4x4", **RING).wait()
    assert server.ask("GET", f"/v1/jobs/{simulated.id}/comparison")[1]["error"]["code"] == "no_comparison"


@pytest.mark.slow
def test_of_several_shapes_one_is_compared(server) -> None:
    shapes = ["1x2x4x2x3x2", "2x2x2x2x3x2"]
    options = {"machine": "fx10-kyushu", "shapes": ",".join(shapes), "objective": "tac3", "evaluations": 2000, **CG}
    for robust in ({}, {"robust": "max"}, {"robust": "mean", "rotations": True}):
        job = server.client().submit("map", **options, **robust).wait()
        for entry, shape in zip(job.result()["shapes"], shapes, strict=True):
            status, comparison = server.ask("GET", f"/v1/jobs/{job.id}/comparison?shape={shape}")
            assert status == 200, comparison
            assert comparison["cells"][1]["node_of_rank"] == entry["node_of_rank"]
            assert comparison["cells"][1]["shape"] == shape
        for wrong in ("", "?shape=9x9"):
            status, answer = server.ask("GET", f"/v1/jobs/{job.id}/comparison{wrong}")
            assert (status, "1x2x4x2x3x2, 2x2x2x2x3x2" in answer["error"]["message"]) == (422, True)


def test_a_job_says_what_its_files_were_called(server, cg) -> None:
    hostile = "<img src=x onerror=alert(1)>\N{RIGHT-TO-LEFT OVERRIDE}" + "x" * 300
    body, kind = _form({"kind": "map", "machine": "torus:4x4x4", "objective": "hop-bytes"}, hostile, cg.read_bytes())
    status, job = server.ask("POST", "/v1/jobs", body, Content_Type=kind, Idempotency_Key="named")
    assert status == 201, job
    shown = job["inputs"]["workload"]
    assert shown.startswith("<img src=x onerror=alert(1)>\N{REPLACEMENT CHARACTER}xxx") and len(shown) == 200
    body, kind = _form({"kind": "map", "machine": "torus:4x4x4", "objective": "hop-bytes"}, "other", cg.read_bytes())
    status, again = server.ask("POST", "/v1/jobs", body, Content_Type=kind, Idempotency_Key="named")
    assert (status, again["id"]) == (200, job["id"])  # file names do not make requests different
    pattern = server.client().submit("map", machine="torus:4x4", **RING).status()
    assert pattern["inputs"] == {"pattern": "ring --ranks=16"}


def _form(fields: dict[str, str], name: str, content: bytes) -> tuple[bytes, str]:
    parts = [f'--b\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}' for key, value in fields.items()]
    head = f'--b\r\nContent-Disposition: form-data; name="workload"; filename="{name}"\r\n\r\n'
    return "\r\n".join([*parts, head]).encode() + content + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"


def test_what_a_reader_finds_fails_the_job_in_the_programs_words(server) -> None:
    job = server.client().submit("map", workload='{"schema": "haichi-workload/1", "ranks": "many"}', machine="torus:4")
    with pytest.raises(haichi.InputError, match="workload:1: ranks"):
        job.wait()
    status = job.status()
    assert (status["state"], status["exit_code"], status["error"]["code"]) == ("failed", 2, "bad_input")
    assert server.ask("GET", f"/v1/jobs/{job.id}/result")[0] == 409


def test_a_limit_that_is_missed_is_told_beside_the_result(server) -> None:
    job = server.client().submit("map", machine="torus:4x4", objective="hop-bytes", require="hop-bytes<=1", **RING)
    status = job.wait().status()
    assert (status["state"], status["exit_code"], status["error"]["code"]) == ("done", 3, "requirement")
    assert job.result()["objective"] == "hop-bytes"


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        ({}, "kind is missing", "map"),
        ({"kind": "mapp"}, "unknown kind 'mapp'", "did you mean 'map'?"),
        ({"kind": "map", **RING}, "machine is missing", ""),
        ({"kind": "map", "machine": "torus:4"}, "workload is missing", ""),
        ({"kind": "map", "machine": "fx10-kyush", **RING}, "unknown machine", "did you mean 'fx10-kyushu'?"),
        ({"kind": "map", "machine": "torus:axb", **RING}, "machine torus:axb requires whole numbers", ""),
        ({"kind": "map", "machine": "torus:4", "objectiv": "tac3", **RING}, "unknown option 'objectiv'", "'objective'"),
        ({"kind": "map", "machine": "torus:4", "objective": "tac4", **RING}, "unknown objective 'tac4'", "'tac3'"),
        ({"kind": "map", "machine": "torus:4", "seed": "x", **RING}, "--seed: expected a whole number, found 'x'", ""),
        ({"kind": "map", "machine": "torus:4", "strategy": "x", **RING}, "unknown strategy 'x'", "strategies are"),
        (
            {"kind": "map", "machine": "torus:4", "objective": "./x.so:a", **RING},
            "must not name a file: './x.so:a'",
            "upload",
        ),
        ({"kind": "map", "machine": "torus:4", "objective": "x.so:a", **RING}, "does not support plug-ins", ""),
        ({"kind": "map", "machine": "/etc/passwd", **RING}, "must not name a file: '/etc/passwd'", "upload"),
        ({"kind": "map", "machine": "graph:x", **RING}, "graph must be an upload", "graph"),
        ({"kind": "map", "machine": "torus:4", "output": "x", **RING}, "unknown option 'output'", ""),
        ({"kind": "map", "machine": "torus:4", "simulate": "maybe", **RING}, "simulate must be true or false", ""),
        ({"kind": "map", "machine": "torus:4", "pattern": {"name": "--output=x"}}, "unknown pattern", ""),
        ({"kind": "map", "machine": "torus:4", "pattern": {"name": "ring", "output": "x"}}, "unknown option", ""),
        ({"kind": "simulate", "machine": "torus:4", "stats": "x", **RING}, "unknown option 'stats'", ""),
        ({"kind": "map", "machine": "torus:4", "workload": 5}, "workload must be the content of a file", ""),
        ({"kind": "map", "machine": "torus:4", "workload": "\ud800"}, "workload must be Unicode text", ""),
    ],
)  # fmt: skip
def test_wrong_requests_are_refused_at_once(server, fields: dict[str, Any], message: str, hint: str) -> None:
    status, answer = server.ask("POST", "/v1/jobs", fields)
    assert status == 422, answer
    assert message in answer["error"]["message"] and hint in answer["error"]["hint"]


@pytest.mark.parametrize("body", [b"", b"{", b"[1", b'{"kind": NaN}', b"[" * 100_000, b"\xff", b"9" * 5000])
def test_bodies_that_are_no_json_are_refused(server, body: bytes) -> None:
    assert server.ask("POST", "/v1/jobs", body)[0] in (400, 422)
    assert server.ask("POST", "/v1/jobs", body, Content_Type="multipart/form-data")[0] == 400
    assert server.ask("POST", "/v1/jobs", body, Content_Type="text/plain")[0] == 415


def test_the_same_key_is_the_same_job(server) -> None:
    request = {"kind": "map", "machine": "torus:4x4", "objective": "hop-bytes", **RING}
    first = server.ask("POST", "/v1/jobs", request, Idempotency_Key="once")
    again = server.ask("POST", "/v1/jobs", request, Idempotency_Key="once")
    assert (first[0], again[0]) == (201, 200) and first[1]["id"] == again[1]["id"]
    other = server.ask("POST", "/v1/jobs", request | {"seed": 2}, Idempotency_Key="once")
    assert (other[0], other[1]["error"]["code"]) == (409, "other_request")


LARGE = {"machine": "torus:8x8x8", "pattern": {"name": "random-geometric", "ranks": 512}}


def progress_of(job: haichi.RemoteJob) -> list[haichi.JobEvent]:
    events = list(job.events())
    assert [event.number for event in events] == sorted({event.number for event in events})
    return [event for event in events if event.name == "progress"]


def test_progress_of_a_search_is_told_while_it_runs(server) -> None:
    job = server.client().submit("map", **LARGE, objective="hop-bytes", strategy="anneal", evaluations=400_000)
    told = [event.data for event in progress_of(job)]
    assert len(told) >= 2 and {news["phase"] for news in told} == {"search"}
    report = job.result()
    assert {(news["objective"], news["bound"], news["attempt"]) for news in told} == {
        ("hop-bytes", report["lower_bound"], 1)
    }
    for key in ("share", "evaluations", "restarts_done"):
        assert [news[key] for news in told] == sorted(news[key] for news in told)
    assert [news["best"] for news in told] == sorted((news["best"] for news in told), reverse=True)
    assert (told[-1]["best"], told[-1]["share"]) == (report["value"], 1)
    assert told[-1]["evaluations"] == report["evaluations"]


def test_progress_goes_on_where_a_reader_left_off(server) -> None:
    job = server.client().submit("map", **LARGE, objective="hop-bytes", time="2s", threads=1)
    stream = job.events()
    seen = [next(stream) for _ in range(4)]
    assert [event.name for event in seen][-1] == "progress"
    later = list(job.events(after=seen[-1].number))
    assert later[0].number > seen[-1].number and later[-1].data["state"] == "done"
    assert [event.name for event in later].count("progress") >= 2


def test_progress_of_other_jobs(server) -> None:
    compare = {"machine": "torus:4x4", "strategies": "default,random,greedy", "seeds": 3}
    told = progress_of(server.client().submit("compare", **compare, **RING))
    cells = told[-1].data["cells"]
    assert (told[-1].data["phase"], told[-1].data["cells_done"], told[-1].data["share"]) == ("cells", cells, 1)
    simulate = {"machine": "torus:4x4x4", "sim_iterations": 3}
    told = progress_of(server.client().submit("simulate", **simulate, pattern={"name": "cg", "ranks": 64}))
    times = [news.data["simulated_seconds"] for news in told]
    assert times and times == sorted(times) and told[0].data["phase"] == "simulation"


def test_events_go_on_where_a_reader_left_off(server) -> None:
    job = server.client().submit("map", machine="torus:4x4", objective="hop-bytes", **RING)
    events = list(job.events())
    assert [event.data["state"] for event in events] == ["queued", "running", "done"]
    for index, event in enumerate(events[:-1]):
        assert list(job.events(after=event.number)) == events[index + 1 :]
    assert server.ask("GET", f"/v1/jobs/{job.id}/events", Last_Event_ID="x")[0] == 422


def test_jobs_are_listed_in_pages(server) -> None:
    jobs = [server.client().submit("map", machine="torus:4", objective="hop-bytes", **RING).id for _ in range(5)]
    _, first = server.ask("GET", "/v1/jobs?limit=3")
    _, second = server.ask("GET", f"/v1/jobs?limit=3&before={first['next']}")
    assert [job["id"] for job in first["jobs"] + second["jobs"]][:5] == jobs[::-1]
    assert [job.id for job, _ in zip(server.client().jobs(), jobs, strict=False)] == jobs[::-1]


def test_cancelled_jobs_end(start: Callable[..., Any]) -> None:
    server = start()
    long = {"machine": "torus:8x8x8", "objective": "tac3", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}
    running, waiting = (server.client().submit("map", **long) for _ in range(2))
    next(event for event in running.events() if event.data["state"] == "running")
    for job in (waiting, running):
        job.cancel()
        assert [event.data["state"] for event in job.events()][-1] == "cancelled"
        job.cancel()
    assert server.attempts(waiting.id) == []
    assert [line["event"] for line in server.attempts(running.id)] == ["start", "end"]


def test_limits_are_told(start: Callable[..., Any]) -> None:
    server = start("--max-jobs", "1", "--max-body", "20KiB", "--max-time", "2s")
    long = {"machine": "torus:8x8x8", "objective": "tac3", "time": "300s", "pattern": {"name": "cg", "ranks": 512}}
    job = server.client().submit("map", **long)
    status, answer = server.ask("POST", "/v1/jobs", {"kind": "map", **long})
    assert (status, answer["error"]["code"]) == (429, "too_many_jobs")
    status, answer = server.ask("POST", "/v1/jobs", b" " * 30_000)
    assert (status, answer["error"]["code"]) == (413, "too_large")
    with pytest.raises(haichi.Error, match="the job exceeded the time limit of 2 s"):
        job.wait()
    assert job.status()["error"]["code"] == "time_limit"


@pytest.mark.slow
def test_memory_is_limited(start: Callable[..., Any]) -> None:
    server = start("--max-memory", "200MiB")
    job = server.client().submit("map", machine="torus:40x40x40", pattern={"name": "alltoall-pairwise", "ranks": 2000})
    with pytest.raises(haichi.Error, match="memory"):
        job.wait()


LOCAL = frozenset(
    (
        *("output", "json", "no-timing", "timing", "no-views", "processes", "dask", "checkpoint"),
        *("format", "launcher", "write-barriers", "write-sets", "write-rails"),
        *("stats", "stats-bin", "buffer-history", "router", "history-begin", "history-end", "history-interval"),
        *("slurm", "nodelist", "ntasks"),
        *("files-below", "quiet", "verbose", "log-level", "progress-fd"),
    )
)
"""Options that no request may set: they belong to the server, write files, or have a request of their own."""
FILES = {"workload", "job", "nodes", "faulty", "map", "spread_workload", "log", "graph"}
FILES_OR_WORDS = {"machine", "hosts", "fold", "start"}


def test_every_option_of_the_program_is_a_field_or_local() -> None:
    program = Program(find_program())
    for kind in JOB_KINDS.values():
        fields = offered(program, kind)
        for name, row in program.options(kind.command).items():
            assert (name.replace("-", "_") in fields) != (row.is_local or row.is_argument), (kind.name, name)
            assert row.is_local == (name in LOCAL) or name == "format", (kind.name, name)
        for name, offer in fields.items():
            of_files = {Form.FILE: FILES, Form.FILES: FILES, Form.WORD_OR_FILE: FILES_OR_WORDS}
            expected = of_files.get(offer.form)
            assert name in expected if expected else name not in FILES | FILES_OR_WORDS, (kind.name, name)


@pytest.mark.parametrize("word", ["/etc/passwd", "../x", "-", "libx.so:f", "map:/etc/passwd", "a\nb"])
def test_no_word_opens_a_file_or_loads_a_plug_in(word: str) -> None:
    program = Program(find_program())
    for kind in JOB_KINDS.values():
        for name, offer in offered(program, kind).items():
            if offer.form in (Form.WORD, Form.WORDS, Form.WORD_OR_FILE):
                with pytest.raises(WrongRequest):
                    job_request(program, {"kind": [kind.name], name: [word]})


def test_the_schema_has_limits_choices_and_groups(server) -> None:
    body = server.ask("GET", "/openapi.json")[1]["paths"]["/v1/jobs"]["post"]["requestBody"]
    kinds = {row["title"]: row["properties"] for row in body["content"]["application/json"]["schema"]["oneOf"]}
    assert kinds["map"]["schedule"]["enum"] == ["auto", "paper", "rmatt"]
    assert (kinds["map"]["schedule"]["default"], kinds["map"]["schedule"]["x-group"]) == ("auto", "Expert")
    assert (kinds["map"]["restarts"]["minimum"], kinds["map"]["restarts"]["maximum"]) == (1, 1_000_000)


def test_tables_are_those_of_the_package(server) -> None:
    for name, listed in (("machines", haichi.list_machines()), ("objectives", haichi.list_objectives())):
        _, answer = server.ask("GET", f"/v1/{name}")
        assert [(entry["name"], entry["description"]) for entry in answer] == listed


LOGS = Path(__file__).parents[3] / "tests" / "data" / "logs"


@pytest.mark.parametrize(
    ("kind", "command", "logs", "names"),
    [
        ("ccs", ("ccs",), ["paraver/ring.prv"], ["log.prv"]),
        ("ccs", ("ccs",), [f"dumpi/dumpi-{rank:04}.txt" for rank in range(4)], None),
        ("advise-rails", ("advise", "rails", "--json", "--interfaces=4"), ["paraver/ring.prv"], ["log.prv"]),
    ],
)
def test_logs_are_uploaded(server, run_program, tmp_path: Path, kind: str, command, logs, names) -> None:
    options = {"interfaces": 4} if kind == "advise-rails" else {}
    job = server.client().submit(kind, log=[LOGS / log for log in logs], **options).wait()
    names = names or [f"log-{rank:04}.txt" for rank in range(len(logs))]
    for log, name in zip(logs, names, strict=True):
        (tmp_path / name).write_bytes((LOGS / log).read_bytes())
    assert job.result_text().encode() == run_program(tmp_path, *command, names[0])


def test_a_map_that_is_uploaded_is_evaluated(server, run_program, cg) -> None:
    found = server.client().submit("map", workload=cg, objective="tac3", evaluations=20000, **ON_SHAPE_1).wait()
    (cg.parent / "map").write_text(found.rank_map("tofu6d"))
    job = server.client().submit("evaluate", workload=cg, map=cg.parent / "map", format="tofu6d", **ON_SHAPE_1).wait()
    words = words_of(ON_SHAPE_1 | {"workload": "workload", "map": "map", "format": "tofu6d"})
    assert job.result_text().encode() == run_program(cg.parent, "evaluate", "--json", "--no-timing", *words)


def test_the_server_logs_what_the_program_decides(server) -> None:
    job = server.client().submit("map", machine="torus:4x4", objective="hop-bytes", strategy="anneal", **RING).wait()
    said = [line["message"] for line in server.log() if line.get("job") == job.id and line.get("by") == "program"]
    assert any(text.startswith("annealing: ") for text in said)
    assert all(f"info: {text}" in server.ask("GET", f"/v1/jobs/{job.id}/log")[1] for text in said)


def test_a_job_has_so_much_disk(start: Callable[..., Any], cg) -> None:
    server = start("--max-disk", "100KiB")
    large = cg.read_text() + " " * 150_000
    job = server.client().submit("map", machine="torus:4x4x4", workload=large, objective="rmatt", time="100s")
    with pytest.raises(haichi.Error, match="the job's files exceeded the limit of 102400 bytes"):
        job.wait()
    assert job.status()["error"]["code"] == "disk_limit"


def test_jobs_are_kept_for_some_time(start: Callable[..., Any]) -> None:
    server = start("--keep", "1s")
    job = server.client().submit("map", machine="torus:4x4", objective="hop-bytes", **RING).wait()
    end = time.monotonic() + 30
    while server.ask("GET", f"/v1/jobs/{job.id}")[0] == 200:
        assert time.monotonic() < end
        time.sleep(0.1)
    while (server.data / "jobs" / job.id).exists():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_the_page_of_the_interface_loads_nothing_from_elsewhere(server) -> None:
    status, page = server.ask("GET", "/docs")
    assert status == 200 and "http://" not in page and "https://" not in page
    addresses = re.findall(r'(?:src|href|url)(?:="|: [\'"])([^"\']+)', page)
    assert len(addresses) == 4 and not any(address.startswith("/") for address in addresses)  # valid below any prefix
    for address in addresses:
        assert server.ask("GET", f"/{address}")[0] == 200
    assert server.ask("GET", "/openapi.json")[1]["servers"] == [{"url": "."}]


def test_indented_lines_belong_to_the_message_or_the_hint() -> None:
    text = "warning: w\nerror: 2 ranks wait:\n  rank 0\n  rank 1\nhint: check them\n  rank 2 ended\nmore\n"
    assert told_by_program(text) == ("2 ranks wait:\n  rank 0\n  rank 1", "check them\n  rank 2 ended")
