#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "commlog/barriers/calls.h"

namespace haichi::barriers {

/// Compares the posts of a call with the script, and waits in the barriers that precede the call. If a barrier precedes
/// a later post, the call must be divided: `before_barrier` then begins all earlier posts.
void before_call(std::span<const Post> posts, const std::function<void(std::size_t)>& before_barrier = {});
/// Returns true if this process follows its script and inserts barriers.
bool is_following();
/// Ends the insertion of barriers in all processes. `reason` is reported to the user.
void stop_following(const std::string& reason);

/// The members of a communicator, as ranks in MPI_COMM_WORLD.
struct Members {
    MPI_Comm comm{};
    std::uint32_t hash = 0;
    bool is_known = false;  ///< false for an intercommunicator
    std::vector<std::int32_t> ranks;
};
const Members& members_of(MPI_Comm comm);
/// Discards the members of a communicator that is about to be freed.
void forget_members(MPI_Comm comm);

}  // namespace haichi::barriers
