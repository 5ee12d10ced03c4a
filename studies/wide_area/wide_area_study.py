"""Runs the study of two clusters joined by a wide-area link: the link, its remedies, and the NAS programs on it.

    python studies/wide_area/wide_area_study.py [--out DIRECTORY] [--quick]

Writes each table as a .csv file, all tables as tables.md, and figures as .svg and .png.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import figures
import link_tables
import nas_tables
from tables import Table


def link(folder: Path, delays_ms: Sequence[float], bridges: Sequence[int]) -> list[Table]:
    return [
        link_tables.sizes(folder),
        link_tables.delays(folder, delays_ms),
        link_tables.both_ways(folder, delays_ms),
        link_tables.bridges(folder, bridges, delays_ms),
        link_tables.what_ifs(folder, delays_ms),
    ]


def programs(folder: Path, delays_ms: Sequence[float], bridges: Sequence[int], names: Sequence[str]) -> list[Table]:
    return [
        nas_tables.one_cluster_times(folder, names),
        nas_tables.two_switches_scores(folder, names),
        nas_tables.nas(folder, delays_ms, bridges, names),
        nas_tables.processors(folder, delays_ms, bridges[-1], names),
        *([nas_tables.lu_with_cache(folder, delays_ms, bridges)] if "lu" in names else []),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("build/wide_area"), metavar="DIRECTORY")
    parser.add_argument(
        "--quick", action="store_true", help="two delays, numbers of gateway nodes and programs: to see that it works"
    )
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    delays_ms = (0, 4) if arguments.quick else link_tables.DELAYS_MS
    bridges = (1, 2) if arguments.quick else link_tables.BRIDGES
    names = ("ep", "mg") if arguments.quick else tuple(nas_tables.PROGRAMS)
    with tempfile.TemporaryDirectory() as folder:
        tables = link(Path(folder), delays_ms, bridges) + programs(Path(folder), delays_ms, bridges, names)
    for table in tables:
        table.write(out)
        draw = getattr(figures, table.name, None)
        if draw is not None:
            draw(table, out)
    (out / "tables.md").write_text("\n".join(table.markdown() for table in tables))
    print(f"written: {out}/tables.md and {', '.join(table.name + '.csv' for table in tables)}")


if __name__ == "__main__":
    main()
