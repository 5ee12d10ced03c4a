#include "objectives/problem.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "base/errors.h"

namespace haichi {

Problem::Problem(const Workload& workload, const Network& network, std::int32_t ranks_per_node,
                 const Network* logical_network)
    : workload_(&workload),
      network_(&network),
      logical_network_(logical_network),
      ranks_per_node_(ranks_per_node),
      hop_distance_(network),
      route_table_(network),
      route_rows_(network),
      route_legs_(workload, route_rows_) {
    if (workload.set_count() > std::numeric_limits<std::uint32_t>::max() / 2)
        throw InputError("more than 2,147,483,647 communication sets");
    // Only checks that the ranks fit.
    const Mapping fits(workload.rank_count(), network.usable_node_count(), ranks_per_node);
    index_messages();
    index_flows();
    classify_links();
    bound_sets();
    check_sums();
}

std::int64_t Problem::open_slot_count() const {
    std::int64_t count = 0;
    for (std::int32_t n = 0; n < node_count(); ++n) count += open_slots(NodeId(n));
    return count;
}

void Problem::index_messages() {
    const auto ranks = static_cast<std::size_t>(rank_count());
    incident_first_.assign(ranks + 1, 0);
    for (const Message& m : workload_->messages()) {
        if (!m.crosses_network()) continue;
        ++incident_first_[m.source.index() + 1];
        ++incident_first_[m.destination.index() + 1];
    }
    std::partial_sum(incident_first_.begin(), incident_first_.end(), incident_first_.begin());
    incident_.resize(incident_first_.back());
    std::vector<std::size_t> next(incident_first_.begin(), incident_first_.end() - 1);
    for (std::size_t t = 0; t < set_count(); ++t) {
        for (const Message& m : workload_->messages(t)) {
            if (!m.crosses_network()) continue;
            const auto set = static_cast<std::uint32_t>(t) * 2;
            incident_[next[m.source.index()]++] = {m.destination, set + 1, m.size_bytes};
            incident_[next[m.destination.index()]++] = {m.source, set, m.size_bytes};
        }
    }
    for (std::size_t r = 0; r < ranks; ++r) {
        if (incident_first_[r] != incident_first_[r + 1]) communicating_ranks_.push_back(RankId(r));
    }
}

void Problem::index_flows() {
    const auto ranks = static_cast<std::size_t>(rank_count());
    flow_first_.assign(ranks + 1, 0);
    std::vector<Flow> mine;
    for (std::size_t r = 0; r < ranks; ++r) {
        mine.clear();
        for (const IncidentMessage& m : incident(RankId(r))) mine.push_back({m.partner, m.size_bytes});
        std::ranges::sort(mine, {}, &Flow::partner);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            if (i > 0 && mine[i].partner == mine[i - 1].partner) {
                flow_.back().size_bytes += mine[i].size_bytes;
            } else {
                flow_.push_back(mine[i]);
            }
        }
        flow_first_[r + 1] = flow_.size();
    }
    flow_.shrink_to_fit();
}

void Problem::classify_links() {
    if (network_->bandwidth_is_uniform()) {
        class_scale_ = {1};
        scale_per_second_ = static_cast<double>(network_->largest_bandwidth_bytes_per_s());
        return;
    }
    std::map<std::int64_t, std::size_t> class_of_bandwidth;
    for (std::int32_t l = 0; l < network_->link_count(); ++l) {
        if (network_->link_exists(LinkId(l))) class_of_bandwidth[network_->bandwidth_bytes_per_s(LinkId(l))] = 0;
    }
    if (class_of_bandwidth.size() > std::numeric_limits<std::uint16_t>::max()) {
        throw UnsupportedError("more than 65,535 different link bandwidths");
    }
    // Scales are exact if a small common multiple exists. Otherwise they are rounded to 2^-20 of the fastest link's
    // cost.
    constexpr std::int64_t kLargestExactScale = std::int64_t{1} << 20;
    const std::int64_t slowest = class_of_bandwidth.begin()->first;
    const std::int64_t fastest = class_of_bandwidth.rbegin()->first;
    constexpr std::int64_t kLargestRatio = std::int64_t{1} << 32;
    if (fastest / slowest > kLargestRatio) {
        throw UnsupportedError("link bandwidths of " + std::to_string(slowest) + " and " + std::to_string(fastest) +
                               " bytes/s differ by more than a factor of 2^32");
    }
    __int128 multiple = 1;
    for (const auto& [bandwidth, unused] : class_of_bandwidth) {
        const auto common = std::gcd(static_cast<std::int64_t>(multiple % bandwidth), bandwidth);
        multiple = multiple / common * bandwidth;
        if (multiple / slowest > kLargestExactScale) break;
    }
    const bool exact = multiple / slowest <= kLargestExactScale;
    for (auto& [bandwidth, number] : class_of_bandwidth) {
        number = class_scale_.size();
        class_scale_.push_back(
            exact ? static_cast<std::int64_t>(multiple / bandwidth)
                  : static_cast<std::int64_t>((static_cast<__int128>(fastest) * kLargestExactScale + bandwidth / 2) /
                                              bandwidth));
    }
    scale_per_second_ =
        exact ? static_cast<double>(multiple) : static_cast<double>(fastest) * static_cast<double>(kLargestExactScale);
    smallest_scale_ = std::ranges::min(class_scale_);
    link_class_.resize(static_cast<std::size_t>(network_->link_count()));
    for (std::int32_t l = 0; l < network_->link_count(); ++l) {
        const LinkId link(l);
        if (!network_->link_exists(link)) continue;
        link_class_[link.index()] =
            static_cast<std::uint16_t>(class_of_bandwidth.at(network_->bandwidth_bytes_per_s(link)));
    }
}

