#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mgen/mpi/group.h"

namespace haichi::mpi {

/// The state that all ranks of a communicator share. An inter-communicator has one object for each side. Attributes,
/// names, topologies and error handlers belong to each rank.
struct Communicator {
    std::uint32_t context = 0;  ///< for messages between its ranks; collectives use the next higher context
    GroupRef group;
    GroupRef remote{};  ///< the other group of an inter-communicator; null for an intra-communicator

    [[nodiscard]] bool is_inter() const { return remote != nullptr; }
    /// The ranks to which messages go and from which they come.
    [[nodiscard]] const Group& partners() const { return remote != nullptr ? *remote : *group; }
    /// 0 or 1; the two sides of an inter-communicator have different values.
    [[nodiscard]] int side() const { return group->world_rank(0) < remote->world_rank(0) ? 0 : 1; }
};
using CommunicatorRef = std::shared_ptr<const Communicator>;

/// The state of one rank in a communicator.
struct Membership {
    CommunicatorRef communicator;
    int rank = 0;                   ///< index in the communicator's group
    std::uint32_t collectives = 0;  ///< number of collectives that the rank has begun; it determines their tags
    std::uint32_t creations = 0;    ///< number of communicators made from this one

    Membership(CommunicatorRef of, RankId self)
        : communicator(std::move(of)), rank(communicator->group->rank_of(self).value_or(-1)) {}
    [[nodiscard]] int size() const { return communicator->group->size(); }
    /// Returns the tag of the collective that now begins, and counts it.
    [[nodiscard]] std::int32_t next_tag() { return static_cast<std::int32_t>(collectives++ & 0x7FFFFFFF); }
};
using MembershipRef = std::shared_ptr<Membership>;

}  // namespace haichi::mpi
