#include "objectives/machine_costs.h"

#include <algorithm>

#include "netmodel/machine/machine.h"

namespace haichi {

namespace {

/// The lower of two limits. 0 means no limit.
std::int64_t slower(std::int64_t a, std::int64_t b) {
    if (a == 0 || b == 0) return std::max(a, b);
    return std::min(a, b);
}

}  // namespace

MachineCosts machine_costs_of(const Machine& machine) {
    const Machine::Node& node = machine.node;
    const Machine::Router& router = machine.router;
    MachineCosts costs;
    costs.call_ps = node.mpi_call_overhead_ps.value_or(0);
    costs.eager_send_ps = node.eager_overhead_ps.value_or(costs.call_ps);
    costs.rendezvous_send_ps = costs.call_ps + node.rendezvous_overhead_ps.value_or(0);
    costs.eager_limit_bytes = node.eager_limit_bytes.value_or(costs.eager_limit_bytes);
    costs.copy_bytes_per_s = node.memory_bandwidth_bytes_per_s.value_or(0);
    costs.copies_eager_sends = node.send_copy != "never";
    costs.copies_rendezvous_sends = node.send_copy == "always";
    costs.nics = std::max(node.nics, 1);
    costs.nic_bytes_per_s = node.nic_bandwidth_bytes_per_s.value_or(0);
    costs.nic_packet_ps = node.nic_packet_time_ps.value_or(0);
    costs.host_bytes_per_s = slower(node.dma_bandwidth_bytes_per_s.value_or(0), costs.copy_bytes_per_s);
    costs.router_bytes_per_s = router.bandwidth_bytes_per_s.value_or(0);
    costs.hop_ps = router.routing_time_ps.value_or(0) + router.vc_allocation_time_ps.value_or(0) +
                   router.switch_allocation_time_ps.value_or(0) + router.switch_latency_ps.value_or(0) +
                   machine.cable_latency_ps.value_or(0);
    costs.packet_payload_bytes = std::max<std::int64_t>(machine.packet_payload_bytes.value_or(2048), 1);
    costs.packet_header_bytes = machine.packet_header_bytes.value_or(0);
    costs.on_node_ps = node.shared_memory_latency_ps.value_or(0);
    costs.on_node_bytes_per_s = node.shared_memory_bandwidth_bytes_per_s.value_or(0);
    return costs;
}

}  // namespace haichi
