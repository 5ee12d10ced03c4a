"""Workloads from arrays, matrices, files and patterns."""

import copy
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import haichi


def fields(workload: haichi.Workload) -> tuple[object, ...]:
    return (workload.ranks, workload.iterations, workload.labels, *(column.tolist() for column in workload.messages))


def test_cg_has_the_sets_of_the_paper(cg64):
    assert (cg64.ranks, cg64.iterations, len(cg64.labels)) == (64, 1000, 4)
    messages = cg64.messages
    assert np.bincount(messages.set).tolist() == [64, 64, 64, 56]
    first = messages.set == 0
    np.testing.assert_array_equal(messages.destination[first], messages.source[first] ^ 1)
    assert cg64.total_bytes == 248 * 2**20


def test_messages_are_grouped_by_set_in_the_given_order():
    workload = haichi.Workload.from_messages([0, 1, 2, 3], [1, 2, 3, 0], [10, 20, 30, 40], set=[1, 0, 1, 0])
    assert workload.messages.source.tolist() == [1, 3, 0, 2]
    assert workload.messages.set.tolist() == [0, 0, 1, 1]
    assert workload.labels == ["set 1", "set 2"]


def test_one_size_does_for_all_messages():
    workload = haichi.Workload.from_messages([0, 1], [1, 0], 2**20)
    assert workload.messages.bytes.tolist() == [2**20, 2**20]


def test_labels_may_name_sets_without_messages():
    workload = haichi.Workload.from_messages([0], [1], 8, set=[1], labels=["idle", "busy", "idle too"])
    assert workload.labels == ["idle", "busy", "idle too"]
    assert workload.messages.set.tolist() == [1]


def test_written_workloads_read_back_the_same(cg64, tmp_path: Path):
    cg64.write(tmp_path / "cg.json")
    assert fields(haichi.Workload.from_file(tmp_path / "cg.json")) == fields(cg64)


@given(hnp.arrays(np.int64, st.integers(1, 12).map(lambda n: (n, n)), elements=st.integers(0, 2**48)))
def test_a_matrix_comes_back_from_the_messages(matrix):
    workload = haichi.Workload.from_matrix(matrix)
    messages = workload.messages
    rebuilt = np.zeros_like(matrix)
    np.add.at(rebuilt, (messages.source, messages.destination), messages.bytes)
    np.testing.assert_array_equal(rebuilt, matrix)
    assert workload.ranks == len(matrix)
    assert workload.total_bytes == matrix.sum() - np.trace(matrix)


@pytest.mark.parametrize(
    ("source", "destination", "size", "options"),
    [
        ([0], [5], [1], {"ranks": 4}),
        ([-1], [1], [1], {}),
        ([0], [1], [-1], {}),
        ([0], [1], [2**48 + 1], {}),
        ([0], [1], [1.5], {}),
        ([0], [1], [float("nan")], {}),
        ([0], [1], [1e30], {}),
        ([0, 1], [1], [1], {}),
        ([0], [1], ["a"], {}),
        ([0], [1], [1], {"set": [-1]}),
        ([0], [1], [1], {"set": [10**9]}),
        ([0], [1], [1], {"set": [1], "labels": ["only one"]}),
        ([0], [1], [1], {"compute_seconds": [1.0, 2.0]}),
        ([0], [1], [1], {"transfers": ["messages", "put"]}),
        ([0], [1], [1], {"transfers": ["get"]}),
        ([0], [2**40], [1], {}),
    ],
)
def test_wrong_arrays_are_refused(source, destination, size, options):
    with pytest.raises((haichi.InputError, haichi.OptionError)):
        haichi.Workload.from_messages(source, destination, size, **options)


@pytest.mark.parametrize(
    "matrix", [np.zeros((2, 3)), np.zeros(4), np.array([[0, -1], [0, 0]]), np.zeros((2, 2), complex)]
)
def test_wrong_matrices_are_refused(matrix):
    with pytest.raises(haichi.InputError):
        haichi.Workload.from_matrix(matrix)


def test_unknown_patterns_and_useless_options_are_refused():
    with pytest.raises(haichi.OptionError) as caught:
        haichi.Workload.from_pattern("stencil2", ranks=16)
    assert "stencil" in caught.value.hint
    with pytest.raises(haichi.OptionError):
        haichi.Workload.from_pattern("cg", ranks=64, periodic=True)


