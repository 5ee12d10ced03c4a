"""Jobs: a workload on nodes of a machine, and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, Unpack

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.option_types import BarrierAdviceOptions, JobOptions, SearchOptions, SimulationOptions, SizesLike
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
    """A workload on the nodes that a job has of a machine; loaded and checked, immutable.

    Equal jobs give equal answers, here and by the program's commands. A job pickles, with the texts of its machine.

    Parameters
    ----------
    workload: a Workload, a file, a square matrix of bytes (NumPy or SciPy), or a NetworkX graph with bytes as the
        ``weight`` of its edges. Of a log that is given as a file its calls can be simulated; its communication sets are
        extracted when they are first needed.
    machine: a Machine, a preset (`haichi.list_machines`), ``"graph:FILE"``, a machine file, or its content.
    {options}

    Raises InputError, OptionError and UnsupportedError for what cannot be had, before anything is searched.
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
        """Looks for a placement in which the job communicates fast, as ``haichi map`` does.

        Parameters
        ----------
        objective: ``"auto"``: searches by the objectives that suit the workload, and takes what the packet simulator
            finds fastest; or a name (`haichi.list_objectives`), ``"weighted(hop-bytes=0.7,tac3=0.3)"``, a plug-in
            ``"./libx.so:name"``, or a function of the node of every rank (int32 array) that gives a number, the same
            for the same placement. A function is called at every proposal: the search is as fast as it is.
        progress: called with a `SearchProgress` a few times a second, in the caller's thread. What it raises ends the
            search; KeyboardInterrupt does so as Ctrl-C does.
        {options}

        Other Python threads run meanwhile. Ctrl-C ends the search with the best placement so far
        (`Placement.interrupted`).
        Raises InputError, OptionError, UnsupportedError; InternalError when a verification fails.
        """
        options = core_options(objective, given_options("optimize", SearchOptions, search))
        self._spec.traffic.tell_of_sets()
        found = _core.map(self._core, options, held=self._problem, progress=search_callback(progress))
        return Placement(self, found, objective)

    def place(self, placement: PlacementLike | None = None, *, format: str = "") -> Placement:
        """A placement that there is already: the node of each rank, a rank-map file (in `format`; empty: by its
        content), a placement, or None: the default one.

        Raises InputError and OptionError for maps that do not fit the job, and for placements of a job on other nodes.
        """
        if isinstance(placement, Placement):
            if placement.job is self:
                return placement
            if not self._has_nodes_of(placement.job):
                raise OptionError(
                    "the placement is that of a job on other nodes", "give its node_of_rank if the numbers are meant"
                )
        if format and not isinstance(placement, str | os.PathLike):
            raise OptionError("format is that of a map's file, but there is none")
        given = None if placement is None else as_map("placement", placement)
        return Placement(self, self._core.place(given, encoded("format", format)))

    def evaluate(
        self,
        placement: PlacementLike | None = None,
        *,
        objective: str | ObjectiveCallable | None = None,
        all_objectives: bool = True,
        simulate: bool = False,
        form: Literal["auto", "sets", "calls"] | None = None,
    ) -> Evaluation:
        """Measures a placement, as ``haichi evaluate`` does.

        Parameters
        ----------
        placement: as that of `place`.
        objective: that `Evaluation.value` is about, as that of `optimize`; None or ``"auto"``: the one that was
            searched for, or the first that suits the workload. The report tells the links with most bytes, with their
            messages.
        all_objectives: the report holds every objective that applies, with its bound, which may take a while on
            thousands of nodes.
        simulate: it and the default placement are simulated, packet by packet (`Evaluation.simulated`); Ctrl-C then
            ends the simulation with what is known.
        form: of the simulation, as that of `simulate`.
        """
        if form is not None and not simulate:
            raise OptionError("§form requires §simulate")
        options = _core.SimulationOptions({"form": form}) if simulate else None
        placed = self.place(placement)
        self._spec.traffic.tell_of_sets()
        if simulate:
            warn_of_buffers(self.machine)
        core = _core.evaluate(
            placed._core,
            held=self._problem,
            objective=core_objective(placed._objective if objective is None else objective),
            all_objectives=all_objectives,
            simulation=options,
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
        placement: as that of `place`.
        statistics: a file of what each link carried.
        history: a file of the packets that left the buffers of a router.
        progress: called with a `SimulationProgress` a few times a second, in the caller's thread. What it raises ends
            the simulation.
        {options}

        Of a log that the job was given as a file the calls are simulated, unless `form` says otherwise: `barrier` and
        `sim_iterations` apply to sets, `compute`, `compute_factor`, `compute_seed` and `collectives` to calls.
        Other Python threads run meanwhile. Ctrl-C ends the simulation with what is known (`Simulation.interrupted`).
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
        """Tells before which sets it pays that all ranks wait for each other, as ``haichi advise barrier`` does.

        Parameters
        ----------
        placement: as that of `place`.
        {options}

        Other Python threads run meanwhile; Ctrl-C ends it with what is known. Raises InputError, OptionError,
        UnsupportedError.
        """
        asked = _core.BarrierAdviceOptions(given_options("advise_barrier", BarrierAdviceOptions, options))
        self._spec.traffic.tell_of_sets()
        warn_of_buffers(self.machine)
        return barrier_advice(self.place(placement)._core, asked)


@takes(JobOptions)
def jobs(
    workload: WorkloadLike, machine: MachineLike, shapes: Iterable[SizesLike], **options: Unpack[JobOptions]
) -> list[Job]:
    """The same job on each of the shapes that it may get: what `haichi.optimize_shapes` and `haichi.compare` take.

    Parameters
    ----------
    workload, machine: as those of `haichi.Job`.
    shapes: a list of shapes, or a text as in ``"1x2x4x2x3x2,2x2x2x2x3x2"``.
    {options}

    Machine and workload are loaded once. Raises what `haichi.Job` raises.
    """
    spec = job_spec(workload, machine, given_options("jobs", JobOptions, options))
    if spec.shape is not None:
        raise OptionError("shape is one of several here", "shapes=[...]")
    specs = [spec.with_shape(shape) for shape in (shapes.split(",") if isinstance(shapes, str) else shapes)]
    if any(one.shape is None for one in specs):
        raise OptionError("None is not a shape: shapes lists what the job may get")
    sizes = [[int(size) for size in str(one.shape).split("x")] for one in specs]
    return [Job._of(one, core) for one, core in zip(specs, _core.Job.of_shapes(spec.core(), sizes), strict=True)]
