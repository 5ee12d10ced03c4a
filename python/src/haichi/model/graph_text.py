"""Converts NetworkX graphs to the text of a graph file."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from haichi.errors import InputError, OptionError
from haichi.model.foreign_types import Graph, is_graph

_HEAD = """<graphml>
<key id="terminal" for="node" attr.name="terminal" attr.type="boolean"/>
<key id="bandwidth" for="edge" attr.name="bandwidth" attr.type="string"/>
<key id="latency" for="edge" attr.name="latency" attr.type="string"/>
"""


def graphml_of(graph: Graph, bandwidth: str | float, terminals: str | Iterable[Hashable]) -> str:
    """The text of a graph file. The arguments are those of `Machine.from_graph`."""
    if not is_graph(graph):
        raise TypeError(f"from_graph requires a graph of NetworkX, not {type(graph).__name__}")
    names = _names(graph)
    lines = [_HEAD, f'<graph edgedefault="{"directed" if graph.is_directed() else "undirected"}">\n']
    for node, is_terminal in _nodes(graph, terminals):
        data = "" if is_terminal is None else f'<data key="terminal">{str(is_terminal).lower()}</data>'
        lines.append(f"<node id={quoteattr(names[node])}>{data}</node>\n")
    for u, v, rate, latency in _edges(graph, bandwidth):
        data = f'<data key="bandwidth">{escape(rate)}</data>'
        if latency is not None:
            data += f'<data key="latency">{escape(latency)}</data>'
        lines.append(f"<edge source={quoteattr(names[u])} target={quoteattr(names[v])}>{data}</edge>\n")
    return "".join([*lines, "</graph>\n</graphml>\n"])


def _names(graph: Graph) -> dict[Any, str]:
    names = {node: str(node) for node in graph.nodes}
    of_name: dict[str, Any] = {}
    for node, name in names.items():
        if name in of_name:
            raise InputError(
                f"two nodes of the graph have the name {name!r}: {of_name[name]!r} and {node!r}",
                "rename the nodes with networkx.relabel_nodes",
            )
        of_name[name] = node
    return names


def _nodes(graph: Graph, terminals: str | Iterable[Hashable]) -> Iterator[tuple[Any, bool | None]]:
    """The nodes in the order of the file, each with its terminal mark. None means that no node has the attribute."""
    if isinstance(terminals, str):
        marked = dict(graph.nodes(data=terminals))
        if terminals != "terminal" and all(mark is None for mark in marked.values()):
            raise InputError(f"no node of the graph has the attribute {terminals!r}")
        is_marked = any(mark is not None for mark in marked.values())
        for node, mark in marked.items():
            if mark is not None and not (isinstance(mark, bool | np.bool_) or mark in (0, 1)):
                raise InputError(f"node {node!r}: {terminals} must be True or False, not {mark!r}")
            yield node, bool(mark) if is_marked else None
        return
    listed = list(terminals)
    chosen = dict.fromkeys(listed)
    if len(chosen) < len(listed):
        twice = next(node for node in chosen if listed.count(node) > 1)
        raise InputError(f"duplicate node in terminals: {twice!r}")
    nodes = dict.fromkeys(graph.nodes)
    for node in listed:
        if node not in nodes:
            raise InputError(f"terminals contain {node!r}, which is not a node of the graph")
        yield node, True
    for node in nodes:
        if node not in chosen:
            yield node, False


def _edges(graph: Graph, bandwidth: str | float) -> Iterator[tuple[Any, Any, str, str | None]]:
    """Yields both ends of each edge, its bandwidth and its latency."""
    attribute = bandwidth if isinstance(bandwidth, str) and not re.match(r"\s*[\d.]", bandwidth) else None
    latencies = [latency for _, _, latency in graph.edges(data="latency", default=None)]
    of_all = None if attribute is not None else _quantity("bandwidth", bandwidth)
    for number, (u, v, given) in enumerate(graph.edges(data=attribute or "bandwidth", default=None)):
        edge = f"the edge {u!r} - {v!r}"
        if u == v:
            raise InputError(
                f"{edge} leads from a node to itself", "graph.remove_edges_from(networkx.selfloop_edges(graph))"
            )
        if of_all is None and given is None:
            raise InputError(
                f"{edge} has no attribute {attribute!r}",
                'name another attribute with bandwidth=..., or give all edges one: bandwidth="5GB/s"',
            )
        rate = _quantity(f"{edge}: bandwidth", given) if of_all is None else of_all
        latency = latencies[number]
        yield u, v, rate, None if latency is None else _quantity(f"{edge}: latency", latency)


def _quantity(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise OptionError(f"{name} must be a number or a text with a unit, not {value!r}")
    if not math.isfinite(value) or value < 0:
        raise InputError(f"{name} must be a positive number, not {value}")
    return np.format_float_positional(float(value), trim="-")
