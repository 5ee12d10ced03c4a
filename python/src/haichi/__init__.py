"""haichi: topology-aware placement of MPI processes.

>>> import haichi
>>> cg = haichi.Workload.from_pattern("cg", ranks=64)
>>> result = haichi.optimize(cg, "fx10-kyushu", shape="1x2x4x2x3x2", objective="tac3")
>>> result.write("rankmap.txt", format="fujitsu")
>>> haichi.simulate(cg, "fx10-kyushu", result, shape="1x2x4x2x3x2").seconds
"""

from importlib.metadata import version as _version

from haichi.advice import (
    BarrierAdvice,
    BarrierAnswer,
    BarrierTimes,
    RailAdvice,
    RailAnswer,
    ShapeAdvice,
    ShapeChoice,
    TimesOfSeeds,
    advise_barrier,
    advise_rails,
    advise_shape,
)
from haichi.comparison import Comparison, ComparisonProgress, compare
from haichi.errors import Error, InputError, InternalError, OptionError, UnsupportedError
from haichi.extraction import Extraction, extract_sets
from haichi.job import Result, SearchProgress, evaluate, optimize
from haichi.machine import Axis, Machine
from haichi.shapes import RobustPlacement, ShapesResult, optimize_shapes
from haichi.simulation import SimulationProgress, simulate
from haichi.simulation_result import LinkTraffic, SimulatedPlacement, SimulatedRun, Simulation
from haichi.tables import (
    Entry,
    list_formats,
    list_machines,
    list_objectives,
    list_patterns,
    list_strategies,
    list_workload_formats,
)
from haichi.workload import Messages, Workload

__version__ = _version("haichi")

__all__ = [
    "BarrierAdvice",
    "BarrierAnswer",
    "BarrierTimes",
    "Comparison",
    "ComparisonProgress",
    "Axis",
    "Entry",
    "Error",
    "Extraction",
    "InputError",
    "InternalError",
    "LinkTraffic",
    "Machine",
    "Messages",
    "OptionError",
    "RailAdvice",
    "RailAnswer",
    "Result",
    "ShapeAdvice",
    "ShapeChoice",
    "RobustPlacement",
    "SearchProgress",
    "ShapesResult",
    "SimulatedPlacement",
    "SimulatedRun",
    "Simulation",
    "SimulationProgress",
    "TimesOfSeeds",
    "UnsupportedError",
    "Workload",
    "advise_barrier",
    "advise_rails",
    "advise_shape",
    "compare",
    "evaluate",
    "extract_sets",
    "list_formats",
    "list_machines",
    "list_objectives",
    "list_patterns",
    "list_strategies",
    "list_workload_formats",
    "optimize",
    "optimize_shapes",
    "simulate",
]
