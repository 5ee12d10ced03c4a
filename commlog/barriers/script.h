#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/log/call_log_memory.h"

namespace haichi::barriers {

/// The calls of a rank in order, and the barriers between them. `haichi advise barrier` writes scripts, and
/// libhaichi-barriers follows them.

/// A call that sends, receives or is collective, in the form that a program and its log have in common.
struct Post {
    std::uint32_t call = 0;     ///< value of call_of()
    std::int32_t peer = -1;     ///< the other rank, or the root, in MPI_COMM_WORLD; -1 for any rank or none
    std::int32_t tag = -1;      ///< -1 for any tag or none
    std::uint32_t members = 0;  ///< members_hash() of the call's communicator
    bool has_any_tag = false;   ///< only in a script: the tag changes during the run, so every tag matches

    [[nodiscard]] bool matches(const Post& made) const {
        return call == made.call && peer == made.peer && members == made.members && (has_any_tag || tag == made.tag);
    }
};

/// Returns the number that identifies a kind of call. `operation` is used only for collectives.
std::uint32_t call_of(CallKind kind, std::uint8_t flags, CollectiveOperation operation = CollectiveOperation::kBarrier);

/// Returns a hash that identifies a communicator by its members, given as ranks in MPI_COMM_WORLD in rank order. The
/// result is 0 if the members are all `ranks` ranks in the order of MPI_COMM_WORLD.
std::uint32_t members_hash(std::span<const std::int32_t> members, std::int32_t ranks);

/// Returns a post as text without blanks: "isend3/7" means peer 3 and tag 7. "*" means any peer or tag, and "?" a tag
/// that changes. The communicator follows, as in "allreduce@1f".
std::string post_text(const Post& post);

enum class StepKind : std::uint8_t {
    kPost,
    kBarrier,        ///< a barrier before the next post
    kBarrierAtWait,  ///< a barrier before the next post, wait or test
    kLoop,           ///< the beginning of a loop that ends at its kEndLoop
    kEndLoop,
};

struct Step {
    StepKind kind = StepKind::kPost;
    Post post{};
    std::uint64_t repetitions = 0;  ///< only for kLoop and kEndLoop
    std::size_t other = 0;          ///< index of the loop's kEndLoop for kLoop, and of its kLoop for kEndLoop
    bool has_barriers = false;      ///< only for kLoop and kEndLoop: true if the loop contains a barrier
};

inline constexpr std::string_view kBarrierWord = "|";
inline constexpr std::string_view kBarrierAtWaitWord = "|w";

/// Maximum nesting depth of loops.
inline constexpr std::size_t kMostNested = 8;

/// Parses the script of one rank, which consists of words separated by blanks. The words "12(" and ")" enclose a loop
/// of 12 iterations. Throws InputError that names `place`.
std::vector<Step> parse_script(std::string_view text, const std::string& place);

/// Returns the number of barriers in a run of these steps.
std::uint64_t barrier_count(std::span<const Step> steps);

/// The barriers of a job, as scripts of all its ranks.
struct BarrierFile {
    std::int32_t ranks = 0;
    std::vector<std::size_t> sets;     ///< sets that barriers precede, numbered from 0
    std::int64_t barriers = 0;         ///< number of barriers in the whole run
    std::vector<std::string> scripts;  ///< by rank
};

/// Returns the text of the file, in the format haichi-barriers/1.
std::string barrier_file_text(const BarrierFile& file);
/// `name` is the name of the file in messages. Throws InputError that states file and line.
BarrierFile parse_barrier_file(std::string_view text, const std::string& name);

}  // namespace haichi::barriers
