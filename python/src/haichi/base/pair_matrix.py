"""Matrices of the bytes that each rank sends to each other rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from haichi.base.optional_packages import sparse_arrays
from haichi.base.table_sizes import check_table

IntArray = npt.NDArray[np.integer[Any]]


def pair_matrix(ranks: int, source: IntArray, destination: IntArray, size_bytes: IntArray, sparse: bool) -> Any:
    """Sums `size_bytes` by source and destination, as int64. The result is a NumPy array, or a sparse CSR array of
    SciPy.

    Raises OptionError with the size for a dense matrix above the limit, and UnsupportedError without SciPy.
    """
    if sparse:
        listed = (size_bytes.astype(np.int64, copy=False), (source, destination))
        matrix = sparse_arrays().coo_array(listed, shape=(ranks, ranks)).tocsr()
        matrix.eliminate_zeros()
        return matrix
    check_table("the matrix", ranks, ranks, 8, "use to_matrix(sparse=True)")
    dense = np.zeros((ranks, ranks), np.int64)
    np.add.at(dense, (source, destination), size_bytes)
    return dense
