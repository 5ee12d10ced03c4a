#include "cli/output/log_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/output/log_words.h"
#include "cli/output/tables.h"

namespace haichi::cli {

namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kMostRows = 20;

std::string bytes_or_blank(std::uint64_t bytes) { return bytes == 0 ? "" : bytes_text(static_cast<double>(bytes)); }

std::string share_of(double part, double all) { return all > 0 ? percent_text(part / all) : ""; }

void add(CallTotals& sum, const CallTotals& more) {
    sum.ranks += more.ranks;
    sum.seconds_min = sum.calls == 0 ? more.seconds_min : std::min(sum.seconds_min, more.seconds_min);
    sum.seconds_max = std::max(sum.seconds_max, more.seconds_max);
    sum.calls += more.calls;
    sum.seconds_total += more.seconds_total;
    sum.sent_bytes += more.sent_bytes;
    sum.received_bytes += more.received_bytes;
}

/// All communicators of one size. The table does not distinguish them.
struct CommunicatorRow {
    std::string name;
    std::uint64_t count = 0;
    CallTotals totals;
};

std::vector<CommunicatorRow> communicator_rows(const JobLog& log, const std::vector<CommunicatorTotals>& all) {
    std::map<std::pair<std::size_t, std::size_t>, CommunicatorRow> by_size;
    std::vector<CommunicatorRow> rows;
    for (const CommunicatorTotals& c : all) {
        if (c.communicator == 0 || c.communicator >= log.communicators.size()) {
            rows.push_back({communicator_name(c.communicator), 1, c.totals});
            continue;
        }
        const LoggedCommunicator& of = log.communicators[c.communicator];
        CommunicatorRow& row = by_size[{of.members.size(), of.remote_members.size()}];
        ++row.count;
        add(row.totals, c.totals);
    }
    for (auto& [size, row] : by_size) {
        row.name = (size.second != 0 ? "intercommunicator, " : "") + whole_text(size.first);
        if (size.second != 0) row.name += " and " + whole_text(size.second);
        row.name += size.first + size.second == 1 ? " rank" : " ranks";
        rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, std::ranges::greater{},
                             [](const CommunicatorRow& row) { return row.totals.seconds_total; });
    return rows;
}

std::string waiting_text(const std::vector<CommunicatorTotals>& all) {
    Waiting sum;
    for (const CommunicatorTotals& c : all) {
        sum.at_least += c.waiting.at_least;
        sum.at_most += c.waiting.at_most;
        sum.of_seconds += c.waiting.of_seconds;
    }
    if (sum.of_seconds <= 0) return "";
    return "in synchronizing collectives (barrier, all-to-all, all-reduce and others), ranks waited for other ranks " +
           seconds_text(sum.at_least) + " to " + seconds_text(sum.at_most) + " of " + seconds_text(sum.of_seconds) +
           ", summed over all ranks\n";
}

ordered_json totals_json(const CallTotals& totals) {
    return {{"ranks", totals.ranks},
            {"calls", totals.calls},
            {"seconds",
             {{"total", totals.seconds_total},
              {"min", totals.seconds_min},
              {"mean", totals.seconds_mean()},
              {"max", totals.seconds_max}}},
            {"sent_bytes", totals.sent_bytes},
            {"received_bytes", totals.received_bytes}};
}

ordered_json functions_json(const std::vector<FunctionCalls>& functions) {
    ordered_json list = ordered_json::array();
    for (const FunctionCalls& f : functions) {
        ordered_json row = {{"name", f.function}};
        row.update(totals_json(f.totals));
        list.push_back(std::move(row));
    }
    return list;
}

ordered_json communicators_json(const JobLog& log) {
    ordered_json list = ordered_json::array();
    for (const CommunicatorTotals& c : communicator_totals(log)) {
        ordered_json row = {{"name", communicator_name(c.communicator)}};
        if (c.communicator < log.communicators.size()) {
            row["size"] = log.communicators[c.communicator].members.size();
            row["remote_size"] = log.communicators[c.communicator].remote_members.size();
        }
        row.update(totals_json(c.totals));
        if (c.waiting.of_seconds > 0) {
            row["waiting_seconds"] = {
                {"at_least", c.waiting.at_least}, {"at_most", c.waiting.at_most}, {"of", c.waiting.of_seconds}};
        }
        row["functions"] = functions_json(c.functions);
        list.push_back(std::move(row));
    }
    return list;
}

ordered_json call_sites_json(const JobLog& log, SourceLines* lines) {
    ordered_json list = ordered_json::array();
    for (const CallSiteTotals& site : call_site_totals(log)) {
        ordered_json row = {{"module", site.module.path},
                            {"build_id", site.module.build_id},
                            {"offset", site.offset},
                            {"function", site.function}};
        if (lines != nullptr) {
            const SourcePlace place = lines->find(site.module, site.offset);
            row["place"] = place_text(site.module, site.offset, place);
            if (!place.function.empty()) row["caller"] = place.function;
            if (!place.file.empty()) {
                row["file"] = place.file;
                row["line"] = place.line;
            }
        }
        row.update(totals_json(site.totals));
        list.push_back(std::move(row));
    }
    return list;
}

ordered_json regions_json(const JobLog& log) {
    ordered_json list = ordered_json::array();
    for (const RegionTotals& region : region_totals(log)) {
        ordered_json row = {{"name", region.name}, {"entries", region.entries}, {"seconds_inside", region.seconds}};
        row.update(totals_json(region.totals));
        row["functions"] = functions_json(region.functions);
        list.push_back(std::move(row));
    }
    return list;
}

}  // namespace

