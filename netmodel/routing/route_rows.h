#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bit_block.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// The routes of all pairs of a small network as rows of bits, one bit per existing link. Bit-sliced counters add and
/// subtract whole rows. If no link is on both routes between any two nodes, both routes of a pair also form one row.
/// Messages in both directions between two ranks then cost one addition. Nothing is stored if a row is longer than
/// kMostBlocks or all rows exceed the budget. Rows larger than the caches are no faster than lists of links.
class RouteRows {
  public:
    static constexpr std::size_t kMostBlocks = 4;
    static constexpr std::size_t kDefaultBudgetBytes = std::size_t{16} << 20;

    explicit RouteRows(const Network& network, std::size_t budget_bytes = kDefaultBudgetBytes);

    [[nodiscard]] bool is_stored() const { return blocks_ != 0; }
    /// Blocks per row; 0 if nothing is stored.
    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    /// Bytes that all rows of the network would take.
    [[nodiscard]] static std::size_t needed_bytes(const Network& network);
    [[nodiscard]] const BitBlock* row(NodeId s, NodeId d) const {
        return rows_.data() + (s.index() * node_count_ + d.index()) * blocks_;
    }
    /// True if exchange() may be called: rows for both directions exist and fit the budget.
    [[nodiscard]] bool has_exchanges() const { return !exchanges_.empty(); }
    /// The links of both routes between two nodes.
    [[nodiscard]] const BitBlock* exchange(NodeId a, NodeId b) const {
        const std::size_t high = std::max(a.index(), b.index());
        return exchanges_.data() + (high * (high + 1) / 2 + std::min(a.index(), b.index())) * blocks_;
    }
    /// The bit index of a link, which must exist.
    [[nodiscard]] std::size_t bit(LinkId link) const { return static_cast<std::size_t>(bit_of_link_[link.index()]); }

  private:
    void join_both_ways();

    std::size_t node_count_;
    std::size_t blocks_ = 0;
    std::vector<std::int32_t> bit_of_link_;  ///< -1: the link does not exist
    std::vector<BitBlock> rows_;             ///< index s * nodes + d
    std::vector<BitBlock> exchanges_;        ///< rows of pairs (a, b) with b <= a, ordered by a; may be empty
};

}  // namespace haichi
