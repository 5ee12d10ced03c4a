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

/// The positions of one axis of a rank grid on shares of several axes of places.
struct AxisWalk {
    std::vector<AxisShare> shares;
    std::vector<std::int32_t> at;  ///< position by position: for each share, a number below `positions`
    double byte_hops = 0;
};

/// The best walks of one axis of a rank grid, by the bytes exchanged between its positions. A walk goes to and fro
/// through one share after another, which keeps neighbours of a path. It may also restart at the same end, or go round,
/// which closes a ring. All orders of the shares are tried, as far as the size of the axis allows. Results are cached.
class AxisWalks {
  public:
    AxisWalks(const std::vector<PlaceAxis>& axes, std::int32_t size, std::vector<LayerBytes> bytes)
        : axes_(&axes), size_(size), bytes_(std::move(bytes)) {}

    /// `shares` must have at least as many positions in total as the axis.
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
