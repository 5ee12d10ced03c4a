#pragma once

#include <cstdint>

namespace haichi {

/// The log of one thread's communication calls, compressed while it is written: a dictionary of different events, loops
/// over them, and what is left between the loops. All of it has a fixed size, holds no pointers and starts as zero
/// bytes, so that a profiler can keep it in a mapped file that outlives its process. CallRecorder writes it,
/// encode_calls() and decode_calls() (rank_bytes.h) read it.

/// What an event is. A call may be several: a blocking send is kSend, MPI_Sendrecv is kReceive, kSend, kComplete.
enum class CallKind : std::uint8_t {
    kSend = 1,        ///< a send is posted; with kBlocking also waited for
    kReceive = 2,     ///< a receive is posted; with kBlocking also waited for
    kComplete = 3,    ///< requests are found completed, by one call or by several with no other event between them
    kCollective = 4,  ///< an operation of a communicator; without kBlocking its request is completed later
    /// Blocking receives from any source in a row, of one communicator and tag, with the sources that came in ascending
    /// order: which came first is an accident.
    kReceiveAny = 5,
};

enum CallFlags : std::uint8_t {
    kBlocking = 1,
    kSynchronous = 2,    ///< the send completes only when it is received
    kAnySource = 4,      ///< a receive: what came is said where it is completed
    kAnyTag = 8,         ///< likewise
    kVariableSize = 16,  ///< stands for events that differ only in their sizes, which are from `bytes` on
    kBlockSize = 32,     ///< kAlltoall: `bytes` is one block, for one member; else what the rank contributes in all
    /// Stands for events that differ only in their tags (of kComplete and kReceiveAny in those that came): they are not
    /// known, and 0. Messages of the pair of ranks are matched in their order alone (see UntaggedPairs).
    kVariableTag = 64
};

/// Collective operations, whatever library they come from; kOther synchronises nothing that is known of. Writers that
/// do not tell one block size for all members (MPI_Gather) from several (MPI_Gatherv) take the first.
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
    kNeighbor,  ///< neighbourhood collectives, all of them
    kOther,     ///< what creates or frees communicators, windows and files, and the like: a barrier
    kGatherv,
    kScatterv,
    kAllgatherv,
    kAlltoallv,
    kAlltoallw,
    kReduceScatterBlock,
    kExscan,
    kCount
};

/// EventKey::tag of a collective: on what its messages depend beside sizes. The lower bits are the size of an item of
/// the type that is communicated; 0: not known.
enum CollectiveDetail : std::int32_t {
    kItemBytes = (1 << 24) - 1,
    kOrderedReduction = 1 << 24,  ///< the operation does not commute
    kUserDefined = 1 << 25,       ///< the operation is the program's
    kInPlace = 1 << 26,           ///< of an all-to-all
};

/// EventKey::tag of kOther: what members tell each other.
enum class OtherDetail : std::int32_t {
    kUnknown = 0,
    kAgrees,    ///< on a new communicator
    kSplits,    ///< the same, after each has told its colour and key
    kTellsNone  ///< a communicator is freed
};

inline constexpr std::int32_t kNobody = -1;   ///< no peer: MPI_PROC_NULL, or no root
inline constexpr std::int32_t kOutside = -2;  ///< a process that is not in MPI_COMM_WORLD

inline constexpr std::uint32_t kMostEvents = 1U << 14;       ///< different events
inline constexpr std::uint32_t kMostLoops = 1U << 13;        ///< different (body, repetitions)
inline constexpr std::uint32_t kMostBodySymbols = 1U << 16;  ///< of all loop bodies
inline constexpr std::uint32_t kMostCompletions = 1U << 17;  ///< entries of all lists
inline constexpr std::uint32_t kMostOpen = 1U << 14;         ///< entries of the list that is being made
inline constexpr std::uint32_t kMostTop = 1U << 15;          ///< symbols of the compressed log
inline constexpr std::uint32_t kLevels = 4;                  ///< of loops in loops
inline constexpr std::uint32_t kWindow = 1U << 14;           ///< symbols in which a level looks for repetitions
/// Stands for the events that the dictionary has no room for; the last one, never entered.
inline constexpr std::uint32_t kLostEvent = kMostEvents - 1;
/// More different sizes than this of what is otherwise the same event, and they are taken together, in groups that lie
/// far apart; likewise tags, and sizes with tags. An eighth of it when half of the dictionary is full.
inline constexpr std::uint32_t kMostSizes = 16;
inline constexpr std::uint32_t kMostTags = 32;
inline constexpr std::uint32_t kMostVariants = 256;
inline constexpr std::uint32_t kMostSizeGroups = 4;

