#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mapper/job/advice_json.h"
#include "mapper/job/report_json.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/interruptible_run.h"
#include "python/bindings/loaded_machine.h"
#include "python/bindings/rank_map_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// Answers go to Python as haichi-advice/1: they are small, and plain values there.
std::string advise_shape(const LoadedMachine& machine, const std::shared_ptr<Workload>& workload,
                         const AllocationRequest& allocation, const std::string& objective,
                         std::optional<std::int64_t> message_size_bytes, std::int64_t node_count, std::uint64_t seed,
                         std::int32_t seeds, std::int32_t finalists, double packet_hops, std::int32_t threads) {
    ShapeAdviceRequest request;
    request.job.machine = machine.machine;
    request.job.workload = std::shared_ptr<const Workload>(workload);
    request.job.allocation = allocation;
    request.job.objective = objective;
    request.job.message_size_bytes = message_size_bytes;
    request.job.search.seed = seed;
    request.job.search.threads = threads;
    request.node_count = node_count;
    request.seeds = seeds;
    request.finalists = finalists;
    request.packet_hops = packet_hops;
    return report_text(advice_json(run_interruptibly([&](const std::atomic<bool>& stop) {
        return run_advise_shape(request, {{}, &stop});
    })));
}

std::string advise_barrier(const LoadedMachine& machine, const std::shared_ptr<Workload>& workload,
                           const AllocationRequest& allocation, const std::optional<GivenMap>& map,
                           const std::string& format, const std::string& hosts,
                           std::optional<std::int64_t> message_size_bytes, const std::string& imbalance,
                           std::int32_t draws, std::uint64_t seed, std::vector<std::int64_t> sizes,
                           std::int32_t most_simulations, double packet_hops, std::int32_t threads) {
    BarrierAdviceRequest request;
    request.job.machine = machine.machine;
    request.job.workload = std::shared_ptr<const Workload>(workload);
    request.job.allocation = allocation;
    if (map) request.job.map = as_placement(*map);
    request.job.format = format;
    request.job.hosts = hosts;
    request.job.message_size_bytes = message_size_bytes;
    if (!imbalance.empty()) parse_imbalance(imbalance, request);
    request.draws = draws;
    request.seed = seed;
    request.sizes = std::move(sizes);
    request.most_simulations = most_simulations;
    request.packet_hops = packet_hops;
    request.threads = threads;
    return report_text(advice_json(run_interruptibly([&](const std::atomic<bool>& stop) {
        return run_advise_barrier(request, {{}, &stop});
    })));
}

using NamedRun = std::tuple<std::string, std::string, std::optional<std::int32_t>>;

std::string advise_rails_of(const std::vector<NamedRun>& logs, const std::string& format, std::int32_t interfaces) {
    RailAdviceRequest request;
    for (const auto& [path, label, rails] : logs) request.logs.push_back({path, label, rails});
    request.format = format;
    request.interfaces = interfaces;
    const py::gil_scoped_release release;  // reading logs may take long and needs no Python object
    return report_text(advice_json(run_advise_rails(request)));
}

}  // namespace

void bind_advice(py::module_& module) {
    module.attr("ADVICE_PACKET_HOPS") = kAdvicePacketHops;
    module.def("advise_shape", advise_shape, py::arg("machine"), py::arg("workload"), py::kw_only(),
               py::arg("allocation"), py::arg("objective"), py::arg("message_size_bytes"), py::arg("node_count"),
               py::arg("seed"), py::arg("seeds"), py::arg("finalists"), py::arg("packet_hops"), py::arg("threads"));
    module.def("advise_barrier", advise_barrier, py::arg("machine"), py::arg("workload"), py::kw_only(),
               py::arg("allocation"), py::arg("map"), py::arg("format"), py::arg("hosts"),
               py::arg("message_size_bytes"), py::arg("imbalance"), py::arg("draws"), py::arg("seed"), py::arg("sizes"),
               py::arg("most_simulations"), py::arg("packet_hops"), py::arg("threads"));
    module.def("advise_rails", advise_rails_of, py::arg("logs"), py::kw_only(), py::arg("format"),
               py::arg("interfaces"));
}

}  // namespace haichi
