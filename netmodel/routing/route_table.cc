#include "netmodel/routing/route_table.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "netmodel/routing/hop_distance.h"

namespace haichi {

namespace {

/// Total number of links of all routes; empty if it exceeds `most`.
std::optional<std::size_t> links_of_all_routes(const Network& network, std::size_t most) {
    const HopDistance hops(network);
    std::size_t sum = 0;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            sum += static_cast<std::size_t>(hops(NodeId(s), NodeId(d)));
        }
        if (sum > most) return std::nullopt;
    }
    return sum;
}

}  // namespace

RouteTable::RouteTable(const Network& network, std::size_t budget_bytes)
    : node_count_(static_cast<std::size_t>(network.node_count())),
      longest_(static_cast<std::size_t>(network.longest_route())),
      network_(&network) {
    store_all(budget_bytes);
    if (!is_stored() && !network.options().count_nic) steps_ = network.routes().steps();
}

void RouteTable::store_all(std::size_t budget_bytes) {
    const Network& network = *network_;
    const std::size_t offset_bytes = (node_count_ * node_count_ + 1) * sizeof(std::uint32_t);
    if (offset_bytes > budget_bytes) return;
    const std::size_t most = std::min<std::size_t>((budget_bytes - offset_bytes) / sizeof(LinkId),
                                                   std::numeric_limits<std::uint32_t>::max());
    const std::optional<std::size_t> links = links_of_all_routes(network, most);
    if (!links) return;
    first_.reserve(node_count_ * node_count_ + 1);
    links_.reserve(*links);
    first_.push_back(0);
    for (std::size_t s = 0; s < node_count_; ++s) {
        for (std::size_t d = 0; d < node_count_; ++d) {
            if (network.is_usable(NodeId(s)) && network.is_usable(NodeId(d))) {
                network.append_route(NodeId(s), NodeId(d), links_);
            }
            first_.push_back(static_cast<std::uint32_t>(links_.size()));
        }
    }
}

std::span<const LinkId> RouteTable::computed(NodeId s, NodeId d, std::vector<LinkId>& scratch) const {
    scratch.clear();
    network_->append_route(s, d, scratch);
    return scratch;
}

}  // namespace haichi
