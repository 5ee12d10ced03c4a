// Binds logs of runs as columns of tables.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "commlog/log/job_totals.h"
#include "commlog/readers/log_readers.h"
#include "python/bindings/binding_parts.h"
#include "python/bindings/foreign_text.h"
#include "python/bindings/log_relay.h"
#include "python/bindings/owned_arrays.h"

namespace py = pybind11;

namespace haichi {

namespace {

struct HeldLog {
    JobLog log;
    JobTotals totals;
};

HeldLog read_held_log(const std::vector<std::string>& paths, const std::string& format) {
    return logged([&](const Log& log) {
        const py::gil_scoped_release release;  // reading a log may take long
        const std::vector<JobFiles> jobs = files_by_job(paths);
        if (jobs.size() != 1) {
            throw OptionError("read_log reads the log of one job, found " + std::to_string(jobs.size()),
                              "call it once per job");
        }
        HeldLog held{.log = read_log(jobs.front(), format, log), .totals = {}};
        held.totals = job_totals(held.log);
        return held;
    });
}

py::list text_list(const std::vector<std::string>& values) {
    py::list list;
    for (const std::string& value : values) list.append(os_text(value));
    return list;
}

const char* rank_state_word(RankState state) {
    switch (state) {
        case RankState::kRunning:
            return "running";
        case RankState::kAborted:
            return "aborted";
        case RankState::kSignalled:
            return "signalled";
        case RankState::kFinished:
            break;
    }
    return "finished";
}

py::dict log_head(const HeldLog& held) {
    const auto& [log, totals] = held;
    py::dict head;
    head["format"] = log.format;
    head["ranks"] = log.rank_count;
    head["ranks_with_data"] = log.ranks.size();
    head["hosts"] = text_list(totals.hosts);
    head["programs"] = text_list(totals.programs);
    head["libraries"] = text_list(totals.libraries);
    head["has_profile"] = log.has_profile;
    head["has_calls"] = log.has_calls;
    head["has_times"] = totals.has_times;
    head["run_seconds"] = totals.run_seconds;
    head["mpi_seconds"] = totals.mpi_seconds;
    head["computing_seconds"] = totals.computing_seconds;
    head["lost_messages"] = totals.lost_messages;
    head["lost_bytes"] = totals.lost_bytes;
    head["warnings"] = text_list(log.warnings);
    return head;
}

/// A column of numbers, with the `value` of every table entry.
template <class T, class Rows, class Value>
py::array_t<T> column(const Rows& rows, const Value& value) {
    std::vector<T> values;
    for (const auto& row : rows) values.push_back(static_cast<T>(value(row)));
    return as_array(std::move(values));
}

py::dict rank_table(const HeldLog& held) {
    const std::vector<RankLog>& ranks = held.log.ranks;
    py::list states, hosts;
    for (const RankLog& rank : ranks) {
        states.append(rank_state_word(rank.state));
        hosts.append(os_text(rank.host));
    }
    py::dict table;
    table["rank"] = column<std::int32_t>(ranks, [](const RankLog& r) { return r.rank; });
    table["state"] = states;
    table["host"] = hosts;
    table["wall_seconds"] = column<double>(ranks, [](const RankLog& r) { return r.profile.wall_seconds; });
    table["mpi_seconds"] = column<double>(ranks, [](const RankLog& r) { return r.profile.mpi_seconds; });
    table["computing_seconds"] = column<double>(ranks, [](const RankLog& r) { return computing_seconds(r.profile); });
    table["lost_messages"] = column<std::int64_t>(ranks, [](const RankLog& r) { return r.profile.lost_messages; });
    table["lost_bytes"] = column<std::int64_t>(ranks, [](const RankLog& r) { return r.profile.lost_bytes; });
    return table;
}

/// The table entries of all ranks, each with its rank.
template <class Row>
std::vector<std::pair<std::int32_t, const Row*>> rows_of(const JobLog& log, std::vector<Row> RankProfile::*rows) {
    std::vector<std::pair<std::int32_t, const Row*>> all;
    for (const RankLog& rank : log.ranks) {
        for (const Row& row : rank.profile.*rows) all.emplace_back(rank.rank, &row);
    }
    return all;
}

py::dict function_table(const HeldLog& held) {
    const auto rows = rows_of(held.log, &RankProfile::functions);
    py::list names;
    for (const auto& [rank, row] : rows) names.append(os_text(row->name));
    py::dict table;
    table["rank"] = column<std::int32_t>(rows, [](const auto& r) { return r.first; });
    table["function"] = names;
    table["calls"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->calls; });
    table["seconds"] = column<double>(rows, [](const auto& r) { return r.second->seconds_total; });
    table["least_seconds"] = column<double>(rows, [](const auto& r) { return r.second->seconds_min; });
    table["most_seconds"] = column<double>(rows, [](const auto& r) { return r.second->seconds_max; });
    table["sent_messages"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->sent.count; });
    table["sent_bytes"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->sent.bytes_total; });
    table["received_messages"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->received.count; });
    table["received_bytes"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->received.bytes_total; });
    return table;
}

/// The point-to-point traffic of all pairs of ranks, from the profile or from the calls.
py::dict pair_table(const HeldLog& held) {
    std::vector<PairTraffic> pairs;
    {
        const py::gil_scoped_release release;
        visit_pairs(held.log, [&](const PairTraffic& pair) { pairs.push_back(pair); });
    }
    py::dict table;
    table["source"] = column<std::int32_t>(pairs, [](const PairTraffic& p) { return p.source; });
    table["destination"] = column<std::int32_t>(pairs, [](const PairTraffic& p) { return p.destination; });
    table["messages"] = column<std::int64_t>(pairs, [](const PairTraffic& p) { return p.messages; });
    table["bytes"] = column<std::int64_t>(pairs, [](const PairTraffic& p) { return p.bytes; });
    return table;
}

py::dict target_table(const HeldLog& held) {
    const auto rows = rows_of(held.log, &RankProfile::targets);
    py::dict table;
    table["rank"] = column<std::int32_t>(rows, [](const auto& r) { return r.first; });
    table["target"] = column<std::int32_t>(rows, [](const auto& r) { return r.second->target; });
    table["put_operations"] =
        column<std::int64_t>(rows, [](const auto& r) { return r.second->traffic.put_operations; });
    table["put_bytes"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->traffic.put_bytes; });
    table["got_operations"] =
        column<std::int64_t>(rows, [](const auto& r) { return r.second->traffic.got_operations; });
    table["got_bytes"] = column<std::int64_t>(rows, [](const auto& r) { return r.second->traffic.got_bytes; });
    return table;
}

}  // namespace

void bind_log(py::module_& module) {
    py::class_<HeldLog>(module, "Log", py::is_final())
        .def("head", log_head)
        .def("ranks", rank_table)
        .def("functions", function_table)
        .def("pairs", pair_table)
        .def("targets", target_table);
    module.def("read_log", read_held_log, py::arg("paths"), py::arg("format"));
}

}  // namespace haichi
