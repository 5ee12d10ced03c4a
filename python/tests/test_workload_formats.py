"""Workloads from SciPy's matrices, NetworkX's graphs and files of every format."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

import haichi
from haichi.model.traffic import Traffic

Triple = tuple[int, int, int]


def triples(workload: haichi.Workload) -> list[Triple]:
    messages = workload.messages
    return list(zip(messages.source.tolist(), messages.destination.tolist(), messages.bytes.tolist(), strict=True))


MATRIX = np.array([[0, 5, 0, 0], [7, 3, 0, 0], [0, 0, 0, 2**48], [1, 0, 0, 0]])
ENTRIES = [(0, 1, 5), (1, 0, 7), (1, 1, 3), (2, 3, 2**48), (3, 0, 1)]


# ---- SciPy ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.float64])
@pytest.mark.parametrize("constructor", [sparse.coo_array, sparse.coo_matrix])
def test_every_sparse_layout_gives_the_messages_of_the_dense_matrix(kind, dtype, constructor):
    matrix = MATRIX % 2**31 if dtype is np.int32 else MATRIX
    workload = haichi.Workload.from_matrix(constructor(matrix.astype(dtype)).asformat(kind), iterations=3, label="x")
    assert sorted(triples(workload)) == triples(haichi.Workload.from_matrix(matrix))
    assert (workload.ranks, workload.iterations, workload.labels) == (4, 3, ["x"])


@given(st.data())
def test_random_sparse_matrices_come_back(data):
    n = data.draw(st.integers(1, 9))
    entries = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, 2**40))))
    row, column, size = np.array(entries, np.int64).reshape(-1, 3).T
    coo = sparse.coo_array((size, (row, column)), shape=(n, n))
    assert triples(haichi.Workload.from_matrix(coo)) == [entry for entry in entries if entry[2] > 0]
    csr = coo.tocsr()
    np.testing.assert_array_equal(
        np.array(triples(haichi.Workload.from_matrix(csr))).reshape(-1, 3)[:, 2], csr.data[csr.data > 0]
    )


def test_entries_stored_twice_are_two_messages_and_stored_zeros_are_none():
    twice = sparse.csr_array((np.array([5, 6, 0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert triples(haichi.Workload.from_matrix(twice)) == [(0, 1, 5), (0, 1, 6)]


def test_indices_of_64_bits_are_read_as_they_are():
    csc = sparse.csc_array(MATRIX)
    csc.indices = csc.indices.astype(np.int64)
    csc.indptr = csc.indptr.astype(np.int64)
    assert sorted(triples(haichi.Workload.from_matrix(csc))) == ENTRIES


def test_a_sparse_matrix_is_not_made_dense():
    n = 2_000_000
    ring = sparse.coo_array((np.full(n, 8), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n)).tocsr()
    workload = haichi.Workload.from_matrix(ring)
    assert (workload.ranks, workload.total_bytes) == (n, 8 * n)


@pytest.mark.parametrize(
    "matrix",
    [
        sparse.coo_array((2, 3), dtype=np.int64),
        sparse.coo_array(np.array([1, 2, 3])),
        sparse.csr_array(np.array([[0, -1], [0, 0]])),
        sparse.csr_array(np.array([[0, 0.5], [0, 0]])),
        sparse.csr_array(np.array([[0, np.nan], [0, 0]])),
        sparse.csr_array(np.array([[0, 1j], [0, 0]])),
        sparse.csr_array(np.array([[0, 2**48 + 1], [0, 0]])),
    ],
)
def test_wrong_sparse_matrices_are_refused(matrix):
    with pytest.raises(haichi.InputError):
        haichi.Workload.from_matrix(matrix)


@pytest.mark.parametrize(
    ("first", "index"),
    [([0, 1, 9], [1, 0]), ([0, 2, 1], [1, 0]), ([1, 1, 2], [1, 0]), ([0, 1, 2], [1, 7]), ([0, -5, 2], [1, 0])],
)
def test_broken_row_pointers_and_indices_are_refused(first, index):
    matrix = sparse.csr_array((2, 2), dtype=np.int64)
    matrix.data, matrix.indices = np.array([5, 6]), np.array(index, np.int32)
    matrix.indptr = np.array(first, np.int32)
    with pytest.raises(haichi.InputError):
        haichi.Workload.from_matrix(matrix)


# ---- NetworkX -------------------------------------------------------------------------------------------------------


def test_a_directed_edge_is_a_message_and_an_undirected_one_two():
    edges = [(0, 1, 5), (2, 1, 6), (2, 2, 7)]
    directed = nx.DiGraph()
    directed.add_weighted_edges_from(edges)
    assert sorted(triples(haichi.Workload.from_graph(directed))) == sorted(edges)
    undirected = nx.Graph()
    undirected.add_weighted_edges_from(edges)
    assert sorted(triples(haichi.Workload.from_graph(undirected))) == [
        (0, 1, 5), (1, 0, 5), (1, 2, 6), (2, 1, 6), (2, 2, 7)
    ]  # fmt: skip


def test_parallel_edges_are_messages_of_their_own():
    edges = [(0, 1, 5), (0, 1, 5), (1, 0, 0)]
    directed = nx.MultiDiGraph()
    directed.add_weighted_edges_from(edges)
    assert sorted(triples(haichi.Workload.from_graph(directed))) == edges
    undirected = nx.MultiGraph()
    undirected.add_weighted_edges_from(edges)
    assert sorted(triples(haichi.Workload.from_graph(undirected))) == sorted(edges + [(1, 0, 5), (1, 0, 5), (0, 1, 0)])


def test_bytes_name_an_attribute_or_are_the_size_of_all():
    graph = nx.cycle_graph(4, create_using=nx.DiGraph)
    assert triples(haichi.Workload.from_graph(graph, bytes=8)) == [(0, 1, 8), (1, 2, 8), (2, 3, 8), (3, 0, 8)]
    nx.set_edge_attributes(graph, 9, "volume")
    assert {size for _, _, size in triples(haichi.Workload.from_graph(graph, bytes="volume"))} == {9}
    with pytest.raises(haichi.InputError, match="no attribute 'weight'"):
        haichi.Workload.from_graph(graph)


def test_order_tells_the_ranks_of_other_nodes():
    graph = nx.DiGraph()
    graph.add_edge("b", "a", weight=5)
    workload = haichi.Workload.from_graph(graph, order=["a", "b"])
    assert triples(workload) == [(1, 0, 5)]
    for order in (None, ["a"], ["a", "a"], ["a", "b", "c"], ["a", "c"]):
        with pytest.raises(haichi.InputError):
            haichi.Workload.from_graph(graph, order=order)


@pytest.mark.parametrize("nodes", [[1, 2], [0, 2], [0.0, 1.0], [True, False]])
def test_nodes_that_are_no_ranks_are_refused(nodes):
    graph = nx.DiGraph()
    graph.add_edge(*nodes, weight=5)
    with pytest.raises(haichi.InputError, match="is not a rank"):
        haichi.Workload.from_graph(graph)


def test_a_graph_without_edges_keeps_its_ranks():
    assert haichi.Workload.from_graph(nx.empty_graph(5)).ranks == 5
    with pytest.raises(haichi.OptionError):
        haichi.Workload.from_graph(nx.empty_graph(0))


@pytest.mark.parametrize("weight", [-1, 0.5, "5", 2**48 + 1, 2**70])
def test_wrong_weights_are_refused(weight):
    graph = nx.DiGraph()
    graph.add_edge(0, 1, weight=weight)
    with pytest.raises(haichi.InputError):
        haichi.Workload.from_graph(graph)


# ---- files ----------------------------------------------------------------------------------------------------------


def test_every_text_format_is_read(tmp_path: Path):
    texts = {
        "json": '{"schema": "haichi-workload/1", "ranks": 4, "sets": [{"messages": [[0,1,5],[1,0,7]]}]}',
        "edge-list": "# ranks 4\n0,1,5\n1,0,7\n",
        "dense-matrix": "0 5 0 0\n7 0 0 0\n0 0 0 0\n0 0 0 0\n",
        "matrix-market": "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 5\n2 1 7\n",
        "qaplib": "4\n0 5 0 0 7 0 0 0 0 0 0 0 0 0 0 0\n0 1 1 2 1 0 2 1 1 2 0 1 2 1 1 0\n",
        "metis": "4 1 1\n2 5\n1 5\n\n\n",
    }
    assert [entry.name for entry in haichi.list_workload_formats()] == list(texts)
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        for workload in (
            haichi.Workload.from_file(tmp_path / name),
            haichi.Workload.from_file(tmp_path / name, format=name),
        ):
            back = 5 if name == "metis" else 7  # METIS graphs are undirected
            assert (workload.ranks, triples(workload)) == (4, [(0, 1, 5), (1, 0, back)]), name
    with pytest.raises(haichi.OptionError) as caught:
        haichi.Workload.from_file(tmp_path / "json", format="jason")
    assert "json" in caught.value.hint


def test_what_scipy_writes_as_matrix_market_is_read(tmp_path: Path):
    for matrix in (
        sparse.coo_array(MATRIX),
        sparse.coo_array(MATRIX.astype(float)),
        MATRIX,
        sparse.coo_array(MATRIX + MATRIX.T),
    ):
        scipy_io.mmwrite(tmp_path / "m.mtx", matrix)
        workload = haichi.Workload.from_file(tmp_path / "m.mtx")
        assert sorted(triples(workload)) == sorted(triples(haichi.Workload.from_matrix(matrix)))


def test_what_numpy_writes_as_text_is_read(tmp_path: Path):
    np.savetxt(tmp_path / "m.txt", MATRIX[:2, :2])
    assert triples(haichi.Workload.from_file(tmp_path / "m.txt")) == ENTRIES[:3]


def test_arrays_of_numpy_are_read(tmp_path: Path):
    np.save(tmp_path / "m.npy", MATRIX)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(MATRIX.astype(float)))
    np.savez(tmp_path / "m.npz", matrix=MATRIX)
    np.savez_compressed(tmp_path / "compressed.npz", MATRIX)
    for name in ("m.npy", "fortran.npy", "m.npz", "compressed.npz"):
        assert triples(haichi.Workload.from_file(tmp_path / name)) == ENTRIES, name
    for kind in ("csr", "csc", "coo"):
        sparse.save_npz(tmp_path / "sparse.npz", sparse.coo_array(MATRIX).asformat(kind))
        assert sorted(triples(haichi.Workload.from_file(tmp_path / "sparse.npz"))) == ENTRIES, kind


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("unpickled",))


def claiming(shape: str) -> bytes:
    """Returns a .npy file with 64 bytes of data and this false shape."""
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)


def broken_array_files() -> dict[str, bytes]:
    def saved(save, *arrays, **named) -> bytes:
        file = io.BytesIO()
        save(file, *arrays, **named)
        return file.getvalue()

    whole = saved(np.save, MATRIX)
    pickled = np.array([[Bomb()]], dtype=object)
    archive = saved(np.savez, m=MATRIX)
    no_arrays = io.BytesIO()
    with zipfile.ZipFile(no_arrays, "w") as file:
        file.writestr("readme.txt", "no arrays")
    more_bytes = io.BytesIO()
    with zipfile.ZipFile(more_bytes, "w") as file:
        file.writestr("arr_0.npy", whole + b"12345")
    csr = sparse.csr_array(MATRIX)
    return {
        "truncated": whole[:-9],
        "header_only": whole[:20],
        "magic_only": whole[:6],
        "claims_more": claiming("(2000000, 2000000)"),
        "claims_more_than_there_are_addresses": claiming("(9000000000, 9000000000)"),
        "claims_less_than_nothing": claiming("(-4, 4)"),
        "more_bytes": whole + b"12345",
        "more_bytes_in_an_archive": more_bytes.getvalue(),
        "single_number": saved(np.save, np.array(5)),
        "infinite": saved(np.save, np.array([[0, np.inf], [0, 0]])),
        "negative_column": saved(
            np.savez, format="coo", shape=(4, 4), data=csr.data, row=csr.tocoo().row, col=-csr.tocoo().col - 1
        ),
        "no_ranks": saved(np.save, np.zeros((0, 0))),
        "pickled": saved(np.save, pickled),
        "pickled_archive": saved(np.savez, pickled),
        "two_arrays": saved(np.savez, MATRIX, MATRIX),
        "cut_archive": archive[: len(archive) // 2],
        "flipped_archive": archive[:150] + b"\xff" * 20 + archive[170:],
        "no_arrays": no_arrays.getvalue(),
        "three_dimensions": saved(np.save, np.zeros((2, 2, 2))),
        "text": saved(np.save, np.array([["a"]])),
        "wrong_sparse": saved(
            np.savez, format="csr", shape=(4, 4), data=csr.data, indices=csr.indices + 9, indptr=csr.indptr
        ),
        "unknown_sparse": saved(np.savez, format="xyz", shape=(4, 4), data=csr.data),
    }  # fmt: skip


@pytest.mark.parametrize(("name", "content"), broken_array_files().items())
def test_broken_array_files_are_refused(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(haichi.InputError, match=f"/{name}: "):
        haichi.Workload.from_file(tmp_path / name)


# ---- everywhere -----------------------------------------------------------------------------------------------------


def test_every_kind_of_workload_may_be_optimised(tmp_path: Path):
    ring = np.roll(np.eye(4, dtype=np.int64) * 1000, 1, axis=1)
    np.save(tmp_path / "ring.npy", ring)
    graph = nx.from_numpy_array(ring, create_using=nx.DiGraph)
    for workload in (ring, sparse.csr_array(ring), graph, tmp_path / "ring.npy", str(tmp_path / "ring.npy")):
        job = haichi.Job(workload, "torus:4")
        result = job.evaluate(job.optimize("hop-bytes"))
        assert (result.value, result.optimal) == (4000, True)
    with pytest.raises(TypeError, match="expected a Workload, path, matrix or graph, found list"):
        haichi.Job([[0, 1], [1, 0]], "torus:4")


def test_neither_scipy_nor_networkx_is_loaded_without_need():
    code = """import sys, haichi
