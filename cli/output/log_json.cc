#include "cli/output/log_json.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace haichi::cli {

namespace {

using nlohmann::ordered_json;

ordered_json seconds_json(double total, double least, std::uint64_t calls, double most) {
    return {
        {"total", total}, {"min", least}, {"mean", calls == 0 ? 0 : total / static_cast<double>(calls)}, {"max", most}};
}

ordered_json spread_json(const RankSpread& spread) {
    return {{"min", spread.min},           {"mean", spread.mean},
            {"max", spread.max},           {"deviation", spread.deviation},
            {"min_rank", spread.min_rank}, {"max_rank", spread.max_rank}};
}

ordered_json function_json(const FunctionProfile& function) {
    ordered_json out;
    out["name"] = function.name;
    out["calls"] = function.calls;
    out["seconds"] = seconds_json(function.seconds_total, function.seconds_min, function.calls, function.seconds_max);
    out["sent"] = messages_json(function.sent);
    out["received"] = messages_json(function.received);
    return out;
}

ordered_json peer_json(const PeerTraffic& peer) {
    return {{"peer", peer.peer},
            {"sent_messages", peer.traffic.sent_messages},
            {"sent_bytes", peer.traffic.sent_bytes},
            {"received_messages", peer.traffic.received_messages},
            {"received_bytes", peer.traffic.received_bytes}};
}

ordered_json target_json(const OneSidedTraffic& target) {
    return {{"target", target.target},
            {"put_operations", target.traffic.put_operations},
            {"put_bytes", target.traffic.put_bytes},
            {"got_operations", target.traffic.got_operations},
            {"got_bytes", target.traffic.got_bytes}};
}

/// The number of events. An event in a loop counts once per iteration.
std::uint64_t event_count(const CallSequence& calls) {
    std::uint64_t count = 0;
    for (const LoggedEvent& event : calls.events) count += event.count;
    return count;
}

ordered_json call_log_json(const CallSequence& calls) {
    return {{"events", event_count(calls)},
            {"different_events", calls.events.size()},
            {"symbols", calls.sequence.size()},
            {"loops", calls.loops.size()},
            {"lost_events", calls.lost_events},
            {"lost_symbols", calls.lost_symbols},
            {"lost_completions", calls.lost_completions}};
}

/// The JSON of a rank without its functions and peers.
ordered_json rank_head_json(const RankLog& rank) {
    ordered_json out;
    out["rank"] = rank.rank;
    out["state"] = rank_state_name(rank.state);
    if (rank.state == RankState::kSignalled) out["signal"] = rank.signal;
    out["host"] = rank.host;
    out["own_ns_per_call"] = rank.own_ns_per_call;
    out["wall_seconds"] = rank.profile.wall_seconds;
    out["mpi_seconds"] = rank.profile.mpi_seconds;
    out["computing_seconds"] = computing_seconds(rank.profile);
    out["lost_messages"] = rank.profile.lost_messages;
    out["lost_bytes"] = rank.profile.lost_bytes;
    out["call_log"] = ordered_json::array();
    for (const CallSequence& calls : rank.threads) out["call_log"].push_back(call_log_json(calls));
    return out;
}

/// Writes a JSON list, with one entry per line.
template <class Rows, class RowJson>
void write_rows(const Rows& rows, std::string_view indent, RowJson row_json,
                const std::function<void(std::string_view)>& sink) {
    std::string text;
    bool is_first = true;
    for (const auto& row : rows) {
        text.append(is_first ? "\n" : ",\n").append(indent).append(json_line(row_json(row)));
        is_first = false;
        constexpr std::size_t kPiece = std::size_t{1} << 16;
        if (text.size() < kPiece) continue;
        sink(text);
        text.clear();
    }
    sink(text);
}

void write_rank(const RankLog& rank, const std::function<void(std::string_view)>& sink) {
    std::string head = json_line(rank_head_json(rank));
    head.pop_back();
    sink("  " + head + ",\n   \"functions\": [");
    write_rows(rank.profile.functions, "     ", function_json, sink);
    sink("],\n   \"peers\": [");
    write_rows(rank.profile.peers, "     ", peer_json, sink);
    sink("],\n   \"targets\": [");
    write_rows(rank.profile.targets, "     ", target_json, sink);
    sink("]}");
}

}  // namespace

