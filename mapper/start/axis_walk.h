#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "mapper/start/machine_box.h"
#include "mapper/structure/layer_order.h"

namespace haichi {

/// The part of an axis of places that a walk uses: the positions 0, stride, 2 * stride ...
struct AxisShare {
    std::size_t axis = 0;
    std::int32_t positions = 1;
    std::int32_t stride = 1;

    friend auto operator<=>(const AxisShare&, const AxisShare&) = default;
};

/// Maps the positions of one axis of a rank grid to positions on several axes of places.
struct AxisWalk {
    std::vector<AxisShare> shares;
    std::vector<std::int32_t> at;  ///< for each position of the grid's axis, one number below `positions` per share
    double byte_hops = 0;
    /// An estimate of the largest link load, summed over the distances in the grid between positions that exchange
    /// bytes. It assumes that the messages of one distance are sent together. Set only with WalkCost::kByteLoad.
    double byte_load = 0;
};

/// The cost that a walk minimises first.
enum class WalkCost : std::uint8_t { kByteHops, kByteLoad };

/// The best walks of one axis of a rank grid, by the bytes exchanged between its positions. A walk goes to and fro
/// through one share after another, so that neighbours on a path stay neighbours. It may also restart at the same end,
/// or go round, which closes a ring. All orders of the shares are tried, as far as the size of the axis allows. With
/// WalkCost::kByteLoad, a walk may also take every second position and return over the others, which closes any ring.
/// Results are cached.
class AxisWalks {
  public:
    AxisWalks(const std::vector<PlaceAxis>& axes, std::int32_t size, std::vector<LayerBytes> bytes)
        : axes_(&axes), size_(size), bytes_(std::move(bytes)) {}

    /// `shares` must have at least as many positions in total as the axis.
    const AxisWalk& best(const std::vector<AxisShare>& shares, WalkCost cost);

  private:
    using Key = std::pair<WalkCost, std::vector<AxisShare>>;

    [[nodiscard]] AxisWalk found(const std::vector<AxisShare>& shares, WalkCost cost) const;
    [[nodiscard]] AxisWalk walk_over(const std::vector<AxisShare>& shares, const std::vector<std::int32_t>& places,
                                     WalkCost cost) const;
    [[nodiscard]] double byte_hops(const AxisWalk& walk) const;
    [[nodiscard]] double byte_load(const AxisWalk& walk) const;

    const std::vector<PlaceAxis>* axes_;
    std::int32_t size_;
    std::vector<LayerBytes> bytes_;
    std::map<Key, AxisWalk> known_;
};

}  // namespace haichi