haichi.Workload.from_matrix([[0, 1], [1, 0]])
print({'scipy', 'networkx'} & {*sys.modules})"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_an_archive_is_not_unpacked_to_the_size_that_it_claims(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("arr_0.npy", claiming("(30000, 30000)"))
    with pytest.raises(haichi.InputError, match=r"m.npz: arr_0.npy: the array claims 7200000000 bytes, but has"):
        haichi.Workload.from_file(tmp_path / "m.npz")


@pytest.mark.parametrize("name", ["shape", "indices", "indptr"])
def test_fractions_in_the_structure_of_a_sparse_matrix_are_refused(tmp_path: Path, name: str) -> None:
    parts: dict[str, list[float]] = {"shape": [3, 3], "data": [1, 2, 3], "indices": [1, 2, 0], "indptr": [0, 1, 2, 3]}
    parts[name][0] += 0.5
    np.savez(tmp_path / "m.npz", format=b"csr", **parts)
    with pytest.raises(haichi.InputError, match=rf"m.npz: {name} must contain whole numbers, not float64"):
        haichi.Workload.from_file(tmp_path / "m.npz")


def test_fractions_in_the_offsets_of_diagonals_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", format=b"dia", shape=(3, 3), data=[[1, 2, 3]], offsets=[0.5])
    with pytest.raises(haichi.InputError, match=r"m.npz: offsets must contain whole numbers, not float64"):
        haichi.Workload.from_file(tmp_path / "m.npz")


