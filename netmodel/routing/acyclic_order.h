#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace haichi {

/// A directed graph that takes edge after edge and refuses those that would close a cycle, by keeping its vertices in
/// topological order (Pearce, Kelly, ACM JEA 11, 2006). An edge that agrees with the order costs O(1); for another one
/// the edges of the vertices between its ends are looked at, and when those are too many it is refused, too. The order
/// begins with that of the numbers.
class AcyclicOrder {
  public:
    static constexpr std::size_t kMostSteps = 256;

    /// `most_steps`: edges to look at for one that is inserted.
    explicit AcyclicOrder(std::int32_t vertex_count, std::size_t most_steps = kMostSteps);

    /// False, and nothing changes, when the edge would close a cycle, or after too many steps.
    bool insert(std::int32_t from, std::int32_t to);

  private:
    /// Collects in `found` what is reached from v along `edges` at places between `least` and `most`; false when that
    /// meets `target` or takes too many steps.
    bool collect(std::int32_t v, const std::vector<std::vector<std::int32_t>>& edges, std::int32_t least,
                 std::int32_t most, std::int32_t target, std::vector<std::int32_t>& found);

    std::size_t most_steps_;
    std::vector<std::int32_t> place_;
    std::vector<std::vector<std::int32_t>> out_;
    std::vector<std::vector<std::int32_t>> in_;
    std::vector<std::uint8_t> is_found_;
    std::vector<std::int32_t> after_;  ///< work space: what has to come after
    std::vector<std::int32_t> before_;
    std::vector<std::int32_t> free_places_;
};

}  // namespace haichi
