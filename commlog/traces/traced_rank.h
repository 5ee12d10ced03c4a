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

/// Maximum number of requests of a rank that may be open at a time. A trace with more never completes its requests.
inline constexpr std::size_t kMostOpenRequests = std::size_t{1} << 20;

/// A sent, wanted or received message.
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
    bool block_sizes = false;  ///< an all-to-all that states the sizes of one block
};

/// Converts another tool's trace of one rank, call by call in order. The calls go to a compressed log of fixed size and
/// are counted. Peers are ranks in MPI_COMM_WORLD, or kOutside; communicators are indices of JobLog::communicators.
/// Times are in ticks of the trace's clock.
class TracedRank {
  public:
    /// `communicators` are those of another thread of the rank, whose events use the same indices.
    TracedRank(std::int32_t rank, double ticks_per_second, const std::vector<std::uint32_t>& communicators = {});

    /// Returns the number of a function by its name, for example "MPI_Send".
    std::size_t function(std::string_view name);
    /// Sets the function to which the following calls belong.
    void in_function(std::size_t function) { current_ = function; }
    /// Counts one call of this function with its duration, or 0 if the trace has no times.
    void count_call(std::uint64_t ticks = 0);
    /// Adds time outside communication calls.
    void compute(std::uint64_t ticks) { recorder_.add_gap(ticks); }
    /// Sets the time between the first call and the last one.
    void set_wall_ticks(std::uint64_t ticks) { wall_ticks_ = ticks; }

    /// Records a completed blocking send or receive. `flags` are CallFlags. A `came.peer` of kNobody means that nothing
    /// is known of the message of an open receive.
    void send(const TracedMessage& message, std::uint8_t flags = 0);
    void receive(const TracedMessage& came, std::uint8_t flags = 0);

    /// Record posts, which a later call completes by their request. A request that is already open is dropped, because
    /// the trace lacks its completion. They return false without posting if the tables are full of open requests.
    [[nodiscard]] bool start_send(std::uint64_t request, const TracedMessage& message, std::uint8_t flags = 0);
    /// `wanted.bytes` counts as the received size if the completion does not state a size.
    [[nodiscard]] bool start_receive(std::uint64_t request, const TracedMessage& wanted, std::uint8_t flags = 0);

    void collective(const TracedOperation& operation);
    [[nodiscard]] bool start_collective(std::uint64_t request, const TracedOperation& operation);

    /// Counts data that a one-sided operation moved between this rank and `target`, a rank in MPI_COMM_WORLD.
    void one_sided(std::int32_t target, bool gets, std::uint64_t bytes);

    /// Completes a request. `came` is the message of a receive, with peer kNobody if it is not stated. Returns false
    /// for a request that is not open.
    bool complete(std::uint64_t request, const TracedMessage& came = {}, bool bytes_known = false);
    /// Drops a freed or cancelled request, whose fate is unknown. Returns false for a request that is not open.
    bool forget(std::uint64_t request) { return open_.erase(request) != 0; }
    [[nodiscard]] bool is_open(std::uint64_t request) const { return open_.contains(request); }
    [[nodiscard]] std::size_t open_count() const { return open_.size(); }

    /// Returns all data and frees the memory. Throws InputError naming `place` if the tables overflowed.
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
    std::unordered_map<std::int32_t, OneSidedCounters> targets_;
    std::uint64_t lost_messages_ = 0, lost_bytes_ = 0;
    std::uint64_t wall_ticks_ = 0;
    std::vector<std::uint32_t> communicators_;  ///< by the index in events: the index in JobLog::communicators
    std::unordered_map<std::uint32_t, std::uint32_t> local_;
};

}  // namespace haichi
