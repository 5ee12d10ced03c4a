#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
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

std::int32_t checked_rank_count(std::int64_t ranks) {
    if (ranks >= 1 && ranks <= kMostRanks) return static_cast<std::int32_t>(ranks);
    throw OptionError("the number of ranks must be 1 to " + std::to_string(kMostRanks) + ", not " +
                      std::to_string(ranks));
}

/// Messages [set_first[t], set_first[t + 1]) form set t; the Python side has sorted them.
Workload workload_from_arrays(std::int64_t ranks, std::int64_t iterations, const Int64Array& source,
                              const Int64Array& destination, const Int64Array& size_bytes,
                              const std::vector<py::ssize_t>& set_first, const std::vector<std::string>& labels,
                              const std::vector<double>& compute_seconds) {
    const std::int32_t rank_count = checked_rank_count(ranks);
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
    Workload workload(rank_count, iterations);
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

template <class Index>
using IndexArray = py::array_t<Index, py::array::c_style>;

/// A sparse matrix as triples, read where they lie. Entries of 0 are no messages.
template <class Index>
Workload workload_from_coordinates(std::int64_t ranks, std::int64_t iterations, const std::string& label,
                                   const IndexArray<Index>& row, const IndexArray<Index>& column,
                                   const Int64Array& size_bytes) {
    const auto rows = row.template unchecked<1>();
    const auto columns = column.template unchecked<1>();
    const auto sizes = size_bytes.unchecked<1>();
    if (rows.shape(0) != sizes.shape(0) || columns.shape(0) != sizes.shape(0)) {
        throw InputError("rows, columns and values of the matrix differ in length");
    }
    Workload workload(checked_rank_count(ranks), iterations);
    workload.add_set(label);
    workload.reserve_messages(static_cast<std::size_t>(sizes.shape(0)));
    for (py::ssize_t i = 0; i < sizes.shape(0); ++i) {
        if (sizes(i) == 0) continue;
        workload.add_message(checked_rank(rows(i), "row", i, ranks), checked_rank(columns(i), "column", i, ranks),
                             sizes(i));
    }
    return workload;
}

/// A sparse matrix as SciPy's CSR or, `by_columns`, CSC, read where it lies: entries [first[k], first[k + 1]) are row
/// (column) k, `index` holds their columns (rows). Entries of 0 are no messages.
template <class Index>
Workload workload_from_compressed(std::int64_t ranks, std::int64_t iterations, const std::string& label,
                                  const IndexArray<Index>& first, const IndexArray<Index>& index,
                                  const Int64Array& size_bytes, bool by_columns) {
    const auto firsts = first.template unchecked<1>();
    const auto others = index.template unchecked<1>();
    const auto sizes = size_bytes.unchecked<1>();
    const std::int32_t rank_count = checked_rank_count(ranks);
    if (firsts.shape(0) != rank_count + py::ssize_t{1} || firsts(0) != 0) {
        throw InputError("the rows of the sparse matrix do not begin with entry 0, one after the other");
    }
    // SciPy allows unused room after the last entry.
    const std::int64_t stored = std::min(others.shape(0), sizes.shape(0));
    Workload workload(rank_count, iterations);
    workload.add_set(label);
    workload.reserve_messages(static_cast<std::size_t>(std::clamp<std::int64_t>(firsts(rank_count), 0, stored)));
    for (std::int32_t k = 0; k < rank_count; ++k) {
        if (firsts(k + 1) < firsts(k) || firsts(k + 1) > stored) {
            throw InputError("row " + std::to_string(k) + " of the sparse matrix ends at entry " +
                             std::to_string(firsts(k + 1)) + ", of " + std::to_string(stored));
        }
        for (py::ssize_t i = firsts(k); i < firsts(k + 1); ++i) {
            if (sizes(i) == 0) continue;
            const RankId line(k);
            const RankId other = checked_rank(others(i), by_columns ? "row" : "column", i, ranks);
            workload.add_message(by_columns ? other : line, by_columns ? line : other, sizes(i));
        }
    }
    return workload;
}

template <class Index>
void bind_sparse(py::class_<Workload>& workload) {
    workload
        .def_static("from_coordinates", workload_from_coordinates<Index>, py::kw_only(), py::arg("ranks"),
                    py::arg("iterations"), py::arg("label"), py::arg("row").noconvert(), py::arg("column").noconvert(),
                    py::arg("size_bytes").noconvert())
        .def_static("from_compressed", workload_from_compressed<Index>, py::kw_only(), py::arg("ranks"),
                    py::arg("iterations"), py::arg("label"), py::arg("first").noconvert(), py::arg("index").noconvert(),
                    py::arg("size_bytes").noconvert(), py::arg("by_columns"));
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

/// The messages where they lie, read-only: one array of (source, destination, bytes). `workload` stays alive with it.
py::array messages_in_place(const py::object& workload) {
    static_assert(sizeof(Message) == 16 && offsetof(Message, destination) == 4 && offsetof(Message, size_bytes) == 8);
    const std::span<const Message> messages = workload.cast<const Workload&>().messages();
    const py::dtype dtype(py::list(py::make_tuple("source", "destination", "bytes")),
                          py::list(py::make_tuple("i4", "i4", "i8")), py::list(py::make_tuple(0, 4, 8)),
                          sizeof(Message));
    py::array array(dtype, {static_cast<py::ssize_t>(messages.size())}, {static_cast<py::ssize_t>(sizeof(Message))},
                    messages.data(), workload);
    array.attr("flags").attr("writeable") = false;
    return array;
}

/// An entry per set.
template <class Value, class Of>
py::array_t<Value> set_array(const Workload& workload, Of&& of) {
    py::array_t<Value> array(static_cast<py::ssize_t>(workload.set_count()));
    Value* const values = array.mutable_data();
    for (std::size_t t = 0; t < workload.set_count(); ++t) values[t] = of(workload.set(t));
    return array;
}

bool are_equal(const Workload& a, const Workload& b) {
    if (a.rank_count() != b.rank_count() || a.iterations() != b.iterations() || a.set_count() != b.set_count()) {
        return false;
    }
    for (std::size_t t = 0; t < a.set_count(); ++t) {
        const Workload::Set& x = a.set(t);
        const Workload::Set& y = b.set(t);
        if (x.label != y.label || x.compute_seconds != y.compute_seconds || x.end != y.end) return false;
    }
    return std::ranges::equal(a.messages(), b.messages());
}

void write_workload_file(const Workload& workload, const std::string& path) {
    OutputFile file(path);
    write_workload_json(workload, [&](std::string_view text) { file.write(text); });
    file.commit();
}

}  // namespace

void bind_workload(py::module_& module) {
    py::class_<Workload> workload(module, "Workload");
    bind_sparse<std::int32_t>(workload);
    bind_sparse<std::int64_t>(workload);
    workload
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
        .def_property_readonly("set_sizes",
                               [](const Workload& w) {
                                   return set_array<std::int64_t>(w, [](const Workload::Set& set) {
                                       return static_cast<std::int64_t>(set.end - set.first);
                                   });
                               })
        .def_property_readonly("compute_seconds",
                               [](const Workload& w) {
                                   return set_array<double>(
                                       w, [](const Workload::Set& set) { return set.compute_seconds; });
                               })
        .def_property_readonly("messages", messages_in_place)
        .def("equals", are_equal, py::arg("other"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace haichi
