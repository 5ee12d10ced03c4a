#pragma once

#include <cstdint>

namespace haichi {

/// The log of one thread's communication calls, compressed while it is written. It consists of a dictionary of
/// different events, loops over them, and the events between the loops. All parts have a fixed size, hold no pointers
/// and start as zero bytes. So a profiler can keep them in a mapped file that outlives its process. CallRecorder writes
/// the log, and read_calls() reads it.

/// The kind of an event. A blocking send makes one event, kSend; MPI_Sendrecv makes kReceive, kSend and kComplete.
enum class CallKind : std::uint8_t {
    kSend = 1,        ///< a send is posted; with kBlocking the call also waits for it
    kReceive = 2,     ///< a receive is posted; with kBlocking the call also waits for it
    kComplete = 3,    ///< requests are completed, by one call or by several calls without another event between them
    kCollective = 4,  ///< an operation of a communicator; without kBlocking its request is completed later
    /// Consecutive blocking receives from any source with the same communicator and tag. Their sources are listed in
    /// ascending order, because the order of arrival is accidental.
    kReceiveAny = 5,
};

enum CallFlags : std::uint8_t {
    kBlocking = 1,
    kSynchronous = 2,    ///< the send completes only when its message is received
    kAnySource = 4,      ///< a receive from any source: its completion states the source
    kAnyTag = 8,         ///< a receive of any tag: its completion states the tag
    kVariableSize = 16,  ///< represents events that differ only in their sizes, which are at least `bytes`
    kBlockSize = 32,     ///< kAlltoall only; `bytes` is the block for one member, not the rank's whole contribution
    /// Represents events that differ only in their tags (kComplete and kReceiveAny: in the received tags). The tags are
    /// unknown, and the field is 0. Messages of this pair of ranks are matched by order alone (see UntaggedPairs).
    kVariableTag = 64
};

/// Collective operations of any library. Writers that cannot distinguish one block size for all members (MPI_Gather)
/// from several sizes (MPI_Gatherv) use the first.
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
    kOther,     ///< barriers: operations that create or free communicators, windows, files and the like
    kGatherv,
    kScatterv,
    kAllgatherv,
    kAlltoallv,
    kAlltoallw,
    kReduceScatterBlock,
    kExscan,
    kCount
};

/// EventKey::tag of a collective: the properties other than sizes on which its messages depend. The lower bits are the
/// size of an item of the communicated type; 0 means unknown.
enum CollectiveDetail : std::int32_t {
    kItemBytes = (1 << 24) - 1,
    kOrderedReduction = 1 << 24,  ///< the operation does not commute
    kUserDefined = 1 << 25,       ///< the program defines the operation
    kInPlace = 1 << 26,           ///< set for an in-place all-to-all
};

/// EventKey::tag of kOther: the data that the members exchange.
enum class OtherDetail : std::int32_t {
    kUnknown = 0,
    kAgrees,    ///< they agree on a new communicator
    kSplits,    ///< the same, after each member has sent its colour and key
    kTellsNone  ///< no data; a communicator is freed
};

inline constexpr std::int32_t kNobody = -1;   ///< no peer: MPI_PROC_NULL, or no root
inline constexpr std::int32_t kOutside = -2;  ///< a process that is not in MPI_COMM_WORLD

inline constexpr std::uint32_t kMostEvents = 1U << 14;       ///< different events
inline constexpr std::uint32_t kMostLoops = 1U << 13;        ///< different pairs of body and number of iterations
inline constexpr std::uint32_t kMostBodySymbols = 1U << 16;  ///< symbols of all loop bodies
inline constexpr std::uint32_t kMostCompletions = 1U << 17;  ///< entries of all completion lists
inline constexpr std::uint32_t kMostOpen = 1U << 14;         ///< entries of the list under construction
inline constexpr std::uint32_t kMostTop = 1U << 15;          ///< symbols of the compressed log
inline constexpr std::uint32_t kLevels = 4;                  ///< nested loop levels
inline constexpr std::uint32_t kWindow = 1U << 14;           ///< symbols in which a level searches for loops
/// Represents the events that did not fit in the dictionary. It is the last entry, which no event ever uses.
inline constexpr std::uint32_t kLostEvent = kMostEvents - 1;
/// If otherwise equal events have more different sizes than this, the sizes are merged into groups that lie far apart.
/// Tags, and sizes with tags, are merged likewise. The limits are an eighth of these once half of the dictionary is
/// full.
inline constexpr std::uint32_t kMostSizes = 16;
inline constexpr std::uint32_t kMostTags = 32;
inline constexpr std::uint32_t kMostVariants = 256;
inline constexpr std::uint32_t kMostSizeGroups = 4;

