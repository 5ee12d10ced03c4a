#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/mpi/communicator.h"

namespace haichi::mpi {

/// Assigns groups of the machine's barrier network to communicators. A communicator gets a group if all of its nodes
/// have a free one at its first request. Host::Setup::barrier_groups limits the groups per node. A group is returned
/// when its communicator no longer exists. The order of requests may depend on threads, so with several threads there
/// must be enough groups for all communicators.
class HardwareBarriers {
  public:
    /// Returns the same group to all members of the communicator. Returns nothing if the machine has no barrier
    /// network, or if no group was free at the first request. Throws OptionError if the result would depend on threads.
    std::optional<std::int32_t> group_of(const CommunicatorRef& communicator, host::Host& host);

  private:
    struct Entry {
        std::weak_ptr<const Communicator> communicator;
        std::optional<std::int32_t> group;
        std::vector<NodeId> nodes;  ///< the nodes on which this group takes one of the limited groups
    };
    void give_back();

    std::map<std::uint32_t, Entry> entries_;  ///< by context
    std::map<NodeId, std::int32_t> used_;
};

}  // namespace haichi::mpi
