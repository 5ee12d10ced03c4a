#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mgen/process_model.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi::mgen_tests {

/// Every rank makes the calls of its list; completion times of requests are recorded.
struct ScriptedProgram : RankProgram {
    explicit ScriptedProgram(std::vector<std::vector<Call>> of = {}) : calls(std::move(of)) {}

    std::vector<std::vector<Call>> calls;
    std::vector<std::size_t> next_call{};
    std::map<std::pair<std::int32_t, std::uint32_t>, std::int64_t> done_ps{};  ///< by rank and request
    std::map<std::pair<std::int32_t, std::uint32_t>, CompletedRequest> completions{};

    Call next(RankId rank, std::int64_t) override {
        next_call.resize(calls.size(), 0);
        std::size_t& at = next_call[rank.index()];
        return at < calls[rank.index()].size() ? calls[rank.index()][at++] : Call::finish();
    }
    void completed(RankId rank, std::uint32_t request, const CompletedRequest& completion,
                   std::int64_t now_ps) override {
        done_ps[{rank.value, request}] = now_ps;
        completions[{rank.value, request}] = completion;
    }
};

inline constexpr std::int64_t kOverheadPs = 200'000;
inline constexpr std::int64_t kAskPs = 1'000'000;
inline constexpr std::int64_t kBarrierPs = 5'000'000;

/// 200 ns per call, 1 us more for a rendezvous, copies at 10 GB/s, eager up to 1,000 bytes, barriers of 5 us.
inline ProcessOptions plain_process() {
    ProcessOptions options;
    options.call_overhead_ps = options.eager_overhead_ps = kOverheadPs;
    options.rendezvous_overhead_ps = kAskPs;
    options.eager_limit_bytes = 1000;
    options.memory_bandwidth_bytes_per_s = 10 * packetsim_machines::kGigabyte;
    options.barrier_ps = kBarrierPs;
    return options;
}
/// Copy time at 10 GB/s.
inline constexpr std::int64_t copy_time_ps(std::int64_t bytes) { return 100 * bytes; }
/// Time at 8 GB/s until a stream of packets has left.
inline constexpr std::int64_t stream_ps(std::int64_t bytes) { return 125 * bytes; }
/// The time of a message over one link of an idle mesh until its tail arrives: 246 ns, and 146 ns for the ejection.
inline constexpr std::int64_t flight_ps(std::int64_t bytes) { return 392'000 + stream_ps(bytes); }

inline double seconds(std::int64_t time_ps) { return static_cast<double>(time_ps) / 1e12; }

inline constexpr std::int64_t kSmall = 800;     ///< below the eager limit
inline constexpr std::int64_t kLarge = 25'600;  ///< a rendezvous, 100 packets

inline Call send_to(std::int32_t rank, std::int64_t bytes, std::uint32_t request = 1, SendOptions options = {}) {
    return Call::send(RankId(rank), bytes, 0, options, request);
}
inline Call receive_from(std::int32_t rank, std::int64_t bytes, std::uint32_t request = 1) {
    return Call::receive(RankId(rank), bytes, 0, request);
}

/// A script on a line of `nodes` of the torus study, with buffers that let a message stream.
struct ScriptRun {
    ScriptRun(std::vector<std::vector<Call>> calls, ProcessOptions process = plain_process(),
              std::vector<std::int32_t> nodes = {}, std::vector<std::vector<RankId>> groups = {}, int threads = 1,
              bool nic_interleaves_packets = false)
        : program{std::move(calls)},
          network(packetsim_machines::grid_network({4})),
          model(parameters(process, std::move(nodes), threads, nic_interleaves_packets), program) {
        for (auto& group : groups) model.add_group(std::move(group));
    }
    ProcessModel::Parameters parameters(const ProcessOptions& process, std::vector<std::int32_t> nodes, int threads,
                                        bool nic_interleaves_packets) {
        PacketTimingOptions timing = packetsim_machines::torus_study();
        timing.buffer_packets = 32;
        timing.nic_interleaves_packets = nic_interleaves_packets;
        timing.nics = process.nics;
        timing.shared_memory_latency_ps = 50'000;
        timing.shared_memory_bandwidth_bytes_per_s = 10 * packetsim_machines::kGigabyte;
        std::vector<NodeId> node_of_rank;
        for (std::size_t r = 0; r < program.calls.size(); ++r) {
            node_of_rank.emplace_back(nodes.empty() ? static_cast<std::int32_t>(r) : nodes[r]);
        }
        return {.network = &network,
                .timing = PacketTiming(timing),
                .process = process,
                .node_of_rank = node_of_rank,
                .threads = threads};
    }
    std::int64_t done_ps(std::int32_t rank, std::uint32_t request) { return program.done_ps.at({rank, request}); }
    std::int64_t end_ps(std::int32_t rank) { return model.times(RankId(rank)).end_ps; }

    ScriptedProgram program;
    Network network;
    ProcessModel model;
};

}  // namespace haichi::mgen_tests
