"""The class `Job`: a workload on nodes of a machine, with methods to map, evaluate and simulate it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Unpack

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.option_types import (
    BarrierAdviceOptions,
    EvaluationOptions,
    JobOptions,
    SearchOptions,
    SimulationOptions,
    SizesLike,
)
from haichi.base.options import given_options, takes
from haichi.errors import OptionError
from haichi.job.advise import barrier_advice
from haichi.model.loaded_job import LoadedJob, job_spec
from haichi.model.machine import MachineLike, warn_of_buffers
from haichi.model.placement import ObjectiveCallable, Placement, PlacementLike, as_map
from haichi.model.search import SearchCallback, core_objective, core_options, search_callback
from haichi.model.simulation import (
    BufferHistory,
    LinkStatistics,
    SimulationCallback,
    observation_options,
    simulation_callback,
)
from haichi.model.workload import WorkloadLike
from haichi.results.advice import BarrierAdvice
from haichi.results.evaluation import Evaluation, evaluation_of
from haichi.results.simulation import Simulation, simulation_of


@takes(JobOptions)
class Job(LoadedJob):
    """A workload on the nodes of a job on a machine. It is loaded, checked and immutable.

    Equal jobs give equal results, in Python and with the program's commands. A pickled job contains the texts of its
    machine.

    Parameters
    ----------
    workload: a Workload, a file, a square matrix of bytes (NumPy, SciPy, pandas), or a NetworkX graph with bytes as the
            ``weight`` of its edges. The calls of a log file can be simulated. Its communication sets are extracted
            on their first use.
    machine: a Machine, a preset (`haichi.list_machines`), ``"graph:FILE"``, a machine file, or the content of one. It
            may also be a NetworkX graph whose edges have the attribute ``bandwidth``.
    {options}

    Raises InputError, OptionError and UnsupportedError for invalid input, before any search.
    """

    __slots__ = ()

    def __init__(self, workload: WorkloadLike, machine: MachineLike, **options: Unpack[JobOptions]) -> None:
        super().__init__(job_spec(workload, machine, given_options("Job", JobOptions, options)))

    @takes(SearchOptions)
    def optimize(
        self,
        objective: str | ObjectiveCallable = "auto",
        *,
        progress: SearchCallback | None = None,
        **search: Unpack[SearchOptions],
    ) -> Placement:
        """Searches for a placement with fast communication, as ``haichi map`` does.

        Parameters
        ----------
        objective: ``"auto"`` searches with the objectives that suit the workload, and chooses the fastest result by the
            packet simulator. Others: a name (`haichi.list_objectives`), ``"weighted(hop-bytes=0.7,tac3=0.3)"``, a
            plug-in ``"./libx.so:name"``, or a function from the node of every rank (int32 array) to a number. The
            number must depend on the placement only. The search calls the function for every proposal, so the function
            limits its speed.
        progress: called with a `SearchProgress` a few times a second, in the caller's thread. An exception from it ends
            the search; KeyboardInterrupt has the effect of Ctrl-C.
        {options}

        Other Python threads run during the search. Ctrl-C ends it and returns the best placement so far
        (`Placement.interrupted`). Raises InputError, OptionError and UnsupportedError. Raises InternalError if a
        verification fails.
        """
        options = core_options(objective, given_options("optimize", SearchOptions, search))
        self._spec.traffic.tell_of_sets()
        found = _core.map(self._core, options, held=self._problem, progress=search_callback(progress))
        return Placement(self, found, objective)

    def place(self, placement: PlacementLike | None = None, *, format: str = "") -> Placement:
        """Converts a given placement. `placement`: the node of each rank, a rank-map file, a placement, or None for the
        default placement. `format`: the format of the file; if empty, it is detected from the content.

        Raises InputError and OptionError for maps that do not fit the job, and for placements of a job on other nodes.
        """
        if isinstance(placement, Placement):
            if placement.job is self:
                return placement
            if not self._has_nodes_of(placement.job):
                raise OptionError(
                    "the placement belongs to a job on other nodes",
                    "pass its node_of_rank to use the same node numbers",
                )
        if format and not isinstance(placement, str | os.PathLike):
            raise OptionError("format requires a rank-map file")
        given = None if placement is None else as_map("placement", placement)
        return Placement(self, self._core.place(given, encoded("format", format)))

    @takes(EvaluationOptions)
    def evaluate(
        self,
        placement: PlacementLike | None = None,
        *,
        objective: str | ObjectiveCallable | None = None,
        all_objectives: bool = True,
        **options: Unpack[EvaluationOptions],
    ) -> Evaluation:
        """Evaluates a placement, as ``haichi evaluate`` does.

        Parameters
        ----------
        placement: as in `place`.
        objective: the objective of `Evaluation.value`, as in `optimize`. None or ``"auto"``: the objective of the
            search, or the first objective that suits the workload. The report lists the most loaded links and their
            messages.
        all_objectives: the report contains every applicable objective with its bound. This may take a while on
            thousands of nodes.
        {options}

        `Evaluation.simulated` has the results of the simulations. Ctrl-C ends the simulations and keeps the results so
        far.
        """
        asked = _core.EvaluationOptions(given_options("evaluate", EvaluationOptions, options))
        placed = self.place(placement)
        self._spec.traffic.tell_of_sets()
        if asked.simulate:
            warn_of_buffers(self.machine)
        core = _core.evaluate(
            placed._core,
            held=self._problem,
            objective=core_objective(placed._objective if objective is None else objective),
            all_objectives=all_objectives,
            simulation=asked,
        )
        return evaluation_of(placed, core)

    @takes(SimulationOptions)
    def simulate(
        self,
        placement: PlacementLike | None = None,
        *,
        statistics: LinkStatistics | None = None,
        history: BufferHistory | None = None,
        progress: SimulationCallback | None = None,
        **options: Unpack[SimulationOptions],
    ) -> Simulation:
        """Simulates a placement packet by packet, as ``haichi simulate`` does.

        Parameters
        ----------
        placement: as in `place`.
        statistics: a file that receives the traffic of each link.
        history: a file that receives the packets that left the buffers of a router.
        progress: called with a `SimulationProgress` a few times a second, in the caller's thread. An exception from it
            ends the simulation.
        {options}

        If the job has a log file, its calls are simulated, unless `form` requests sets. `barrier` and `sim_iterations`
        affect only sets; `compute`, `compute_factor`, `compute_seed` and `collectives` affect only calls. Other Python
        threads run during the simulation. Ctrl-C ends it and returns the results so far (`Simulation.interrupted`).
        Raises InputError, OptionError, UnsupportedError.
        """
        given = given_options("simulate", SimulationOptions, options) | observation_options(statistics, history)
        asked = _core.SimulationOptions(given)
        placed = self.place(placement)
        if not _core.replays_calls(self._core, asked):
            self._spec.traffic.tell_of_sets()
        warn_of_buffers(self.machine)
        inputs = [encoded("input", path) for path in self._input_files(placement)]
        core = _core.simulate(placed._core, asked, inputs=inputs, progress=simulation_callback(progress))
        return simulation_of(placed, core)

    @takes(BarrierAdviceOptions)
    def advise_barrier(
        self, placement: PlacementLike | None = None, **options: Unpack[BarrierAdviceOptions]
    ) -> BarrierAdvice:
        """Finds the sets before which a barrier over all ranks pays, as ``haichi advise barrier`` does.

        Parameters
        ----------
        placement: as in `place`.
        {options}

        Other Python threads run during the simulations. Ctrl-C ends them and returns the results so far. Raises
        InputError, OptionError and UnsupportedError.
        """
        asked = _core.BarrierAdviceOptions(given_options("advise_barrier", BarrierAdviceOptions, options))
        self._spec.traffic.tell_of_sets()
        warn_of_buffers(self.machine)
        return barrier_advice(self.place(placement)._core, asked)


@takes(JobOptions)
def jobs(
    workload: WorkloadLike, machine: MachineLike, shapes: Iterable[SizesLike], **options: Unpack[JobOptions]
) -> list[Job]:
    """Makes a job for each of the shapes, for `haichi.optimize_shapes` and `haichi.compare`.

    Parameters
    ----------
    workload, machine: as in `haichi.Job`.
    shapes: a list of shapes, or a text such as ``"1x2x4x2x3x2,2x2x2x2x3x2"``.
    {options}

    The machine and the workload are loaded once. Raises the errors of `haichi.Job`.
    """
    spec = job_spec(workload, machine, given_options("jobs", JobOptions, options))
    if spec.shape is not None:
        raise OptionError("shape cannot be used for several shapes", "use shapes=[...]")
    specs = [spec.with_shape(shape) for shape in (shapes.split(",") if isinstance(shapes, str) else shapes)]
    if any(one.shape is None for one in specs):
        raise OptionError("shapes must contain shapes, not None")
    sizes = [[int(size) for size in str(one.shape).split("x")] for one in specs]
    return [Job._of(one, core) for one, core in zip(specs, _core.Job.of_shapes(spec.core(), sizes), strict=True)]
