"""Links in rectangular arrays: what an image of their loads shows where."""

from __future__ import annotations

import math

import numpy as np

from haichi.report.view_data import Array, NetworkData

NO_LINK = -1
_ASPECT = 1.5


def link_images(network: NetworkData) -> list[tuple[str, Array]]:
    """Title and array of link numbers, -1 where there is none: one for every axis of a grid, in which a line of nodes
    along it is two rows, in + and in - direction; else one for every panel, in the order of the numbers."""
    if not network.axes:
        return [
            (title, _image(np.flatnonzero(network.link_panel == number))) for number, title in _used_panels(network)
        ]
    images = []
    for axis, (name, size, is_ring) in enumerate(network.axes):
        links = np.flatnonzero(network.link_axis == axis)
        if size > 1 and links.size:
            images.append((f"{name}: {'rings' if is_ring else 'lines'} of {size}", _lines(network, axis, links)))
    return images


def _lines(network: NetworkData, axis: int, links: Array) -> Array:
    """Lines of nodes stand side by side and below each other, in the order of their vertices."""
    sizes = [size for _, size, _ in network.axes]
    position = np.array(np.unravel_index(network.link_source[links], sizes))
    is_plus = network.link_sign[links] > 0
    slot = np.where(is_plus, position[axis], (position[axis] - 1) % sizes[axis])
    position[axis] = 0
    _, line = np.unique(np.ravel_multi_index(tuple(position), sizes), return_inverse=True)
    lines = int(line.max()) + 1
    slots = int(slot.max()) + 1
    columns = max(round(math.sqrt(_ASPECT * 3 * lines / (slots + 1))), 1)
    rows = -(-lines // columns)
    image = np.full((3 * rows - 1, columns * (slots + 1) - 1), NO_LINK)
    down, across = np.divmod(line, columns)
    image[3 * down + np.where(is_plus, 0, 1), across * (slots + 1) + slot] = links
    return image


def _used_panels(network: NetworkData) -> list[tuple[int, str]]:
    used = set(np.unique(network.link_panel).tolist())
    return [(number, title) for number, title in enumerate(network.panels) if number in used]


def _image(links: Array) -> Array:
    columns = math.ceil(math.sqrt(_ASPECT * len(links)))
    image = np.full(columns * -(-len(links) // columns), NO_LINK)
    image[: len(links)] = links
    return image.reshape(-1, columns)
