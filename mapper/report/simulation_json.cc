#include "mapper/report/simulation_json.h"

#include "mapper/report/report_json.h"
#include "mgen/replay/simulation.h"

namespace haichi {

using nlohmann::ordered_json;

namespace {

ordered_json links_json(const SimulationResult& result, const Network& network) {
    ordered_json list = ordered_json::array();
    for (const LinkTraffic& traffic : result.most_loaded_links) {
        ordered_json entry;
        entry["link"] = link_text(traffic, network);
        entry["bytes"] = traffic.bytes;
        entry["efficiency"] = traffic.efficiency;
        list.push_back(std::move(entry));
    }
    return list;
}

/// One array for each kind of time, with an entry for each rank.
ordered_json ranks_json(const SimulationResult& result) {
    ordered_json out;
    const auto add = [&](const char* key, std::int64_t RankTimes::*time) {
        ordered_json::array_t list;
        list.reserve(result.ranks.size());
        for (const RankTimes& rank : result.ranks) list.emplace_back(static_cast<double>(rank.*time) / kPsPerSecond);
        out[key] = std::move(list);
    };
    add("compute_seconds", &RankTimes::compute_ps);
    add("call_seconds", &RankTimes::call_ps);
    add("wait_seconds", &RankTimes::wait_ps);
    add("end_seconds", &RankTimes::end_ps);
    return out;
}

/// Fractions of the whole run, mean over the ranks.
ordered_json shares_json(const SimulationResult& result) {
    const RunShares shares = run_shares(result);
    return {{"computing", shares.computing}, {"calls", shares.calls}, {"waiting", shares.waiting}};
}

ordered_json gaps_json(const ReplayGaps& gaps) {
    ordered_json out = ordered_json::object();
    for (const ReplayGapRow& row : replay_gap_rows()) {
        if (gaps.*row.count > 0) out[std::string(row.key)] = gaps.*row.count;
    }
    return out;
}

}  // namespace

ordered_json spread_json(const ComputeImbalance& spread) {
    ordered_json out{{"rule", "spread"}, {"seed", spread.seed}};
    if (spread.share > 0) out["share"] = spread.share;
    if (spread.most_ps > 0) out["most_seconds"] = static_cast<double>(spread.most_ps) / kPsPerSecond;
    if (spread.interval_ps > 0) out["interval_seconds"] = static_cast<double>(spread.interval_ps) / kPsPerSecond;
    return out;
}

ordered_json simulated_times(const SimulatedRun& run) {
    const SimulationResult& result = run.result;
    ordered_json out;
    if (result.gaps) out["as"] = "calls";
    if (run.program) {
        out["as"] = "program";
        out["program"] = run.program->path;
        out["exit_code"] = run.program->exit_code;
        if (run.program->measured_factor) {
            out["computing"] = {
                {"rule", "measured"}, {"factor", *run.program->measured_factor}, {"reproducible", false}};
        }
        out["seconds"] = result.seconds;
        if (result.interrupted) out["interrupted"] = true;
        out["calls"] = result.calls;
        out["fractions_of_run"] = shares_json(result);
        return out;
    }
    out["barrier"] = barrier_name(run);
    out["seconds"] = result.seconds;
    out["seconds_per_iteration"] = result.seconds_per_iteration;  // JSON writes NaN as null
    out["iterations"] = result.iterations;
    out["simulated_iterations"] = result.simulated_iterations;
    out["extrapolated"] = result.extrapolated;
    if (result.settled_by_mean) out["settled_by_mean"] = true;
    if (result.interrupted) out["interrupted"] = true;
    if (result.gaps) {
        out["calls"] = result.calls;
        out["fractions_of_run"] = shares_json(result);
        out["left_out"] = gaps_json(*result.gaps);
    }
    if (!run.imbalance.is_even()) out["computing"] = spread_json(run.imbalance);
    if (run.leaves_computing_out) {
        out["as"] = "sets";
        out["left_out"] = {{"computing", true}};
    }
    return out;
}

ordered_json run_json(const SimulatedRun& run, const Network& network, bool with_timing) {
    const SimulationResult& result = run.result;
    ordered_json out = simulated_times(run);
    out["simulated_seconds"] = result.simulated_seconds;
    out["payload_bytes"] = result.payload_bytes;
    out["packets"] = result.packets;
    out["packet_hops"] = result.packet_hops;
    if (result.on_node_bytes > 0) out["on_node_bytes"] = result.on_node_bytes;
    out["links"] = result.existing_links;
    out["used_links"] = result.used_links;
    out["saturated_links"] = result.saturated_links;
    out["mean_link_bandwidth_bytes_per_s"] = result.mean_link_bandwidth_bytes_per_s;
    out["link_efficiency"] = result.link_efficiency;
    out["used_link_efficiency"] = result.used_link_efficiency;
    out["most_loaded_links"] = links_json(result, network);
    out["ranks"] = ranks_json(result);
    if (with_timing) {
        out["wall_seconds"] = result.wall_seconds;
        out["packet_hops_per_second"] =
            result.wall_seconds > 0 ? static_cast<double>(result.packet_hops) / result.wall_seconds : 0;
    }
    return out;
}

ordered_json simulation_json(const Simulation& simulation, bool with_timing) {
    const Placement& placement = simulation.placement;
    ordered_json out;
    out["schema"] = "haichi-simulation/1";
    add_job(out, placement.job());
    out["placement"] = placement.is_default() ? "default" : "given";
    if (simulation.interrupted) out["interrupted"] = true;
    out["runs"] = ordered_json::array();
    for (const SimulatedRun& run : simulation.runs) {
        out["runs"].push_back(run_json(run, placement.job().allocation().network, with_timing));
    }
    out["node_of_rank"] = nodes_json(placement.mapping());
    return out;
}

}  // namespace haichi
