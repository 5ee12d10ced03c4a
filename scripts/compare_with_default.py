"""Compares the placement of a haichi-report/1 file with the default placement, as text."""

import json
import sys


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    default, placed = report["default"], report["metrics"]
    rows = [
        ("messages on the most loaded link, per set", lambda m: " ".join(map(str, m["set_contention"]))),
        ("tac3, microseconds", lambda m: f"{m['tac3_seconds'] * 1e6:.1f}"),
        ("hop-bytes, MiB-hops", lambda m: f"{m['hop_bytes'] / 2**20:.0f}"),
        ("bytes on the most loaded link, all sets, MiB", lambda m: f"{m['max_link_bytes'] / 2**20:.0f}"),
    ]
    print(f"  {'':46}{'default':>12}{'optimised':>12}")
    for label, text in rows:
        print(f"  {label:46}{text(default):>12}{text(placed):>12}")


if __name__ == "__main__":
    main(sys.argv[1])
