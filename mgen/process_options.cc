#include "mgen/process_options.h"

#include <algorithm>

#include "base/errors.h"

namespace haichi {

ProcessOptions process_options_of(const Machine& machine) {
    const Machine::Node& node = machine.node;
    ProcessOptions options;
    options.call_overhead_ps = node.mpi_call_overhead_ps.value_or(0);
    options.eager_overhead_ps = node.eager_overhead_ps.value_or(options.call_overhead_ps);
    options.eager_limit_bytes = node.eager_limit_bytes.value_or(options.eager_limit_bytes);
    options.rendezvous_overhead_ps = node.rendezvous_overhead_ps.value_or(0);
    options.rdma_overhead_ps = node.rdma_overhead_ps.value_or(options.call_overhead_ps);
    options.memory_bandwidth_bytes_per_s = node.memory_bandwidth_bytes_per_s.value_or(0);
    if (node.send_copy == "always") options.send_copy = SendCopy::kAlways;
    if (node.send_copy == "never") options.send_copy = SendCopy::kNever;
    if (node.progress == "calls") {
        options.progress = Progress::kCalls;
    } else if (node.progress != "nic") {
        throw UnsupportedError("unknown rendezvous progress " + shown(node.progress), "use nic or calls");
    }
    options.rendezvous_round_trips = node.rendezvous_round_trips;
    options.sends_one_by_one = node.sends == "one-by-one";
    options.send_buffer_bytes = node.send_buffer_bytes.value_or(0);
    options.barrier_ps = node.barrier_ps.value_or(0);
    options.barrier_step_ps = node.barrier_step_ps.value_or(0);
    options.barrier_groups = node.barrier_groups.value_or(0);
    options.nics = node.nics;
    options.trunk = node.trunk;
    constexpr std::int64_t kPacketBytes = PacketTimingOptions{}.packet_payload_bytes;
    options.trunk_from_bytes =
        node.trunk_from_bytes.value_or(node.trunk * machine.packet_payload_bytes.value_or(kPacketBytes));
    return options;
}

std::int64_t copy_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s) {
    if (bandwidth_bytes_per_s == 0) return 0;
    return std::min(long_transfer_ps(bytes, bandwidth_bytes_per_s), kLongestSimulationPs);
}

}  // namespace haichi
