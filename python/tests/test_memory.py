"""Matrices are read without a copy, so a process needs little memory beyond 16 bytes per message of a workload."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import haichi

RANKS = 512
MESSAGES = RANKS * RANKS
SLACK = MESSAGES // 2  # bytes; a mask of the matrix would take twice as much


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    path = Path(__file__).parents[2] / "tests" / "bench" / "python_memory.py"
    if not path.exists() or not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("measures by tests/bench and /proc/self/clear_refs: needs the source tree and Linux")
    spec = importlib.util.spec_from_file_location("python_memory", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "case", ["dense int64", "dense int64, every other row", "dense float64", "CSR int64", "CSR float64", "COO int64"]
)
def test_a_matrix_is_read_where_it_is(bench, case) -> None:
    row = bench.run_apart(case, RANKS)
    assert row["messages"] == MESSAGES
    assert 15 * MESSAGES <= row["peak"] < 16 * MESSAGES + SLACK
    assert row["numpy_peak"] < 100_000
    assert row["messages_peak"] < SLACK


def test_zeros_cost_nothing(bench) -> None:
    assert bench.run_apart("dense int64, 1 % set", RANKS)["peak"] < SLACK


def test_a_search_does_not_copy_the_workload(bench) -> None:
    row = bench.run_apart(bench.SEARCH, RANKS)
    assert row["peak"] < 68 * MESSAGES  # the search's index takes 58 bytes per message, and a copy would add 16
    assert row["numpy_peak"] < 1_000_000


def test_placements_are_the_memory_of_their_report(cg64, on_shape_1) -> None:
    result = haichi.Job(cg64, **on_shape_1).optimize(evaluations=100, restarts=1)
    assert np.shares_memory(result.node_of_rank, result._core.node_of_rank)
    nodes = result.node_of_rank
    expected = nodes.tolist()
    del result
    assert nodes.tolist() == expected and not nodes.flags.owndata
