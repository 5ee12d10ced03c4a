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
    """The directed links of a job's network, from `Job.links`. Entry i of every array describes link i.

    Vertices are the nodes and the switches of the network. In a job without a node list, vertex n is node n. With a
    node list, node n is at vertex ``vertex_of_node[n]``. With `count_nic`, the channels between a node and its router
    are also links; both ends of such a link are the node's vertex. Arrays are read-only.
    """

    __slots__ = ("_id", "_job", "bandwidth", "destination", "source", "vertex_of_node")

    source: Int32Array
    """The vertex at which each link begins; shape (links,)."""
    destination: Int32Array
    """The vertex at which each link ends; shape (links,)."""
    bandwidth: Int64Array
    """The bandwidth of each link in bytes per second; shape (links,)."""
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
        """The names of the given links, or of all links, as in reports. An example is ``"X+ (0,0)->(1,0)"``.

        Raises IndexError for link numbers outside ``0..len(links) - 1``.
        """
        chosen = self._id if links is None else self._id[np.atleast_1d(np.asarray(links))]
        return _core.link_names(self._job, np.ascontiguousarray(chosen))

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with a row per link. Its columns are source, destination, bandwidth (bytes per second) and
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
        """The link numbers of these link IDs of `_core`. The numbers follow ascending IDs."""
        return np.searchsorted(self._id, ids).astype(np.int32)
