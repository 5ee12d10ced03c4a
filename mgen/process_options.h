#pragma once

#include <cstdint>

#include "netmodel/machine/machine.h"
#include "netmodel/packetsim/packet_timing.h"

namespace haichi {

/// The component that answers a rendezvous request and sends the data once it is acknowledged.
enum class Progress {
    kNic,    ///< the NIC, at once
    kCalls,  ///< the rank, while it is inside an MPI call
};

/// Selects the sends that first copy the user's buffer. An eager send is complete after the copy.
enum class SendCopy { kEager, kAlways, kNever };

/// CPU overheads and protocols of a rank. Times are integer picoseconds.
struct ProcessOptions {
    std::int64_t call_overhead_ps = 0;              ///< per MPI call except barriers, whose cost includes it
    std::int64_t eager_limit_bytes = 16384;         ///< the largest message that is sent eagerly
    std::int64_t eager_overhead_ps = 0;             ///< per call that sends eagerly, instead of the call overhead
    std::int64_t rendezvous_overhead_ps = 0;        ///< per rendezvous send, in addition to the call overhead
    std::int64_t rdma_overhead_ps = 0;              ///< per put, get, atomic operation and poll
    std::int64_t memory_bandwidth_bytes_per_s = 0;  ///< between user and MPI buffers; 0 if copies take no time
    SendCopy send_copy = SendCopy::kEager;          ///< unless the call requests zero copy
    Progress progress = Progress::kNic;
    /// Round trips before the data, including the one of the request and its acknowledgement.
    std::int32_t rendezvous_round_trips = 1;
    bool sends_one_by_one = false;       ///< a rank's send begins when its previous send has ended
    std::int64_t send_buffer_bytes = 0;  ///< limit for a rank's eager messages in flight; 0 if unlimited
    std::int64_t barrier_ps = 0;         ///< from the last arrival to the release
    std::int64_t barrier_step_ps = 0;    ///< per step of ceil(log2 ranks) in a hardware barrier; 0 if there is none
    std::int32_t barrier_groups = 0;     ///< hardware barrier groups per node; 0 if unlimited
    std::int32_t nics = 1;               ///< per node, used in turn by the messages of a rank
    std::int32_t trunk = 1;              ///< number of NICs that a message is striped over
    std::int64_t trunk_from_bytes = 0;   ///< the smallest message that is striped
};

/// The options of a machine; unspecified times are 0. Throws UnsupportedError for an unknown kind of progress.
ProcessOptions process_options_of(const Machine& machine);

/// Time to copy `bytes` in memory, rounded up to a picosecond; at most kLongestSimulationPs.
std::int64_t copy_ps(std::int64_t bytes, std::int64_t bandwidth_bytes_per_s);

}  // namespace haichi
