"""The readable output of `haichi log show`, `compare` and `convert`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from haichi_program import fail, succeed
from sample_logs import sample

MIB = 2**20

RING = """\
ring.haichi: 4 ranks on 2 hosts
  program      /opt/app/ring
  library      Open MPI 4.1.4
  format       haichi, profile, call log
  run          2 s
  computation  4.6 s (57.5%), sum of all ranks
  MPI          3.4 s (42.5%)

function         calls    time  of MPI     mean      min     max  messages   bytes  mean size  sizes
MPI_Recv            40   1.7 s   50.0%  42.5 ms    35 ms   50 ms        40  40 MiB      1 MiB  1M: 100%
MPI_Allreduce       40  850 ms   25.0%  21.2 ms  17.5 ms   25 ms        40   320 B        8 B  8: 100%
MPI_Send            40  680 ms   20.0%    17 ms    14 ms   20 ms        40  40 MiB      1 MiB  1M: 100%
MPI_Barrier    400,000  170 ms    5.0%   425 ns   350 ns  500 ns

messages sent: 40, 40 MiB in total
  1 MiB to < 2 MiB  40  100.0%  ########################################

messages received: 40, 40 MiB in total
  1 MiB to < 2 MiB  40  100.0%  ########################################

contributions to collectives: 40, 320 B in total
  8 B to < 16 B  40  100.0%  ########################################

most active of 4 pairs of ranks
  rank 0  -> rank 1  10 MiB  25.0%  in 10 messages
  rank 1  -> rank 2  10 MiB  25.0%  in 10 messages
  rank 2  -> rank 3  10 MiB  25.0%  in 10 messages
  rank 3  -> rank 0  10 MiB  25.0%  in 10 messages

balance of the ranks
                least            mean   most
  run             2 s  rank 0     2 s    2 s  rank 0
  computation     1 s  rank 0  1.15 s  1.3 s  rank 3
  MPI          700 ms  rank 3  850 ms    1 s  rank 0

calls of rank 0: 31 events, compressed to 2 symbols
  10 times
    send of 1,048,576 bytes to rank 1, tag 3  (after 1 us)
    receive from rank 3, tag 3
    Allreduce of 8 bytes
  Barrier
