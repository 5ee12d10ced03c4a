"""The card's first page: what kinds of numbers there are, and how they fare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

PUBLISHED = "published"
BY_CONSTRUCTION = "by construction"

LEAD = """\
## Summary

A number is of one of four kinds: **published** in a paper; **derived from published** ones (counted or computed from
what a paper states); **checked against an independent program**, another simulator, another profiler, another search,
run for this purpose; **by construction**, a parameter of a preset or fitted to, which tests nothing.
"""


def kind_of(row: Any, kinds: dict[str, list[str]]) -> str:
    if row.verdict == BY_CONSTRUCTION:
        return BY_CONSTRUCTION
    return next((kind for kind, sources in kinds.items() if row.source in sources), PUBLISHED)


def _table(head: str, counts: dict[str, Counter[str]], verdicts: Sequence[str]) -> list[str]:
    lines = [f"| {head} | {' | '.join(verdicts)} | all |", "|---" * (len(verdicts) + 2) + "|"]
    for name, of_name in counts.items():
        cells = [str(of_name[verdict]) if of_name[verdict] else "" for verdict in verdicts]
        lines.append(f"| {name} | {' | '.join(cells)} | {of_name.total()} |")
    return [*lines, ""]


def summary(
    card: list[tuple[str, list[Any]]], kinds: dict[str, list[str]], better_searches: Sequence[str],
    verdicts: Sequence[str],
) -> list[str]:  # fmt: skip
    """Lines of Markdown. `card`: the titles of groups and their rows."""
    by_kind = {kind: Counter[str]() for kind in (PUBLISHED, *kinds, BY_CONSTRUCTION)}
    by_group = {title: Counter(row.verdict for row in rows) for title, rows in card}
    better, reasons = 0, Counter[str]()
    for _, rows in card:
        for row in rows:
            by_kind[kind_of(row, kinds)][row.verdict] += 1
            if row.verdict == "deviates" and row.reason in better_searches:
                better += 1
            elif row.verdict == "deviates":
                reasons[row.reason.split(":")[0]] += 1
    simply = reasons.total()
    lines = [LEAD, *_table("kind", by_kind, verdicts), *_table("part", by_group, verdicts)]
    lines += [
        f"Of {better + simply} deviations {better} are better placements by a better search; {simply} simply differ,"
        " for these reasons:",
        "",
    ]
    lines += [f"- {reason}: {number}" for reason, number in reasons.most_common()]
    return [*lines, ""]
