#include "cli/output/log_text.h"

#include <algorithm>
#include <array>
#include <queue>
#include <vector>

#include "cli/output/log_json.h"
#include "cli/output/log_tables.h"
#include "cli/output/log_words.h"
#include "cli/output/tables.h"
#include "commlog/log/function_kind.h"

namespace haichi::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Names as in "A, B and 3 more".
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNames = 3;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == kMostNames) return text + " and " + std::to_string(names.size() - i) + " more";
        text += (i == 0 ? "" : ", ") + printable(names[i]);
    }
    return text;
}

std::string header_text(const JobLog& log, const JobTotals& totals, const std::string& file) {
    std::string text = printable(file) + ": " + counted_text(static_cast<std::uint64_t>(log.rank_count), "rank");
    if (!totals.hosts.empty()) text += " on " + counted_text(totals.hosts.size(), "host");
    text += "\n";
    Rows rows;
    if (!totals.programs.empty()) rows.push_back({"program", listed(totals.programs)});
    if (!totals.libraries.empty()) rows.push_back({"library", listed(totals.libraries)});
    rows.push_back({"format", log.format + (log.has_profile ? ", profile" : "") + (log.has_calls ? ", call log" : "")});
    if (totals.has_times) {
        rows.push_back({"run", seconds_text(totals.run_seconds)});
        const double all = totals.computing_seconds + totals.mpi_seconds;
        const auto share = [all](double part) {
            return all > 0 ? std::string(" (").append(percent_text(part / all)).append(")") : std::string();
        };
        rows.push_back({"computation", seconds_text(totals.computing_seconds) + share(totals.computing_seconds) +
                                           ", sum of all ranks"});
        rows.push_back({"MPI", seconds_text(totals.mpi_seconds) + share(totals.mpi_seconds)});
    }
    text += table(rows, "  ");
    for (const std::string& warning : log.warnings) text += "  warning: " + without_controls(warning) + "\n";
    return text;
}

std::vector<std::string> message_cells(const MessageStatistics& messages) {
    if (messages.count == 0) return {"", "", "", ""};
    const double mean = static_cast<double>(messages.bytes_total) / static_cast<double>(messages.count);
    return {whole_text(messages.count), bytes_text(static_cast<double>(messages.bytes_total)), bytes_text(mean),
            message_sizes_text(messages)};
}

std::string functions_text(const JobTotals& totals) {
    std::vector<std::string> head = {"function", "calls"};
    if (totals.has_times) head.insert(head.end(), {"time", "of MPI", "mean", "min", "max"});
    head.insert(head.end(), {"messages", "bytes", "mean size", "sizes"});
    std::vector<std::size_t> numbers;
    for (std::size_t k = 1; k + 1 < head.size(); ++k) numbers.push_back(k);
    Rows rows = {head};
    std::string warnings;
    for (const FunctionTotals& f : totals.functions) {
        std::vector<std::string> row = {printable(f.name) + (is_spoiled(f, totals) ? " !" : ""), whole_text(f.calls)};
        if (totals.has_times) {
            const double share = totals.mpi_seconds > 0 ? f.seconds_total / totals.mpi_seconds : 0;
            row.insert(row.end(), {seconds_text(f.seconds_total), percent_text(share), seconds_text(f.seconds_mean()),
                                   f.has_extremes() ? seconds_text(f.seconds_min) : "",
                                   f.has_extremes() ? seconds_text(f.seconds_max) : ""});
        }
        const std::vector<std::string> blank(row.size() - 1);
        // Most collectives send as much as they receive.
        const bool is_same = f.sent.bytes_total == f.received.bytes_total && f.sent.classes == f.received.classes;
        const bool has_both = f.sent.count > 0 && f.received.count > 0 && !is_same;
        for (auto& cell : message_cells(f.sent.count > 0 ? f.sent : f.received)) row.push_back(std::move(cell));
        if (has_both) row[0] += ", sent";
        rows.push_back(std::move(row));
        if (has_both) {
            std::vector<std::string> second = {"  received"};
            second.insert(second.end(), blank.begin(), blank.end());
            for (auto& cell : message_cells(f.received)) second.push_back(std::move(cell));
            rows.push_back(std::move(second));
        }
        if (!is_spoiled(f, totals)) continue;
        warnings += "warning: the time of " + printable(f.name) + " (marked !) is too high: the profiler's own " +
                    seconds_text(f.own_seconds / static_cast<double>(f.calls)) + " per call is " +
                    percent_text(f.own_share()) + " of the mean call\n";
    }
    return table(rows, "", numbers) + warnings;
}

std::string histogram_text(const Histogram& histogram) {
    const MessageStatistics& messages = histogram.messages;
    std::string text = std::string("\n") + histogram.name + ": " + whole_text(messages.count) + ", " +
                       bytes_text(static_cast<double>(messages.bytes_total)) + " in total" +
                       (messages.empty > 0 ? ", " + whole_text(messages.empty) + " empty" : "") + "\n";
    Rows rows;
    for (int k = 0; k < kSizeClasses; ++k) {
        const std::uint64_t count = messages.classes[static_cast<std::size_t>(k)];
        if (count == 0) continue;
        const double share = static_cast<double>(count) / static_cast<double>(messages.count);
        constexpr std::size_t kWidth = 40;
        std::string range = k == 0 ? "0" : bytes_text(1 << k);
        range += k == kSizeClasses - 1 ? " and more" : " to < " + bytes_text(2 << k);
        rows.push_back({range, whole_text(count), percent_text(share), bar(share, kWidth)});
    }
    constexpr std::array<std::size_t, 2> kNumbers = {1, 2};
    return text + table(rows, "  ", kNumbers);
}