std::string json_line(const ordered_json& document) { return json_text(document); }

std::string rank_state_name(RankState state) {
    switch (state) {
        case RankState::kRunning:
            return "running";
        case RankState::kFinished:
            return "finished";
        case RankState::kAborted:
            return "aborted";
        case RankState::kSignalled:
            return "signalled";
    }
    return "unknown";
}

ordered_json messages_json(const MessageStatistics& messages) {
    const double mean =
        messages.count == 0 ? 0 : static_cast<double>(messages.bytes_total) / static_cast<double>(messages.count);
    return {
        {"messages", messages.count},
        {"bytes",
         {{"total", messages.bytes_total}, {"min", messages.bytes_min}, {"mean", mean}, {"max", messages.bytes_max}}},
        {"empty", messages.empty},
        {"classes", messages.classes}};
}

ordered_json functions_json(const JobTotals& totals) {
    ordered_json list = ordered_json::array();
    for (const FunctionTotals& function : totals.functions) {
        ordered_json out;
        out["name"] = function.name;
        out["ranks"] = function.ranks;
        out["calls"] = function.calls;
        out["seconds"] =
            seconds_json(function.seconds_total, function.seconds_min, function.calls, function.seconds_max);
        out["fraction_of_mpi"] = totals.mpi_seconds > 0 ? function.seconds_total / totals.mpi_seconds : 0;
        out["own_share"] = function.own_share();
        out["spoiled"] = is_spoiled(function, totals);
        out["sent"] = messages_json(function.sent);
        out["received"] = messages_json(function.received);
        list.push_back(std::move(out));
    }
    return list;
}

ordered_json balance_json(const JobTotals& totals) {
    return {{"wall_seconds", spread_json(totals.wall)},
            {"mpi_seconds", spread_json(totals.mpi)},
            {"computing_seconds", spread_json(totals.computing)}};
}

ordered_json log_head_json(const JobLog& log, const JobTotals& totals) {
    ordered_json out;
    out["schema"] = "haichi-log/1";
    out["format"] = log.format;
    out["ranks"] = log.rank_count;
    out["ranks_with_data"] = log.ranks.size();
    out["hosts"] = totals.hosts.size();
    out["programs"] = totals.programs;
    out["libraries"] = totals.libraries;
    out["has_profile"] = log.has_profile;
    out["has_calls"] = log.has_calls;
    out["run_seconds"] = totals.run_seconds;
    out["mpi_seconds"] = totals.mpi_seconds;
    out["computing_seconds"] = totals.computing_seconds;
    out["lost_messages"] = totals.lost_messages;
    out["lost_bytes"] = totals.lost_bytes;
    if (totals.outside.sent_messages != 0 || totals.outside.received_messages != 0) {
        out["outside"] = peer_json({kOutside, totals.outside});
    }
    out["warnings"] = log.warnings;
    return out;
}

bool lists_all_ranks(const JobLog& log, ListedRanks ranks) {
    if (ranks != ListedRanks::kAuto) return ranks == ListedRanks::kAll;
    constexpr std::size_t kMostRows = 1'000'000;
    std::size_t rows = 0;
    for (const RankLog& rank : log.ranks) rows += 1 + rank.profile.functions.size() + rank.profile.peers.size();
    return rows <= kMostRows;
}

void write_log_json(const JobLog& log, const JobTotals& totals, bool all_ranks, const ordered_json& more,
                    const std::function<void(std::string_view)>& sink) {
    std::string head = json_text(log_head_json(log, totals), 1);
    head.resize(head.rfind('\n'));
    sink(head + ",\n \"functions\": [");
    write_rows(
        functions_json(totals), "  ", [](const ordered_json& row) { return row; }, sink);
    std::string members;
    for (const auto& [key, value] : more.items()) {
        members.append(",\n \"").append(key).append("\": ").append(json_line(value));
    }
    sink("],\n \"balance\": " + json_line(balance_json(totals)) + members + ",\n \"ranks_listed\": \"" +
         (all_ranks ? "all" : "summary") + "\",\n \"per_rank\": [");
    if (all_ranks) {
        bool is_first = true;
        for (const RankLog& rank : log.ranks) {
            sink(is_first ? "\n" : ",\n");
            is_first = false;
            write_rank(rank, sink);
        }
    }
    sink("]\n}\n");
}

}  // namespace haichi::cli