messages = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**48), st.integers(0, 2))


@given(st.lists(messages, max_size=12), st.integers(1, 2**40), st.lists(st.floats(0, 1e9), min_size=3, max_size=3))
def test_a_pickled_workload_is_the_same(rows, iterations, compute_seconds):
    source, destination, size, set = np.array(rows, np.int64).reshape(-1, 4).T
    workload = haichi.Workload.from_messages(
        source,
        destination,
        size,
        set,
        ranks=5,
        iterations=iterations,
        labels=["a", "\u4e2d", ""],
        compute_seconds=compute_seconds,
        transfers=["messages", "put", "messages"],
    )
    again = pickle.loads(pickle.dumps(workload))
    assert fields(again) == fields(workload)
    assert again.compute_seconds.tolist() == workload.compute_seconds.tolist() == compute_seconds
    assert again.transfers == ["messages", "put", "messages"]
    assert again == workload and hash(again) == hash(workload) and again.digest() == workload.digest()


def test_workloads_differ_in_any_part_of_their_content():
    base = {"ranks": 4, "iterations": 2, "labels": ["x", "y"], "compute_seconds": [0.0, 1.0]}
    first = haichi.Workload.from_messages([0, 1], [1, 2], [10, 20], [0, 1], **base)
    same = haichi.Workload.from_messages([1, 0], [2, 1], [20, 10], [1, 0], **base)
    assert first == same == copy.copy(first) and first.digest() == same.digest()
    others = [
        haichi.Workload.from_messages([0, 1], [1, 2], [10, 20], [0, 1], **{**base, **change})
        for change in (
            {"ranks": 5},
            {"iterations": 3},
            {"labels": ["x", "z"]},
            {"compute_seconds": [0.0, 2.0]},
            {"transfers": ["messages", "put"]},
        )
    ]
    others.append(haichi.Workload.from_messages([0, 1], [1, 2], [10, 20], [0, 0], **base))
    others.append(haichi.Workload.from_messages([0, 1], [1, 3], [10, 20], [0, 1], **base))
    others.append(haichi.Workload.from_messages([0, 1], [1, 2], [10, 21], [0, 1], **base))
    assert all(other != first for other in others)
    assert len({other.digest() for other in [first, *others]}) == 1 + len(others)
    assert first != "workload"


def test_how_messages_travel_is_kept(tmp_path):
    puts = haichi.Workload.from_messages([0, 1], [1, 0], [8, 8], [0, 1], transfers=["put", "messages"])
    puts.write(tmp_path / "puts.json")
    assert json.loads((tmp_path / "puts.json").read_text())["sets"][0]["transfer"] == "put"
    for same in (haichi.Workload.from_file(tmp_path / "puts.json"), pickle.loads(pickle.dumps(puts))):
        assert same == puts and same.transfers == ["put", "messages"] and same.digest() == puts.digest()
    assert puts.with_message_size(16).transfers == ["put", "messages"]
    plain = haichi.Workload.from_messages([0, 1], [1, 0], [8, 8], [0, 1])
    assert plain.transfers == ["messages", "messages"]
    assert plain == haichi.Workload.from_messages([0, 1], [1, 0], [8, 8], [0, 1], transfers=plain.transfers)
    with pytest.raises(TypeError, match="transfers"):
        haichi.Workload.from_messages([0], [1], [8], transfers="put")


def test_the_digest_is_the_same_in_every_process(cg64):
    script = "import haichi; print(haichi.Workload.from_pattern('cg', ranks=64).digest())"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == cg64.digest()


def test_messages_are_the_workload_s_own_memory(cg64):
    first, second = cg64.messages, cg64.messages
    assert np.shares_memory(first.bytes, second.bytes) and np.shares_memory(first.source, second.source)
    for column in first:
        assert not column.flags.writeable
    pattern = haichi.Workload.from_pattern("cg", ranks=16)
    kept = pattern.messages.bytes
    expected = kept.tolist()
    del pattern  # the arrays keep the memory alive
    assert kept.tolist() == expected


NUMBER_TYPES = ["?", "i1", "u1", "i2", "<u2", ">i4", "u4", "i8", ">u8", "f2", "f4", "f8", ">f8", "g"]


