"""Jobs: a workload on nodes of a machine, and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, SupportsIndex, Unpack

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.options import Form, TrafficForm, complete, takes
from haichi.errors import OptionError
from haichi.job.advise import barrier_advice, barrier_options
from haichi.model.job_spec import JobOptions, SizesLike
from haichi.model.loaded_job import LoadedJob, job_spec
from haichi.model.machine import MachineLike, warn_of_buffers
from haichi.model.placement import ObjectiveCallable, Placement, PlacementLike, as_map
from haichi.model.search import SearchCallback, SearchOptions, core_objective, core_options, search_callback
from haichi.model.simulation import (
    BufferHistory,
    LinkStatistics,
    Replay,
    SimulationCallback,
    core_observation,
    simulation_callback,
)
from haichi.model.simulation import core_options as simulation_options
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
        super().__init__(job_spec("Job", workload, machine, options))

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
        options = core_options(objective, complete("optimize", SearchOptions, search))
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
        form: TrafficForm = "auto",
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
        if form != "auto" and not simulate:
            raise OptionError("form is that of simulate=True, which is not given")
        options = simulation_options(form=self._simulated_form(form)) if simulate else None
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

    def simulate(
        self,
        placement: PlacementLike | None = None,
        *,
        form: TrafficForm = "auto",
        compute: Literal["mean", "drawn", "none"] = "mean",
        compute_factor: float = 1.0,
        seed: SupportsIndex = 1,
        algorithms: Mapping[str, str] | None = None,
        barrier: Literal["none", "sets", "both"] | str = "none",
        iterations: Literal["auto", "all"] | SupportsIndex = "auto",
        threads: int = 1,
        partitions: int = 0,
        hottest: int = 10,
        statistics: LinkStatistics | None = None,
        history: BufferHistory | None = None,
        progress: SimulationCallback | None = None,
    ) -> Simulation:
        """Simulates a placement packet by packet, as ``haichi simulate`` does.

        Parameters
        ----------
        placement: as that of `place`.
        form: ``"calls"``: the calls of the log that the job was given as a file, one by one as they were made;
            ``"sets"``: the communication sets of its kernel; ``"auto"``: calls where the job has them. The next four
            are about calls, `barrier` and `iterations` about sets.
        compute: computing time between calls: the ``"mean"`` of what the log has at each place of the program,
            ``"drawn"`` between its least and its greatest, or ``"none"``.
        compute_factor: times this.
        seed: of ``compute="drawn"``.
        algorithms: by which collectives become messages, as that of `haichi.extract_sets`.
        barrier: ``"sets"``: all ranks wait for each other before every set; ``"1,3"``: before these sets, counted from
            1; ``"none"``; ``"both"``: a run without and one with barriers before every set.
        iterations: how many are simulated, the rest is multiplied: ``"auto"``: until their time repeats or its mean
            settles; ``"all"``; a number.
        threads: the result does not depend on it.
        partitions: parts of the machine that are simulated one by one, or side by side in threads; 0: by its size. The
            result does not depend on it.
        hottest: how many of the busiest links to list.
        statistics: a file of what each link carried.
        history: a file of the packets that left the buffers of a router.
        progress: called with a `SimulationProgress` a few times a second, in the caller's thread. What it raises ends
            the simulation.

        Other Python threads run meanwhile. Ctrl-C ends the simulation with what is known (`Simulation.interrupted`).
        Raises InputError, OptionError, UnsupportedError.
        """
        simulated_form = self._simulated_form(form)
        options = simulation_options(
            barrier,
            iterations,
            threads,
            partitions,
            hottest,
            form=simulated_form,
            replay=Replay(compute, compute_factor, seed, algorithms),
        )
        if barrier == "both" and (statistics is not None or history is not None):
            raise OptionError("statistics and history describe one run", "barrier='none' or barrier='sets'")
        placed = self.place(placement)
        if simulated_form == "sets":
            self._spec.traffic.tell_of_sets()
        warn_of_buffers(self.machine)
        observation = core_observation(statistics, history, self._input_files(placement))
        core = _core.simulate(placed._core, options, observation=observation, progress=simulation_callback(progress))
        return simulation_of(placed, core)

    def advise_barrier(
        self,
        placement: PlacementLike | None = None,
        *,
        imbalance: str | None = None,
        draws: int = 5,
        seed: int = 1,
        sizes: Sequence[str | SupportsIndex] = (),
        simulations: int = 64,
        packet_hops: float = _core.ADVICE_PACKET_HOPS,
        threads: int = 0,
    ) -> BarrierAdvice:
        """Tells before which sets it pays that all ranks wait for each other, as ``haichi advise barrier`` does.

        Parameters
        ----------
        placement: as that of `place`.
        imbalance: how unevenly the ranks compute: ``"5%"``, up to as much more or less of each set's computing time, or
            ``"20us"``, up to as much more before each set. The advice must survive `draws` of it, from `seed` on.
        sizes: message sizes to ask for, ``"64KiB"`` or bytes; without them those of the workload.
        simulations: at most, where there are too many choices of sets to try all.
        packet_hops: what the simulations of one size may take.
        threads: 0: all cores. The answer does not depend on it.

        Other Python threads run meanwhile; Ctrl-C ends it with what is known. Raises InputError, OptionError,
        UnsupportedError.
        """
        options = barrier_options(imbalance, draws, seed, sizes, simulations, packet_hops, threads)
        self._spec.traffic.tell_of_sets()
        warn_of_buffers(self.machine)
        return barrier_advice(self.place(placement)._core, options)

    def _simulated_form(self, form: TrafficForm) -> Literal["sets", "calls"]:
        return self._spec.simulated_form(Form().checked("form", form))


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
    spec = job_spec("jobs", workload, machine, options)
    if spec.shape is not None:
        raise OptionError("shape is one of several here", "shapes=[...]")
    specs = [spec.with_shape(shape) for shape in (shapes.split(",") if isinstance(shapes, str) else shapes)]
    if any(one.shape is None for one in specs):
        raise OptionError("None is not a shape: shapes lists what the job may get")
    sizes = [[int(size) for size in str(one.shape).split("x")] for one in specs]
    return [Job._of(one, core) for one, core in zip(specs, _core.Job.of_shapes(spec.core(), sizes), strict=True)]