/// The pairs of ranks with the most bytes. Ties go to the smallest ranks.
std::string pairs_text(const JobLog& log) {
    constexpr std::size_t kMostPairs = 10;
    const auto is_busier = [](const PairTraffic& a, const PairTraffic& b) {
        if (a.bytes != b.bytes) return a.bytes > b.bytes;
        return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
    };
    std::priority_queue<PairTraffic, std::vector<PairTraffic>, decltype(is_busier)> busiest(is_busier);
    std::uint64_t pairs = 0;
    double bytes = 0;
    visit_pairs(log, [&](const PairTraffic& pair) {
        ++pairs;
        bytes += static_cast<double>(pair.bytes);
        if (busiest.size() == kMostPairs && !is_busier(pair, busiest.top())) return;
        busiest.push(pair);
        if (busiest.size() > kMostPairs) busiest.pop();
    });
    if (pairs == 0) return "";
    Rows rows;
    for (; !busiest.empty(); busiest.pop()) {
        const PairTraffic& pair = busiest.top();
        rows.push_back({"rank " + std::to_string(pair.source), "-> rank " + std::to_string(pair.destination),
                        bytes_text(static_cast<double>(pair.bytes)),
                        bytes > 0 ? percent_text(static_cast<double>(pair.bytes) / bytes) : "",
                        "in " + counted_text(pair.messages, "message")});
    }
    std::ranges::reverse(rows);
    constexpr std::array<std::size_t, 2> kNumbers = {2, 3};
    std::string text = "\nmost active of ";
    return text + counted_text(pairs, "pair") + " of ranks\n" + table(rows, "  ", kNumbers);
}

std::string outside_text(const JobTotals& totals) {
    const PeerCounters& outside = totals.outside;
    if (outside.sent_messages == 0 && outside.received_messages == 0) return "";
    return "\noutside this job (spawned or connected processes): sent " +
           counted_text(outside.sent_messages, "message") + " of " +
           bytes_text(static_cast<double>(outside.sent_bytes)) + ", received " +
           counted_text(outside.received_messages, "message") + " of " +
           bytes_text(static_cast<double>(outside.received_bytes)) + "\n";
}

std::string balance_text(const JobTotals& totals) {
    if (!totals.has_times) return "";
    Rows rows = {{"", "least", "", "mean", "most", ""}};
    const auto add = [&](const std::string& name, const RankSpread& spread) {
        rows.push_back({name, seconds_text(spread.min), "rank " + std::to_string(spread.min_rank),
                        seconds_text(spread.mean), seconds_text(spread.max),
                        "rank " + std::to_string(spread.max_rank)});
    };
    add("run", totals.wall);
    add("computation", totals.computing);
    add("MPI", totals.mpi);
    constexpr std::array<std::size_t, 3> kNumbers = {1, 3, 4};
    return "\nbalance of the ranks\n" + table(rows, "  ", kNumbers);
}

std::string ranks_text(const JobLog& log) {
    Rows rows = {{"rank", "host", "state", "run", "computation", "MPI", "peers", "sent", "received"}};
    for (const RankLog& rank : log.ranks) {
        const RankProfile& profile = rank.profile;
        double sent = 0;
        double received = 0;
        for (const PeerTraffic& peer : profile.peers) {
            sent += static_cast<double>(peer.traffic.sent_bytes);
            received += static_cast<double>(peer.traffic.received_bytes);
        }
        rows.push_back({std::to_string(rank.rank), printable(rank.host), rank_state_name(rank.state),
                        seconds_text(profile.wall_seconds), seconds_text(computing_seconds(profile)),
                        seconds_text(profile.mpi_seconds), std::to_string(profile.peers.size()), bytes_text(sent),
                        bytes_text(received)});
    }
    constexpr std::array<std::size_t, 7> kNumbers = {0, 3, 4, 5, 6, 7, 8};
    return std::string("\n").append(table(rows, "", kNumbers));
}

}  // namespace

std::vector<Histogram> size_histograms(const JobTotals& totals) {
    std::vector<Histogram> histograms = {{"messages sent", {}},
                                         {"messages received", {}},
                                         {"contributions to collectives", {}},
                                         {"one-sided transfers", {}}};
    const auto add = [&histograms](std::size_t kind, const MessageStatistics& messages) {
        if (has_all_sizes(messages)) add_messages(histograms[kind].messages, messages);
    };
    for (const FunctionTotals& f : totals.functions) {
        switch (function_kind(f.name)) {
            case FunctionKind::kPointToPoint:
            case FunctionKind::kCompletion:
                add(0, f.sent);
                add(1, f.received);
                break;
            case FunctionKind::kCollective:
                add(2, f.sent);
                break;
            case FunctionKind::kOneSided:
                add(3, f.sent);
                add(3, f.received);
                break;
            case FunctionKind::kOther:
                break;
        }
    }
    std::erase_if(histograms, [](const Histogram& histogram) { return histogram.messages.count == 0; });
    return histograms;
}

std::string log_text(const JobLog& log, const JobTotals& totals, const std::string& file, bool all_ranks) {
    std::string text = header_text(log, totals, file);
    if (!totals.functions.empty()) text.append("\n").append(functions_text(totals));
    for (const Histogram& histogram : size_histograms(totals)) text += histogram_text(histogram);
    text += pairs_text(log) + targets_text(log) + outside_text(totals) + communicators_text(log, totals) +
            regions_text(log) + balance_text(totals);
    if (all_ranks) text += ranks_text(log);
    return text;
}

}  // namespace haichi::cli
