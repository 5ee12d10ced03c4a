#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mgen/mpi/group.h"

namespace haichi::mpi {

/// What the members of a communicator share: one object for all of them; of an inter-communicator one for each side.
/// Attributes, names, topologies and error handlers are a rank's own.
struct Communicator {
    std::uint32_t context = 0;  ///< of messages between its members; the next number is that of its collectives
    GroupRef group;
    GroupRef remote{};  ///< of an inter-communicator; null: it is none

    [[nodiscard]] bool is_inter() const { return remote != nullptr; }
    /// To whom messages go, and from whom they come.
    [[nodiscard]] const Group& partners() const { return remote != nullptr ? *remote : *group; }
    /// Of an inter-communicator: 0 or 1, another one on the other side.
    [[nodiscard]] int side() const { return group->world_rank(0) < remote->world_rank(0) ? 0 : 1; }
};
using CommunicatorRef = std::shared_ptr<const Communicator>;

/// A rank's part in a communicator.
struct Membership {
    CommunicatorRef communicator;
    int rank = 0;                   ///< in its group
    std::uint32_t collectives = 0;  ///< that the rank has begun: their tags
    std::uint32_t creations = 0;    ///< of other communicators from this one

    Membership(CommunicatorRef of, RankId self)
        : communicator(std::move(of)), rank(communicator->group->rank_of(self).value_or(-1)) {}
    [[nodiscard]] int size() const { return communicator->group->size(); }
    /// Of a collective that begins.
    [[nodiscard]] std::int32_t next_tag() { return static_cast<std::int32_t>(collectives++ & 0x7FFFFFFF); }
};
using MembershipRef = std::shared_ptr<Membership>;

}  // namespace haichi::mpi
