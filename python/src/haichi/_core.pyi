from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, final

import numpy as np
import numpy.typing as npt

_Text = str | bytes  # bytes: what is or may be the name of a file

def machines() -> list[tuple[str, str]]: ...
def objectives() -> list[tuple[str, str]]: ...
def strategies() -> list[tuple[str, str]]: ...
def formats() -> list[tuple[str, str]]: ...
def patterns() -> list[tuple[str, str]]: ...
def workload_formats() -> list[tuple[str, str]]: ...
def did_you_mean(name: _Text, candidates: list[str]) -> str: ...
def shown(text: _Text) -> str: ...
def parse_count(text: _Text, largest: int, name: _Text) -> int: ...

@final
class Extraction:
    @property
    def workload(self) -> Workload: ...
    def json(self) -> str: ...

def extract_sets(
    path: _Text,
    *,
    sends_per_rank: int,
    eager_limit_bytes: int,
    kernel: _Text,
    collectives: _Text,
    algorithms: list[str],
    compute: _Text,
) -> Extraction: ...

class Workload:
    @staticmethod
    def from_messages(
        *,
        ranks: int | None,
        iterations: int,
        source: npt.NDArray[Any],
        destination: npt.NDArray[Any],
        size_bytes: npt.NDArray[Any],
        set: npt.NDArray[Any] | None,
        labels: list[str] | None,
        compute_seconds: list[float] | None,
    ) -> Workload: ...
    @staticmethod
    def from_matrix(*, iterations: int, label: str, matrix: npt.NDArray[Any]) -> Workload: ...
    @staticmethod
    def from_coordinates(
        *,
        ranks: int,
        iterations: int,
        label: _Text,
        row: npt.NDArray[Any],
        column: npt.NDArray[Any],
        size_bytes: npt.NDArray[Any],
    ) -> Workload: ...
    @staticmethod
    def from_compressed(
        *,
        ranks: int,
        iterations: int,
        label: _Text,
        first: npt.NDArray[Any],
        index: npt.NDArray[Any],
        size_bytes: npt.NDArray[Any],
        by_columns: bool,
    ) -> Workload: ...
    @staticmethod
    def from_pattern(
        name: _Text,
        *,
        ranks: int,
        dims: list[int],
        periodic: bool,
        points: int,
        message_bytes: int,
        iterations: int | None,
        seed: int,
        mean_degree: float,
        shuffle_seed: int | None,
    ) -> Workload: ...
    @staticmethod
    def read(path: _Text, format: _Text) -> Workload: ...
    def write(self, path: _Text) -> None: ...
    @property
    def rank_count(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...
    @property
    def message_count(self) -> int: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def set_sizes(self) -> npt.NDArray[np.int64]: ...
    @property
    def compute_seconds(self) -> npt.NDArray[np.float64]: ...
    @property
    def messages(self) -> npt.NDArray[np.void]: ...
    def binned_bytes(self, bins: int) -> npt.NDArray[np.int64]: ...
    def equals(self, other: Workload) -> bool: ...

class Machine:
    def __init__(self, name: _Text, text: _Text | None, graph_text: _Text | None) -> None: ...
    @property
    def source(self) -> tuple[str, str | None, str | None]: ...
    @property
    def name(self) -> str: ...
    @property
    def topology(self) -> dict[str, Any]: ...
    @property
    def node_count(self) -> int | None: ...
    @property
    def routing(self) -> str: ...
    @property
    def faulty(self) -> list[int]: ...
    @property
    def link_bandwidth(self) -> int: ...
    @property
    def link_classes(self) -> dict[str, int]: ...
    @property
    def nics_per_node(self) -> int: ...

class AllocationRequest:
    def __init__(
        self,
        *,
        shape: list[int],
        origin: list[int],
        nodes_file: _Text,
        faulty_file: _Text,
        ranks_per_node: int,
        routing: _Text,
        fold: _Text,
        count_nic: bool,
    ) -> None: ...

class SearchOptions:
    def __init__(
        self,
        *,
        seed: int,
        restarts: int,
        threads: int,
        evaluations: int,
        time_limit_seconds: float | None,
        time_by_savings: bool,
        schedule: _Text,
        moves: _Text,
        companion_weight: float | None,
        verify: _Text,
    ) -> None: ...

class SimulationOptions:
    def __init__(self, *, barrier: _Text, iterations: int | str, threads: int, hottest_links: int) -> None: ...

class ObservationOptions:
    def __init__(
        self,
        *,
        bin_ps: int | None,
        router: int,
        history_begin_ps: int,
        history_end_ps: int,
        interval_ps: int | None,
    ) -> None: ...

@final
class SimulateReport:
    @property
    def node_of_rank(self) -> npt.NDArray[np.int32]: ...
    @property
    def is_default_placement(self) -> bool: ...
    @property
    def interrupted(self) -> bool: ...
    def json(self, with_timing: bool) -> str: ...

@final
class MapReport:
    @property
    def node_of_rank(self) -> npt.NDArray[np.int32]: ...
    @property
    def objective(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def lower_bound(self) -> float | None: ...
    @property
    def optimal(self) -> bool: ...
    @property
    def interrupted(self) -> bool: ...
    def json(self, with_timing: bool) -> str: ...
    def simulated_runs(self) -> str | None: ...
    def write_rank_map(self, path: _Text, format: _Text) -> None: ...

@final
class ShapesReport:
    @property
    def shapes(self) -> list[MapReport]: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def position_of_rank(self) -> npt.NDArray[np.int32] | None: ...
    def json(self, with_timing: bool) -> str: ...
    def write_robust_map(self, path: _Text, format: _Text) -> None: ...

class MapRequest:
    def __init__(
        self,
        *,
        machine: Machine,
        workload: Workload,
        allocation: AllocationRequest,
        search: SearchOptions,
        objective: _Text,
        function: Callable[[npt.NDArray[np.int32]], SupportsFloat] | None,
        strategy: _Text,
        start: _Text,
        hosts: _Text,
        message_size_bytes: int | None,
        validation: SimulationOptions | None,
    ) -> None: ...

def run_map(request: MapRequest, progress: Callable[[float, float, int, int], object] | None) -> MapReport: ...
def run_map_shapes(
    request: MapRequest,
    *,
    shapes: list[list[int]],
    robust: _Text | None,
    with_rotations: bool,
    progress: Callable[[float, float, int, int], object] | None,
) -> ShapesReport: ...
def run_evaluate(
    machine: Machine,
    workload: Workload,
    *,
    allocation: AllocationRequest,
    map: _Text | npt.NDArray[Any],
    format: _Text,
    objective: _Text,
    function: Callable[[npt.NDArray[np.int32]], SupportsFloat] | None,
    hosts: _Text,
    message_size_bytes: int | None,
    simulation: SimulationOptions | None,
) -> MapReport: ...
def network_outline(report: MapReport) -> dict[str, Any]: ...
def message_routes(report: MapReport) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
def convergence(report: MapReport) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
def parse_bytes(text: _Text, name: _Text) -> int: ...
def parse_time_ps(text: _Text, name: _Text) -> int: ...
def run_simulate(
    machine: Machine,
    workload: Workload,
    *,
    allocation: AllocationRequest,
    map: _Text | npt.NDArray[Any] | None,
    format: _Text,
    hosts: _Text,
    message_size_bytes: int | None,
    simulation: SimulationOptions,
    observation: ObservationOptions,
    inputs: Sequence[_Text],
    statistics_path: _Text,
    history_path: _Text,
    progress: Callable[[float, int, int, int, float], object] | None,
) -> SimulateReport: ...
def new_file_mode() -> int: ...
def check_outputs(inputs: Sequence[_Text], files: Sequence[_Text]) -> None: ...

ADVICE_PACKET_HOPS: float

def advise_shape(
    machine: Machine,
    workload: Workload,
    *,
    allocation: AllocationRequest,
    objective: _Text,
    message_size_bytes: int | None,
    node_count: int,
    seed: int,
    seeds: int,
    finalists: int,
    packet_hops: float,
    threads: int,
) -> str: ...
def advise_barrier(
    machine: Machine,
    workload: Workload,
    *,
    allocation: AllocationRequest,
    map: _Text | npt.NDArray[Any] | None,
    format: _Text,
    hosts: _Text,
    message_size_bytes: int | None,
    imbalance: _Text,
    draws: int,
    seed: int,
    sizes: list[int],
    most_simulations: int,
    packet_hops: float,
    threads: int,
) -> str: ...
def advise_rails(logs: list[tuple[str, str, int | None]], *, format: str, interfaces: int) -> str: ...
