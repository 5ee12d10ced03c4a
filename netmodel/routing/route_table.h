#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "netmodel/routing/network.h"

namespace haichi {

class RouteTable;

/// Memory for several routes, which stay valid until the next clear().
class RouteBuffer {
  public:
    /// Discards all routes and reserves memory for `routes` routes.
    void clear(const RouteTable& table, std::size_t routes);

  private:
    friend class RouteTable;
    std::vector<LinkId> links_;
    LinkId* free_ = nullptr;
    std::vector<LinkId> scratch_;
};

/// Network::append_route for inner loops, with the same links. All routes are in one array if it fits a budget.
/// Otherwise each call computes its route (without divisions on a grid). The Network must outlive this object.
class RouteTable {
  public:
    static constexpr std::size_t kDefaultBudgetBytes = std::size_t{64} << 20;

    explicit RouteTable(const Network& network, std::size_t budget_bytes = kDefaultBudgetBytes);

    /// Links of the route from s to d, both usable; empty if s == d. Valid until the next use of `scratch`.
    [[nodiscard, gnu::always_inline]] inline std::span<const LinkId> route(NodeId s, NodeId d,
                                                                           std::vector<LinkId>& scratch) const {
        if (is_stored()) return stored(s, d);
        if (!steps_) return computed(s, d, scratch);
        if (scratch.size() < longest_) scratch.resize(longest_);
        return {scratch.data(), write(s, d, scratch.data())};
    }
    /// Returns the same links, which stay valid until the next clear() of `buffer`.
    [[nodiscard, gnu::always_inline]] inline std::span<const LinkId> route(NodeId s, NodeId d,
                                                                           RouteBuffer& buffer) const {
        if (is_stored()) return stored(s, d);
        LinkId* const first = buffer.free_;
        buffer.free_ = steps_ ? write(s, d, first) : std::ranges::copy(computed(s, d, buffer.scratch_), first).out;
        return {first, buffer.free_};
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
    [[nodiscard, gnu::always_inline]] inline LinkId* write(NodeId s, NodeId d, LinkId* out) const {
        return steps_->write_route(network_->vertex(s), network_->vertex(d), out);
    }
    [[nodiscard]] std::span<const LinkId> computed(NodeId s, NodeId d, std::vector<LinkId>& scratch) const;
    void store_all(std::size_t budget_bytes);

    friend class RouteBuffer;
    std::size_t node_count_ = 0;
    std::size_t longest_ = 0;  ///< links of the longest route
    /// Set if nothing is stored and the routes are a grid's, without injection and ejection channels.
    std::optional<GridSteps> steps_;
    /// Index in links_ of the first link, by s * nodes + d, plus an end entry. Empty if nothing is stored.
    std::vector<std::uint32_t> first_;
    std::vector<LinkId> links_;
    const Network* network_;
};

inline void RouteBuffer::clear(const RouteTable& table, std::size_t routes) {
    if (!table.is_stored() && links_.size() < routes * table.longest_) links_.resize(2 * routes * table.longest_);
    free_ = links_.data();
}

}  // namespace haichi
