#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "commlog/log/call_recorder.h"
#include "commlog/log/fresh_memory.h"
#include "commlog/log/job_log.h"

namespace haichi {

/// Most requests of a rank that may be open at a time: more are a trace that never says that any is completed.
inline constexpr std::size_t kMostOpenRequests = std::size_t{1} << 20;

/// A message: as it is sent, wanted, or as it came.
struct TracedMessage {
    std::int32_t peer = kNobody;
    std::int32_t tag = 0;
    std::uint32_t communicator = 0;
    std::uint64_t bytes = 0;
};

struct TracedOperation {
    CollectiveOperation operation = CollectiveOperation::kOther;
    std::uint32_t communicator = 0;
    std::int32_t root = kNobody;
    std::uint64_t bytes = 0;
    std::uint64_t received_bytes = 0;
    bool block_sizes = false;  ///< an all-to-all whose sizes are those of one block
};

/// What another tool's trace says of one rank, while it is read in the order of the rank's calls: they go to a
/// compressed log of fixed size, and are counted. Peers are world ranks, or kOutside; communicators are indices of
/// JobLog::communicators. Times are ticks of the trace's clock.
class TracedRank {
  public:
    /// `communicators`: of another thread of the rank, whose events use the same indices.
    TracedRank(std::int32_t rank, double ticks_per_second, const std::vector<std::uint32_t>& communicators = {});

    /// The number of a function by its name, "MPI_Send".
    std::size_t function(std::string_view name);
    /// The function that what follows belongs to.
    void in_function(std::size_t function) { current_ = function; }
    /// One call of it that took so long; without times 0.
    void count_call(std::uint64_t ticks = 0);
    /// Time outside communication calls.
    void compute(std::uint64_t ticks) { recorder_.add_gap(ticks); }
    /// Between the first call and the last one.
    void set_wall_ticks(std::uint64_t ticks) { wall_ticks_ = ticks; }

    /// A blocking send or receive that is over; `flags` of CallFlags. `came.peer` kNobody: nothing is known of what an
    /// open receive got.
    void send(const TracedMessage& message, std::uint8_t flags = 0);
    void receive(const TracedMessage& came, std::uint8_t flags = 0);

    /// Posts, completed later by their request. A request that is open already is dropped: the trace did not say what
    /// became of it. Returns false where nothing is posted: the tables are full of open requests.
    [[nodiscard]] bool start_send(std::uint64_t request, const TracedMessage& message, std::uint8_t flags = 0);
    /// `wanted.bytes` counts as received if completion does not state how much it was.
    [[nodiscard]] bool start_receive(std::uint64_t request, const TracedMessage& wanted, std::uint8_t flags = 0);

    void collective(const TracedOperation& operation);
    [[nodiscard]] bool start_collective(std::uint64_t request, const TracedOperation& operation);

    /// The request is completed, or for a send and a collective operation simply over. `came`: what a receive got, peer
    /// kNobody when it is not stated. False for a request that is not open.
    bool complete(std::uint64_t request, const TracedMessage& came = {}, bool bytes_known = false);
    /// Freed or cancelled: what becomes of it is not known. False for a request that is not open.
    bool forget(std::uint64_t request) { return open_.erase(request) != 0; }
    [[nodiscard]] bool is_open(std::uint64_t request) const { return open_.contains(request); }
    [[nodiscard]] std::size_t open_count() const { return open_.size(); }

    /// All that is known, and frees the memory. Throws InputError, naming `place`, when the tables ran over.
    RankLog finish(const std::string& place);

  private:
    struct Function {
        std::string name;
        FunctionCounters counters{};
    };
    struct OpenRequest {
        std::uint64_t number = 0;
        std::uint32_t event = 0;
        std::uint32_t function = 0;
        std::uint8_t flags = 0;
        bool receives = false;
        TracedMessage wanted;
    };

    std::uint32_t local_communicator(std::uint32_t communicator);
    bool open(std::uint64_t request, const OpenRequest& opened);
    void count_sent(const TracedMessage& message);
    void count_received(std::size_t function, const TracedMessage& came);
    PeerCounters* peer(std::int32_t rank, std::uint64_t bytes);

    std::int32_t rank_;
    double ticks_per_second_;
    FreshMemory memory_;
    CallRecorder recorder_;
    std::vector<Function> functions_;
    std::unordered_map<std::string, std::size_t> function_of_name_;
    std::size_t current_ = 0;
    std::unordered_map<std::uint64_t, OpenRequest> open_;
    std::unordered_map<std::int32_t, PeerCounters> peers_;
    std::uint64_t lost_messages_ = 0, lost_bytes_ = 0;
    std::uint64_t wall_ticks_ = 0;
    std::vector<std::uint32_t> communicators_;  ///< of the events' index: index in JobLog::communicators
    std::unordered_map<std::uint32_t, std::uint32_t> local_;
};

}  // namespace haichi