std::string communicator_name(std::uint32_t communicator) {
    if (communicator == 0) return "MPI_COMM_WORLD";
    if (communicator == kNoCommunicator) return "no communicator";
    if (communicator == kUnknownCommunicator) return "unrecorded communicators";
    return "communicator " + std::to_string(communicator);
}

std::string communicators_text(const JobLog& log, const JobTotals& totals) {
    const std::vector<CommunicatorTotals> all = communicator_totals(log);
    if (all.empty()) return "";
    Rows rows = {{"communicators", "number", "ranks", "calls", "time", "of MPI", "sent", "received"}};
    for (const CommunicatorRow& row : communicator_rows(log, all)) {
        rows.push_back({row.name, row.count == 1 ? "" : whole_text(row.count),
                        row.count == 1 ? std::to_string(row.totals.ranks) : "", whole_text(row.totals.calls),
                        seconds_text(row.totals.seconds_total), share_of(row.totals.seconds_total, totals.mpi_seconds),
                        bytes_or_blank(row.totals.sent_bytes), bytes_or_blank(row.totals.received_bytes)});
    }
    constexpr std::array<std::size_t, 7> kNumbers = {1, 2, 3, 4, 5, 6, 7};
    return "\n" + table(rows, "", kNumbers) + waiting_text(all);
}

std::string regions_text(const JobLog& log) {
    const std::vector<RegionTotals> regions = region_totals(log);
    if (regions.empty()) return "";
    Rows rows = {
        {"region", "ranks", "entries", "time inside", "MPI", "share", "calls", "sent", "received", "top function"}};
    for (const RegionTotals& region : regions) {
        const bool is_rest = region.name.empty();
        const std::string most = region.functions.empty() ? "" : printable(region.functions.front().function);
        rows.push_back({is_rest ? "(outside all regions)" : printable(region.name), std::to_string(region.ranks),
                        is_rest ? "" : whole_text(region.entries), is_rest ? "" : seconds_text(region.seconds),
                        seconds_text(region.totals.seconds_total),
                        is_rest ? "" : share_of(region.totals.seconds_total, region.seconds),
                        whole_text(region.totals.calls), bytes_or_blank(region.totals.sent_bytes),
                        bytes_or_blank(region.totals.received_bytes), most});
    }
    constexpr std::array<std::size_t, 8> kNumbers = {1, 2, 3, 4, 5, 6, 7, 8};
    return "\n" + table(rows, "", kNumbers);
}

