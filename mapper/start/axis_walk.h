#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mapper/start/machine_box.h"
#include "mapper/structure/layer_order.h"

namespace haichi {

/// Some positions of an axis of places: 0, stride, 2 * stride ...
struct AxisShare {
    std::size_t axis = 0;
    std::int32_t positions = 1;
    std::int32_t stride = 1;

    friend auto operator<=>(const AxisShare&, const AxisShare&) = default;
};

/// An axis of a rank grid laid through the shares of several axes of places: where each of its positions is.
struct AxisWalk {
    std::vector<AxisShare> shares;
    std::vector<std::int32_t> at;  ///< position by position, a number below `positions` for each share
    double byte_hops = 0;
};

/// The best walks of one axis of a rank grid, by what its positions exchange. Walks go to and fro through one share
/// after the other (which is how a path keeps its neighbours), begin anew at the same end, or go round (which is how a
/// ring closes); all orders of the shares are tried, as many as the size of the axis allows. Remembers what it found.
class AxisWalks {
  public:
    AxisWalks(const std::vector<PlaceAxis>& axes, std::int32_t size, std::vector<LayerBytes> bytes)
        : axes_(&axes), size_(size), bytes_(std::move(bytes)) {}

    /// `shares` have together at least as many positions as the axis.
    const AxisWalk& best(const std::vector<AxisShare>& shares);

  private:
    [[nodiscard]] AxisWalk found(const std::vector<AxisShare>& shares) const;
    [[nodiscard]] double byte_hops(const AxisWalk& walk) const;

    const std::vector<PlaceAxis>* axes_;
    std::int32_t size_;
    std::vector<LayerBytes> bytes_;
    std::map<std::vector<AxisShare>, AxisWalk> known_;
};

}  // namespace haichi
