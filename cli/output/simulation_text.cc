#include "cli/output/simulation_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/output/tables.h"
#include "mapper/advise/evidence.h"

namespace haichi::cli {

namespace {

constexpr double kPsPerS = 1e12;

std::string percent(double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", share * 100);
    return text.data();
}

/// The mean and the maximum of a time over the ranks.
std::string of_ranks(const SimulationResult& result, std::int64_t RankTimes::*time) {
    double sum = 0;
    std::int64_t most = 0;
    for (const RankTimes& rank : result.ranks) {
        sum += static_cast<double>(rank.*time);
        most = std::max(most, rank.*time);
    }
    std::string text = "mean " + short_number(sum / static_cast<double>(result.ranks.size()) / kPsPerS);
    return text.append(" s, maximum ").append(short_number(static_cast<double>(most) / kPsPerS)).append(" s");
}

std::string barrier_text(const SimulatedRun& run) {
    if (!run.has_barriers) return "without barriers";
    if (run.barrier_sets.empty()) return "with a barrier before every set";
    return (run.barrier_sets.size() == 1 ? "with a barrier before set " : "with barriers before sets ") +
           barrier_name(run);
}

/// Whether calls were simulated instead of sets.
bool is_of_calls(const SimulatedRun& run) { return run.result.gaps || run.program; }

std::string share_of(const SimulatedRun& run, double RunShares::*share) {
    const SimulationResult& result = run.result;
    return is_of_calls(run) ? ", " + percent(run_shares(result).*share) + " of the run" : "";
}

/// States the kind of the run and its simulated time.
std::string headline(const SimulatedRun& run) {
    const SimulationResult& result = run.result;
    if (run.program) {
        return "the program: " + short_number(result.seconds) + " s" +
               (result.interrupted ? " so far\n" : " until the last rank ended\n");
    }
    if (result.gaps) {
        return "call by call: " + short_number(result.seconds) + " s" +
               (result.interrupted ? " so far\n" : " from the first call to the last\n");
    }
    return barrier_text(run) + ": " + short_number(result.seconds) + " s, " +
           (std::isnan(result.seconds_per_iteration)
                ? "no complete iteration\n"
                : short_number(result.seconds_per_iteration) + " s per iteration\n");
}

/// States which part of the run was simulated.
std::vector<std::string> extent(const SimulatedRun& run) {
    const SimulationResult& result = run.result;
    const auto count = [](std::int64_t number) { return count_text(static_cast<double>(number)); };
    if (is_of_calls(run))
        return {"calls",
                count(result.calls) + " on " + count(static_cast<std::int64_t>(result.ranks.size())) + " ranks"};
    std::string iterations = count(result.simulated_iterations) + " of " + count(result.iterations) + " simulated, " +
                             short_number(result.simulated_seconds) + " s";
    if (result.settled_by_mean) {
        iterations += "; for the others, haichi assumes the mean time of the last half, because no iterations repeat";
    } else if (result.extrapolated) {
        iterations += "; the others are assumed to take as long as the last ones";
    }
    return {"iterations", iterations};
}

std::string gaps_text(const SimulatedRun& run) {
    const SimulationResult& result = run.result;
    std::string text;
    if (run.program && run.program->measured_factor) {
        text += "  computation time: CPU time measured on this machine, times " +
                short_number(*run.program->measured_factor) + " (not reproducible)\n";
    }
    if (!run.imbalance.is_even()) text += "  computation time: " + spread_text(run.imbalance) + "\n";
    if (run.leaves_computing_out) text += "  communication only: the sets of a log have no computation time\n";
    if (!result.gaps) return text;
    for (const ReplayGapRow& row : replay_gap_rows()) {
        const std::int64_t gaps = (*result.gaps).*row.count;
        if (gaps == 0) continue;
        text.append("  ").append(count_text(static_cast<double>(gaps))).append(" ").append(row.sentence).append("\n");
    }
    return text;
}

std::string run_text(const SimulatedRun& run, const Network& network, bool with_timing) {
    const SimulationResult& result = run.result;
    const auto count = [](std::int64_t number) { return count_text(static_cast<double>(number)); };
    std::string text = headline(run);
    std::vector<std::vector<std::string>> rows;
    rows.push_back(extent(run));
    rows.push_back({"computation", of_ranks(result, &RankTimes::compute_ps) + share_of(run, &RunShares::computing) +
                                       (is_of_calls(run) ? "" : " (per rank, simulated part)")});
    rows.push_back({"CPU overhead", of_ranks(result, &RankTimes::call_ps) + share_of(run, &RunShares::calls)});
    rows.push_back({"waiting", of_ranks(result, &RankTimes::wait_ps) + share_of(run, &RunShares::waiting)});
    rows.push_back(
        {"traffic",
         count(result.payload_bytes) + " bytes in " + count(result.packets) + " packets, " + count(result.packet_hops) +
             " packet-hops" +
             (result.on_node_bytes > 0 ? "; " + count(result.on_node_bytes) + " bytes stayed on their nodes" : "")});
    rows.push_back({"links", count(result.used_links) + " of " + count(result.existing_links) +
                                 " used, on average at " + short_number(result.mean_link_bandwidth_bytes_per_s / 1e9) +
                                 " GB/s, " + percent(result.used_link_efficiency) + " of their bandwidth (" +
                                 percent(result.link_efficiency) + " over all links)"});
    if (result.saturated_links > 0) {
        rows.push_back({"saturated", count(result.saturated_links) + " links are busy more than 99 % of the time"});
    }
    if (with_timing && result.wall_seconds > 0) {
        rows.push_back({"simulator", short_number(std::round(result.wall_seconds * 1000) / 1000) + " s, " +
                                         short_number(static_cast<double>(result.packet_hops) / result.wall_seconds) +
                                         " packet-hops per second"});
    }
    text += table(rows, "  ") + gaps_text(run);
    if (!result.most_loaded_links.empty()) text += "  most loaded links\n";
    rows.clear();
    for (const LinkTraffic& link : result.most_loaded_links) {
        rows.push_back({percent(link.efficiency), count(link.bytes) + " bytes", link_text(link, network)});
    }
    constexpr std::array<std::size_t, 2> kNumbers = {0, 1};
    return text + table(rows, "    ", kNumbers);
}

}  // namespace

std::string imbalance_text(const ComputeImbalance& imbalance) {
    const auto duration = [](std::int64_t time_ps) { return duration_text(static_cast<double>(time_ps) / kPsPerS); };
    if (imbalance.share > 0) return "up to " + percent_text(imbalance.share) + " longer or shorter";
    return "up to " + duration(imbalance.most_ps) + " longer" +
           (imbalance.interval_ps > 0 ? ", every " + duration(imbalance.interval_ps) + " on average" : "");
}

std::string spread_text(const ComputeImbalance& spread) {
    return imbalance_text(spread) + (spread.interval_ps > 0 ? "" : " before each set") + ", random seed " +
           std::to_string(spread.seed);
}

std::string simulation_text(const Simulation& simulation, bool with_timing) {
    const Job& job = simulation.placement.job();
    std::string text = job_line(job);
    text += simulation.placement.is_default() ? "placement: default\n" : "placement: given\n";
    for (const SimulatedRun& run : simulation.runs) {
        text += "\n";
        text += run_text(run, job.allocation().network, with_timing);
    }
    if (simulation.runs.size() == 2) {
        const double without = simulation.runs[0].result.seconds;
        const double with = simulation.runs[1].result.seconds;
        std::array<char, 32> change{};
        std::snprintf(change.data(), change.size(), "%.1f", without > 0 ? std::abs(with / without - 1) * 100 : 0);
        text.append("\nwith barriers: ")
            .append(change.data())
            .append(with < without ? " % less time\n" : " % more time\n");
    }
    return text;
}

}  // namespace haichi::cli