/// An event or, from kLoopSymbol on, a loop.
using Symbol = std::uint32_t;
inline constexpr Symbol kLoopSymbol = 1U << 24;
inline constexpr std::uint32_t kMostSymbols = kMostEvents + kMostLoops;

/// The identity of an event: occurrences with equal keys are one event.
struct EventKey {
    CallKind kind;
    std::uint8_t flags;       ///< CallFlags
    std::uint16_t operation;  ///< CollectiveOperation
    std::int32_t peer;        ///< peer or root, as its rank in MPI_COMM_WORLD, or kNobody
    std::int32_t tag;  ///< 0 if kAnyTag or kVariableTag is set; for a collective its CollectiveDetail or OtherDetail
    std::uint32_t communicator;            ///< index in the rank's table of communicators
    std::uint64_t bytes;                   ///< size of a sent message, or the rank's contribution to a collective
    std::uint64_t received_bytes_or_list;  ///< result of a collective, or hash of the list of kComplete and kReceiveAny
};
static_assert(sizeof(EventKey) == 32);

/// An event with the sums over all its occurrences. Times are in ticks of the writer's clock.
struct LoggedEvent {
    EventKey key;
    std::uint64_t count;
    std::uint64_t bytes_total, bytes_min, bytes_max;  ///< kVariableSize: over all occurrences
    std::uint64_t gap_total, gap_min, gap_max;        ///< ticks outside communication calls before it
    std::uint32_t first_completion, completions;      ///< position and length of the list of kComplete and kReceiveAny
    std::uint32_t joined;  ///< the event that represents this one, + 1, or 0 for the event itself
    std::uint32_t next;    ///< next event of the same signature, + 1, or 0 after the last
};
static_assert(sizeof(LoggedEvent) == 104);

/// A completed request. `distance` counts posts backwards, and 1 is the last post. Posts are kSend, kReceive and
/// kCollective without kBlocking; in kReceiveAny the distance is 0. If the receive left source or tag open, `source`
/// and `tag` are those of its message, or the tag that the post states. Otherwise they are kNobody and 0.
struct Completion {
    std::uint32_t distance;
    std::int32_t source;
    std::int32_t tag;
    std::uint32_t event;  ///< event of the post, which states the communicator; 0 in kReceiveAny
};

/// A loop body with all its iterations anywhere in the log.
struct LoopBody {
    std::uint64_t hash;
    std::uint64_t repetitions;  ///< in all finished loops over the body
    std::uint32_t first, length;
};

struct Loop {
    std::uint32_t body;
    std::uint32_t unused;
    std::uint64_t repetitions;
};

/// The state of one level of loops. `pending` holds the symbols that may still begin a loop.
struct LoopLevel {
    std::uint32_t size;     ///< length of `pending`; in a loop the length of the body
    std::uint32_t period;   ///< the period under test or of the loop, or 0 for none
    std::uint32_t matched;  ///< consecutive symbols that equal the symbol one period earlier
    std::uint32_t in_loop;  ///< 1: `pending` is the body, and `position` is its next symbol
    std::uint32_t position;
    std::uint32_t base;  ///< number of pending[0], counted from the beginning, modulo 2^32
    std::uint64_t repetitions;
    Symbol pending[kWindow];
    std::uint32_t last[kMostSymbols];  ///< number of each symbol's last occurrence, + 1
};

/// An entry of a hash table; hash 0 means free.
struct HashSlot {
    std::uint64_t hash;
    std::uint32_t index;  ///< for a signature: its newest event, + 1
};

struct CallLogMemory {
    std::uint32_t event_count, body_count, loop_count, unused3;
    std::uint32_t body_symbols, completion_count, top_count, open_count;
    std::uint64_t posts;             ///< posts so far, which is also the number of the last post
    std::uint64_t lost_events;       ///< different events that did not fit in the dictionary
    std::uint64_t lost_symbols;      ///< symbols that did not fit at the end of the compressed log
    std::uint64_t lost_completions;  ///< completions that did not fit in a list
    std::uint64_t gap;               ///< ticks outside calls since the last event
    CallKind open_kind;              ///< kind of the list under construction, or 0 for none
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
