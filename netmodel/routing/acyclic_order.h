#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace haichi {

/// A directed graph that receives edges one by one and refuses each edge that would close a cycle. It keeps its
/// vertices in topological order (Pearce, Kelly, ACM JEA 11, 2006), which starts with the order of their numbers. An
/// edge that agrees with the order costs O(1). For any other edge, insert() visits the edges of the vertices between
/// its ends. It also refuses the edge if these are too many.
class AcyclicOrder {
  public:
    static constexpr std::size_t kMostSteps = 256;

    /// An insertion visits at most `most_steps` edges.
    explicit AcyclicOrder(std::int32_t vertex_count, std::size_t most_steps = kMostSteps);

    /// Returns false if the edge would close a cycle, or after too many steps. The graph is then unchanged.
    bool insert(std::int32_t from, std::int32_t to);

  private:
    /// Collects in `found` the vertices reachable from v along `edges` at places from `least` to `most`. False if it
    /// meets `target` or takes too many steps.
    bool collect(std::int32_t v, const std::vector<std::vector<std::int32_t>>& edges, std::int32_t least,
                 std::int32_t most, std::int32_t target, std::vector<std::int32_t>& found);

    std::size_t most_steps_;
    std::vector<std::int32_t> place_;
    std::vector<std::vector<std::int32_t>> out_;
    std::vector<std::vector<std::int32_t>> in_;
    std::vector<std::uint8_t> is_found_;
    std::vector<std::int32_t> after_;  ///< work space: vertices that must follow
    std::vector<std::int32_t> before_;
    std::vector<std::int32_t> free_places_;
};

}  // namespace haichi