@given(
    st.sampled_from(NUMBER_TYPES),
    st.sampled_from(["C", "F"]),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.booleans(), st.integers(1, 6)),
    st.randoms(use_true_random=False),
)
def test_a_matrix_is_read_whatever_its_type_and_strides(dtype, order, cut, random):
    row_step, column_step, turned, ranks = cut
    values = [[random.randrange(2 if dtype == "?" else 100) for _ in range(ranks)] for _ in range(ranks)]
    matrix = np.zeros((ranks * row_step, ranks * column_step), dtype, order=order)
    view = matrix[::row_step, ::column_step]
    view = view[::-1, ::-1] if turned else view
    view[:] = values
    plain = haichi.Workload.from_matrix(np.array(values, np.int64))
    assert haichi.Workload.from_matrix(view) == plain
    assert haichi.Workload.from_matrix(view.T) == haichi.Workload.from_matrix(np.array(values, np.int64).T)


@given(st.lists(messages, max_size=20), st.sampled_from(NUMBER_TYPES[1:]))
def test_messages_are_sorted_by_set_and_otherwise_stay_in_order(rows, dtype):
    table = np.array(rows, np.int64).reshape(-1, 4)
    table[:, 2] %= 100
    source, destination, size, set = table.astype(dtype).T
    workload = haichi.Workload.from_messages(source, destination, size, set, ranks=5, labels=["a", "b", "c"])
    expected = table[np.argsort(table[:, 3], kind="stable")]
    np.testing.assert_array_equal(np.stack(workload.messages, axis=1), expected)


def test_unaligned_numbers_are_read():
    records = np.zeros(4, np.dtype([("flag", "u1"), ("source", "i8"), ("destination", "i4"), ("bytes", "f8")]))
    records["source"] = [0, 1, 2, 3]
    records["destination"] = [1, 2, 3, 0]
    records["bytes"] = 7
    workload = haichi.Workload.from_messages(records["source"], records["destination"], records["bytes"])
    assert fields(workload)[3:5] == ([0, 1, 2, 3], [1, 2, 3, 0]) and workload.total_bytes == 28


@pytest.mark.parametrize("entry", [0.5, float("nan"), float("inf"), 2.0**63, -1.0, 2.0**48 + 1])
@pytest.mark.parametrize("dtype", ["f8", ">f8", "g"])
def test_wrong_entries_of_a_matrix_are_refused(entry, dtype):
    matrix = np.zeros((3, 3), dtype)
    matrix[1, 2] = entry
    with pytest.raises(haichi.InputError):
        haichi.Workload.from_matrix(matrix)
    with pytest.raises(haichi.InputError):
        haichi.Workload.from_messages([0], [1], matrix[1, 2:])


def test_numbers_beyond_64_bits_are_refused():
    for dtype in ("u8", ">u8"):
        with pytest.raises(haichi.InputError, match=r"numbers beyond 2\^63 - 1"):
            haichi.Workload.from_matrix(np.array([[0, 2**64 - 1], [0, 0]], dtype))


def test_other_threads_may_read_at_the_same_time():
    matrix = np.ones((400, 400), np.int32)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: haichi.Workload.from_matrix(matrix), range(16)))
    assert len({workload.digest() for workload in made}) == 1


def test_masked_entries_are_not_read_silently():
    matrix = np.array([[0, 5], [7, 0]])
    for masked in (np.ma.masked_equal(matrix, 5), np.ma.masked_equal(matrix.astype(float), 5)):
        for make in (haichi.Workload.from_matrix, lambda m: haichi.Job(m, "torus:2")):
            with pytest.raises(haichi.InputError, match="matrix must not have masked entries") as caught:
                make(masked)
        assert caught.value.hint == "replace them by zeros with matrix.filled(0)"
        assert haichi.Workload.from_matrix(masked.filled(0)).total_bytes == 7
    assert haichi.Workload.from_matrix(np.ma.masked_array(matrix)).total_bytes == 12
    one = np.ma.masked_equal([1, 2], 2)
    for arrays in ((one, [0, 0], 5), ([0, 0], one, 5), ([0, 0], [1, 1], one)):
        with pytest.raises(haichi.InputError, match="must not have masked entries"):
            haichi.Workload.from_messages(*arrays)