/// An event, or (from kLoopSymbol on) a loop.
using Symbol = std::uint32_t;
inline constexpr Symbol kLoopSymbol = 1U << 24;
inline constexpr std::uint32_t kMostSymbols = kMostEvents + kMostLoops;

/// What makes two events one.
struct EventKey {
    CallKind kind;
    std::uint8_t flags;       ///< CallFlags
    std::uint16_t operation;  ///< CollectiveOperation
    std::int32_t peer;        ///< world rank; the root of a collective, else kNobody
    std::int32_t tag;  ///< 0 where kAnyTag or kVariableTag is set; of a collective its CollectiveDetail or OtherDetail
    std::uint32_t communicator;            ///< index of the definition in the rank's table
    std::uint64_t bytes;                   ///< of a send; what the rank contributes to a collective
    std::uint64_t received_bytes_or_list;  ///< of a collective; kComplete, kReceiveAny: hash of the list
};
static_assert(sizeof(EventKey) == 32);

/// An event and what is known of all its occurrences. Ticks are of the writer's clock.
struct LoggedEvent {
    EventKey key;
    std::uint64_t count;
    std::uint64_t bytes_total, bytes_min, bytes_max;  ///< kVariableSize: of the occurrences
    std::uint64_t gap_total, gap_min, gap_max;        ///< ticks outside communication calls before it
    std::uint32_t first_completion, completions;      ///< the list of kComplete and kReceiveAny
    std::uint32_t joined;                             ///< the event that stands for it, + 1; 0: itself
    std::uint32_t next;                               ///< one of the same signature, + 1; 0: the last
};
static_assert(sizeof(LoggedEvent) == 104);

/// A request found completed: that of the `distance`-th post before, 1 the last one. Posts are kSend, kReceive and
/// kCollective without kBlocking. What came, where the receive left it open, else kNobody and 0; the tag is that of the
/// post where that states one. In kReceiveAny the distance is 0.
struct Completion {
    std::uint32_t distance;
    std::int32_t source;
    std::int32_t tag;
    std::uint32_t event;  ///< of the post: says its communicator; 0 in kReceiveAny
};

/// A loop body and all its repetitions, wherever they are.
struct LoopBody {
    std::uint64_t hash;
    std::uint64_t repetitions;  ///< in all loops over it that have ended
    std::uint32_t first, length;
};

struct Loop {
    std::uint32_t body;
    std::uint32_t unused;
    std::uint64_t repetitions;
};

/// Where one level of loops stands. Symbols that may still turn out to begin a loop wait in `pending`.
struct LoopLevel {
    std::uint32_t size;     ///< of pending; in a loop the body's length
    std::uint32_t period;   ///< that is being looked at; in a loop its own; 0: none
    std::uint32_t matched;  ///< symbols in a row that are equal to the one a period before
    std::uint32_t in_loop;  ///< 1: pending is the body, `position` the next symbol of it
    std::uint32_t position;
    std::uint32_t base;  ///< number of pending[0], counted from the beginning, modulo 2^32
    std::uint64_t repetitions;
    Symbol pending[kWindow];
    std::uint32_t last[kMostSymbols];  ///< number of its last occurrence + 1
};

/// Entries of a table of hashes; 0: free.
struct HashSlot {
    std::uint64_t hash;
    std::uint32_t index;  ///< of a signature: its newest event, + 1
};

struct CallLogMemory {
    std::uint32_t event_count, body_count, loop_count, unused3;
    std::uint32_t body_symbols, completion_count, top_count, open_count;
    std::uint64_t posts;             ///< made so far; the number of the last one
    std::uint64_t lost_events;       ///< different events without room in the dictionary
    std::uint64_t lost_symbols;      ///< of the compressed log, without room at its end
    std::uint64_t lost_completions;  ///< without room in a list
    std::uint64_t gap;               ///< ticks outside calls since the last event
    CallKind open_kind;              ///< of the list that is being made; 0: none
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
