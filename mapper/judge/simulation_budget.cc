#include "mapper/judge/simulation_budget.h"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <mutex>

#include "base/usable_threads.h"
#include "netmodel/packetsim/machine_timing.h"

namespace haichi {

namespace {

/// Mean number of links that a message of the placement traverses, plus its destination node.
double mean_passages(const Placement& placement) {
    const Job& job = placement.job();
    const auto nodes = placement.mapping().node_of_rank();
    double passages = 0;
    double messages = 0;
    for (const Message& message : job.workload().messages()) {
        passages +=
            job.allocation().network.route_length(nodes[message.source.index()], nodes[message.destination.index()]) +
            1;
        ++messages;
    }
    return messages > 0 ? passages / messages : 1;
}

/// Approximate number of packets in a run of the log. A collective counts as many messages as a tree has steps.
double packets_of(const JobLog& log, const PacketTiming& timing) {
    double packets = 0;
    for (const RankLog& rank : log.ranks) {
        for (const CallSequence& calls : rank.threads) {
            for (const LoggedEvent& event : calls.events) {
                const bool is_collective = event.key.kind == CallKind::kCollective;
                if (event.count == 0 || (event.key.kind != CallKind::kSend && !is_collective)) continue;
                const auto bytes = static_cast<std::int64_t>(event.bytes_total / event.count);
                const auto steps = is_collective ? std::bit_width(static_cast<std::uint32_t>(log.rank_count)) : 1;
                packets += static_cast<double>(event.count) * steps *
                           static_cast<double>(timing.packet_count(std::max<std::int64_t>(bytes, 0)));
            }
        }
    }
    return packets;
}

}  // namespace

void run_side_by_side(std::int64_t count, std::int32_t threads, const std::function<void(std::int64_t)>& work) {
    if (count < 1) return;
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(count, omp_get_num_procs()));
    const std::int32_t team = std::clamp(threads, 0, most) > 0 ? std::min(threads, most) : most;
    std::exception_ptr failure;
    std::int64_t first_failure = count;
    std::mutex mutex;
#pragma omp parallel for num_threads(usable_threads(team)) schedule(dynamic, 1)
    for (std::int64_t i = 0; i < count; ++i) {
        {
            const std::scoped_lock lock(mutex);
            if (i > first_failure) continue;
        }
        try {
            work(i);
        } catch (...) {
            const std::scoped_lock lock(mutex);
            if (i > first_failure) continue;
            first_failure = i;
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

double packet_hops_per_iteration(const Placement& placement) {
    const Job& job = placement.job();
    const PacketTiming timing(packet_timing_of(job.machine()));
    const auto nodes = placement.mapping().node_of_rank();
    double hops = 0;
    for (const Message& message : job.workload().messages()) {
        const NodeId from = nodes[message.source.index()];
        const NodeId to = nodes[message.destination.index()];
        if (from == to) continue;
        const double passages = job.allocation().network.route_length(from, to) + 1;
        hops += static_cast<double>(timing.packet_count(message.size_bytes)) * passages;
    }
    return hops;
}

double packet_hops_of_calls(const Placement& placement) {
    const Job& job = placement.job();
    return packets_of(*job.calls(), PacketTiming(packet_timing_of(job.machine()))) * mean_passages(placement);
}

std::int64_t affordable_runs(double hops_per_iteration, std::int64_t iterations, double budget) {
    constexpr std::int64_t kToRepeat = 10;
    constexpr double kMost = 1e6;
    const double each = hops_per_iteration * static_cast<double>(std::min(kToRepeat, iterations));
    return static_cast<std::int64_t>(each > 0 ? std::min(budget / each, kMost) : kMost);
}

std::optional<SimulatedIterations> affordable_iterations(double hops_per_iteration, std::int64_t iterations,
                                                         std::int64_t runs, double budget, double overdraft) {
    const auto most = static_cast<double>(iterations);
    constexpr std::int64_t kFewest = 2;
    const double all = hops_per_iteration * static_cast<double>(runs);
    const std::int64_t fewest = std::min(kFewest, iterations);
    if (all * static_cast<double>(fewest) > budget * overdraft) return std::nullopt;
    const double count = all > 0 ? std::min(budget / all, most) : most;
    return SimulatedIterations{SimulatedIterations::Rule::kAuto, std::max(static_cast<std::int64_t>(count), fewest)};
}

}  // namespace haichi
