"""Lets ranks of MPICH yield while they wait, as Open MPI's do with OMPI_MCA_mpi_yield_when_idle."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_folder = tempfile.TemporaryDirectory(prefix="yielding-mpich-")


@cache
def _library() -> str:
    path = Path(_folder.name) / "yielding_mpich.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(source), "-o", str(path)], check=True, timeout=60)
    return str(path)


def yielding(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which ranks of MPICH yield. Libraries that it preloads remain first."""
    preloaded = [environment["LD_PRELOAD"]] if environment.get("LD_PRELOAD") else []
    return {**environment, "LD_PRELOAD": ":".join([*preloaded, _library()])}
