#include "mapper/anneal/proposer.h"

#include <algorithm>

namespace haichi {

namespace {

std::vector<Proposer::Share> default_mix() {
    return {{MoveKind::kNeighbour, 0.6}, {MoveKind::kFocused, 0.2}, {MoveKind::kUniform, 0.2}};
}

/// The mix was tuned on random geometric graphs, FFT and stencils of 700 to 4,096 ranks. Machines without coordinates
/// offer few steps; on these, a mix without uniform moves was worse.
std::vector<Proposer::Share> stepping_mix() { return {{MoveKind::kStep, 0.5}, {MoveKind::kNeighbour, 0.5}}; }

std::vector<Proposer::Share> chasing_mix() { return {{MoveKind::kFocused, 0.95}, {MoveKind::kNeighbour, 0.05}}; }

/// Jobs of up to 1,024 ranks have several restarts, of which every other one uses steps. At that size, steps were
/// better on FFT and random geometric graphs, but not on stencils that do not fit their machines.
bool steps_in(std::int32_t restart, std::size_t ranks) {
    constexpr std::size_t kAlways = 1024;
    return ranks > kAlways || (ranks > kFewestWithSteps && restart % 2 == 0);
}

}  // namespace

Proposer::Proposer(const Problem& problem, std::span<const MoveKind> moves, MovesOfLarge of_large, std::int32_t restart)
    : problem_(&problem),
      ranks_(problem.communicating_ranks().data()),
      rank_count_(static_cast<std::uint32_t>(problem.communicating_ranks().size())) {
    std::vector<Share> shares;
    for (const MoveKind kind : moves) shares.push_back({kind, 1.0 / static_cast<double>(moves.size())});
    constexpr std::uint32_t kLarge = 2048;
    const Network& network = problem.network();
    const bool by_default = shares.empty();
    chases_hot_ranks_ = by_default && of_large == MovesOfLarge::kFocused && rank_count_ > kLarge;
    steps_to_partners_ = by_default && of_large == MovesOfLarge::kSteps && network.coordinates() != nullptr &&
                         steps_in(restart, problem.communicating_ranks().size());
    if (chases_hot_ranks_) shares = chasing_mix();
    if (steps_to_partners_) shares = stepping_mix();
    if (shares.empty()) shares = default_mix();
    const bool full = problem.rank_count() == problem.open_slot_count();
    double until = 0;
    std::size_t next = 0;
    for (const Share& share : shares) {
        until += share.share;
        const MoveKind kind = full && share.kind == MoveKind::kEmpty ? MoveKind::kUniform : share.kind;
        const auto end = static_cast<std::size_t>(until * static_cast<double>(kDraws) + 0.5);
        while (next < std::min(end, kDraws)) kind_of_draw_[next++] = kind;
        if (kind == MoveKind::kFocused) uses_hot_ranks_ = true;
    }
    std::fill(kind_of_draw_.begin() + static_cast<std::ptrdiff_t>(next), kind_of_draw_.end(), kind_of_draw_[next - 1]);
    for (std::int32_t n = 0; n < problem.node_count(); ++n) {
        const auto near = network.near_nodes(NodeId(n));
        if (near.empty() || !network.is_usable(NodeId(n))) continue;
        near_hops_ = problem.hop_distance()(NodeId(n), near.front());
        break;
    }
    slot_count_ = static_cast<std::uint32_t>(network.node_count() * problem.ranks_per_node());
    all_slots_are_usable_ = problem.open_slot_count() == slot_count_;
    if (all_slots_are_usable_) return;
    for (std::size_t s = 0; s < slot_count_; ++s) {
        const SlotId slot(s);
        if (problem.is_open(slot)) usable_slots_.push_back(slot);
    }
    slot_count_ = static_cast<std::uint32_t>(usable_slots_.size());
}

bool Proposer::can_move() const {
    return problem_->network().usable_node_count() >= 2 && !problem_->communicating_ranks().empty();
}

SlotId Proposer::empty_slot(const Mapping& mapping, Random& random) const {
    // A few draws find an empty slot unless nearly all slots are taken. If none is empty, the move swaps with the rank
    // in the last slot drawn.
    SlotId slot;
    for (int draw = 0; draw < 16; ++draw) {
        slot = any_slot(random);
        if (!mapping.rank(slot).valid()) break;
    }
    return slot;
}

[[gnu::always_inline]] inline SlotId Proposer::any_slot_of(NodeId node, Random& random) const {
    const std::int32_t per_node = problem_->ranks_per_node();
    const std::int32_t open = problem_->has_closed_slots() ? problem_->open_slots(node) : per_node;
    const std::int32_t offset =
        open == 1 ? 0 : static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(open)));
    return SlotId(node.value * per_node + offset);
}

