"""Draws the load of every link of a 6 x 4 torus with 16 ranks of NAS CG, for the default and the optimised placement.

    .venv/bin/python docs/images/link_load.py build/link_load.svg
    .venv/bin/python docs/images/small_png.py build/link_load.svg docs/images/link_load.png

Placements, contention, times and hops come from the installed package. The script prints the numbers for README.md.
"""

import sys

import numpy as np

import haichi

SIZES = (6, 4)
STEP, RADIUS, LEFT, TOP = 92, 21, 64, 118
PANEL = SIZES[0] * STEP + 72
COLOURS = {0: "#d5d9de", 1: "#4a90c4", 2: "#e8973a", 3: "#cf3b36"}
WIDTHS = {0: 1.2, 1: 2.6, 2: 4.2, 3: 5.8}

Link = tuple[int, int, int, int]  # x, y, axis, sign


def route(source: int, destination: int) -> list[Link]:
    """Returns the static route on torus:6x4: axis X before Y, each in the shorter direction. Ties go upwards."""
    at = [source // SIZES[1], source % SIZES[1]]
    target = [destination // SIZES[1], destination % SIZES[1]]
    links = []
    for axis, size in enumerate(SIZES):
        up = (target[axis] - at[axis]) % size
        sign, hops = (1, up) if 2 * up <= size else (-1, size - up)
        for _ in range(hops):
            links.append((at[0], at[1], axis, sign))
            at[axis] = (at[axis] + sign) % size
    return links


def loads(workload: haichi.Workload, result: haichi.Evaluation) -> dict[Link, int]:
    """Returns for each link its maximum number of messages in one set. Checks the contention that haichi reports."""
    most: dict[Link, int] = {}
    messages = workload.messages
    per_set = []
    for t in range(len(workload.labels)):
        count: dict[Link, int] = {}
        for m in np.flatnonzero(messages.set == t):
            node_of_rank = result.placement.node_of_rank
            ends = (node_of_rank[messages.source[m]], node_of_rank[messages.destination[m]])
            for link in route(int(ends[0]), int(ends[1])):
                count[link] = count.get(link, 0) + 1
        per_set.append(max(count.values()))
        for link, number in count.items():
            most[link] = max(most.get(link, 0), number)
    assert per_set == result.metrics["set_contention"]
    return most


def arrow(link: Link, load: int, offset: float) -> str:
    """Draws a link as an arrow beside the line between its two nodes. Links that wrap around end in the margin."""
    x, y, axis, sign = link
    side = sign * 6.5  # keeps the two directions apart
    start = (offset + x * STEP, TOP + y * STEP)
    gap, length = RADIUS + 2, STEP - 2 * RADIUS - 4
    wraps = not 0 <= (x, y)[axis] + sign < SIZES[axis]
    if wraps:
        length = 24
    along = (sign, 0) if axis == 0 else (0, sign)
    across = (0, side) if axis == 0 else (side, 0)
    x1, y1 = (start[i] + along[i] * gap + across[i] for i in (0, 1))
    x2, y2 = x1 + along[0] * length, y1 + along[1] * length
    head = 4 + WIDTHS[load]
    base = (x2 - along[0] * head, y2 - along[1] * head)
    normal = (along[1] * head / 2, along[0] * head / 2)
    dash = ' stroke-dasharray="5 3"' if wraps and load else ""
    return (
        f'<path d="M{x1:.1f} {y1:.1f}L{base[0]:.1f} {base[1]:.1f}" stroke="{COLOURS[load]}" '
        f'stroke-width="{WIDTHS[load]}"{dash}/>'
        f'<path d="M{x2:.1f} {y2:.1f}L{base[0] + normal[0]:.1f} {base[1] + normal[1]:.1f}'
        f'L{base[0] - normal[0]:.1f} {base[1] - normal[1]:.1f}Z" fill="{COLOURS[load]}"/>'
    )


def milliseconds(workload: haichi.Workload, result: haichi.Evaluation) -> float:
    """Returns the simulated time of an iteration in milliseconds."""
    assert result.simulated is not None
    return result.simulated.run.seconds / workload.iterations * 1e3


def panel(workload: haichi.Workload, result: haichi.Evaluation, title: str, offset: float) -> list[str]:
    load = loads(workload, result)
    parts = []
    links = [
        (x, y, axis, sign) for x in range(SIZES[0]) for y in range(SIZES[1]) for axis in (0, 1) for sign in (1, -1)
    ]
    for link in sorted(links, key=lambda one: load.get(one, 0)):
        parts.append(arrow(link, load.get(link, 0), offset))
    rank_of_node = {int(node): rank for rank, node in enumerate(result.placement.node_of_rank)}
    for node in range(SIZES[0] * SIZES[1]):
        x, y = offset + node // SIZES[1] * STEP, TOP + node % SIZES[1] * STEP
        rank = rank_of_node.get(node)
        fill, edge = ("#ffffff", "#3c4650") if rank is not None else ("#f3f4f6", "#c3c8ce")
        parts.append(f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{fill}" stroke="{edge}" stroke-width="1.5"/>')
        if rank is not None:
            parts.append(f'<text x="{x}" y="{y + 5}" text-anchor="middle" class="rank">{rank}</text>')
    contention = ", ".join(map(str, result.metrics["set_contention"]))
    left = offset - RADIUS - 22
    parts.append(f'<text x="{left}" y="28" class="title">{title}</text>')
    parts.append(
        f'<text x="{left}" y="52">most messages on a link, per set: {contention}'
        f"  |  {milliseconds(workload, result):.2f} ms, simulated  |  "
        f"{result.metrics['hop_bytes'] >> 20} MiB-hops</text>"
    )
    return parts


def main(path: str) -> None:
    workload = haichi.Workload.from_pattern("cg", ranks=16)
    job = haichi.Job(workload, f"torus:{SIZES[0]}x{SIZES[1]}")
    width, height = 2 * PANEL + 8, TOP + SIZES[1] * STEP + 24
    default, optimised = (job.evaluate(placement, simulate=True) for placement in (None, job.optimize("tac3")))
    parts = panel(workload, default, "Default placement", LEFT)
    parts += panel(workload, optimised, "Optimised placement", LEFT + PANEL)
    for load, label in enumerate(("unused", "1 message", "2 at once", "3 at once")):
        x, y = LEFT - 43 + load * 150, height - 22
        parts.append(f'<path d="M{x} {y}h34" stroke="{COLOURS[load]}" stroke-width="{WIDTHS[load]}"/>')
        parts.append(f'<text x="{x + 42}" y="{y + 5}">{label}</text>')
    words = "circles: nodes with their ranks; dashed: links that wrap around"
    parts.append(f'<text x="{LEFT - 43 + 620}" y="{height - 17}">{words}</text>')
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="14" fill="#3c4650">\n'
        "<style>.title{font-size:19px;font-weight:bold}.rank{font-size:15px}</style>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg)
    before, after = milliseconds(workload, default), milliseconds(workload, optimised)
    hops = [result.metrics["hop_bytes"] >> 20 for result in (default, optimised)]
    print(f"{before:.4f} and {after:.4f} ms: {100 * (1 - after / before):.1f} % less; {hops[0]} and {hops[1]} MiB-hops")


if __name__ == "__main__":
    main(sys.argv[1])
