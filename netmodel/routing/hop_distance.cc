#include "netmodel/routing/hop_distance.h"

#include <algorithm>
#include <limits>

namespace haichi {

HopDistance::HopDistance(const Network& network, HopDistanceOptions options)
    : channels_(network.options().count_nic && !network.has_stated_distances() ? 2 : 0),
      node_count_(static_cast<std::size_t>(network.node_count())),
      network_(&network) {
    if (options.pack_coordinates) {
        if (const Grid* grid = network.distance_grid()) {
            pack(*grid);
        } else {
            pack_blocks();
        }
    }
    const std::size_t pairs = node_count_ * node_count_;  // at most 2^52
    const std::int32_t longest = network.diameter();
    const std::size_t budget_bytes =
        network.hops_are_walked() ? options.walked_table_budget_bytes : options.table_budget_bytes;
    if (longest <= std::numeric_limits<std::uint8_t>::max() && pairs <= budget_bytes) {
        table8_.resize(pairs);
        fill_tables();
        path_ = Path::kTable8;
    } else if (longest <= std::numeric_limits<std::uint16_t>::max() && 2 * pairs <= budget_bytes) {
        table16_.resize(pairs);
        fill_tables();
        path_ = Path::kTable16;
    }
}

void HopDistance::fill_tables() {
    const auto store = [this](std::size_t a, std::size_t b, std::int32_t hops) {
        const std::size_t at = a * node_count_ + b;
        if (!table8_.empty()) {
            table8_[at] = static_cast<std::uint8_t>(hops);
        } else {
            table16_[at] = static_cast<std::uint16_t>(hops);
        }
    };
    const auto usable = [this](std::size_t node) { return network_->is_usable(NodeId(node)); };
    bool is_searched = false;
    for (std::size_t b = 0; b < node_count_; ++b) {
        if (!usable(b)) continue;
        // One search for all sources replaces a walk per pair if it is cheaper.
        std::vector<std::int32_t> hops;
        if (!network_->has_stated_distances()) hops = network_->routes().hops_to(network_->vertex(NodeId(b)));
        is_searched = !hops.empty();
        if (!is_searched) break;
        for (std::size_t a = 0; a < node_count_; ++a) {
            const std::int32_t distance = hops[network_->vertex(NodeId(a)).index()];
            if (usable(a)) store(a, b, with_channels(NodeId(a), NodeId(b), distance));
        }
    }
    if (is_searched) return;
    for (std::size_t a = 0; a < node_count_; ++a) {
        for (std::size_t b = 0; b < node_count_; ++b) {
            // Computes the entry as operator() does while there is no table.
            if (usable(a) && usable(b)) store(a, b, (*this)(NodeId(a), NodeId(b)));
        }
    }
    rows_ = {};
    digits_ = {};
}

void HopDistance::pack(const Grid& grid) {
    // Lanes are signed 16-bit numbers. |a - b| and size - |a - b| must fit, and the "size" of a mesh must exceed twice
    // any difference.
    constexpr std::int32_t kOpen = std::numeric_limits<std::int16_t>::max();
    constexpr std::int32_t kLargestOpenAxis = kOpen / 2;
    if (grid.axis_count() > kLanes) return;
    if (network_->diameter() > std::numeric_limits<std::uint16_t>::max()) return;
    std::ranges::fill(sizes_, static_cast<std::int16_t>(kOpen));
    for (std::size_t k = 0; k < grid.axis_count(); ++k) {
        const Axis& axis = grid.axis(k);
        const std::int64_t length = std::int64_t{axis.size} * network_->axis_hops(k);
        if (length > (axis.is_ring() ? kOpen : kLargestOpenAxis)) return;
        if (axis.is_ring()) sizes_[k] = static_cast<std::int16_t>(length);
    }
    path_ = grid.axis_count() <= kLanes / 2 ? Path::kPacked4 : Path::kPacked8;
    const std::size_t lanes = path_ == Path::kPacked4 ? kLanes / 2 : kLanes;
    rows_.assign(node_count_ * lanes, 0);
    for (std::size_t i = 0; i < node_count_; ++i) {
        const VertexId v = network_->vertex(NodeId(i));
        for (std::size_t k = 0; k < grid.axis_count(); ++k) {
            rows_[i * lanes + k] = static_cast<std::int16_t>(grid.coordinate(v, k) * network_->axis_hops(k));
        }
    }
}

void HopDistance::pack_blocks() {
    const std::vector<std::int32_t> hops = network_->hops_of_blocks();
    const std::span<const std::int32_t> sizes = network_->topology().block_sizes();
    if (hops.empty()) return;
    // A digit with m values has at most 2 log2(m) bits. With at most 2^26 terminals, all digits fit 52 bits.
    path_ = Path::kDigits;
    digits_.assign(node_count_, 0);
    int shift = 0;
    for (std::size_t level = 0; level + 1 < sizes.size(); ++level) {
        const std::int32_t arity = sizes[level + 1] / sizes[level];
        for (std::size_t i = 0; i < node_count_; ++i) {
            const std::int32_t digit = network_->vertex(NodeId(i)).value / sizes[level] % arity;
            digits_[i] |= static_cast<std::uint64_t>(digit) << shift;
        }
        const int width = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(arity - 1)));
        for (int bit = 0; bit < width; ++bit) {
            hops_of_width_[++shift] = hops[level + 1] + channels_;
        }
    }
}

}  // namespace haichi
