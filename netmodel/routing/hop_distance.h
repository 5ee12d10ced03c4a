#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "netmodel/routing/network.h"

namespace haichi {

struct HopDistanceOptions {
    /// Maximum size of the table of all pairs. 1 MiB stays in a second-level cache together with the data of an
    /// annealing loop.
    std::size_t table_budget_bytes = std::size_t{1} << 20;
    /// Limit if the network must walk a route to find its length. This limit is larger, because a cache miss costs less
    /// than the walk.
    std::size_t walked_table_budget_bytes = std::size_t{64} << 20;
    /// Whether to use packed coordinates if there is no table. If false, every call then uses the Network.
    bool pack_coordinates = true;
};

/// Network::hops for inner loops, with the same results. Reads a table of all pairs if it is small. Otherwise uses
/// packed coordinates, on grids of up to 8 axes with shortest routes and where blocks of terminals determine the
/// distance. Otherwise calls the Network, which must outlive this object. Only for usable nodes.
class HopDistance {
  public:
    explicit HopDistance(const Network& network, HopDistanceOptions options = {});

    [[nodiscard]] std::int32_t operator()(NodeId a, NodeId b) const {
        switch (path_) {
            case Path::kTable8:
                return table8_[a.index() * node_count_ + b.index()];
            case Path::kTable16:
                return table16_[a.index() * node_count_ + b.index()];
            case Path::kPacked4:
                return with_channels(a, b, packed4(a, b));
            case Path::kPacked8:
                return with_channels(a, b, packed8(a, b));
            case Path::kDigits:
                return digits(a, b);
            case Path::kNetwork:
                break;
        }
        return network_->hops(a, b);
    }

    enum class Path : std::uint8_t { kTable8, kTable16, kPacked4, kPacked8, kDigits, kNetwork };
    [[nodiscard]] Path path() const { return path_; }
    /// Hops of (a, b) at a * nodes + b if path() is kTable8, else null. Inner loops can thus select the path once
    /// instead of at each call.
    [[nodiscard]] const std::uint8_t* table8() const { return path_ == Path::kTable8 ? table8_.data() : nullptr; }

  private:
    // One 16-bit lane per axis. Vector extensions of GCC and Clang use SSE2 or NEON if available, else plain words.
    using Lanes [[gnu::vector_size(16)]] = std::int16_t;
    using Halves [[gnu::vector_size(16)]] = std::uint64_t;
    static constexpr std::size_t kLanes = 8;

    /// Sum of four lanes. Requires nonnegative lanes and a sum below 2^16.
    static std::int32_t sum_of_lanes(std::uint64_t word) {
        return static_cast<std::int32_t>((word * 0x0001000100010001ULL) >> 48);
    }

    /// min(|a - b|, size - |a - b|) per lane. The "size" of a mesh is so large that |a - b| is always smaller.
    [[nodiscard]] Halves axis_distances(Lanes a, Lanes b) const {
        Lanes sizes;
        std::memcpy(&sizes, sizes_, sizeof(sizes));
        const Lanes difference = a - b;
        const Lanes straight = difference < 0 ? -difference : difference;
        const Lanes around = sizes - straight;
        return std::bit_cast<Halves>(straight < around ? straight : around);
    }

    [[nodiscard]] Lanes load4(NodeId node) const {
        std::uint64_t word = 0;
        std::memcpy(&word, rows_.data() + node.index() * (kLanes / 2), sizeof(word));
        return std::bit_cast<Lanes>(Halves{word, 0});
    }

    [[nodiscard]] Lanes load8(NodeId node) const {
        Lanes lanes;
        std::memcpy(&lanes, rows_.data() + node.index() * kLanes, sizeof(lanes));
        return lanes;
    }

    [[nodiscard]] std::int32_t packed4(NodeId a, NodeId b) const {
        return sum_of_lanes(axis_distances(load4(a), load4(b))[0]);
    }

    [[nodiscard]] std::int32_t packed8(NodeId a, NodeId b) const {
        const Halves halves = axis_distances(load8(a), load8(b));
        return sum_of_lanes(halves[0] + halves[1]);
    }

    /// The highest bit in which two terminals differ belongs to the digit of their lowest common level.
    [[nodiscard]] std::int32_t digits(NodeId a, NodeId b) const {
        return hops_of_width_[static_cast<std::size_t>(std::bit_width(digits_[a.index()] ^ digits_[b.index()]))];
    }

    [[nodiscard]] std::int32_t with_channels(NodeId a, NodeId b, std::int32_t distance) const {
        return distance + (a != b ? channels_ : 0);
    }

    void fill_tables();
    void pack(const Grid& grid);
    void pack_blocks();

    Path path_ = Path::kNetwork;
    std::int32_t channels_ = 0;  ///< 2 if injection and ejection count
    std::size_t node_count_ = 0;
    std::vector<std::uint8_t> table8_;
    std::vector<std::uint16_t> table16_;
    std::vector<std::int16_t> rows_;  ///< 4 or 8 coordinates per node, unused lanes 0
    std::int16_t sizes_[kLanes] = {};
    /// Per node: the index of its terminal, with separate bits for the digit of each level.
    std::vector<std::uint64_t> digits_;
    std::int32_t hops_of_width_[65] = {};
    const Network* network_;
};

}  // namespace haichi
