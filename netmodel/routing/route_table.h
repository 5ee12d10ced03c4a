#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodel/routing/network.h"

namespace haichi {

/// Network::append_route for inner loops: all routes in one array while that fits a budget, else computed when asked
/// for: without a division on a grid. The same links both ways. The Network must outlive it.
class RouteTable {
  public:
    static constexpr std::size_t kDefaultBudgetBytes = std::size_t{64} << 20;

    explicit RouteTable(const Network& network, std::size_t budget_bytes = kDefaultBudgetBytes);

    /// Links of the route from s to d, both usable, empty when s == d; valid until `scratch` is used again.
    [[nodiscard, gnu::always_inline]] inline std::span<const LinkId> route(NodeId s, NodeId d,
                                                                           std::vector<LinkId>& scratch) const {
        if (is_stored()) return stored(s, d);
        const std::size_t length = append(s, d, scratch, 0);  // may move them
        return {scratch.data(), length};
    }
    /// Writes the same behind the first `used` of `links`, whose size grows as it needs, and returns their new number.
    [[gnu::always_inline]] inline std::size_t append(NodeId s, NodeId d, std::vector<LinkId>& links,
                                                     std::size_t used) const {
        if (!steps_) return append_any(s, d, links, used);
        if (links.size() < used + longest_) links.resize(2 * (used + longest_));
        LinkId* const first = links.data();
        return static_cast<std::size_t>(steps_->write_route(network_->vertex(s), network_->vertex(d), first + used) -
                                        first);
    }

    [[nodiscard]] bool is_stored() const { return !first_.empty(); }
    [[nodiscard]] std::size_t memory_bytes() const {
        return first_.size() * sizeof(std::uint32_t) + links_.size() * sizeof(LinkId);
    }
    [[nodiscard]] const Network& network() const { return *network_; }

  private:
    [[nodiscard, gnu::always_inline]] inline std::span<const LinkId> stored(NodeId s, NodeId d) const {
        const std::size_t pair = s.index() * node_count_ + d.index();
        return {links_.data() + first_[pair], links_.data() + first_[pair + 1]};
    }
    void store_all(std::size_t budget_bytes);
    std::size_t append_any(NodeId s, NodeId d, std::vector<LinkId>& links, std::size_t used) const;

    std::size_t node_count_ = 0;
    std::size_t longest_ = 0;  ///< no route has more links
    /// Where nothing is stored and routes are a grid's, without injection and ejection channels.
    std::optional<GridSteps> steps_;
    std::vector<std::uint32_t> first_;  ///< of pair s * nodes + d in links_, and the end; empty: nothing is stored
    std::vector<LinkId> links_;
    const Network* network_;
};

}  // namespace haichi
