#pragma once

// Functions that create communicators. Each function must be called by the ranks that MPI specifies, in the same order,
// and waits for all of them. It returns the rank's membership in the new communicator, or null for a rank that is not
// in the communicator. All ranks share the Communicator object.

#include <optional>
#include <string_view>

#include "mgen/mpi/process.h"

namespace haichi::mpi {

MembershipRef duplicate(Process& process, const MembershipRef& of);

/// A duplicate, which may be used once the request is complete.
struct BegunDuplicate {
    MembershipRef made;
    Request* request;
};
BegunDuplicate begin_duplicate(Process& process, const MembershipRef& of);

/// Creates a communicator for each group; the groups must not overlap. On an inter-communicator, connects the two
/// groups.
MembershipRef create(Process& process, const MembershipRef& of, const GroupRef& group);
/// Only the ranks in the group call this function.
MembershipRef create_group(Process& process, const MembershipRef& of, const GroupRef& group, int tag);
/// Groups ranks by colour and orders them by key. A rank without a colour gets no communicator.
MembershipRef split(Process& process, const MembershipRef& of, std::optional<int> color, int key);

/// Joins both sides of an inter-communicator; the high side comes last.
MembershipRef merge(Process& process, const MembershipRef& of, bool is_high);

struct Connection {
    MembershipRef local;
    int local_leader = 0;
    // Only the leader uses these members:
    MembershipRef peer{};   ///< contains both leaders
    int remote_leader = 0;  ///< rank in `peer`
    int tag = 0;
};
/// Creates an inter-communicator from two groups.
MembershipRef connect(Process& process, const Connection& connection);

// These functions need no parent communicator. The name distinguishes communicators that are created at the same time.
MembershipRef create_from_group(Process& process, const GroupRef& group, std::string_view name);
struct GroupConnection {
    GroupRef local;
    int local_leader = 0;
    GroupRef remote{};  ///< used only at the leader
    int remote_leader = 0;
    std::string_view name;
};
MembershipRef connect_groups(Process& process, const GroupConnection& connection);

}  // namespace haichi::mpi
