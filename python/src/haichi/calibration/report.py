"""The report of a calibration: text for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from haichi.calibration.calibrate import Calibration, by_benchmark
from haichi.calibration.machine_file import parameters_of
from haichi.calibration.words import (
    counted,
    error_words,
    limit_origin,
    origin,
    quantity,
    what_does_not_fit,
    what_is_unknown,
)

SCHEMA = "haichi-calibration/1"


def report_text(calibration: Calibration) -> str:
    errors = np.abs(calibration.errors)
    lines = [
        f"{counted(len(calibration.points), 'point')} of {counted(len(calibration.sources), 'file')}; "
        f"other values from {calibration.like}",
        f"errors of simulated times: {calibration.rms:.1%} root mean square, "
        f"{np.median(errors):.1%} median, {errors.max():.1%} maximum",
        "",
        *_values(calibration),
    ]
    misfits = what_does_not_fit(calibration)
    if misfits:
        lines += ["", "poor fits:", *(f"  - {sentence}" for sentence in misfits)]
    unknown = what_is_unknown(calibration)
    if unknown:
        lines += ["", "values that the data does not determine:", *(f"  - {sentence}" for sentence in unknown)]
    lines += ["", *_residuals(calibration)]
    left_out = [
        f"{calibration.labels[source.path]}: {why}" for source in calibration.sources for why in source.left_out
    ]
    if left_out:
        lines += ["", "omitted:", *(f"  {why}" for why in left_out)]
    return "\n".join(lines) + "\n"


def _values(calibration: Calibration) -> Iterator[str]:
    for value in calibration.values:
        if value.is_fitted:
            yield _row(value.parameter.title, quantity(value), error_words(value), origin(calibration, value))
    yield _row("eager limit", f"{calibration.eager_limit} B", "", limit_origin(calibration))


def _row(title: str, quantity: str, error: str, origin: str) -> str:
    return f"  {title:28}{quantity:>12}  {error:12}{origin}"


def _residuals(calibration: Calibration) -> Iterator[str]:
    for heading, rows in by_benchmark(calibration):
        yield heading
        yield f"  {'bytes':>10}{'measured, us':>15}{'simulated, us':>15}{'error':>9}"
        for point, simulated, error in rows:
            seconds = point.seconds
            yield f"  {point.size_bytes:>10}{seconds * 1e6:>15.4g}{simulated * 1e6:>15.4g}{error:>+9.1%}"


def report_json(calibration: Calibration, machine: str) -> str:
    """The report as JSON; `machine` is the text of the machine file."""
    content = {
        "schema": SCHEMA,
        "like": calibration.like,
        "files": [
            {"file": source.path, "format": source.format, "hops": source.hops, "left_out": list(source.left_out)}
            for source in calibration.sources
        ],
        "root_mean_square": calibration.rms,
        "parameters": parameters_of(calibration),
        "eager_limit": {
            "bytes": calibration.eager_limit,
            "fitted": calibration.eager.is_told,
            "origin": limit_origin(calibration),
        },
        "misfits": what_does_not_fit(calibration),
        "unknown": what_is_unknown(calibration),
        "points": [
            {
                "file": entry.file,
                "line": entry.line,
                "benchmark": entry.benchmark,
                "hops": entry.hops,
                "bytes": entry.size_bytes,
                "measured_seconds": entry.seconds,
                "simulated_seconds": simulated,
                "error": error,
            }
            for entry, simulated, error in zip(
                calibration.points, calibration.simulated_seconds.tolist(), calibration.errors.tolist(), strict=True
            )
        ],
        "machine": json.loads(machine),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