"""


def test_the_table_of_a_ring(tmp_path: Path) -> None:
    sample("ring", 4, tmp_path / "ring.haichi")
    run = succeed("log", "show", "ring.haichi", cwd=tmp_path)
    assert (run.stdout, run.stderr) == (RING, "")


def test_every_rank_has_a_line_on_request_and_its_calls_too(tmp_path: Path) -> None:
    sample("killed", 4, tmp_path / "killed.haichi")
    text = succeed("log", "show", "killed.haichi", "--list-ranks", "all", "--calls-of", 2, cwd=tmp_path).stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "1 node0 signalled 2 s 1.1 s 900 ms 2 10 MiB 10 MiB" in lines
    assert "warning: 1 of 4 ranks left no data: rank 3\n" in text
    assert "calls of rank 2: 31 events" in text and "to rank 3, tag 3" in text
    assert "the log has no calls of rank 3" in fail(2, "log", "show", "killed.haichi", "--calls-of", 3, cwd=tmp_path)
    assert "--calls-of" in fail(2, "log", "show", "killed.haichi", "--calls-of", 4, cwd=tmp_path)


def test_names_from_a_log_cannot_steer_the_terminal(tmp_path: Path) -> None:
    sample("hostile", 2, tmp_path / "hostile.haichi")
    text = succeed("log", "show", "hostile.haichi", "--call-sites", cwd=tmp_path).stdout
    assert "\x1b" not in text and "\\x1b[31m\\xff" in text and "<s>solve" in text
    assert "<u>app\\x1b[0m+0x40" in text


def test_a_log_without_a_profile_shows_its_calls_and_pairs(tmp_path: Path) -> None:
    sample("calls-only", 4, tmp_path / "calls.haichi")
    text = succeed("log", "show", "calls.haichi", cwd=tmp_path).stdout
    assert "format   haichi, call log\n" in text and "most active of 4 pairs" in text and "  10 times\n" in text
    assert "balance" not in text and "function" not in text


def test_advice_on_rails_gives_quantities_and_the_setting(tmp_path: Path) -> None:
    sample("broadcasts", 8, tmp_path / "b.haichi")
    text = succeed("advise", "rails", "b.haichi", cwd=tmp_path).stdout
    assert "NICs per node for 8 ranks: use 1 NIC\n" in text and "95.0% of the messages are below 1 KiB" in text
    assert "  setting: UCX_MAX_RNDV_RAILS=1 (over UCX), or OMPI_MCA_btl_openib_max_btls=1 (over openib)\n" in text
    (answer,) = json.loads(succeed("advise", "rails", "b.haichi", "--json", cwd=tmp_path).stdout)["answers"]
    assert answer["advice"] == "fewer" and len(answer["reasons"]) == 6
    sample("ring", 8, tmp_path / "ring.haichi")
    text = succeed("advise", "rails", "ring.haichi", "--interfaces", 4, cwd=tmp_path).stdout
    assert "use all NICs" in text and "UCX_MAX_RNDV_RAILS=4" in text


def test_runs_are_compared_by_function_and_by_rails(tmp_path: Path) -> None:
    for name, kind, ranks in [("a", "ring", 4), ("b", "ring", 8), ("c", "broadcasts", 8)]:
        sample(kind, ranks, tmp_path / name)
    arguments = ["log", "compare", "--rails", "1,1,2", "small:a", "large:b", "c"]
    lines = [" ".join(line.split()) for line in succeed(*arguments, cwd=tmp_path).stdout.splitlines()]
    assert lines[:4] == ["run small large c", "ranks 4 8 8", "NICs per node 1 1 2", "elapsed 2 s 2 s 6.44 s"]
    assert "MPI_Bcast - - 4 s" in lines
    assert "NICs per node for 8 ranks: use 1 NIC" in lines and "measured: 2 s with 1 NIC, 6.44 s with 2 NICs" in lines
    report = json.loads(succeed(*arguments, "--json", cwd=tmp_path).stdout)
    assert report["schema"] == "haichi-log-comparison/1"
    assert [(r["label"], r["processes"], r["rails"]) for r in report["runs"]] == [
        ("small", 4, 1),
        ("large", 8, 1),
        ("c", 8, 2),
    ]
    assert report["rail_advice"][0]["rails"] == 1 and report["slower"] == []


def test_functions_that_got_slower_with_more_processes_are_named(tmp_path: Path) -> None:
    sample("ring", 8, tmp_path / "a")
    sample("ring", 2, tmp_path / "b")  # the first ranks of the ring spend most time in MPI
    report = json.loads(succeed("log", "compare", "a", "b", "--json", cwd=tmp_path).stdout)
    assert report["slower"] == [] and report["rail_advice"] == [] and report["runs"][0]["rails"] is None
    sample("slow-ring", 16, tmp_path / "c")
    text = succeed("log", "compare", "rails=1:a", "rails=1:c", cwd=tmp_path).stdout
    assert "functions that are slower with more ranks\n  MPI_Recv: 325 ms -> " in text


def test_comparisons_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    sample("ring", 4, tmp_path / "a")
    sample("calls-only", 4, tmp_path / "calls")
    assert "log compare requires at least two logs" in fail(2, "log", "compare", "a", cwd=tmp_path)
    assert "--rails: expected 2 numbers, one per log, found 1" in fail(
        2, "log", "compare", "a", "a", "--rails", "1", cwd=tmp_path
    )
    assert "the log has no function times" in fail(2, "log", "compare", "a", "calls", cwd=tmp_path)
    assert "rails=" in fail(2, "log", "compare", "a", "rails=none:a", cwd=tmp_path)


@pytest.mark.parametrize("kind", ["ring", "received-only", "calls-only", "killed"])
@pytest.mark.parametrize("form", ["json", "matrix-market", "dense-matrix", "csv"])
def test_the_matrix_is_the_same_in_every_format_and_from_every_kind_of_log(
    tmp_path: Path, kind: str, form: str
) -> None:
    sample(kind, 8, tmp_path / "log")
    run = succeed("log", "convert", "log", "-t", form, "-o", "matrix", cwd=tmp_path)
    assert "matrix of the whole run: 8 pairs, 83,886,080 bytes" in run.stderr and "hop-bytes" in run.stderr
    assert ("the log has only the received bytes of 8 pairs" in run.stderr) == (kind == "received-only")
    arguments = ["-m", "mesh:8", "-w", "matrix", "--objective", "hop-bytes", "--strategy", "default", "--json"]
    report = json.loads(succeed("map", *arguments, cwd=tmp_path).stdout)
    assert report["metrics"]["hop_bytes"] == (7 + 7) * 10 * MIB


def test_a_log_without_messages_has_no_matrix(tmp_path: Path) -> None:
    sample("broadcasts", 4, tmp_path / "log")
    assert "a communication matrix requires messages between ranks" in fail(
        2, "log", "convert", "log", "-t", "csv", "-o", "m", cwd=tmp_path
    )
    assert not (tmp_path / "m").exists()
    assert "did you mean 'csv'" in fail(2, "log", "convert", "log", "-t", "cvs", cwd=tmp_path)
    assert "--to" in fail(2, "log", "convert", "log", cwd=tmp_path)


def test_the_page_holds_everything_and_nothing_from_the_log_is_markup(tmp_path: Path) -> None:
    sample("hostile", 300, tmp_path / "log")
    run = succeed("log", "show", "log", "--html", "log.html", cwd=tmp_path)
    assert run.stdout == ""
    page = (tmp_path / "log.html").read_text(encoding="utf-8")
    assert "<img" not in page and "onerror=alert(1)" in page and page.count("</script>") == 2
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert (data["ranks"], len(data["bars"]), len(data["functions"])) == (300, 300, 4)
    assert (data["matrix"]["size"], data["matrix"]["ranks_per_cell"]) == (150, 2)
    assert sum(cell[2] for cell in data["matrix"]["cells"]) == 300 * 10 * MIB
    assert sum(cell[3] for cell in data["matrix"]["cells"]) == 300 * 10
    assert [h["name"] for h in data["histograms"]][0] == "messages sent" and "10 times" in data["outline"]


def test_a_page_is_for_one_log(tmp_path: Path) -> None:
    for name in ["a", "b"]:
        sample("ring", 2, tmp_path / name)
    assert "--html requires one log, found 2" in fail(2, "log", "show", "a", "b", "--html", "x.html", cwd=tmp_path)
    fail(2, "log", "show", "missing", "--html", "x.html", cwd=tmp_path)
    assert not (tmp_path / "x.html").exists()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium is installed")
def test_the_page_draws_itself_without_network_and_shows_names_as_text(tmp_path: Path) -> None:
    sample("hostile", 6, tmp_path / "log")
    succeed("log", "show", "log", "--html", "log.html", cwd=tmp_path)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
    flags += ["--no-first-run", f"--user-data-dir={tmp_path}/profile", "--host-resolver-rules=MAP * ~NOTFOUND"]
    command = ["chromium", *flags, "--dump-dom", f"file://{tmp_path}/log.html"]
    try:
        drawn = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout.split("<script")[0]
    except subprocess.TimeoutExpired:
        pytest.skip("Chromium did not come up within two minutes: the machine is busy")
    assert drawn.count("<svg") == 4 and drawn.count("<canvas") == 1 and drawn.count("<tr>") == 18
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in drawn and "<img" not in drawn
    assert "&lt;i&gt;MPI_Allreduce&lt;/i&gt;" in drawn and "10 times" in drawn
    assert "&lt;s&gt;solve" in drawn and "&lt;u&gt;app" in drawn and "haichi ccs log -o sets.json" in drawn


LOGS = Path(__file__).parents[1] / "data/logs"
READABLE = {
    "mpip": "mpip/ring.4.1234.1.mpiP",
    "ipm": "ipm/full.ipm.xml",
    "paraver": "paraver/ring.prv",
    "tit": "tit/ring.tit",
    "goal": "goal/exchange.goal",
    "dumpi": "dumpi/dumpi-0000.txt",
    "open-mpi-monitoring": "open-mpi-monitoring/ring.0.prof",
}


@pytest.mark.parametrize("form", READABLE)
def test_logs_of_other_tools_are_shown_without_what_they_do_not_hold(tmp_path: Path, form: str) -> None:
    text = succeed("log", "show", LOGS / READABLE[form], cwd=tmp_path).stdout
    log = json.loads(succeed("log", "show", "--json", LOGS / READABLE[form], cwd=tmp_path).stdout)
    assert log["format"] == form and f"  {form}, profile" in text
    assert all(f"  warning: {warning}\n" in text for warning in log["warnings"])
    has_times = form not in ["tit", "goal", "open-mpi-monitoring"]
    assert ("balance of the ranks" in text) == has_times == ("  of MPI  " in text) and "  0 s  " not in text
    succeed("log", "show", LOGS / READABLE[form], "--html", "page.html", cwd=tmp_path)
    assert (tmp_path / "page.html").stat().st_size > 10000


def test_sizes_that_are_not_known_are_no_signs_for_rails(tmp_path: Path) -> None:
    advised = succeed("advise", "rails", LOGS / READABLE["mpip"], "--json", cwd=tmp_path)
    (answer,) = json.loads(advised.stdout)["answers"]
    assert answer["advice"] == "unknown"
    assert answer["reasons"] == ["the log lacks message sizes or times"]


def test_the_format_can_be_named(tmp_path: Path) -> None:
    log = LOGS / READABLE["goal"]
    matrix = succeed("log", "convert", log, "--log-format", "goal", "-t", "csv", cwd=tmp_path).stdout
    assert matrix.startswith("0,1024,8\n")
    assert "did you mean 'goal'" in fail(2, "log", "show", log, "--log-format", "goa", cwd=tmp_path)
    assert "the log has no function times" in fail(2, "log", "compare", log, log, cwd=tmp_path)
