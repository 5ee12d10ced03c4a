#include "mapper/anneal/proposer.h"

#include <algorithm>

namespace haichi {

namespace {

constexpr std::size_t kDraws = 256;

std::vector<Proposer::Share> default_mix() {
    return {{MoveKind::kNeighbour, 0.6}, {MoveKind::kFocused, 0.2}, {MoveKind::kUniform, 0.2}};
}

}  // namespace

Proposer::Proposer(const Problem& problem, std::span<const MoveKind> moves) : problem_(&problem) {
    std::vector<Share> shares;
    for (const MoveKind kind : moves) shares.push_back({kind, 1.0 / static_cast<double>(moves.size())});
    if (shares.empty()) shares = default_mix();
    const Network& network = problem.network();
    const bool full = problem.rank_count() == network.usable_node_count() * problem.ranks_per_node();
    double until = 0;
    for (const Share& share : shares) {
        until += share.share;
        const MoveKind kind = full && share.kind == MoveKind::kEmpty ? MoveKind::kUniform : share.kind;
        const auto end = static_cast<std::size_t>(until * static_cast<double>(kDraws) + 0.5);
        while (kind_of_draw_.size() < std::min(end, kDraws)) kind_of_draw_.push_back(kind);
        if (kind == MoveKind::kFocused) uses_hot_ranks_ = true;
    }
    kind_of_draw_.resize(kDraws, kind_of_draw_.back());
    for (std::int32_t n = 0; n < problem.node_count(); ++n) {
        const auto near = network.near_nodes(NodeId(n));
        if (near.empty() || !network.is_usable(NodeId(n))) continue;
        near_hops_ = problem.hop_distance()(NodeId(n), near.front());
        break;
    }
    if (network.usable_node_count() == network.node_count()) return;
    for (std::int32_t s = 0; s < network.node_count() * problem.ranks_per_node(); ++s) {
        if (network.is_usable(NodeId(s / problem.ranks_per_node()))) usable_slots_.push_back(SlotId(s));
    }
}

bool Proposer::can_move() const {
    return problem_->network().usable_node_count() >= 2 && !problem_->communicating_ranks().empty();
}

[[gnu::always_inline]] inline SlotId Proposer::any_slot(const Mapping& mapping, Random& random) const {
    if (!usable_slots_.empty()) return usable_slots_[random.below(static_cast<std::uint32_t>(usable_slots_.size()))];
    return SlotId(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(mapping.slot_count()))));
}

SlotId Proposer::empty_slot(const Mapping& mapping, Random& random) const {
    // A few draws find one unless nearly all slots are taken; the last draw then stands as a swap.
    SlotId slot;
    for (int draw = 0; draw < 16; ++draw) {
        slot = any_slot(mapping, random);
        if (!mapping.rank(slot).valid()) break;
    }
    return slot;
}

[[gnu::always_inline]] inline SlotId Proposer::slot_near(const Mapping& mapping, NodeId node, Random& random) const {
    const std::int32_t per_node = mapping.ranks_per_node();
    // With several slots per node the best place is beside the partner.
    const bool onto_partner_node = per_node > 1 && (random.next() >> 63) != 0;
    if (!onto_partner_node) {
        const auto near = problem_->network().near_nodes(node);
        if (near.empty()) return any_slot(mapping, random);
        node = near[random.below(static_cast<std::uint32_t>(near.size()))];
    }
    const std::int32_t offset =
        per_node == 1 ? 0 : static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(per_node)));
    return SlotId(node.value * per_node + offset);
}

[[gnu::always_inline]] inline RankId Proposer::any_partner(RankId rank, Random& random) const {
    const auto flows = problem_->flows(rank);
    return flows[random.below(static_cast<std::uint32_t>(flows.size()))].partner;
}

[[gnu::always_inline]] inline Move Proposer::propose_neighbour(const Mapping& mapping, Random& random) const {
    // A pair of neighbours gains nothing, and late in a run most pairs are neighbours: draw again, a few times.
    constexpr int kMostTries = 3;
    const auto ranks = problem_->communicating_ranks();
    RankId rank;
    NodeId partner_node;
    for (int attempt = 0; attempt < kMostTries; ++attempt) {
        rank = ranks[random.below(static_cast<std::uint32_t>(ranks.size()))];
        partner_node = mapping.node(any_partner(rank, random));
        if (problem_->hop_distance()(mapping.node(rank), partner_node) > near_hops_) break;
    }
    return move_to_slot(mapping, rank, slot_near(mapping, partner_node, random));
}

Move Proposer::propose(const Mapping& mapping, std::span<const RankId> hot_ranks, Random& random) const {
    const auto ranks = problem_->communicating_ranks();
    const auto communicating_rank = [&] { return ranks[random.below(static_cast<std::uint32_t>(ranks.size()))]; };
    switch (kind_of_draw_[random.next() >> 56]) {
        case MoveKind::kNeighbour:
            return propose_neighbour(mapping, random);
        case MoveKind::kEmpty: {
            // Drawn one after the other: in one call, compilers differ in which argument comes first.
            const RankId rank = communicating_rank();
            return move_to_slot(mapping, rank, empty_slot(mapping, random));
        }
        case MoveKind::kFocused: {
            if (hot_ranks.empty()) break;
            const RankId rank = hot_ranks[random.below(static_cast<std::uint32_t>(hot_ranks.size()))];
            const bool anywhere = (random.next() >> 63) != 0;
            return move_to_slot(mapping, rank,
                                anywhere ? any_slot(mapping, random)
                                         : slot_near(mapping, mapping.node(any_partner(rank, random)), random));
        }
        case MoveKind::kUniform:
            break;
    }
    const RankId rank = communicating_rank();
    return move_to_slot(mapping, rank, any_slot(mapping, random));
}

}  // namespace haichi