[[gnu::always_inline]] inline SlotId Proposer::slot_near(const Mapping& mapping, NodeId node, Random& random) const {
    const std::int32_t per_node = mapping.ranks_per_node();
    // With several slots per node, the best slot is on the partner's node.
    const bool onto_partner_node = per_node > 1 && (random.next() >> 63) != 0;
    if (!onto_partner_node) {
        const auto near = problem_->network().near_nodes(node);
        if (near.empty()) return any_slot(random);
        node = near[random.below(static_cast<std::uint32_t>(near.size()))];
    }
    return any_slot_of(node, random);
}

[[gnu::always_inline]] inline RankId Proposer::any_partner(RankId rank, Random& random) const {
    const auto flows = problem_->flows(rank);
    return flows[random.below(static_cast<std::uint32_t>(flows.size()))].partner;
}

[[gnu::always_inline]] inline Move Proposer::propose_neighbour(const Mapping& mapping, const Candidates& candidates,
                                                               Random& random) const {
    // Moving a rank next to a partner that is a neighbour already gains nothing. Late in a run most pairs are
    // neighbours, so this draws a few more times.
    constexpr int kMostTries = 3;
    RankId rank;
    NodeId partner_node;
    for (int attempt = 0; attempt < kMostTries; ++attempt) {
        rank = any_rank(candidates, random);
        partner_node = mapping.node(any_partner(rank, random));
        if (problem_->hop_distance()(mapping.node(rank), partner_node) > near_hops_) break;
    }
    return move_to_slot(mapping, rank, slot_near(mapping, partner_node, random));
}

/// Draws nodes near the rank until one is nearer to the partner. After kMostTries draws, moves the rank next to the
/// partner instead.
[[gnu::always_inline]] inline Move Proposer::propose_step(const Mapping& mapping, const Candidates& candidates,
                                                          Random& random) const {
    constexpr int kMostTries = 6;  // on a grid, about half of the neighbours are nearer
    const HopDistance& distance = problem_->hop_distance();
    const RankId rank = any_rank(candidates, random);
    const NodeId partner_node = mapping.node(any_partner(rank, random));
    const std::int32_t hops = distance(mapping.node(rank), partner_node);
    const auto near = problem_->network().near_nodes(mapping.node(rank));
    const bool is_beside = hops == 0 || (hops <= near_hops_ && mapping.ranks_per_node() == 1);
    if (is_beside || near.empty()) return {};
    for (int attempt = 0; attempt < kMostTries; ++attempt) {
        const NodeId node = near[random.below(static_cast<std::uint32_t>(near.size()))];
        if (distance(node, partner_node) < hops) return move_to_slot(mapping, rank, any_slot_of(node, random));
    }
    return move_to_slot(mapping, rank, slot_near(mapping, partner_node, random));
}

Move Proposer::propose_directed(MoveKind kind, const Mapping& mapping, const Candidates& candidates,
                                Random& random) const {
    switch (kind) {
        case MoveKind::kNeighbour:
            return propose_neighbour(mapping, candidates, random);
        case MoveKind::kStep:
            return propose_step(mapping, candidates, random);
        case MoveKind::kEmpty: {
            // Drawn in two statements, because compilers evaluate arguments of one call in different orders.
            const RankId rank = any_rank(candidates, random);
            return move_to_slot(mapping, rank, empty_slot(mapping, random));
        }
        case MoveKind::kFocused: {
            const std::span<const RankId> hot_ranks = candidates.hot_ranks;
            if (hot_ranks.empty()) break;
            const RankId rank = hot_ranks[random.below(static_cast<std::uint32_t>(hot_ranks.size()))];
            const bool anywhere = (random.next() >> 63) != 0;
            return move_to_slot(
                mapping, rank,
                anywhere ? any_slot(random) : slot_near(mapping, mapping.node(any_partner(rank, random)), random));
        }
        case MoveKind::kUniform:
            break;
    }
    return propose_uniform(mapping, candidates, random);
}

}  // namespace haichi
