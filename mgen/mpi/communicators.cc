#include "mgen/mpi/communicators.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mgen/mpi/world.h"

namespace haichi::mpi {

namespace {

using collectives::kAgreeOnContext;
using collectives::kGatherChoices;
constexpr std::int64_t kRankBytes = 4;
/// The context in the key of an agreement that has no parent communicator.
constexpr std::uint32_t kNoParent = Call::kReservedContext - 1;

using AgreementKey = World::AgreementKey;
/// The communicators of the two sides; for an intra-communicator only the first is set.
using Sides = std::array<CommunicatorRef, 2>;

std::size_t side_of(const Communicator& communicator) {
    return communicator.is_inter() ? static_cast<std::size_t>(communicator.side()) : 0;
}

std::int64_t members_of(const Communicator& communicator) {
    return std::int64_t{communicator.group->size()} + (communicator.is_inter() ? communicator.remote->size() : 0);
}

/// The ranks of both sides, side 0 first.
GroupRef everyone(const Communicator& communicator) {
    if (!communicator.is_inter()) return communicator.group;
    return communicator.side() == 0 ? union_of(communicator.group, communicator.remote)
                                    : union_of(communicator.remote, communicator.group);
}

/// The index of a rank in everyone().
std::size_t place_of(const Membership& membership) {
    const Communicator& communicator = *membership.communicator;
    return static_cast<std::size_t>(membership.rank + (side_of(communicator) == 1 ? communicator.remote->size() : 0));
}

AgreementKey next_creation(Membership& of) { return {of.communicator->context, of.creations++, 0}; }

Sides make_sides(World& world, const GroupRef& first, const GroupRef& second) {
    const std::uint32_t context = world.new_context();
    if (!second) return {std::make_shared<Communicator>(Communicator{context, first}), nullptr};
    return {std::make_shared<Communicator>(Communicator{context, first, second}),
            std::make_shared<Communicator>(Communicator{context, second, first})};
}

MembershipRef part_in(const CommunicatorRef& communicator, const Process& process) {
    return communicator ? std::make_shared<Membership>(communicator, process.id()) : nullptr;
}

/// Waits until all ranks on both sides of a communicator have called this.
void meet_everyone(Process& process, const MembershipRef& of, const GroupRef& all, Process::Meeting meeting) {
    process.meet_group(of, *all, of->next_tag(), meeting);
}

/// A hash by which keys distinguish groups. It is never 0.
std::int64_t digest(const Group& group) {
    std::uint64_t value = 0xCBF29CE484222325;
    for (int rank = 0; rank < group.size(); ++rank) {
        value = (value ^ static_cast<std::uint32_t>(group.world_rank(rank).value)) * 0x100000001B3;
        value ^= value >> 29;
    }
    return static_cast<std::int64_t>(value >> 2) | 1;
}

std::uint32_t digest(std::string_view text) {
    std::uint32_t value = 0x811C9DC5;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x01000193;
    return value;
}

void check_members(const Communicator& parent, const Group& group) {
    for (int rank = 0; rank < group.size(); ++rank) {
        if (!parent.group->contains(group.world_rank(rank))) {
            throw CallError(ErrorClass::kGroup, "the group has rank " + std::to_string(group.world_rank(rank).value) +
                                                    " of MPI_COMM_WORLD, which is not in the communicator");
        }
    }
}

// ---- Duplicates -----------------------------------------------------------------------------------------------------

struct Duplicate {
    Sides made;
    GroupRef all;
};

std::pair<MembershipRef, GroupRef> agree_on_duplicate(Process& process, const MembershipRef& of) {
    World& world = process.world();
    const Communicator& communicator = *of->communicator;
    const auto agreed = world.agree<Duplicate>(next_creation(*of), members_of(communicator));
    const std::size_t side = side_of(communicator);
    if (!agreed->all) {
        agreed->all = everyone(communicator);
        agreed->made = side == 0 ? make_sides(world, communicator.group, communicator.remote)
                                 : make_sides(world, communicator.remote, communicator.group);
    }
    return {part_in(agreed->made[side], process), agreed->all};
}

}  // namespace

MembershipRef duplicate(Process& process, const MembershipRef& of) {
    auto [made, all] = agree_on_duplicate(process, of);
    meet_everyone(process, of, all, kAgreeOnContext);
    return made;
}

BegunDuplicate begin_duplicate(Process& process, const MembershipRef& of) {
    auto [made, all] = agree_on_duplicate(process, of);
    // The meeting uses the new communicator, because other collectives of the old one may begin meanwhile.
    Request& request = process.begin_meeting(made, all, kAgreeOnContext);
    return {std::move(made), &request};
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

namespace {

struct OfGroups {
    std::map<std::int32_t, CommunicatorRef> made;  ///< by the first rank of each group, for an intra-communicator
    std::array<GroupRef, 2> groups;                ///< the groups on the two sides of an inter-communicator
    Sides sides;
    GroupRef all;
};

MembershipRef create_between(Process& process, const MembershipRef& of, const GroupRef& group) {
    const Communicator& communicator = *of->communicator;
    const auto agreed = process.world().agree<OfGroups>(next_creation(*of), members_of(communicator));
    const std::size_t side = side_of(communicator);
    if (!agreed->all) agreed->all = everyone(communicator);
    if (!agreed->groups[side]) agreed->groups[side] = group;
    meet_everyone(process, of, agreed->all, kAgreeOnContext);
    const auto& [first, second] = agreed->groups;
    if (first->size() == 0 || second->size() == 0) return nullptr;
    if (!agreed->sides[0]) agreed->sides = make_sides(process.world(), first, second);
    return agreed->groups[side]->contains(process.id()) ? part_in(agreed->sides[side], process) : nullptr;
}

}  // namespace

MembershipRef create(Process& process, const MembershipRef& of, const GroupRef& group) {
    const Communicator& communicator = *of->communicator;
    check_members(communicator, *group);
    if (communicator.is_inter()) return create_between(process, of, group);
    const auto agreed = process.world().agree<OfGroups>(next_creation(*of), communicator.group->size());
    CommunicatorRef made;
    if (group->contains(process.id())) {
        CommunicatorRef& of_group = agreed->made[group->world_rank(0).value];
        if (!of_group) of_group = make_sides(process.world(), group, nullptr)[0];
        made = of_group;
    }
    process.meet(of, kAgreeOnContext);
    return part_in(made, process);
}

namespace {

/// The ranks know each other only from the group. They meet in the new communicator, so that none of them continues
/// before all have joined the agreement. After that, the key may be used for another agreement.
MembershipRef create_among(Process& process, const AgreementKey& key, const GroupRef& group) {
    if (!group->contains(process.id())) return nullptr;
    const auto agreed = process.world().agree<Sides>(key, group->size());
    if (!(*agreed)[0]) *agreed = make_sides(process.world(), group, nullptr);
    MembershipRef made = part_in((*agreed)[0], process);
    process.meet(made, kAgreeOnContext);
    return made;
}

}  // namespace

MembershipRef create_group(Process& process, const MembershipRef& of, const GroupRef& group, int tag) {
    check_members(*of->communicator, *group);
    return create_among(process, {of->communicator->context, static_cast<std::uint32_t>(tag), digest(*group)}, group);
}

MembershipRef create_from_group(Process& process, const GroupRef& group, std::string_view name) {
    return create_among(process, {kNoParent, digest(name), digest(*group)}, group);
}

// ---- Splits ---------------------------------------------------------------------------------------------------------

namespace {

struct Split {
    struct Choice {
        int color = 0;
        int key = 0;
        bool is_in = false;
    };
    std::vector<Choice> choices;  ///< in the order of everyone()
    GroupRef all;
    std::map<int, Sides> made;  ///< by colour; the communicators that were created
    bool is_made = false;
};

/// Makes the communicators of all colours.
void make_parts(World& world, const Communicator& parent, Split& of) {
    std::vector<std::int32_t> order;
    for (std::size_t place = 0; place < of.choices.size(); ++place) {
        if (of.choices[place].is_in) order.push_back(static_cast<std::int32_t>(place));
    }
    std::ranges::sort(order, {}, [&](std::int32_t place) {
        const Split::Choice& choice = of.choices[static_cast<std::size_t>(place)];
        return std::tuple(choice.color, choice.key, place);
    });
    // Indices from `second` on are ranks of the second side.
    const std::int32_t second = !parent.is_inter()   ? static_cast<std::int32_t>(of.choices.size())
                                : parent.side() == 0 ? parent.group->size()
                                                     : parent.remote->size();
    for (auto begin = order.begin(); begin != order.end();) {
        const int color = of.choices[static_cast<std::size_t>(*begin)].color;
        std::array<std::vector<RankId>, 2> members;
        auto end = begin;
        for (; end != order.end() && of.choices[static_cast<std::size_t>(*end)].color == color; ++end) {
            members[*end < second ? 0 : 1].push_back(of.all->world_rank(*end));
        }
        begin = end;
        if (!parent.is_inter()) {
            of.made[color] = make_sides(world, Group::of(std::move(members[0])), nullptr);
        } else if (!members[0].empty() && !members[1].empty()) {
            of.made[color] = make_sides(world, Group::of(std::move(members[0])), Group::of(std::move(members[1])));
        }
    }
    of.choices = {};
    of.is_made = true;
}

}  // namespace

MembershipRef split(Process& process, const MembershipRef& of, std::optional<int> color, int key) {
    const Communicator& communicator = *of->communicator;
    const auto agreed = process.world().agree<Split>(next_creation(*of), members_of(communicator));
    if (!agreed->all) {
        agreed->all = everyone(communicator);
        agreed->choices.resize(static_cast<std::size_t>(agreed->all->size()));
    }
    agreed->choices[place_of(*of)] = {color.value_or(0), key, color.has_value()};
    meet_everyone(process, of, agreed->all, kGatherChoices);
    meet_everyone(process, of, agreed->all, kAgreeOnContext);
    if (!agreed->is_made) make_parts(process.world(), communicator, *agreed);
    const auto found = color ? agreed->made.find(*color) : agreed->made.end();
    return found != agreed->made.end() ? part_in(found->second[side_of(communicator)], process) : nullptr;
}

// ---- Inter-communicators --------------------------------------------------------------------------------------------

namespace {

struct Merge {
    std::array<bool, 2> is_high{};
    GroupRef all;
    CommunicatorRef made;
};

/// The state that the leaders of both sides agree on.
struct Bridge {
    Sides made;
    std::array<GroupRef, 2> groups;  ///< the group whose leader has the smaller rank is the first
    bool overlaps = false;
};

/// The state that a leader distributes to the ranks of its side.
struct Side {
    std::shared_ptr<Bridge> bridge;
    std::size_t side = 0;
};

void finish_bridge(World& world, Bridge& bridge) {
    const auto& [first, second] = bridge.groups;
    bridge.overlaps = intersection_of(first, second)->size() > 0;
    if (!bridge.overlaps) bridge.made = make_sides(world, first, second);
}

}  // namespace

MembershipRef merge(Process& process, const MembershipRef& of, bool is_high) {
    const Communicator& communicator = *of->communicator;
    const auto agreed = process.world().agree<Merge>(next_creation(*of), members_of(communicator));
    if (!agreed->all) agreed->all = everyone(communicator);
    agreed->is_high[side_of(communicator)] = is_high;
    meet_everyone(process, of, agreed->all, kAgreeOnContext);
    if (!agreed->made) {
        const bool turns = agreed->is_high[0] && !agreed->is_high[1];
        const bool is_first = side_of(communicator) == 0;
        const GroupRef& first = is_first != turns ? communicator.group : communicator.remote;
        const GroupRef& last = is_first != turns ? communicator.remote : communicator.group;
        agreed->made = make_sides(process.world(), turns ? union_of(first, last) : agreed->all, nullptr)[0];
    }
    return part_in(agreed->made, process);
}

MembershipRef connect(Process& process, const Connection& connection) {
    World& world = process.world();
    const MembershipRef& local = connection.local;
    const auto side = world.agree<Side>(next_creation(*local), local->size());
    if (local->rank == connection.local_leader) {
        const Communicator& peer = *connection.peer->communicator;
        const RankId other = peer.partners().world_rank(connection.remote_leader);
        const RankId low = std::min(process.id(), other);
        const RankId high = std::max(process.id(), other);
        if (low == high) throw CallError(ErrorClass::kRank, "the remote leader is the local leader");
        const auto part = -(std::int64_t{low.value} << 31 | std::int64_t{high.value});
        side->bridge = world.agree<Bridge>({peer.context, static_cast<std::uint32_t>(connection.tag), part}, 2);
        side->side = process.id() == low ? 0 : 1;
        side->bridge->groups[side->side] = local->communicator->group;
        // Neither messages of the program nor collectives use negative tags.
        process.meet_group(connection.peer, *Group::of({low, high}), -2 - connection.tag,
                           {.bytes = kRankBytes * local->size(), .gathers = true});
        if (!side->bridge->made[0] && !side->bridge->overlaps) finish_bridge(world, *side->bridge);
    }
    process.meet(local, kAgreeOnContext);
    if (side->bridge->overlaps) {
        throw CallError(ErrorClass::kCommunicator, "the two groups of the inter-communicator have a rank in common");
    }
    return part_in(side->bridge->made[side->side], process);
}

MembershipRef connect_groups(Process& process, const GroupConnection& connection) {
    Connection connects{.local = create_from_group(process, connection.local, connection.name),
                        .local_leader = connection.local_leader};
    if (!connects.local) return nullptr;
    if (connects.local->rank == connects.local_leader) {
        const RankId other = connection.remote->world_rank(connection.remote_leader);
        const GroupRef leaders = Group::of({std::min(process.id(), other), std::max(process.id(), other)});
        connects.peer = create_from_group(process, leaders, connection.name);
        connects.remote_leader = process.id() < other ? 1 : 0;
    }
    return connect(process, connects);
}

}  // namespace haichi::mpi
