"""The links of a job's network, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from haichi import _core
from haichi.base.optional_packages import data_frame

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


class Links:
    """The directed links of a job's network, from `Job.links`. Link i has entry i of every array.

    Vertices are the nodes of the network and its switches. In a job without a node list, vertex n is node n. With a
    node list, node n is at vertex ``vertex_of_node[n]``. With `count_nic`, the channels between a node and its router
    are links, too, with the node's vertex at both ends. Arrays are read-only.
    """

    __slots__ = ("_id", "_job", "bandwidth", "destination", "source", "vertex_of_node")

    source: Int32Array
    """The vertex from which each link leads; shape (links,)."""
    destination: Int32Array
    """The vertex to which each link leads; shape (links,)."""
    bandwidth: Int64Array
    """Bytes per second of each link; shape (links,)."""
    vertex_of_node: Int32Array
    """The vertex of each node of the job; shape (nodes,)."""

    def __init__(self, job: _core.Job) -> None:
        self._job = job
        self._id, self.source, self.destination, self.bandwidth, self.vertex_of_node = _core.links(job)
        for array in (self.source, self.destination, self.bandwidth, self.vertex_of_node):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self._id)

    def names(self, links: npt.ArrayLike | None = None) -> list[str]:
        """The names of these links, or of all links, as in reports. An example is ``"X+ (0,0)->(1,0)"``.

        Raises IndexError for numbers outside ``0..len(links) - 1``.
        """
        chosen = self._id if links is None else self._id[np.atleast_1d(np.asarray(links))]
        return _core.link_names(self._job, np.ascontiguousarray(chosen))

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with a row per link and the columns source, destination, bandwidth (bytes per second) and
        name. Raises UnsupportedError without pandas."""
        return data_frame(
            {
                "source": self.source,
                "destination": self.destination,
                "bandwidth": self.bandwidth,
                "name": self.names(),
            }
        )

    def __repr__(self) -> str:
        return f"Links({len(self)})"

    def _numbers(self, ids: Int32Array) -> Int32Array:
        """Positions of the ids of `_core`, which ascend here."""
        return np.searchsorted(self._id, ids).astype(np.int32)
