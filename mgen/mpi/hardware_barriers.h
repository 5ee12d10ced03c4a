#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/mpi/communicator.h"

namespace haichi::mpi {

/// Which communicators have a group of the machine's barrier network: those that ask first, while all of their nodes
/// have one left. A node takes part in so many groups as the machine says (Host::Setup::barrier_groups); a group is
/// given back when its communicator is no more. Which of two communicators asks first may depend on threads, so where
/// there are several, none may be left without a group.
class HardwareBarriers {
  public:
    /// The same for all members; nothing: the machine has no such network, or no group was left when the first one
    /// asked. Throws OptionError where that depends on threads.
    std::optional<std::int32_t> group_of(const CommunicatorRef& communicator, host::Host& host);

  private:
    struct Entry {
        std::weak_ptr<const Communicator> communicator;
        std::optional<std::int32_t> group;
        std::vector<NodeId> nodes;  ///< that count it
    };
    void give_back();

    std::map<std::uint32_t, Entry> entries_;  ///< by context
    std::map<NodeId, std::int32_t> used_;
};

}  // namespace haichi::mpi
