#pragma once

// Making communicators. Each function is called by the ranks that MPI says, in the same order, and waits for them all;
// it gives the rank's part in the new communicator, null where the rank has none. All ranks share what is made.

#include <optional>
#include <string_view>

#include "mgen/mpi/process.h"

namespace haichi::mpi {

MembershipRef duplicate(Process& process, const MembershipRef& of);

/// A duplicate that may be used when the request is complete.
struct BegunDuplicate {
    MembershipRef made;
    Request* request;
};
BegunDuplicate begin_duplicate(Process& process, const MembershipRef& of);

/// Of the ranks of each group, which must not overlap; between the two groups of an inter-communicator.
MembershipRef create(Process& process, const MembershipRef& of, const GroupRef& group);
/// Called by the members of the group only.
MembershipRef create_group(Process& process, const MembershipRef& of, const GroupRef& group, int tag);
/// Those with the same colour, in the order of keys; nullopt: in none.
MembershipRef split(Process& process, const MembershipRef& of, std::optional<int> color, int key);

/// Both sides of an inter-communicator as one, the high side last.
MembershipRef merge(Process& process, const MembershipRef& of, bool is_high);

struct Connection {
    MembershipRef local;
    int local_leader = 0;
    // Where the rank is the leader:
    MembershipRef peer{};   ///< in which the leaders know each other
    int remote_leader = 0;  ///< in `peer`
    int tag = 0;
};
/// An inter-communicator.
MembershipRef connect(Process& process, const Connection& connection);

// Without a communicator that all are members of: the name tells apart what is made at the same time.
MembershipRef create_from_group(Process& process, const GroupRef& group, std::string_view name);
struct GroupConnection {
    GroupRef local;
    int local_leader = 0;
    GroupRef remote{};  ///< where the rank is the leader
    int remote_leader = 0;
    std::string_view name;
};
MembershipRef connect_groups(Process& process, const GroupConnection& connection);

}  // namespace haichi::mpi
