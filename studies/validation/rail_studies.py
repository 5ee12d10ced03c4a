"""The T2K node with 1, 2 and 4 NICs, and the broadcasts of a climate code on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cg_studies import Measured
from link_studies import STREAM, machine_file

import haichi

BROADCASTS = Path(__file__).with_name("climate-broadcasts.json")


def with_nics(nics: int) -> haichi.Machine:
    """Returns the preset t2k as if the MPI library used `nics` of its NICs."""
    file = machine_file("t2k")
    file["node"] |= {"nics": nics, "trunk": nics}
    return haichi.Machine.from_dict(file)


def ipm_report(code: dict[str, Any]) -> str:
    """Returns an IPM report with a histogram of broadcasts. All ranks take equally long."""
    calls = sum(one["calls"] for one in code["broadcasts"])
    in_mpi = code["seconds"] * code["mpi_share"]
    entries = ""
    for one in code["broadcasts"]:
        mean = in_mpi / calls
        times = f"{mean * one['calls']:.6e} {mean:.6e} {mean:.6e}"
        entries += f'<hent key="00" call="MPI_Bcast" bytes="{one["bytes"]}" orank="0" region="1" callsite="1" '
        entries += f'count="{one["calls"]}" tid="0" >{times}</hent>\n'
    report = "<ipm_job_profile>\n"
    for rank in range(code["ranks"]):
        report += f'<task ipm_version="2.0.6" mpi_rank="{rank}" mpi_size="{code["ranks"]}" >\n'
        report += f"<host>node{rank // code['ranks_per_node']}</host>\n"
        report += f'<perf wtime="{code["seconds"]:.6e}" mtime="{in_mpi:.6e}" ></perf>\n'
        report += f'<hash nlog="{len(code["broadcasts"])}" >\n{entries}</hash>\n</task>\n'
    return report + "</ipm_job_profile>\n"


def broadcast_trace(code: dict[str, Any], folder: Path) -> Path:
    """Writes a time-independent trace of the broadcasts, with one tenth of the calls of each size."""
    sizes = [one["bytes"] for one in code["broadcasts"] for _ in range(one["calls"] // 10)]
    for rank in range(code["ranks"]):
        lines = [f"{rank} init", *(f"{rank} bcast {size} 0 0" for size in sizes), f"{rank} finalize"]
        (folder / f"broadcasts_rank-{rank + 1}.txt").write_text("\n".join(lines) + "\n")
    index = folder / "broadcasts.tit"
    index.write_text("".join(f"broadcasts_rank-{rank + 1}.txt\n" for rank in range(code["ranks"])))
    return index


def rails(folder: Path) -> dict[str, Measured]:
    code = json.loads(BROADCASTS.read_text())
    report = folder / "climate.ipm.xml"
    report.write_text(ipm_report(code))
    machine = haichi.Machine(code["machine"])
    advice = haichi.advise_rails(report, interfaces=machine.nics_per_node)
    answer = advice.sentence.split(": ", 1)[1].rstrip(".")
    found = {
        "rails.climate.advice": Measured(answer, "haichi.advise_rails(IPM report of the histogram, interfaces=4)"),
        "t2k.nics": Measured(machine.nics_per_node, "haichi.Machine('t2k').nics_per_node"),
    }
    trace = broadcast_trace(code, folder)
    seconds = {}
    for nics in (1, 2, 4):
        job = haichi.Job(trace, with_nics(nics), ppn=code["ranks_per_node"])
        seconds[nics] = job.simulate().run.seconds
        call = f"haichi.Job(trace of the broadcasts, t2k with nics={nics}, ppn=16).simulate().run.seconds, over 1 NIC"
        found[f"rails.climate.ratio.{nics}"] = Measured(seconds[nics] / seconds[1], call)
    stream = haichi.Workload.from_messages([0], [1], STREAM, ranks=2)
    for name, nics in (("rail", 1), ("node", 4)):
        rate = STREAM / haichi.Job(stream, with_nics(nics)).simulate().run.seconds / 1e9
        call = f"2**24 / haichi.Job(one message of 16 MiB, t2k with nics={nics}).simulate().run.seconds"
        found[f"t2k.{name}"] = Measured(rate, call)
    return found