void Problem::bound_sets() {
    std::vector<Message> messages;
    std::vector<std::int32_t> parent(static_cast<std::size_t>(rank_count()));
    std::vector<std::int32_t> size(parent.size());
    const auto find = [&](std::int32_t r) {
        while (parent[static_cast<std::size_t>(r)] != r) {
            std::int32_t& up = parent[static_cast<std::size_t>(r)];
            r = up = parent[static_cast<std::size_t>(up)];
        }
        return r;
    };
    for (std::size_t t = 0; t < set_count(); ++t) {
        messages.clear();
        for (const Message& m : workload_->messages(t)) {
            if (m.crosses_network()) messages.push_back(m);
        }
        std::ranges::sort(messages, std::ranges::greater{}, &Message::size_bytes);
        set_message_count_.push_back(static_cast<std::int64_t>(messages.size()));
        set_largest_bytes_.push_back(messages.empty() ? 0 : messages.front().size_bytes);
        set_is_uniform_.push_back(messages.empty() || messages.front().size_bytes == messages.back().size_bytes);
        for (const Message& m : messages) {
            for (const std::int32_t r : {m.source.value, m.destination.value}) {
                parent[static_cast<std::size_t>(r)] = r;
                size[static_cast<std::size_t>(r)] = 1;
            }
        }
        std::int64_t unavoidable = 0;
        for (const Message& m : messages) {
            const auto a = static_cast<std::size_t>(find(m.source.value));
            const auto b = static_cast<std::size_t>(find(m.destination.value));
            if (a == b) continue;
            parent[a] = static_cast<std::int32_t>(b);
            size[b] += size[a];
            if (size[b] > ranks_per_node_) {
                unavoidable = m.size_bytes;
                break;
            }
        }
        unavoidable_bytes_.push_back(unavoidable);
    }
    if (workload_->crossing_message_count() > 0) {
        mean_message_bytes_ =
            static_cast<double>(workload_->total_bytes()) / static_cast<double>(workload_->crossing_message_count());
    }
}

void Problem::check_sums() const {
    using Wide = __int128;
    const Wide limit = std::numeric_limits<std::int64_t>::max();
    std::int32_t longest = std::max(network_->longest_route(), network_->diameter());
    if (logical_network_ != nullptr) longest = std::max(longest, logical_network_->longest_route());
    Wide costliest = static_cast<Wide>(workload_->total_bytes()) * std::max(longest, 1);
    Wide collisions = 0;
    for (std::size_t t = 0; t < set_count(); ++t) {
        collisions += static_cast<Wide>(set_largest_bytes_[t]) * set_message_count_[t];
    }
    costliest = std::max({costliest, collisions * std::ranges::max(class_scale_), collisions * longest});
    if (costliest > limit) {
        throw InputError("the workload's messages are too large: sums over its " +
                             std::to_string(workload_->crossing_message_count()) + " messages (" +
                             std::to_string(workload_->total_bytes()) + " bytes) can exceed 2^63 - 1",
                         "scale the message sizes down");
    }
}

}  // namespace haichi
