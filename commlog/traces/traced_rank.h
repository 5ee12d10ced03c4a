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

/// Maximum number of requests that a rank may have open at a time. A trace with more open requests evidently lacks
/// their completions.
inline constexpr std::size_t kMostOpenRequests = std::size_t{1} << 20;

/// A message: sent, received, or accepted by a posted receive.
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
    bool block_sizes = false;  ///< for an all-to-all whose sizes are those of one block
};

/// Converts one rank's trace from another tool; calls must be passed in order. The calls are counted and written to a
/// compressed log of fixed size. Peers are ranks in MPI_COMM_WORLD, or kOutside; communicators are indices of
/// JobLog::communicators. Times are in ticks of the trace's clock.
class TracedRank {
  public:
    /// `communicators` is the table of another thread of the rank, so that both threads use the same indices.
    TracedRank(std::int32_t rank, double ticks_per_second, const std::vector<std::uint32_t>& communicators = {});

    /// Returns the index of a function by its name, for example "MPI_Send".
    std::size_t function(std::string_view name);
    /// Sets the function to which the calls that follow belong.
    void in_function(std::size_t function) { current_ = function; }
    /// Counts one call of the current function with its duration, which is 0 if the trace has no times.
    void count_call(std::uint64_t ticks = 0);
    /// Adds time outside communication calls.
    void compute(std::uint64_t ticks) { recorder_.add_gap(ticks); }
    /// Sets the time between the first call and the last one.
    void set_wall_ticks(std::uint64_t ticks) { wall_ticks_ = ticks; }

    /// These record a completed blocking send or receive. `flags` is a combination of CallFlags. For a receive from any
    /// source or of any tag, a `came.peer` of kNobody means that the actual message is unknown.
    void send(const TracedMessage& message, std::uint8_t flags = 0);
    void receive(const TracedMessage& came, std::uint8_t flags = 0);

    /// These record posts; a later call completes them by `request`. If `request` is already open, its earlier post is
    /// dropped, because the trace lacks its completion. They return false, without a post, if there are too many open
    /// requests.
    [[nodiscard]] bool start_send(std::uint64_t request, const TracedMessage& message, std::uint8_t flags = 0);
    /// `wanted.bytes` is used as the received size if the completion states no size.
    [[nodiscard]] bool start_receive(std::uint64_t request, const TracedMessage& wanted, std::uint8_t flags = 0);

    void collective(const TracedOperation& operation);
    [[nodiscard]] bool start_collective(std::uint64_t request, const TracedOperation& operation);

    /// Counts data that a one-sided operation moved between this rank and rank `target` in MPI_COMM_WORLD.
    void one_sided(std::int32_t target, bool gets, std::uint64_t bytes);

    /// Completes a request. `came` is the message of a receive; its peer is kNobody if the trace does not state it.
    /// Returns false if the request is not open.
    bool complete(std::uint64_t request, const TracedMessage& came = {}, bool bytes_known = false);
    /// Drops a request that was freed or cancelled, because its outcome is unknown. Returns false if the request is not
    /// open.
    bool forget(std::uint64_t request) { return open_.erase(request) != 0; }
    [[nodiscard]] bool is_open(std::uint64_t request) const { return open_.contains(request); }
    [[nodiscard]] std::size_t open_count() const { return open_.size(); }

    /// Returns the rank's log and frees the memory. Throws InputError that names `place` if the tables overflowed.
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
    /// Maps communicator indices of events to indices in JobLog::communicators.
    std::vector<std::uint32_t> communicators_;
    std::unordered_map<std::uint32_t, std::uint32_t> local_;
};

}  // namespace haichi
