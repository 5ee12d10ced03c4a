#pragma once

#include <pybind11/pybind11.h>

namespace haichi {

/// The parts of the module haichi._core. What they bind is plain; defaults, conversions and docstrings for users are in
/// python/src/haichi.
void bind_workload(pybind11::module_& module);
/// What the ranks of a job send each other; behind the workload.
void bind_traffic(pybind11::module_& module);
void bind_machine(pybind11::module_& module);
/// Words of messages and numbers in texts, as the program has them.
void bind_text(pybind11::module_& module);
/// The tables of options.
void bind_options(pybind11::module_& module);
/// Whether files can be written.
void bind_outputs(pybind11::module_& module);
/// Communication sets from logs; behind the workload.
void bind_extraction(pybind11::module_& module);
/// Jobs and placements; behind the workload and the machine.
void bind_job(pybind11::module_& module);
/// Simulations of placements; their options are also those of a search's validation.
void bind_simulate(pybind11::module_& module);
/// Searches and evaluations.
void bind_search(pybind11::module_& module);
/// What pictures of a placement need; behind the job.
void bind_view(pybind11::module_& module);
/// Advice on shapes, barriers and rails.
void bind_advice(pybind11::module_& module);

}  // namespace haichi
