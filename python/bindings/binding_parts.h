#pragma once

#include <pybind11/pybind11.h>

namespace haichi {

/// The parts of the module haichi._core. The bindings only convert types. Default values, conversions for users and
/// docstrings are in python/src/haichi.
void bind_workload(pybind11::module_& module);
/// Binds the traffic between the ranks of a job. Requires the workload.
void bind_traffic(pybind11::module_& module);
void bind_machine(pybind11::module_& module);
/// Binds the program's formats for words in messages and for numbers.
void bind_text(pybind11::module_& module);
/// Binds the option tables.
void bind_options(pybind11::module_& module);
/// Binds checks and writes of output files.
void bind_outputs(pybind11::module_& module);
/// Binds the extraction of communication sets from logs. Requires the workload.
void bind_extraction(pybind11::module_& module);
/// Binds jobs and placements. Requires the workload and the machine.
void bind_job(pybind11::module_& module);
/// Binds simulations of placements. Searches use their options for validation.
void bind_simulate(pybind11::module_& module);
/// Binds searches and evaluations.
void bind_search(pybind11::module_& module);
/// Binds checks and conversions of rank maps. Requires the job.
void bind_rank_maps(pybind11::module_& module);
/// Binds coordinates, distances, links, routes and loads as arrays. Requires the job.
void bind_network(pybind11::module_& module);
/// Binds logs as columns of tables.
void bind_log(pybind11::module_& module);
/// Binds the data for pictures of a placement. Requires the job.
void bind_view(pybind11::module_& module);
/// Binds advice on shapes, barriers and NICs.
void bind_advice(pybind11::module_& module);

}  // namespace haichi
