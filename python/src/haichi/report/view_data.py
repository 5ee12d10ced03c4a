"""Unpacks and checks the views of a comparison, so that drawing code can rely on every number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from haichi.base.packed_arrays import unpack_array
from haichi.errors import InputError

Array = npt.NDArray[Any]

SCHEMA = "haichi-comparison/1"
_FORMS = ("pairs", "matrix", "squares")
_MOST_VERTICES = 2**31
_LARGEST_NUMBER = 10**300
_DEEPEST = 50


@dataclass(frozen=True, eq=False)
class NetworkData:
    axes: Sequence[tuple[str, int, bool]]
    """The coordinate axes of the nodes; empty for a network without coordinates."""
    vertex_level: Array
    """The level of each vertex, for networks without axes."""
    vertex_of_node: Array
    link_source: Array
    link_destination: Array
    link_axis: Array
    link_sign: Array
    bandwidth_bytes_per_s: Array
    names: Sequence[str]
    panels: Sequence[str]
    """The titles of the panels that show links, for networks without axes."""
    link_panel: Array

    @property
    def links(self) -> int:
        return len(self.link_source)

    def link_name(self, link: int) -> str:
        """The name of the link in simulations and reports."""
        if self.names:
            return self.names[link]
        source, destination = int(self.link_source[link]), int(self.link_destination[link])
        if self.link_axis[link] < 0:
            channels = np.flatnonzero(self.link_axis < 0)
            is_injection = link - int(channels[0]) < len(channels) // 2
            return f"{'injection' if is_injection else 'ejection'} {self._coordinates(source)}"
        axis = self.axes[int(self.link_axis[link])][0]
        sign = "+" if self.link_sign[link] > 0 else "-"
        return f"{axis}{sign} {self._coordinates(source)}->{self._coordinates(destination)}"

    def _coordinates(self, vertex: int) -> str:
        position = np.unravel_index(vertex, [size for _, size, _ in self.axes])
        return f"({','.join(str(int(value)) for value in position)})"


@dataclass(frozen=True, eq=False)
class ViewData:
    workload: str
    shape: str | None
    strategy: str
    role: str
    network: NetworkData
    labels: Sequence[str]
    node_of_rank: Array
    sets: Sequence[tuple[Array, Array, Array]]
    """For each set: the used links, the messages on each link, and the bytes on each link."""

    @property
    def contention(self) -> list[int]:
        """For each set, the most messages on a link."""
        return [int(messages.max(initial=0)) for _, messages, _ in self.sets]

    def worst_of_links(self) -> tuple[Array, Array]:
        """For each link, the most messages and the most bytes of a single set."""
        most_messages = np.zeros(self.network.links, np.int64)
        most_bytes = np.zeros(self.network.links, np.int64)
        for links, messages, sizes in self.sets:
            most_messages[links] = np.maximum(most_messages[links], messages)
            most_bytes[links] = np.maximum(most_bytes[links], sizes)
        return most_messages, most_bytes


def check_comparison(comparison: Mapping[str, Any], source: str) -> list[ViewData]:
    """Checks a comparison and returns its views. Raises InputError, naming `source`, if any part is invalid."""
    _check_writable(comparison, f"{source}: ")
    if comparison.get("schema") != SCHEMA:
        raise InputError(f"{source}: expected the schema {SCHEMA!r}, found {comparison.get('schema')!r}")
    for key in ("cells", "objectives", "workloads", "views", "networks", "message_lists"):
        _objects(comparison.get(key, []), f"{source}: {key}")
    summary = _object(comparison.get("summary", {}), f"{source}: summary")
    _object(summary.get("overall", {}), f"{source}: summary.overall")
    for number, job in enumerate(_objects(summary.get("jobs", []), f"{source}: summary.jobs")):
        _objects(job.get("strategies", []), f"{source}: summary.jobs[{number}].strategies")
    for number, cell in enumerate(comparison.get("cells", [])):
        _convergence(cell.get("convergence") or [], f"{source}: cells[{number}].convergence")
    networks = [
        _network(network, f"{source}: networks[{number}]")
        for number, network in enumerate(comparison.get("networks", []))
    ]
    messages = [
        _messages(entry, f"{source}: message_lists[{number}]")
        for number, entry in enumerate(comparison.get("message_lists", []))
    ]
    sets = {
        str(entry.get("name")): _objects(entry.get("sets", []), f"{source}: workloads[{number}].sets")
        for number, entry in enumerate(comparison.get("workloads", []))
    }
    return [
        _view(view, networks, messages, sets, f"{source}: views[{number}]")
        for number, view in enumerate(comparison.get("views", []))
    ]


def _check_writable(value: object, prefix: str, place: str = "", depth: int = 0) -> None:
    """Rejects values that Python reads but JSON, browsers or `float` cannot represent: lone surrogates and huge
    numbers."""
    if depth > _DEEPEST:
        raise InputError(f"{prefix}{place[:80]}... is nested too deeply")
    if isinstance(value, str):
        _check_text(value, f"{prefix}{place}")
    elif isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        raise InputError(f"{prefix}{place} is a number of more than 300 digits")
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            _check_text(key, f"{prefix}{place or 'the whole'}: a key")
            _check_writable(entry, prefix, f"{place}.{key}" if place else str(key), depth + 1)
    elif isinstance(value, list | tuple):
        for number, entry in enumerate(value):
            if type(entry) is not float:
                _check_writable(entry, prefix, f"{place}[{number}]", depth + 1)


def _check_text(text: object, name: str) -> None:
    try:
        str(text).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name} is not Unicode text but {text!r}") from error


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be an object, not {type(value).__name__}")
    return value


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list, not {type(value).__name__}")
    return value


def _objects(value: object, name: str) -> Sequence[Mapping[str, Any]]:
    return [_object(entry, f"{name}[{number}]") for number, entry in enumerate(_list(value, name))]


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name} must be a number, not {value!r}")
    return float(value)


def _convergence(points: object, name: str) -> None:
    if not isinstance(points, list | tuple) or any(
        not isinstance(point, list | tuple) or len(point) != 2 for point in points
    ):
        raise InputError(f"{name} must be a list of pairs")


def _array(values: Mapping[str, Any], key: str, name: str, length: int | None = None) -> Array:
    array = unpack_array(values.get(key), f"{name}.{key}")
    if length is not None and len(array) != length:
        raise InputError(f"{name}.{key}: expected {length} entries, found {len(array)}")
    return array


def _within(array: Array, end: int, name: str) -> Array:
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= end):
        raise InputError(f"{name}: must hold whole numbers from 0 to {end - 1}")
    return array


def _network(value: Mapping[str, Any], name: str) -> NetworkData:
    axes = [
        _axis(axis, f"{name}.axes[{number}]")
        for number, axis in enumerate(_list(value.get("axes", []), f"{name}.axes"))
    ]
    levels = _array(value, "vertex_level", name)
    vertices = len(levels)
    if axes:
        vertices = 1
        for _, size, _ in axes:
            vertices *= size
        if vertices > _MOST_VERTICES:
            raise InputError(f"{name}.axes: {vertices} vertices are too many")
    source = _within(_array(value, "link_source", name), vertices, f"{name}.link_source")
    links = len(source)
    names = value.get("link_names", [])
    if not isinstance(names, list) or len(names) not in ((0, links) if axes else (links,)):
        raise InputError(f"{name}.link_names must be a list of {links} names")
    axis = _array(value, "link_axis", name, links)
    if axis.size and (axis.min() < -1 or axis.max() >= max(len(axes), 1)):
        raise InputError(f"{name}.link_axis: must hold axis numbers or -1")
    bandwidth = _array(value, "link_bandwidth_bytes_per_s", name, links)
    if bandwidth.size and not bandwidth.min() > 0:
        raise InputError(f"{name}.link_bandwidth_bytes_per_s: must be above 0")
    panels = [_panel(panel, vertices, f"{name}.panels[{n}]") for n, panel in enumerate(_panels(value, axes, name))]
    panel_of_link = _array(value, "link_panel", name, None if axes else links)
    if panel_of_link.size and (panel_of_link.min() < -1 or panel_of_link.max() >= len(panels)):
        raise InputError(f"{name}.link_panel: must hold panel numbers or -1")
    return NetworkData(
        axes,
        levels,
        _within(_array(value, "vertex_of_node", name), vertices, f"{name}.vertex_of_node"),
        source,
        _within(_array(value, "link_destination", name, links), vertices, f"{name}.link_destination"),
        axis,
        _array(value, "link_sign", name, links),
        bandwidth,
        [str(entry) for entry in names],
        panels,
        panel_of_link,
    )


def _panels(value: Mapping[str, Any], axes: Sequence[Any], name: str) -> Sequence[Mapping[str, Any]]:
    panels = _objects(value.get("panels", []), f"{name}.panels")
    if not axes and not panels and len(_array(value, "link_source", name)):
        raise InputError(f"{name}.panels: a network without axes requires panels")
    return panels


def _panel(panel: Mapping[str, Any], vertices: int, name: str) -> str:
    """Checks a panel and returns its title."""
    form = panel.get("form")
    if form not in _FORMS:
        raise InputError(f"{name}: invalid form: {form!r}", f"use one of {', '.join(_FORMS)}")
    group = _array(panel, "group", name, vertices if form != "pairs" else None)
    if group.size and (group.min() < -1 or group.max() >= vertices):
        raise InputError(f"{name}.group: must hold group numbers or -1")
    return str(panel.get("title", ""))


def _axis(value: object, name: str) -> tuple[str, int, bool]:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[1], int) or value[1] < 1:
        raise InputError(f"{name} must be a name, a size and a ring flag, not {value!r}")
    return str(value[0]), value[1], bool(value[2])


def _messages(value: Mapping[str, Any], name: str) -> dict[str, Array]:
    length = len(_array(value, "source", name))
    return {key: _array(value, key, name, length) for key in ("source", "destination", "bytes", "set")}


def _chosen(value: Mapping[str, Any], key: str, entries: Sequence[Any], name: str) -> Any:
    number = value.get(key)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(entries):
        raise InputError(f"{name}.{key} is {number!r}, but there are {len(entries)}")
    return entries[number]


def _view(
    value: Mapping[str, Any],
    networks: Sequence[NetworkData],
    message_lists: Sequence[dict[str, Array]],
    sets: Mapping[str, Sequence[Mapping[str, Any]]],
    name: str,
) -> ViewData:
    network: NetworkData = _chosen(value, "network", networks, name)
    messages: dict[str, Array] = _chosen(value, "messages", message_lists, name)
    node_of_rank = _within(_array(value, "node_of_rank", name), len(network.vertex_of_node), f"{name}.node_of_rank")
    loads = [
        _set_links(entry, network.links, f"{name}.set_links[{number}]")
        for number, entry in enumerate(_objects(value.get("set_links"), f"{name}.set_links"))
    ]
    for key, end in (("source", len(node_of_rank)), ("destination", len(node_of_rank)), ("set", len(loads))):
        _within(messages[key], end, f"{name}: the {key} of its messages")
    if value.get("routes") is not None:
        _check_routes(_object(value["routes"], f"{name}.routes"), len(messages["set"]), network.links, f"{name}.routes")
    labels = [str(entry.get("label", "")) for entry in sets.get(str(value.get("workload")), [])]
    for barrier, run in _object(value.get("simulated") or {}, f"{name}.simulated").items():
        place = f"{name}.simulated.{barrier}"
        _check_simulated(_object(run, place), network, len(node_of_rank), place)
    return ViewData(
        str(value.get("workload")),
        None if value.get("shape") is None else str(value["shape"]),
        str(value.get("strategy")),
        str(value.get("role")),
        network,
        [
            labels[number] if number < len(labels) and labels[number] else f"set {number + 1}"
            for number in range(len(loads))
        ],
        node_of_rank,
        loads,
    )


def _set_links(value: Mapping[str, Any], links: int, name: str) -> tuple[Array, Array, Array]:
    used = _within(_array(value, "link", name), links, f"{name}.link")
    if np.any(np.diff(used) <= 0):
        raise InputError(f"{name}.link: must be strictly ascending")
    return used, _array(value, "messages", name, len(used)), _array(value, "bytes", name, len(used))


def _check_routes(value: Mapping[str, Any], messages: int, links: int, name: str) -> None:
    first = _array(value, "first", name, messages + 1)
    link = _within(_array(value, "link", name), links, f"{name}.link")
    if first[0] != 0 or first[-1] != len(link) or np.any(np.diff(first) < 0):
        raise InputError(f"{name}.first: must ascend from 0 to {len(link)}")


def _check_simulated(value: Mapping[str, Any], network: NetworkData, ranks: int, name: str) -> None:
    times = _object(value.get("ranks"), f"{name}.ranks")
    shown = _object(value.get("links"), f"{name}.links")
    links = _within(_array(shown, "link", f"{name}.links"), network.links, f"{name}.links.link")
    _array(value, "mean_efficiency", name)
    efficiency = unpack_array(shown.get("efficiency"), f"{name}.links.efficiency", dimensions=2)
    if len(efficiency) != len(links) or efficiency.dtype != np.uint8:
        raise InputError(f"{name}.links.efficiency: must have {len(links)} rows of uint8")
    for key in ("seconds", "iterations", "bin_seconds"):
        _number(value.get(key), f"{name}.{key}")
    for key in ("compute_seconds", "call_seconds", "wait_seconds"):
        _array(times, key, f"{name}.ranks", ranks)
