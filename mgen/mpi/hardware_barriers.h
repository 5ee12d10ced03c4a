#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/mpi/communicator.h"

namespace haichi::mpi {

/// Assigns groups of the machine's barrier network to communicators. A communicator gets a group if it requests one
/// while all of its nodes have one left. The machine limits the groups per node (Host::Setup::barrier_groups). A group
/// is returned when its communicator no longer exists. The order of requests may depend on threads, so with several
/// threads every communicator must get a group.
class HardwareBarriers {
  public:
    /// Returns the same group at all members. Returns nothing if the machine has no such network, or if no group was
    /// left at the first request. Throws OptionError if the result would depend on threads.
    std::optional<std::int32_t> group_of(const CommunicatorRef& communicator, host::Host& host);

  private:
    struct Entry {
        std::weak_ptr<const Communicator> communicator;
        std::optional<std::int32_t> group;
        std::vector<NodeId> nodes;  ///< the nodes that count this group
    };
    void give_back();

    std::map<std::uint32_t, Entry> entries_;  ///< by context
    std::map<NodeId, std::int32_t> used_;
};

}  // namespace haichi::mpi
