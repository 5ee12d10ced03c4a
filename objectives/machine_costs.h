#pragma once

#include <cstdint>

#include "netmodel/machine/machine.h"

namespace haichi {

/// What a machine states of the time that messages take besides their links, for objectives that predict time. What it
/// does not state costs nothing and limits nothing; one NIC a node, and messages of more than 16 KiB are rendezvous.
/// The latencies and rates of single classes of links and routers are not in it. Times are integer picoseconds.
struct MachineCosts {
    std::int64_t call_ps = 0;             ///< host time of a receive
    std::int64_t eager_send_ps = 0;       ///< host time of a send up to the eager limit
    std::int64_t rendezvous_send_ps = 0;  ///< host time of a larger one
    std::int64_t eager_limit_bytes = 16384;
    std::int64_t copy_bytes_per_s = 0;  ///< of copies between user and MPI buffers; 0: they take no time
    bool copies_eager_sends = true;
    bool copies_rendezvous_sends = false;

    std::int32_t nics = 1;              ///< taken in turn by the messages of a rank
    std::int64_t nic_bytes_per_s = 0;   ///< of an injection and of an ejection channel; 0: no limit
    std::int64_t host_bytes_per_s = 0;  ///< of DMA or memory, shared by all that enters and leaves a node; 0: no limit
    std::int64_t router_bytes_per_s = 0;  ///< of a passage through a router; 0: no limit
    std::int64_t hop_ps = 0;              ///< routing, allocation, switch and cable
    std::int64_t packet_payload_bytes = 2048;
    std::int64_t packet_header_bytes = 0;
    std::int64_t on_node_ps = 0;           ///< latency of a message between two ranks of a node
    std::int64_t on_node_bytes_per_s = 0;  ///< 0: no limit
};

[[nodiscard]] MachineCosts machine_costs_of(const Machine& machine);

}  // namespace haichi
