#pragma once

#include <cstdint>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// An axis of the places that ranks may take.
struct PlaceAxis {
    enum class Kind : std::uint8_t {
        kPath,  ///< a step costs a hop
        kRing,  ///< the same, and the last position is next to the first
        kFlat   ///< any two positions are equally far apart
    };
    std::int32_t size = 1;
    Kind kind = Kind::kPath;
    std::int32_t hops = 1;  ///< kFlat: between two positions

    [[nodiscard]] std::int32_t distance(std::int32_t a, std::int32_t b) const {
        const std::int32_t straight = a < b ? b - a : a - b;
        if (kind == Kind::kFlat) return straight == 0 ? 0 : hops;
        return kind == Kind::kRing && 2 * straight > size ? size - straight : straight;
    }
};

/// The places of a job as a box: axis 0 are the slots of a node, the others those of the machine, as far as the job
/// reaches along them; of a machine whose terminals form blocks an axis for each level; else the nodes in a row.
/// Positions without a node that may be used are possible.
class MachineBox {
  public:
    explicit MachineBox(const Problem& problem);

    [[nodiscard]] const std::vector<PlaceAxis>& axes() const { return axes_; }
    /// The node of a position, one coordinate per axis; an invalid id when there is none that may be used.
    [[nodiscard]] NodeId node(const std::vector<std::int32_t>& at) const;

  private:
    void read_grid(const Grid& grid);
    void read_blocks();

    const Problem* problem_;
    std::vector<PlaceAxis> axes_;
    std::vector<std::int32_t> origin_;  ///< of the axes of a grid
};

}  // namespace haichi
