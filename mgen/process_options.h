#pragma once

#include <cstdint>

#include "netmodel/machine/machine.h"
#include "netmodel/packetsim/packet_timing.h"

namespace haichi {

/// Who answers a rendezvous request, and sends the data once it is acknowledged.
enum class Progress {
    kNic,    ///< the network interface, at once
    kCalls,  ///< the rank, while it is inside an MPI call
};

/// Which sends copy the user's buffer first. An eager send is then complete.
enum class SendCopy { kEager, kAlways, kNever };

/// What the host of a rank costs. Times are integer picoseconds.
struct ProcessOptions {
    std::int64_t call_overhead_ps = 0;              ///< of every MPI call except barriers, whose cost includes it
    std::int64_t eager_limit_bytes = 16384;         ///< the largest message that is sent without asking
    std::int64_t eager_overhead_ps = 0;             ///< of a call that sends eagerly, instead of the call overhead
    std::int64_t rendezvous_overhead_ps = 0;        ///< of a rendezvous send, besides the call overhead
    std::int64_t rdma_overhead_ps = 0;              ///< of a put, a get, an atomic operation and a poll
    std::int64_t memory_bandwidth_bytes_per_s = 0;  ///< of copies between user and MPI buffers; 0: they take no time
    SendCopy send_copy = SendCopy::kEager;          ///< unless the call says zero copy
    Progress progress = Progress::kNic;
    std::int32_t rendezvous_round_trips = 1;  ///< of empty messages before the data; the first asks and acknowledges
    bool sends_one_by_one = false;            ///< of a rank: a send begins when the one before it is over
    std::int64_t send_buffer_bytes = 0;       ///< of a rank's eager messages that are under way; 0: any number
    std::int64_t barrier_ps = 0;              ///< from the last arrival to the release
    std::int64_t barrier_step_ps = 0;   ///< of each of ceil(log2 ranks) steps of a hardware barrier; 0: there is none
    std::int32_t barrier_groups = 0;    ///< with hardware barriers, of each node; 0: any number
    std::int32_t nics = 1;              ///< of a node, taken in turn by the messages of a rank
    std::int32_t trunk = 1;             ///< NICs that a message is striped over
    std::int64_t trunk_from_bytes = 0;  ///< the smallest message that is
};

/// A machine's; what it does not state takes no time. Throws UnsupportedError for a progress that is not known.
ProcessOptions process_options_of(const Machine& machine);

/// Time to copy `bytes` in memory, rounded up to a picosecond; at most kLongestSimulationPs.
std::int64_t copy_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s);

}  // namespace haichi