std::string targets_text(const JobLog& log) {
    struct Pair {
        std::int32_t rank;
        OneSidedTraffic to;
    };
    std::vector<Pair> pairs;
    for (const RankLog& rank : log.ranks) {
        for (const OneSidedTraffic& to : rank.profile.targets) pairs.push_back({rank.rank, to});
    }
    if (pairs.empty()) return "";
    std::ranges::stable_sort(pairs, std::ranges::greater{}, [](const Pair& pair) {
        return static_cast<double>(pair.to.traffic.put_bytes) + static_cast<double>(pair.to.traffic.got_bytes);
    });
    const std::string head = "\none-sided operations: most active of " + whole_text(pairs.size()) + " pairs of ranks\n";
    if (pairs.size() > kMostRows / 2) pairs.resize(kMostRows / 2);
    Rows rows = {{"rank", "target", "put", "puts", "got", "gets"}};
    for (const Pair& pair : pairs) {
        const OneSidedCounters& t = pair.to.traffic;
        rows.push_back({std::to_string(pair.rank), std::to_string(pair.to.target), bytes_or_blank(t.put_bytes),
                        t.put_operations == 0 ? "" : whole_text(t.put_operations), bytes_or_blank(t.got_bytes),
                        t.got_operations == 0 ? "" : whole_text(t.got_operations)});
    }
    constexpr std::array<std::size_t, 6> kNumbers = {0, 1, 2, 3, 4, 5};
    return head + table(rows, "  ", kNumbers);
}

std::string call_sites_text(const JobLog& log, const JobTotals& totals, SourceLines& lines) {
    const std::vector<CallSiteTotals> sites = call_site_totals(log);
    if (sites.empty()) {
        return "\ncall sites: the log has none (the profiler records them unless call_sites=off)\n";
    }
    Rows rows = {{"call site", "function", "ranks", "calls", "time", "of MPI", "mean", "max", "sent", "received"}};
    for (std::size_t i = 0; i < sites.size() && i < kMostRows; ++i) {
        const CallSiteTotals& site = sites[i];
        rows.push_back({place_text(site.module, site.offset, lines.find(site.module, site.offset)),
                        printable(site.function), std::to_string(site.totals.ranks), whole_text(site.totals.calls),
                        seconds_text(site.totals.seconds_total),
                        share_of(site.totals.seconds_total, totals.mpi_seconds),
                        seconds_text(site.totals.seconds_mean()), seconds_text(site.totals.seconds_max),
                        bytes_or_blank(site.totals.sent_bytes), bytes_or_blank(site.totals.received_bytes)});
    }
    constexpr std::array<std::size_t, 8> kNumbers = {2, 3, 4, 5, 6, 7, 8, 9};
    std::string text = "\n" + table(rows, "", kNumbers);
    if (sites.size() > kMostRows) {
        text += "and " + whole_text(sites.size() - kMostRows) + " more call sites with less time, which --json lists\n";
    }
    for (const std::string& problem : lines.problems()) text += "note: " + without_controls(problem) + "\n";
    return text;
}

std::string rank_functions_text(const JobLog& log, const JobTotals& totals) {
    constexpr std::size_t kMostFunctions = 8;
    std::vector<std::string> names;
    for (const FunctionTotals& f : totals.functions) {
        if (names.size() < kMostFunctions) names.push_back(f.name);
    }
    if (names.empty() || !totals.has_times) return "";
    std::vector<std::string> head = {"rank", "computation", "MPI"};
    for (const std::string& name : names) head.push_back(printable(name));
    if (totals.functions.size() > names.size()) head.emplace_back("others");
    Rows rows = {head};
    for (const RankLog& rank : log.ranks) {
        const RankProfile& profile = rank.profile;
        std::vector<std::string> row = {std::to_string(rank.rank), seconds_text(computing_seconds(profile)),
                                        seconds_text(profile.mpi_seconds)};
        double others = 0;
        for (const FunctionProfile& f : profile.functions) others += f.seconds_total;
        for (const std::string& name : names) {
            const auto found = std::ranges::find(profile.functions, name, &FunctionProfile::name);
            const double seconds = found == profile.functions.end() ? 0 : found->seconds_total;
            others -= seconds;
            row.push_back(found == profile.functions.end() ? "" : seconds_text(seconds));
        }
        if (totals.functions.size() > names.size()) row.push_back(seconds_text(std::max(0.0, others)));
        rows.push_back(std::move(row));
    }
    std::vector<std::size_t> numbers(head.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    return "\n" + table(rows, "", numbers);
}

ordered_json site_tables_json(const JobLog& log, SourceLines* lines) {
    return {{"communicators", communicators_json(log)},
            {"regions", regions_json(log)},
            {"call_sites", call_sites_json(log, lines)}};
}

}  // namespace haichi::cli
