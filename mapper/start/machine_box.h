#pragma once

#include <cstdint>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// An axis of places for ranks.
struct PlaceAxis {
    enum class Kind : std::uint8_t {
        kPath,  ///< a step costs `hops`
        kRing,  ///< like kPath, with the last position next to the first
        kFlat   ///< all pairs of positions have the same distance
    };
    std::int32_t size = 1;
    Kind kind = Kind::kPath;
    std::int32_t hops = 1;  ///< length of a step, or for kFlat the distance between two positions

    [[nodiscard]] std::int32_t distance(std::int32_t a, std::int32_t b) const {
        const std::int32_t straight = a < b ? b - a : a - b;
        if (kind == Kind::kFlat) return straight == 0 ? 0 : hops;
        return hops * (kind == Kind::kRing && 2 * straight > size ? size - straight : straight);
    }
};

/// The rank slots of a job as a box. Axis 0 is the slots of a node. On a grid, the other axes are those of the machine,
/// limited to the extent of the job. If terminals form blocks, there is an axis for each level of blocks. On other
/// machines, the nodes form one axis. Some positions may have no usable node.
class MachineBox {
  public:
    explicit MachineBox(const Problem& problem);

    [[nodiscard]] const std::vector<PlaceAxis>& axes() const { return axes_; }
    /// The node at a position with one coordinate per axis, or an invalid id if it has no usable node.
    [[nodiscard]] NodeId node(const std::vector<std::int32_t>& at) const;

  private:
    void read_grid(const Grid& grid);
    void read_blocks();

    const Problem* problem_;
    std::vector<PlaceAxis> axes_;
    std::vector<std::int32_t> origin_;  ///< first coordinate on each grid axis
};

}  // namespace haichi
