#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/outputs.h"
#include "commlog/log/write_log.h"
#include "commlog/nas/nas_log.h"
#include "commlog/workload/patterns.h"
#include "commlog/workload/workload.h"
#include "commlog/workload/workload_json.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/whole_numbers.h"

namespace py = pybind11;

namespace haichi {

namespace {

RankId checked_rank(std::int64_t value, const char* end, std::int64_t message, std::int64_t ranks) {
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

std::int64_t largest_of(const WholeNumbers& numbers) {
    std::int64_t largest = -1;
    for (std::int64_t i = 0; i < numbers.size(); ++i) largest = std::max(largest, numbers[i]);
    return largest;
}

/// Makes the sets for messages with these set numbers. Each set has the number of its messages. Sizes are checked
/// before memory is allocated.
std::vector<Workload::Set> numbered_sets(std::int64_t messages, const std::optional<WholeNumbers>& set,
                                         const std::optional<std::vector<std::string>>& labels,
                                         const std::optional<std::vector<double>>& compute_seconds,
                                         const std::optional<std::vector<std::string>>& transfers) {
    const std::int64_t used = set ? largest_of(*set) + 1 : messages > 0 ? 1 : 0;
    const std::int64_t most = labels ? static_cast<std::int64_t>(labels->size()) : messages;
    if (used > most) {
        throw InputError("set holds " + std::to_string(used - 1) + ", but there are only " + std::to_string(most) +
                             (labels ? " labels" : " messages"),
                         "use labels to define the number of sets; some may be empty");
    }
    std::vector<Workload::Set> sets(static_cast<std::size_t>(labels ? most : used));
    if (compute_seconds && compute_seconds->size() != sets.size()) {
        throw InputError("there are " + std::to_string(sets.size()) + " sets, but " +
                         std::to_string(compute_seconds->size()) + " entries in compute_seconds");
    }
    if (transfers && transfers->size() != sets.size()) {
        throw InputError("there are " + std::to_string(sets.size()) + " sets, but " +
                         std::to_string(transfers->size()) + " entries in transfers");
    }
    for (std::size_t t = 0; t < sets.size(); ++t) {
        if (transfers) sets[t].transfer = parse_transfer((*transfers)[t]);
        sets[t].label = labels ? (*labels)[t] : "set " + std::to_string(t + 1);
        if (compute_seconds) sets[t].compute_seconds = (*compute_seconds)[t];
    }
    for (std::int64_t i = 0; i < messages; ++i) {
        const std::int64_t t = set ? (*set)[i] : 0;
        if (t < 0) throw InputError("set holds " + std::to_string(t) + "; sets are numbered from 0");
        ++sets[static_cast<std::size_t>(t)].end;
    }
    std::size_t first = 0;
    for (Workload::Set& one : sets) {
        one.first = first;
        one.end += first;
        first = one.end;
    }
    return sets;
}

/// Message i belongs to set number set[i], after the earlier messages of this set. Without `set`, all messages are in
/// one set. `ranks` defaults to the largest rank + 1.
Workload workload_from_messages(std::optional<std::int64_t> ranks, std::int64_t iterations, const py::array& source,
                                const py::array& destination, const py::array& size_bytes,
                                const std::optional<py::array>& set,
                                const std::optional<std::vector<std::string>>& labels,
                                const std::optional<std::vector<double>>& compute_seconds,
                                const std::optional<std::vector<std::string>>& transfers) {
    const WholeNumbers sources("source", source);
    const WholeNumbers destinations("destination", destination);
    const WholeNumbers sizes("bytes", size_bytes);
    std::optional<WholeNumbers> set_numbers;
    if (set) set_numbers.emplace("set", *set);
    const std::int64_t count = sources.size();
    if (destinations.size() != count || sizes.size() != count || (set && set_numbers->size() != count)) {
        throw InternalError("arrays of messages differ in length");
    }
    const py::gil_scoped_release release;
    const std::int64_t given_ranks = ranks.value_or(std::max(largest_of(sources), largest_of(destinations)) + 1);
    const std::int32_t rank_count = checked_rank_count(given_ranks);
    std::vector<Workload::Set> sets = numbered_sets(count, set_numbers, labels, compute_seconds, transfers);
    std::vector<std::size_t> next;
    for (const Workload::Set& one : sets) next.push_back(one.first);
    std::vector<Message> messages(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto t = static_cast<std::size_t>(set ? (*set_numbers)[i] : 0);
        // Other threads may write to the array while it is read.
        if (t >= sets.size() || next[t] >= sets[t].end) throw InputError("set changed while it was read");
        messages[next[t]++] = {checked_rank(sources[i], "source", i, rank_count),
                               checked_rank(destinations[i], "destination", i, rank_count), sizes[i]};
    }
    return Workload(rank_count, iterations, std::move(sets), std::move(messages));
}

/// Reads a dense matrix, row by row. Entries of 0 are not messages.
Workload workload_from_matrix(std::int64_t iterations, const std::string& label, const py::array& matrix) {
    const WholeNumbers entries("matrix", matrix);
    const std::int64_t ranks = entries.size();
    if (entries.dimensions() != 2 || entries.size(1) != ranks) throw InternalError("the matrix is not square");
    const py::gil_scoped_release release;
    Workload workload(checked_rank_count(ranks), iterations);
    workload.add_set(label);
    std::size_t messages = 0;
    for (std::int64_t i = 0; i < ranks; ++i) {
        for (std::int64_t j = 0; j < ranks; ++j) messages += entries(i, j) != 0 ? 1 : 0;
    }
    workload.reserve_messages(messages);
    for (std::int64_t i = 0; i < ranks; ++i) {
        for (std::int64_t j = 0; j < ranks; ++j) {
            const std::int64_t size_bytes = entries(i, j);
            if (size_bytes == 0) continue;
            workload.add_message(RankId(static_cast<std::int32_t>(i)), RankId(static_cast<std::int32_t>(j)),
                                 size_bytes);
        }
    }
    return workload;
}

/// Reads a sparse matrix as triples. Entries of 0 are not messages.
Workload workload_from_coordinates(std::int64_t ranks, std::int64_t iterations, const std::string& label,
                                   const py::array& row, const py::array& column, const py::array& size_bytes) {
    const WholeNumbers rows("rows", row);
    const WholeNumbers columns("columns", column);
    const WholeNumbers sizes("matrix", size_bytes);
    if (rows.size() != sizes.size() || columns.size() != sizes.size()) {
        throw InputError("rows, columns and values of the matrix differ in length");
    }
    const py::gil_scoped_release release;
    Workload workload(checked_rank_count(ranks), iterations);
    workload.add_set(label);
    workload.reserve_messages(static_cast<std::size_t>(sizes.size()));
    for (std::int64_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t value = sizes[i];
        if (value == 0) continue;
        workload.add_message(checked_rank(rows[i], "row", i, ranks), checked_rank(columns[i], "column", i, ranks),
                             value);
    }
    return workload;
}

/// Reads a sparse matrix in SciPy's format CSR or, if `by_columns` is true, CSC. Entries [first[k], first[k + 1]) form
/// row (or column) k, and `index` has their columns (or rows). Entries of 0 are not messages.
Workload workload_from_compressed(std::int64_t ranks, std::int64_t iterations, const std::string& label,
                                  const py::array& first, const py::array& index, const py::array& size_bytes,
                                  bool by_columns) {
    const WholeNumbers firsts("indptr", first);
    const WholeNumbers others("indices", index);
    const WholeNumbers sizes("matrix", size_bytes);
    const std::int32_t rank_count = checked_rank_count(ranks);
    if (firsts.size() != rank_count + std::int64_t{1} || firsts[0] != 0) {
        throw InputError("the rows of the sparse matrix must be contiguous and begin with entry 0");
    }
    const py::gil_scoped_release release;
    // SciPy allows unused space after the last entry.
    const std::int64_t stored = std::min(others.size(), sizes.size());
    Workload workload(rank_count, iterations);
    workload.add_set(label);
    workload.reserve_messages(static_cast<std::size_t>(std::clamp<std::int64_t>(firsts[rank_count], 0, stored)));
    std::int64_t begin = 0;
    for (std::int32_t k = 0; k < rank_count; ++k) {
        const std::int64_t end = firsts[k + 1];
        if (end < begin || end > stored) {
            throw InputError("row " + std::to_string(k) + " of the sparse matrix ends at entry " + std::to_string(end) +
                             ", of " + std::to_string(stored));
        }
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t value = sizes[i];
            if (value == 0) continue;
            const RankId line(k);
            const RankId other = checked_rank(others[i], by_columns ? "row" : "column", i, ranks);
            workload.add_message(by_columns ? other : line, by_columns ? line : other, value);
        }
        begin = end;
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

/// The messages without a copy, as a read-only array of (source, destination, bytes). The array keeps `workload` alive.
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

/// An array with one entry per set.
template <class Value, class Of>
py::array_t<Value> set_array(const Workload& workload, Of&& of) {
    py::array_t<Value> array(static_cast<py::ssize_t>(workload.set_count()));
    Value* const values = array.mutable_data();
    for (std::size_t t = 0; t < workload.set_count(); ++t) values[t] = of(workload.set(t));
    return array;
}

/// The bytes that every bin of ranks (row) sends to every bin (column) in one iteration. Only messages that cross the
/// network count.
py::array_t<std::int64_t> binned_bytes(const Workload& workload, std::int32_t bins) {
    py::array_t<std::int64_t> array({bins, bins});
    std::fill_n(array.mutable_data(), array.size(), std::int64_t{0});
    auto cells = array.mutable_unchecked<2>();
    const auto bin = [&](RankId rank) { return std::int64_t{rank.value} * bins / workload.rank_count(); };
    for (const Message& message : workload.messages()) {
        if (message.crosses_network()) cells(bin(message.source), bin(message.destination)) += message.size_bytes;
    }
    return array;
}

bool are_equal(const Workload& a, const Workload& b) {
    if (a.rank_count() != b.rank_count() || a.iterations() != b.iterations() || a.set_count() != b.set_count()) {
        return false;
    }
    for (std::size_t t = 0; t < a.set_count(); ++t) {
        const Workload::Set& x = a.set(t);
        const Workload::Set& y = b.set(t);
        if (x.label != y.label || x.compute_seconds != y.compute_seconds || x.transfer != y.transfer || x.end != y.end)
            return false;
    }
    return std::ranges::equal(a.messages(), b.messages());
}

void write_workload_file(const Workload& workload, const std::string& path) {
    Outputs outputs;
    OutputFile& file = outputs.add_file(path);
    outputs.open();
    write_workload_json(workload, [&](std::string_view text) { file.write(text); });
    outputs.commit();
}

void write_nas_log_file(const std::string& path, const std::string& program, const std::string& problem_class,
                        int ranks, std::optional<std::int64_t> iterations, double compute_seconds) {
    Outputs outputs;
    OutputFile& file = outputs.add_file(path);
    outputs.open();
    const JobLog log = make_nas_log(program, {problem_class, ranks, iterations, compute_seconds});
    write_own_log(log, [&](std::string_view bytes) { file.write(bytes); });
    outputs.commit();
}

}  // namespace

void bind_workload(py::module_& module) {
    module.def("write_nas_log", write_nas_log_file, py::arg("path"), py::arg("program"), py::kw_only(),
               py::arg("problem_class"), py::arg("ranks"), py::arg("iterations"), py::arg("compute_seconds"),
               py::call_guard<py::gil_scoped_release>());
    // The holder is the pointer type that jobs use, so that no conversion is needed.
    py::class_<Workload, std::shared_ptr<Workload>>(module, "Workload")
        .def_static("from_messages", workload_from_messages, py::kw_only(), py::arg("ranks"), py::arg("iterations"),
                    py::arg("source"), py::arg("destination"), py::arg("size_bytes"), py::arg("set"), py::arg("labels"),
                    py::arg("compute_seconds"), py::arg("transfers"))
        .def_static("from_matrix", workload_from_matrix, py::kw_only(), py::arg("iterations"), py::arg("label"),
                    py::arg("matrix"))
        .def_static("from_coordinates", workload_from_coordinates, py::kw_only(), py::arg("ranks"),
                    py::arg("iterations"), py::arg("label"), py::arg("row"), py::arg("column"), py::arg("size_bytes"))
        .def_static("from_compressed", workload_from_compressed, py::kw_only(), py::arg("ranks"), py::arg("iterations"),
                    py::arg("label"), py::arg("first"), py::arg("index"), py::arg("size_bytes"), py::arg("by_columns"))
        .def_static("from_pattern", workload_from_pattern, py::arg("name"), py::kw_only(), py::arg("ranks"),
                    py::arg("dims"), py::arg("periodic"), py::arg("points"), py::arg("message_bytes"),
                    py::arg("iterations"), py::arg("seed"), py::arg("mean_degree"), py::arg("shuffle_seed"))
        // Files of up to 10^8 messages take seconds to write, and writing uses no Python object.
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
        .def_property_readonly("transfers",
                               [](const Workload& w) {
                                   std::vector<std::string> names;
                                   for (std::size_t t = 0; t < w.set_count(); ++t)
                                       names.emplace_back(transfer_name(w.set(t).transfer));
                                   return names;
                               })
        .def_property_readonly("messages", messages_in_place)
        .def("binned_bytes", binned_bytes, py::arg("bins"))
        .def("equals", are_equal, py::arg("other"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace haichi
