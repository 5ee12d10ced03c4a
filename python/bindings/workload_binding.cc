#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/output_file.h"
#include "commlog/readers/readers.h"
#include "commlog/workload/patterns.h"
#include "commlog/workload/workload.h"
#include "commlog/workload/workload_json.h"
#include "python/bindings/binding_parts.h"

namespace py = pybind11;

namespace haichi {

namespace {

using Int64Array = py::array_t<std::int64_t, py::array::c_style>;

RankId checked_rank(std::int64_t value, const char* end, py::ssize_t message, std::int64_t ranks) {
    if (value < 0 || value >= ranks) {
        throw InputError("message " + std::to_string(message) + ": " + end + " " + std::to_string(value) +
                         " is outside 0.." + std::to_string(ranks - 1));
    }
    return RankId(static_cast<std::int32_t>(value));
}

/// Messages [set_first[t], set_first[t + 1]) form set t; the Python side has sorted them.
Workload workload_from_arrays(std::int64_t ranks, std::int64_t iterations, const Int64Array& source,
                              const Int64Array& destination, const Int64Array& size_bytes,
                              const std::vector<py::ssize_t>& set_first, const std::vector<std::string>& labels,
                              const std::vector<double>& compute_seconds) {
    if (ranks < 1 || ranks > kMostRanks) {
        throw OptionError("the number of ranks must be 1 to " + std::to_string(kMostRanks) + ", not " +
                          std::to_string(ranks));
    }
    const auto sources = source.unchecked<1>();
    const auto destinations = destination.unchecked<1>();
    const auto sizes = size_bytes.unchecked<1>();
    if (sources.shape(0) != destinations.shape(0) || sources.shape(0) != sizes.shape(0)) {
        throw InputError("source, destination and bytes differ in length");
    }
    if (set_first.size() != labels.size() + 1 || labels.size() != compute_seconds.size() ||
        set_first.back() != sources.shape(0)) {
        throw InternalError("the sets do not cover the messages");
    }
    Workload workload(static_cast<std::int32_t>(ranks), iterations);
    workload.reserve_messages(static_cast<std::size_t>(sources.shape(0)));
    for (std::size_t t = 0; t < labels.size(); ++t) {
        workload.add_set(labels[t], compute_seconds[t]);
        for (py::ssize_t i = set_first[t]; i < set_first[t + 1]; ++i) {
            workload.add_message(checked_rank(sources(i), "source", i, ranks),
                                 checked_rank(destinations(i), "destination", i, ranks), sizes(i));
        }
    }
    return workload;
}

Workload workload_from_pattern(const std::string& name, int ranks, std::vector<int> dims, bool periodic, int points,
                               std::int64_t message_bytes, std::optional<std::int64_t> iterations, std::uint64_t seed,
                               double mean_degree, std::optional<std::uint64_t> shuffle_seed) {
    PatternOptions options;
    options.ranks = ranks;
    options.dims = std::move(dims);
    options.periodic = periodic;
    options.points = points;
    options.message_bytes = message_bytes;
    options.iterations = iterations;
    options.seed = seed;
    options.mean_degree = mean_degree;
    options.shuffle_seed = shuffle_seed;
    return make_pattern(name, std::move(options));
}

/// (source, destination, bytes, set) of every message, in order.
py::tuple message_arrays(const Workload& workload) {
    const auto count = static_cast<py::ssize_t>(workload.messages().size());
    py::array_t<std::int32_t> source(count);
    py::array_t<std::int32_t> destination(count);
    py::array_t<std::int64_t> size_bytes(count);
    py::array_t<std::int32_t> set(count);
    auto sources = source.mutable_unchecked<1>();
    auto destinations = destination.mutable_unchecked<1>();
    auto sizes = size_bytes.mutable_unchecked<1>();
    auto sets = set.mutable_unchecked<1>();
    py::ssize_t i = 0;
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        for (const Message& message : workload.messages(t)) {
            sources(i) = message.source.value;
            destinations(i) = message.destination.value;
            sizes(i) = message.size_bytes;
            sets(i) = static_cast<std::int32_t>(t);
            ++i;
        }
    }
    return py::make_tuple(source, destination, size_bytes, set);
}

void write_workload_file(const Workload& workload, const std::string& path) {
    OutputFile file(path);
    write_workload_json(workload, [&](std::string_view text) { file.write(text); });
    file.commit();
}

}  // namespace

void bind_workload(py::module_& module) {
    py::class_<Workload>(module, "Workload")
        .def_static("from_arrays", workload_from_arrays, py::kw_only(), py::arg("ranks"), py::arg("iterations"),
                    py::arg("source").noconvert(), py::arg("destination").noconvert(),
                    py::arg("size_bytes").noconvert(), py::arg("set_first"), py::arg("labels"),
                    py::arg("compute_seconds"))
        .def_static("from_pattern", workload_from_pattern, py::arg("name"), py::kw_only(), py::arg("ranks"),
                    py::arg("dims"), py::arg("periodic"), py::arg("points"), py::arg("message_bytes"),
                    py::arg("iterations"), py::arg("seed"), py::arg("mean_degree"), py::arg("shuffle_seed"))
        // Reading and writing files of up to 10^8 messages takes seconds and touches no Python object.
        .def_static("read", read_workload, py::arg("path"), py::arg("format"), py::call_guard<py::gil_scoped_release>())
        .def("write", write_workload_file, py::arg("path"), py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("rank_count", &Workload::rank_count)
        .def_property_readonly("iterations", &Workload::iterations)
        .def_property_readonly("total_bytes", &Workload::total_bytes)
        .def_property_readonly("message_count", [](const Workload& w) { return w.messages().size(); })
        .def_property_readonly("labels",
                               [](const Workload& w) {
                                   std::vector<std::string> labels;
                                   for (std::size_t t = 0; t < w.set_count(); ++t) labels.push_back(w.set(t).label);
                                   return labels;
                               })
        .def("message_arrays", message_arrays);
}

}  // namespace haichi
