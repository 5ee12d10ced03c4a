#include "objectives/link_load.h"

#include <algorithm>

#include "objectives/hop_bytes.h"
#include "objectives/metrics.h"

namespace haichi {

LinkLoads::LinkLoads(const Problem& problem) : problem_(&problem), floor_(lower_bound(problem)), loads_(0) {}

void LinkLoads::route_message(NodeId s, NodeId d, std::int64_t change) {
    std::int64_t excess = 0;  // a local variable, because the member would be written back for every link
    for (const LinkId link : problem_->route(s, d, scratch_)) {
        const std::int64_t before = loads_[link.index()];
        excess += std::max(before + change - floor_, std::int64_t{0}) - std::max(before - floor_, std::int64_t{0});
        loads_.add(link.index(), change);
    }
    excess_ += excess;
}

void LinkLoads::reset(const Mapping& mapping) {
    loads_.resize(static_cast<std::size_t>(problem_->network().link_count()));
    excess_ = 0;
    for (const Message& m : problem_->workload().messages()) {
        if (m.crosses_network()) route_message(mapping.node(m.source), mapping.node(m.destination), m.size_bytes);
    }
    largest_ = largest_before_ = loads_.max();
}

void LinkLoads::apply(const Mapping& mapping, const Move& move) {
    pending_.clear();
    largest_before_ = largest_;
    for_each_moved_message(*problem_, mapping, move, [&](const MovedMessage& m) {
        pending_.push_back(m);
        route_message(m.old_source, m.old_destination, -m.size_bytes);
        route_message(m.new_source, m.new_destination, m.size_bytes);
    });
    largest_ = loads_.max();
}

void LinkLoads::undo() {
    for (const MovedMessage& m : pending_) {
        route_message(m.new_source, m.new_destination, -m.size_bytes);
        route_message(m.old_source, m.old_destination, m.size_bytes);
    }
    largest_ = largest_before_;
}

std::int64_t LinkLoads::lower_bound(const Problem& problem) {
    std::int64_t bound = 0;
    const std::int64_t degree = std::max(problem.network().largest_out_degree(), 1);
    if (problem.ranks_per_node() == 1) {
        for (const RankId rank : problem.communicating_ranks()) {
            std::int64_t sent = 0;
            std::int64_t received = 0;
            for (const IncidentMessage& m : problem.incident(rank)) (m.outgoing() ? sent : received) += m.size_bytes;
            bound = std::max({bound, (sent + degree - 1) / degree, (received + degree - 1) / degree});
        }
    }
    for (std::size_t t = 0; t < problem.set_count(); ++t) bound = std::max(bound, problem.unavoidable_bytes(t));
    // The bound distributes hop-bytes evenly over all links. A link carries at most most_hops_of_link() hops.
    const Network& network = problem.network();
    const std::int64_t shares = std::max<std::int64_t>(network.existing_link_count() * network.most_hops_of_link(), 1);
    const std::int64_t hop_bytes = *HopBytes(problem, {}, {}).lower_bound();
    return std::max(bound, (hop_bytes + shares - 1) / shares);
}

void LinkLoads::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    append_ranks_over_links(*problem_, mapping, ranks, [&](LinkId link) { return loads_[link.index()] == largest_; });
}

MaxLinkLoad::MaxLinkLoad(const Problem& problem, const ObjectiveSpec&, const Mapping&)
    : problem_(&problem), loads_(problem), per_message_(1.0 / problem.mean_message_bytes()) {}

Change MaxLinkLoad::propose(const Mapping& mapping, const Move& move) {
    const std::int64_t largest = loads_.largest();
    const std::int64_t excess = loads_.excess();
    loads_.apply(mapping, move);
    return {static_cast<double>(loads_.largest() - largest) * per_message_,
            static_cast<double>(loads_.excess() - excess) * per_message_};
}

MaxLinkLoad::Value MaxLinkLoad::value_from_scratch(const Mapping& mapping) const {
    return measure(*problem_, mapping).max_link_bytes;
}

std::int64_t MaxLinkLoad::smoothing_from_scratch(const Mapping& mapping) const {
    std::int64_t excess = 0;
    for (const std::int64_t load : measure(*problem_, mapping).link_bytes) {
        excess += std::max(load - loads_.floor(), std::int64_t{0});
    }
    return excess;
}

}  // namespace haichi
