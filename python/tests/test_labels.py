"""Labels of pandas tables give the ranks, or cause an error."""

import numpy as np
import pytest

import haichi

pandas = pytest.importorskip("pandas")


def workload_of(frame: "pandas.DataFrame") -> list[tuple[int, int, int]]:
    messages = haichi.Workload.from_matrix(frame).messages
    return sorted(zip(*(column.tolist() for column in messages[:3]), strict=True))


def test_labels_with_rank_numbers_are_the_ranks_in_any_order() -> None:
    values = [[0, 1], [7, 0]]
    for index, columns in (
        ([0, 1], [0, 1]),
        (["0", "1"], [0, 1]),  # as pandas.read_csv(..., index_col=0) gives them
        (["r0", "r1"], ["rank 0", "rank 1"]),
        ([0.0, 1.0], range(2)),
    ):
        assert workload_of(pandas.DataFrame(values, index, columns)) == [(0, 1, 1), (1, 0, 7)]
    for index, columns in (([1, 0], [0, 1]), (["r1", "r0"], ["r0", "r1"]), (["1", "0"], [0, 1])):
        assert workload_of(pandas.DataFrame(values, index, columns)) == [(0, 0, 7), (1, 1, 1)]
    assert workload_of(pandas.DataFrame(values, [1, 0], [1, 0])) == [(0, 1, 7), (1, 0, 1)]
    sorted_as_text = [f"r{n}" for n in sorted(map(str, range(11)))]  # r0, r1, r10, r2
    frame = pandas.DataFrame(np.diag(np.arange(11)), sorted_as_text, sorted_as_text).loc[["r10"], :]
    whole = frame.reindex(sorted_as_text, fill_value=0)
    assert workload_of(whole) == [(10, 10, 2)]


def test_other_names_are_ranks_in_the_order_of_both() -> None:
    numbered = ["node0", "node10", *(f"node{n}" for n in range(1, 10))]  # sorted as text
    assert workload_of(pandas.DataFrame(np.diag([0, 5] + [0] * 9), numbered, numbered)) == [(10, 10, 5)]
    frame = pandas.DataFrame([[0, 1], [7, 0]], ["node17", "node3"], ["node17", "node3"])
    assert workload_of(frame) == [(0, 1, 1), (1, 0, 7)]
    assert haichi.Job(frame, "mesh:2").ranks == 2


def test_ranks_without_a_row_or_column_are_an_error() -> None:
    log = pandas.DataFrame({"src": [0, 3], "dst": [5, 6], "bytes": [10, 20]})
    table = log.pivot(index="src", columns="dst", values="bytes").fillna(0)
    with pytest.raises(haichi.InputError, match="rows are labelled 0, 3 and the columns 5, 6") as error:
        haichi.Workload.from_matrix(table)
    assert "matrix.reindex(index=range(7), columns=range(7), fill_value=0)" in error.value.hint
    assert workload_of(table.reindex(index=range(7), columns=range(7), fill_value=0)) == [(0, 5, 10), (3, 6, 20)]
    counts = pandas.crosstab([0, 0, 2], [1, 2, 1])
    with pytest.raises(haichi.InputError, match="rows are labelled 0, 2 and the columns 1, 2"):
        haichi.Workload.from_matrix(counts)


@pytest.mark.parametrize(
    ("index", "columns", "message"),
    [
        (["a", "b"], ["b", "a"], "same labels for rows and columns, in the same order"),
        (["a", "b"], ["a", "c"], "rows are labelled a, b and the columns a, c"),
        (["a", "b"], [0, 1], "same labels for rows and columns"),
        ([0, 0], [0, 1], "two rows labelled 0"),
        ([0, 1], ["1", "rank 1"], "same labels"),
        ([1, 2], [1, 2], "a row and a column for every rank from 0 to 2"),
        ([0, -1], [0, -1], None),
    ],
)
def test_labels_that_differ(index: list[object], columns: list[object], message: str | None) -> None:
    frame = pandas.DataFrame([[0, 1], [7, 0]], index, columns)
    if message is None:
        assert workload_of(frame) == [(0, 1, 1), (1, 0, 7)]
        return
    with pytest.raises(haichi.InputError, match=message):
        haichi.Workload.from_matrix(frame)


def test_values() -> None:
    frame = pandas.DataFrame([[0, np.nan], [7, 0]])
    with pytest.raises(haichi.InputError, match="no value in row 0, column 1") as error:
        haichi.Workload.from_matrix(frame)
    assert "matrix.fillna(0)" in error.value.hint
    assert workload_of(frame.fillna(0).astype("Int64")) == [(1, 0, 7)]
    assert haichi.Workload.from_matrix(pandas.DataFrame(np.zeros((0, 0), int)).reindex([0], columns=[0], fill_value=0))


def test_series_of_messages_must_have_the_same_rows() -> None:
    log = pandas.DataFrame({"src": [0, 1], "dst": [1, 0], "bytes": [10, 20]})
    same = haichi.Workload.from_messages(log.src, log.dst, log.bytes)
    assert same.messages.bytes.tolist() == [10, 20]
    with pytest.raises(haichi.InputError, match="source and bytes have different row labels: 0, 1 and 1, 0"):
        haichi.Workload.from_messages(log.src, log.dst, log.bytes.sort_values(ascending=False))


def test_a_series_of_nodes_is_by_rank() -> None:
    job = haichi.Job(haichi.Workload.from_pattern("ring", ranks=4), "mesh:2x2")
    assert job.place(pandas.Series([3, 2, 1, 0], [3, 2, 1, 0])).node_of_rank.tolist() == [0, 1, 2, 3]
    with pytest.raises(haichi.InputError, match="a value for every rank from 0 to 3: its labels are 1, 2, 3, 4"):
        job.place(pandas.Series([3, 2, 1, 0], [1, 2, 3, 4]))
