"""The specification of a job: the arguments of `haichi.Job`. They are checked one by one, but the job is not loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.option_types import SizesLike
from haichi.errors import InputError, OptionError
from haichi.model.machine import Machine
from haichi.model.traffic import Traffic, read_once
from haichi.model.workload import Workload, whole_numbers

_LISTS = ("nodes", "faulty", "hosts")


def size_text(sizes: SizesLike) -> str:
    """The text of a shape, such as ``"1x2x4"``. Raises OptionError."""
    words = _core.option_words("JobOptions", {"shape": sizes})["shape"]
    return "x".join(str(int(size)) for size in words[0].split("x"))


def job_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The checked options of a job as plain values: sizes and file names as texts, node lists as lists."""
    options: dict[str, Any] = {
        name: (_hosts if name == "hosts" else _nodes)(name, value)
        for name, value in given.items()
        if name in _LISTS and not isinstance(value, str | bytes | os.PathLike)
    }
    words = _core.option_words("JobOptions", {name: value for name, value in given.items() if name not in options})
    for name, (word,) in words.items():
        options[name] = size_text(word) if name in ("shape", "origin") else word if word else True
    if "ppn" in options:
        options["ppn"] = int(options["ppn"])
    return options


def _nodes(name: str, value: Any) -> list[Any]:
    if not hasattr(value, "__len__"):
        raise TypeError(f"{name} must be a file, names, numbers or coordinates, not {value!r}")
    if len(value) and all(isinstance(node, str) for node in value):
        return _hosts(name, value)
    if any(isinstance(node, bool | np.bool_) for node in value):
        raise InputError(f"{name} must contain node numbers, not bools", "convert the mask with numpy.flatnonzero")
    nodes = whole_numbers(name, value) if len(value) else np.empty(0, np.int64)
    if nodes.ndim not in (1, 2):
        raise OptionError(f"{name} must be a list of numbers or of coordinates, not of shape {nodes.shape}")
    listed: list[Any] = nodes.tolist()
    return listed


def _hosts(name: str, value: Any) -> list[str]:
    return [os.fsdecode(encoded(name, host)) for host in value]


@dataclass(frozen=True, eq=False)
class JobSpec:
    """The arguments of a job. A pickled specification contains the texts of the machine's files."""

    traffic: Traffic
    machine: Machine
    options: dict[str, Any]
    """The given options, as `job_options` returns them."""

    @property
    def workload(self) -> Workload:
        """The communication sets, as in `Traffic.workload`."""
        return self.traffic.workload

    def reading_once(self) -> JobSpec:
        """This specification with traffic from `read_once`."""
        return replace(self, traffic=read_once(self.traffic))

    def with_shape(self, shape: SizesLike | None) -> JobSpec:
        sized = {} if shape is None else {"shape": size_text(shape)}
        return replace(self, options={name: self.options[name] for name in self.options if name != "shape"} | sized)

    @property
    def shape(self) -> str | None:
        return self.options.get("shape")

    @property
    def workload_name(self) -> str:
        """The name of the workload file; empty if the workload comes from no file."""
        return file_name(self.traffic.files[0]) if self.traffic.files else ""

    def simulated_form(self, form: str) -> Literal["sets", "calls"]:
        """The form that a simulation uses if the option is `form`. Raises OptionError if calls are requested but
        missing."""
        has_calls = self.traffic.has_calls
        if form == "calls" and not has_calls:
            raise OptionError(
                "§form calls requires a log that records the order of calls",
                "use §form sets, or a log that records the order of calls"
                if self.traffic.files
                else "pass the file name of the log to haichi.Job",
            )
        return "calls" if has_calls and form != "sets" else "sets"

    def input_files(self) -> list[str]:
        """The names of the input files of the job, and words that may be such names."""
        machine = self.machine._core
        named = [self.options.get(name) for name in (*_LISTS, "fold", "job")]
        return [
            name
            for name in (*self.traffic.files, machine.source[0], machine.graph_file, *named)
            if isinstance(name, str) and name
        ]

    def core(self) -> _core.JobSpec:
        return core_spec(self.machine, self.options, self.traffic)


def core_spec(machine: Machine, options: Mapping[str, Any], traffic: Traffic | None = None) -> _core.JobSpec:
    """The specification as `_core` expects it. `options` come from `job_options`. Without `traffic`, the specification
    serves functions that need only the nodes."""
    given = dict(options)
    for name in _LISTS:
        value = given.get(name)
        if isinstance(value, list):
            is_of_names = name == "hosts" or any(isinstance(node, str) for node in value)
            given[name] = [encoded(name, host) for host in value] if is_of_names else np.array(value, np.int64)
    return _core.JobSpec(machine=machine._core, traffic=None if traffic is None else traffic._core, given=given)


def file_name(path: str | os.PathLike[str]) -> str:
    """A file name for results and pages. Bytes that are not UTF-8 are escaped."""
    name = os.fsencode(os.path.basename(path)).decode("utf-8", "backslashreplace")
    return name.removesuffix(".json") or os.fspath(path)
