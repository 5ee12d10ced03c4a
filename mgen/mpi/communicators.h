#pragma once

// Creation of communicators. Each function is called by the ranks that MPI specifies, in the same order, and waits for
// all of them. It returns the rank's membership in the new communicator, or null if the rank is not in it. All ranks
// share the new communicator.

#include <optional>
#include <string_view>

#include "mgen/mpi/process.h"

namespace haichi::mpi {

MembershipRef duplicate(Process& process, const MembershipRef& of);

/// A duplicate that may be used once the request is complete.
struct BegunDuplicate {
    MembershipRef made;
    Request* request;
};
BegunDuplicate begin_duplicate(Process& process, const MembershipRef& of);

/// Makes a communicator for each group; the groups must not overlap. On an inter-communicator, connects the two groups.
MembershipRef create(Process& process, const MembershipRef& of, const GroupRef& group);
/// Called only by the ranks in the group.
MembershipRef create_group(Process& process, const MembershipRef& of, const GroupRef& group, int tag);
/// Groups ranks by colour, ordered by key. A rank without a colour is in no communicator.
MembershipRef split(Process& process, const MembershipRef& of, std::optional<int> color, int key);

/// Joins both sides of an inter-communicator, the high side last.
MembershipRef merge(Process& process, const MembershipRef& of, bool is_high);

struct Connection {
    MembershipRef local;
    int local_leader = 0;
    // Used only at the leader:
    MembershipRef peer{};   ///< contains both leaders
    int remote_leader = 0;  ///< in `peer`
    int tag = 0;
};
/// Makes an inter-communicator.
MembershipRef connect(Process& process, const Connection& connection);

// These functions need no communicator that contains all ranks. The name distinguishes communicators made at the same
// time.
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
