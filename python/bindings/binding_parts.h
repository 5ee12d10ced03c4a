#pragma once

#include <pybind11/pybind11.h>

namespace haichi {

/// The parts of the module haichi._core. Bindings are plain; defaults, conversions and docstrings for users are in
/// python/src/haichi.
void bind_workload(pybind11::module_& module);
/// The traffic between the ranks of a job; requires the workload.
void bind_traffic(pybind11::module_& module);
void bind_machine(pybind11::module_& module);
/// Words of messages and numbers in texts, in the program's form.
void bind_text(pybind11::module_& module);
/// The tables of options.
void bind_options(pybind11::module_& module);
/// Checks and writes of output files.
void bind_outputs(pybind11::module_& module);
/// Communication sets from logs; requires the workload.
void bind_extraction(pybind11::module_& module);
/// Jobs and placements; requires the workload and the machine.
void bind_job(pybind11::module_& module);
/// Simulations of placements; searches use their options for the validation.
void bind_simulate(pybind11::module_& module);
/// Searches and evaluations.
void bind_search(pybind11::module_& module);
/// Checks and conversions of rank maps; requires the job.
void bind_rank_maps(pybind11::module_& module);
/// Coordinates, distances, links, routes and loads as arrays; requires the job.
void bind_network(pybind11::module_& module);
/// Logs as columns of tables.
void bind_log(pybind11::module_& module);
/// Data for pictures of a placement; requires the job.
void bind_view(pybind11::module_& module);
/// Advice on shapes, barriers and NICs.
void bind_advice(pybind11::module_& module);

}  // namespace haichi
