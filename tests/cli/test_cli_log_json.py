"""`haichi log show --json`: haichi-log/1 as documented in docs/reference/results_of_logs.md."""

from __future__ import annotations

import json
from pathlib import Path

from haichi_program import fail, succeed
from sample_logs import sample

MIB = 2**20


def test_every_number_of_the_log_is_in_the_json(tmp_path: Path) -> None:
    sample("ring", 8, tmp_path / "ring.haichi")
    run = succeed("log", "show", "--json", "ring.haichi", cwd=tmp_path)
    assert run.stderr == ""
    log = json.loads(run.stdout)
    assert (log["schema"], log["format"], log["ranks"], log["ranks_with_data"]) == ("haichi-log/1", "haichi", 8, 8)
    assert (log["hosts"], log["programs"], log["libraries"]) == (4, ["/opt/app/ring"], ["Open MPI 4.1.4"])
    assert log["run_seconds"] == 2 and log["warnings"] == [] and log["ranks_listed"] == "all"
    assert [f["name"] for f in log["functions"]] == ["MPI_Recv", "MPI_Allreduce", "MPI_Send", "MPI_Barrier"]
    assert abs(log["mpi_seconds"] + log["computing_seconds"] - 8 * 2) < 1e-12
    send = log["functions"][2]
    assert (send["ranks"], send["calls"], send["spoiled"]) == (8, 80, False)
    classes = [0] * 24
    classes[20] = 80
    bytes_sent = {"total": 80 * MIB, "min": MIB, "mean": MIB, "max": MIB}
    assert send["sent"] == {"messages": 80, "bytes": bytes_sent, "empty": 0, "classes": classes}
    assert send["received"]["messages"] == 0
    assert abs(send["fraction_of_mpi"] - 0.2) < 1e-12

    third = log["per_rank"][2]
    assert (third["rank"], third["state"], third["host"], third["own_ns_per_call"]) == (2, "finished", "node1", 30)
    assert [f["name"] for f in third["functions"]] == ["MPI_Allreduce", "MPI_Barrier", "MPI_Recv", "MPI_Send"]
    nothing = {"sent_messages": 0, "sent_bytes": 0, "received_messages": 0, "received_bytes": 0}
    assert third["peers"] == [
        {"peer": 1, **nothing, "received_messages": 10, "received_bytes": 10 * MIB},
        {"peer": 3, **nothing, "sent_messages": 10, "sent_bytes": 10 * MIB},
    ]
    (calls,) = third["call_log"]
    assert (calls["events"], calls["different_events"], calls["loops"]) == (31, 4, 1)
    balance = log["balance"]["mpi_seconds"]
    assert (balance["min_rank"], balance["max_rank"]) == (7, 0)
    assert abs(balance["mean"] - log["mpi_seconds"] / 8) < 1e-12


def test_ranks_that_left_nothing_and_those_that_were_killed_are_told(tmp_path: Path) -> None:
    sample("killed", 8, tmp_path / "killed.haichi")
    log = json.loads(succeed("log", "show", "--json", "killed.haichi", cwd=tmp_path).stdout)
    assert (log["ranks"], log["ranks_with_data"]) == (8, 7)
    assert any("rank 7" in w for w in log["warnings"]) and any("signal 15" in w for w in log["warnings"])
    assert (log["per_rank"][1]["state"], log["per_rank"][1]["signal"]) == ("signalled", 15)
    assert "signal" not in log["per_rank"][0]


def test_the_ranks_can_be_left_out_and_are_where_they_would_be_gigabytes(tmp_path: Path) -> None:
    sample("ring", 8, tmp_path / "ring.haichi")
    log = json.loads(succeed("log", "show", "--json", "--list-ranks", "summary", "ring.haichi", cwd=tmp_path).stdout)
    assert (log["ranks_listed"], log["per_rank"]) == ("summary", []) and len(log["functions"]) == 4
    assert "possible values are all, summary" in fail(
        2, "log", "show", "--list-ranks", "some", "ring.haichi", cwd=tmp_path
    )


def test_several_logs_are_a_list_and_hostile_names_stay_valid_json(tmp_path: Path) -> None:
    sample("ring", 4, tmp_path / "ring.haichi")
    sample("hostile", 4, tmp_path / "hostile.haichi")
    logs = json.loads(succeed("log", "show", "--json", "ring.haichi", "hostile.haichi", cwd=tmp_path).stdout)
    assert [log["ranks"] for log in logs] == [4, 4]
    assert logs[1]["programs"] == ["</script><img src=x onerror=alert(1)>\x1b[31m\ufffd\"'&"]


def test_what_is_no_log_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no log")
    assert "text" in fail(2, "log", "show", "text", cwd=tmp_path)
    assert "missing" in fail(2, "log", "show", "missing", cwd=tmp_path)
    assert "LOG is missing" in fail(2, "log", "show", cwd=tmp_path)
    assert "a command is missing after 'log'" in fail(2, "log", cwd=tmp_path)
    assert "did you mean 'show'" in fail(2, "log", "shwo", "text", cwd=tmp_path)
