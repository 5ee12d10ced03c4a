#pragma once

#include <cstdint>

namespace haichi {

/// The compressed log of one thread's communication calls; compression happens while the log is written. It consists of
/// a dictionary of distinct events, loops over these events, and the events between the loops. All parts have a fixed
/// size, hold no pointers and start as zero bytes. A profiler can therefore keep the log in a mapped file that outlives
/// the process. CallRecorder writes the log, and read_calls() reads it.

/// The kind of an event. A blocking send makes one event, kSend; MPI_Sendrecv makes kReceive, kSend and kComplete.
enum class CallKind : std::uint8_t {
    kSend = 1,     ///< a send is posted; with kBlocking the call also waits for it
    kReceive = 2,  ///< a receive is posted; with kBlocking the call also waits for it
    /// Requests are completed, by one call or by consecutive calls without another event between them.
    kComplete = 3,
    kCollective = 4,  ///< an operation of a communicator; without kBlocking, another event completes its request
    /// Consecutive blocking receives from any source, with the same communicator and tag. The sources are listed in
    /// ascending order, because the order of arrival is random.
    kReceiveAny = 5,
};

enum CallFlags : std::uint8_t {
    kBlocking = 1,
    kSynchronous = 2,    ///< the send completes only when its message is received
    kAnySource = 4,      ///< a receive from any source; its completion states the actual source
    kAnyTag = 8,         ///< a receive of any tag; its completion states the actual tag
    kVariableSize = 16,  ///< represents events that differ only in size; `bytes` is a lower bound of their sizes
    kBlockSize = 32,     ///< only for kAlltoall: `bytes` is the block for one member, not the rank's whole contribution
    /// Represents events that differ only in tag; for kComplete and kReceiveAny, in the tags received. The tags are
    /// unknown, and the tag field is 0. Messages of such a pair of ranks are matched by order alone (see
    /// UntaggedPairs).
    kVariableTag = 64
};

/// Collective operations, independent of the communication library. Writers that cannot distinguish equal block sizes
/// (MPI_Gather) from different ones (MPI_Gatherv) use the former.
enum class CollectiveOperation : std::uint16_t {
    kBarrier = 0,
    kBroadcast,
    kReduce,
    kAllreduce,
    kGather,
    kAllgather,
    kScatter,
    kAlltoall,
    kReduceScatter,
    kScan,
    kNeighbor,  ///< all neighbourhood collectives
    /// Treated as barriers: operations that create or free communicators, windows, files and similar objects.
    kOther,
    kGatherv,
    kScatterv,
    kAllgatherv,
    kAlltoallv,
    kAlltoallw,
    kReduceScatterBlock,
    kExscan,
    kCount
};

/// EventKey::tag of a collective: the properties besides sizes that determine its messages. The lower bits are the size
/// of one item of the data type; 0 if unknown.
enum CollectiveDetail : std::int32_t {
    kItemBytes = (1 << 24) - 1,
    kOrderedReduction = 1 << 24,  ///< the operation does not commute
    kUserDefined = 1 << 25,       ///< the program defines the operation
    kInPlace = 1 << 26,           ///< an in-place all-to-all
};

/// EventKey::tag of kOther: the kind of data that the members exchange.
enum class OtherDetail : std::int32_t {
    kUnknown = 0,
    kAgrees,    ///< the members agree on a new communicator
    kSplits,    ///< like kAgrees, after each member has sent its colour and key
    kTellsNone  ///< no data is exchanged, because a communicator is freed
};

inline constexpr std::int32_t kNobody = -1;   ///< no peer: MPI_PROC_NULL, or no root
inline constexpr std::int32_t kOutside = -2;  ///< a process that is not in MPI_COMM_WORLD

inline constexpr std::uint32_t kMostEvents = 1U << 14;       ///< distinct events
inline constexpr std::uint32_t kMostLoops = 1U << 13;        ///< distinct pairs of loop body and number of iterations
inline constexpr std::uint32_t kMostBodySymbols = 1U << 16;  ///< symbols of all loop bodies together
inline constexpr std::uint32_t kMostCompletions = 1U << 17;  ///< entries of all completion lists together
inline constexpr std::uint32_t kMostOpen = 1U << 14;         ///< entries of the list under construction
inline constexpr std::uint32_t kMostTop = 1U << 15;          ///< symbols of the compressed log
inline constexpr std::uint32_t kLevels = 4;                  ///< levels of nested loops
/// Number of symbols within which a level searches for loops.
inline constexpr std::uint32_t kWindow = 1U << 14;
/// Represents all events that did not fit in the dictionary. It is the last index, which no event in the dictionary
/// uses.
inline constexpr std::uint32_t kLostEvent = kMostEvents - 1;
/// If otherwise equal events have more distinct sizes than this, they are merged into groups of sizes that are far
/// apart. Events with more distinct tags, or distinct combinations of size and tag, are merged in the same way. Once
/// half of the dictionary is full, the limits are an eighth of these values.
inline constexpr std::uint32_t kMostSizes = 16;
inline constexpr std::uint32_t kMostTags = 32;
inline constexpr std::uint32_t kMostVariants = 256;
inline constexpr std::uint32_t kMostSizeGroups = 4;

/// The index of an event or, from kLoopSymbol on, of a loop.
using Symbol = std::uint32_t;
inline constexpr Symbol kLoopSymbol = 1U << 24;
inline constexpr std::uint32_t kMostSymbols = kMostEvents + kMostLoops;

/// The identity of an event: all occurrences with equal keys are the same event.
struct EventKey {
    CallKind kind;
    std::uint8_t flags;       ///< CallFlags
    std::uint16_t operation;  ///< CollectiveOperation
    std::int32_t peer;        ///< peer or root, as its rank in MPI_COMM_WORLD, or kNobody
    std::int32_t tag;  ///< 0 if kAnyTag or kVariableTag is set; for a collective its CollectiveDetail or OtherDetail
    std::uint32_t communicator;  ///< index in the rank's table of communicators
    std::uint64_t bytes;         ///< size of a sent message, or the rank's contribution to a collective
    /// Result size of a collective; for kComplete and kReceiveAny, a hash of the list.
    std::uint64_t received_bytes_or_list;
};
static_assert(sizeof(EventKey) == 32);

/// An event, with sums over all its occurrences. Times are in ticks of the writer's clock.
struct LoggedEvent {
    EventKey key;
    std::uint64_t count;
    /// Sizes of all occurrences; these differ only with kVariableSize.
    std::uint64_t bytes_total, bytes_min, bytes_max;
    std::uint64_t gap_total, gap_min, gap_max;  ///< ticks outside communication calls before the event
    /// For kComplete and kReceiveAny, position and length of the list of completions.
    std::uint32_t first_completion, completions;
    std::uint32_t joined;  ///< 1 + index of the event that represents this one; 0 if the event represents itself
    std::uint32_t next;    ///< 1 + index of the next event with the same signature; 0 at the end
};
static_assert(sizeof(LoggedEvent) == 104);

/// A completed request. `distance` counts posts backwards: 1 is the most recent post. Posts are kSend, kReceive and
/// kCollective without kBlocking; in kReceiveAny, `distance` is 0. For a receive from any source or of any tag,
/// `source` and `tag` are those of the received message. For other requests, they are kNobody and 0.
struct Completion {
    std::uint32_t distance;
    std::int32_t source;
    std::int32_t tag;
    std::uint32_t event;  ///< index of the post's event, which has the communicator; 0 in kReceiveAny
};

/// A loop body, with its iterations summed over the whole log.
struct LoopBody {
    std::uint64_t hash;
    std::uint64_t repetitions;  ///< number of iterations of all finished loops over this body
    std::uint32_t first, length;
};

struct Loop {
    std::uint32_t body;
    std::uint32_t unused;
    std::uint64_t repetitions;
};

/// The state of one level of loops. `pending` holds the symbols with which a loop may still begin.
struct LoopLevel {
    std::uint32_t size;     ///< length of `pending`; within a loop, length of the body
    std::uint32_t period;   ///< the period that is tested, or the period of the loop; 0 if none
    std::uint32_t matched;  ///< number of consecutive symbols that equal the symbol one period earlier
    /// 1 within a loop: `pending` is then the body, and `position` the index of its next symbol.
    std::uint32_t in_loop;
    std::uint32_t position;
    std::uint32_t base;  ///< number of symbols before pending[0] since the beginning, modulo 2^32
    std::uint64_t repetitions;
    Symbol pending[kWindow];
    std::uint32_t last[kMostSymbols];  ///< 1 + position of each symbol's last occurrence
};

/// An entry of a hash table; it is free if `hash` is 0.
struct HashSlot {
    std::uint64_t hash;
    std::uint32_t index;  ///< in the table of signatures, 1 + index of the newest event
};

struct CallLogMemory {
    std::uint32_t event_count, body_count, loop_count, unused3;
    std::uint32_t body_symbols, completion_count, top_count, open_count;
    std::uint64_t posts;             ///< number of posts so far, which is also the ID of the last post
    std::uint64_t lost_events;       ///< distinct events that did not fit in the dictionary
    std::uint64_t lost_symbols;      ///< symbols that did not fit at the end of the compressed log
    std::uint64_t lost_completions;  ///< completions that did not fit in a list
    std::uint64_t gap;               ///< ticks outside communication calls since the last event
    CallKind open_kind;              ///< kind of the list that is being built; 0 if there is none
    std::uint8_t open_flags;
    std::uint16_t unused;
    std::int32_t open_tag;
    std::uint32_t open_communicator;
    std::uint32_t unused2;
    std::uint64_t open_hash;
    std::uint64_t open_gap;
    HashSlot event_table[2 * kMostEvents];
    HashSlot signature_table[2 * kMostEvents];
    HashSlot body_table[2 * kMostLoops];
    HashSlot loop_table[2 * kMostLoops];
    LoggedEvent events[kMostEvents];
    LoopBody bodies[kMostLoops];
    Loop loops[kMostLoops];
    Symbol body[kMostBodySymbols];
    Completion completions[kMostCompletions];
    Completion open[kMostOpen];
    LoopLevel levels[kLevels];
    Symbol top[kMostTop];
};

}  // namespace haichi
