#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/log/call_log_memory.h"

namespace haichi::barriers {

/// The calls of a rank in order, with barriers between them. `haichi advise barrier` writes it, and libhaichi-barriers
/// follows it.

/// A call that sends, receives or is collective, as a program and its log state it.
struct Post {
    std::uint32_t call = 0;     ///< see call_of()
    std::int32_t peer = -1;     ///< other rank or root in MPI_COMM_WORLD, or -1 for any or none
    std::int32_t tag = -1;      ///< or -1 for any or none
    std::uint32_t members = 0;  ///< members_hash() of its communicator
    bool has_any_tag = false;   ///< in a script: the tags change, and every tag matches

    [[nodiscard]] bool matches(const Post& made) const {
        return call == made.call && peer == made.peer && members == made.members && (has_any_tag || tag == made.tag);
    }
};

/// The number of a call. `operation` is used for collectives only.
std::uint32_t call_of(CallKind kind, std::uint8_t flags, CollectiveOperation operation = CollectiveOperation::kBarrier);

/// Identifies a communicator by its members in rank order, as ranks in MPI_COMM_WORLD. 0 if they are all `ranks` ranks
/// in the order of MPI_COMM_WORLD.
std::uint32_t members_hash(std::span<const std::int32_t> members, std::int32_t ranks);

/// Returns "isend 3/7", without the blank: peer 3, tag 7. "*" is any peer or tag, "?" a tag that changes. A
/// communicator follows as in "allreduce@1f".
std::string post_text(const Post& post);

enum class StepKind : std::uint8_t {
    kPost,
    kBarrier,        ///< before the next post
    kBarrierAtWait,  ///< before the next post, wait or test
    kLoop,           ///< the steps up to its kEndLoop are repeated
    kEndLoop,
};

struct Step {
    StepKind kind = StepKind::kPost;
    Post post{};
    std::uint64_t repetitions = 0;  ///< kLoop, kEndLoop
    std::size_t other = 0;          ///< kLoop: its kEndLoop, and vice versa
    bool has_barriers = false;      ///< kLoop, kEndLoop: whether a barrier is in the loop
};

inline constexpr std::string_view kBarrierWord = "|";
inline constexpr std::string_view kBarrierAtWaitWord = "|w";

/// Maximum nesting depth of loops.
inline constexpr std::size_t kMostNested = 8;

/// Reads one rank's script: words with blanks between them. "12(" and ")" enclose a loop. Throws InputError with
/// `place`.
std::vector<Step> parse_script(std::string_view text, const std::string& place);

/// The number of barriers in a run of these steps.
std::uint64_t barrier_count(std::span<const Step> steps);

/// Barriers for a job.
struct BarrierFile {
    std::int32_t ranks = 0;
    std::vector<std::size_t> sets;     ///< the sets before which they are, from 0
    std::int64_t barriers = 0;         ///< in the whole run
    std::vector<std::string> scripts;  ///< by rank
};

/// Format haichi-barriers/1.
std::string barrier_file_text(const BarrierFile& file);
/// `name` is the file's name for messages. Throws InputError with file and line.
BarrierFile parse_barrier_file(std::string_view text, const std::string& name);

}  // namespace haichi::barriers