def test_bytes_after_an_array_are_refused(tmp_path: Path) -> None:
    content = claiming("(2, 2)")[:-32] + b"extra"
    (tmp_path / "m.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("m.npy", content)
    for name, array in (("m.npy", "m.npy"), ("m.npz", "m.npz: m.npy")):
        with pytest.raises(haichi.InputError, match=rf"{array}: the array claims 32 bytes, but has 37"):
            haichi.Workload.from_file(tmp_path / name)


UNSUITABLE = {
    "one number": np.int64(3),
    "no ranks": np.zeros((0, 0)),
    "not square": np.zeros((2, 3)),
    "fractions": np.full((2, 2), 0.5),
    "infinite": np.full((2, 2), np.inf),
    "negative": np.full((2, 2), -1),
    "words": np.array([["a"]]),
}


@pytest.mark.parametrize("name", UNSUITABLE)
def test_errors_with_a_matrix_name_its_file(tmp_path: Path, name: str) -> None:
    np.save(tmp_path / "m.npy", UNSUITABLE[name])
    np.savez(tmp_path / "m.npz", UNSUITABLE[name])
    for path in (tmp_path / "m.npy", tmp_path / "m.npz"):
        for read in (haichi.Workload.from_file, Traffic.read):
            with pytest.raises(haichi.InputError) as refused:
                read(path)
            assert str(refused.value).startswith(f"{path}: ")
