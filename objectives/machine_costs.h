#pragma once

#include <cstdint>

namespace haichi {

struct Machine;

/// The costs of messages on the machine, except on links, for objectives that predict time. A cost that the machine
/// file omits is 0, and an omitted rate is unlimited. Defaults: one NIC per node, and rendezvous for messages of more
/// than 16 KiB. Latencies and rates of individual link and router classes are not included. Times are integer
/// picoseconds.
struct MachineCosts {
    std::int64_t call_ps = 0;             ///< CPU overhead of a receive
    std::int64_t eager_send_ps = 0;       ///< CPU overhead of a send up to the eager limit
    std::int64_t rendezvous_send_ps = 0;  ///< CPU overhead of a larger send
    std::int64_t eager_limit_bytes = 16384;
    std::int64_t copy_bytes_per_s = 0;  ///< rate of copies between user and MPI buffers, or 0 if copies take no time
    bool copies_eager_sends = true;
    bool copies_rendezvous_sends = false;

    std::int32_t nics = 1;                ///< NICs per node; the messages of a rank use them in turn
    std::int64_t nic_bytes_per_s = 0;     ///< rate of an injection or ejection channel, 0 for no limit
    std::int64_t nic_packet_ps = 0;       ///< work of a NIC on each packet that it sends
    std::int64_t host_bytes_per_s = 0;    ///< DMA or memory rate, shared by all traffic of a node, 0 for no limit
    std::int64_t router_bytes_per_s = 0;  ///< rate of a message through a router, 0 for no limit
    std::int64_t hop_ps = 0;              ///< latency of a hop: routing, allocation, switch and cable
    std::int64_t packet_payload_bytes = 2048;
    std::int64_t packet_header_bytes = 0;
    std::int64_t on_node_ps = 0;           ///< latency of a message between two ranks of a node
    std::int64_t on_node_bytes_per_s = 0;  ///< 0: no limit
};

[[nodiscard]] MachineCosts machine_costs_of(const Machine& machine);

}  // namespace haichi
