"""haichi: topology-aware placement of MPI processes.

>>> import haichi
>>> cg = haichi.Workload.from_pattern("cg", ranks=64)
>>> job = haichi.Job(cg, "fx10-kyushu", shape="1x2x4x2x3x2")
>>> placement = job.optimize()
>>> placement.write("rankmap.txt", format="fujitsu")
>>> job.evaluate(placement).value, job.simulate(placement).seconds
"""

from importlib.metadata import version as _version

from haichi.comparison.driver import ComparisonProgress, compare
from haichi.comparison.results import Comparison
from haichi.errors import Error, InputError, InternalError, OptionError, UnsupportedError
from haichi.job.advise import advise_rails, advise_shape, advise_spread
from haichi.job.job import Job, jobs
from haichi.job.program_simulation import ProgramSimulation, simulate_program
from haichi.job.rank_maps import CheckLine, MapCheck, check, convert
from haichi.job.shapes import RobustPlacement, ShapesResult, optimize_shapes
from haichi.model.links import Links
from haichi.model.machine import Axis, Machine
from haichi.model.nas import write_nas_log
from haichi.model.placement import Placement
from haichi.model.search import SearchProgress
from haichi.model.simulation import BufferHistory, LinkStatistics, SimulationProgress
from haichi.model.tables import (
    Entry,
    list_folds,
    list_formats,
    list_machines,
    list_objectives,
    list_patterns,
    list_strategies,
    list_workload_formats,
)
from haichi.model.workload import Messages, Workload
from haichi.results.advice import (
    BarrierAdvice,
    BarrierAnswer,
    BarrierTimes,
    RailAdvice,
    RailAnswer,
    ShapeAdvice,
    ShapeChoice,
    SpreadAdvice,
    SpreadTimes,
    TimesOfSeeds,
)
from haichi.results.evaluation import Evaluation
from haichi.results.extraction import Extraction, extract_sets
from haichi.results.log import Log, read_log
from haichi.results.simulation import LinkTraffic, RunFractions, SimulatedPlacement, SimulatedRun, Simulation
from haichi.service.client import Client, JobEvent, RemoteJob, ServiceError

__version__ = _version("haichi")

__all__ = [
    "BarrierAdvice",
    "BarrierAnswer",
    "BarrierTimes",
    "BufferHistory",
    "CheckLine",
    "Client",
    "Comparison",
    "ComparisonProgress",
    "Axis",
    "Entry",
    "Error",
    "Evaluation",
    "Extraction",
    "InputError",
    "InternalError",
    "Job",
    "JobEvent",
    "LinkStatistics",
    "LinkTraffic",
    "Links",
    "Log",
    "Machine",
    "MapCheck",
    "Messages",
    "OptionError",
    "Placement",
    "ProgramSimulation",
    "RailAdvice",
    "RailAnswer",
    "ShapeAdvice",
    "ShapeChoice",
    "RemoteJob",
    "RobustPlacement",
    "SearchProgress",
    "ServiceError",
    "ShapesResult",
    "RunFractions",
    "SimulatedPlacement",
    "SimulatedRun",
    "Simulation",
    "SimulationProgress",
    "SpreadAdvice",
    "SpreadTimes",
    "TimesOfSeeds",
    "UnsupportedError",
    "Workload",
    "advise_rails",
    "advise_shape",
    "advise_spread",
    "check",
    "compare",
    "convert",
    "extract_sets",
    "jobs",
    "list_folds",
    "list_formats",
    "list_machines",
    "list_objectives",
    "list_patterns",
    "list_strategies",
    "list_workload_formats",
    "optimize_shapes",
    "read_log",
    "simulate_program",
    "write_nas_log",
]
