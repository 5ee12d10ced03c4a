#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/routing/network.h"

namespace haichi {

/// Network::append_route for inner loops: all routes in one array while that fits a budget, else computed when asked
/// for. The same links both ways. The Network must outlive it.
class RouteTable {
  public:
    static constexpr std::size_t kDefaultBudgetBytes = std::size_t{64} << 20;

    explicit RouteTable(const Network& network, std::size_t budget_bytes = kDefaultBudgetBytes);

    /// Links of the route from s to d, both usable, empty when s == d; valid until `scratch` is used again.
    [[nodiscard, gnu::always_inline]] std::span<const LinkId> route(NodeId s, NodeId d,
                                                                    std::vector<LinkId>& scratch) const {
        if (is_stored()) {
            const std::size_t pair = s.index() * node_count_ + d.index();
            return {links_.data() + first_[pair], first_[pair + 1] - first_[pair]};
        }
        scratch.clear();
        network_->append_route(s, d, scratch);
        return scratch;
    }

    [[nodiscard]] bool is_stored() const { return !first_.empty(); }
    [[nodiscard]] std::size_t memory_bytes() const {
        return first_.size() * sizeof(std::uint32_t) + links_.size() * sizeof(LinkId);
    }
    [[nodiscard]] const Network& network() const { return *network_; }

  private:
    std::size_t node_count_ = 0;
    std::vector<std::uint32_t> first_;  ///< of pair s * nodes + d in links_, and the end; empty: nothing is stored
    std::vector<LinkId> links_;
    const Network* network_;
};

}  // namespace haichi
