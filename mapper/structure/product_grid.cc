#include "mapper/structure/product_grid.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "mapper/structure/disjoint_sets.h"
#include "mapper/structure/layer_order.h"
#include "mapper/structure/lines.h"

namespace haichi {

namespace {

constexpr std::size_t kMostGridAxes = 8;
constexpr std::int32_t kNoAxis = -1;

/// Two classes of lines that cross in a square.
struct Crossing {
    std::int32_t a = 0;
    std::int32_t b = 0;
    friend auto operator<=>(const Crossing&, const Crossing&) = default;
};

/// Finds the axis of every line.
class AxesOfLines {
  public:
    AxesOfLines(const RankGraph& graph, const Lines& lines)
        : graph_(graph), lines_(lines), classes_(static_cast<std::size_t>(lines.count)) {}

    /// Finds the axes. Returns the number of axes, or 0 if there are none.
    std::int32_t run() {
        axis_.assign(static_cast<std::size_t>(lines_.count), 0);
        std::size_t squares = 0;
        const bool could = for_each_square(graph_, lines_, [&](const Square& square) {
            ++squares;
            classes_.join(line(square.uv), line(square.wx));
            classes_.join(line(square.uw), line(square.vx));
        });
        if (!could) return 0;
        if (squares == 0) return 1;
        find_crossings();
        return sort_into_axes();
    }

    [[nodiscard]] const std::vector<std::int32_t>& axis_of_line() const { return axis_; }

  private:
    [[nodiscard]] std::int32_t line(std::size_t entry) const { return lines_.of_edge[entry]; }

    void find_crossings() {
        constexpr std::size_t kMostKept = std::size_t{1} << 20;
        std::size_t limit = kMostKept;
        for_each_square(graph_, lines_, [&](const Square& square) {
            const std::int32_t a = classes_.find(line(square.uv));
            const std::int32_t b = classes_.find(line(square.uw));
            crossings_.push_back({a, b});
            crossings_.push_back({b, a});
            if (crossings_.size() < limit) return;
            sort_crossings();
            limit = std::max(kMostKept, 2 * crossings_.size());
        });
        sort_crossings();
    }

    void sort_crossings() {
        std::ranges::sort(crossings_);
        const auto rest = std::ranges::unique(crossings_);
        crossings_.erase(rest.begin(), rest.end());
    }

    /// Assigns classes, largest first, to the only axis whose classes they do not cross. A class that crosses classes
    /// of all axes gets a new axis. In a product, any two classes of different axes cross. Small classes that violate
    /// this get no axis.
    std::int32_t sort_into_axes() {
        std::vector<std::int32_t> size(axis_.size(), 0);
        for (std::int32_t l = 0; l < lines_.count; ++l) ++size[static_cast<std::size_t>(classes_.find(l))];
        std::vector<std::int32_t> order;
        for (std::int32_t c = 0; c < lines_.count; ++c) {
            if (classes_.find(c) == c) order.push_back(c);
        }
        std::ranges::stable_sort(order, std::ranges::greater{},
                                 [&](std::int32_t c) { return size[static_cast<std::size_t>(c)]; });
        std::vector<std::int32_t> axis_of_class(axis_.size(), kNoAxis);
        std::size_t axes = 0;
        for (const std::int32_t c : order) {
            std::vector<std::uint8_t> crosses(axes, 0);
            auto crossing = std::ranges::lower_bound(crossings_, Crossing{c, -1});
            for (; crossing != crossings_.end() && crossing->a == c; ++crossing) {
                const std::int32_t other = axis_of_class[static_cast<std::size_t>(crossing->b)];
                if (other != kNoAxis) crosses[static_cast<std::size_t>(other)] = 1;
            }
            const auto left = static_cast<std::size_t>(std::ranges::count(crosses, 0));
            if (left == 0) {
                if (++axes > kMostGridAxes) return 0;
                axis_of_class[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(axes) - 1;
            } else if (left == 1) {
                axis_of_class[static_cast<std::size_t>(c)] =
                    static_cast<std::int32_t>(std::ranges::find(crosses, 0) - crosses.begin());
            }
        }
        for (std::int32_t l = 0; l < lines_.count; ++l) {
            axis_[static_cast<std::size_t>(l)] = axis_of_class[static_cast<std::size_t>(classes_.find(l))];
        }
        return static_cast<std::int32_t>(axes);
    }

    const RankGraph& graph_;
    const Lines& lines_;
    DisjointSets classes_;  ///< classes of adjacent parallel lines
    std::vector<Crossing> crossings_;
    std::vector<std::int32_t> axis_;
};

/// Derives the coordinates of ranks from the axis that each line of ranks belongs to.
class Layers {
  public:
    Layers(const RankGraph& graph, const Lines& lines, const std::vector<std::int32_t>& axis_of_line)
        : graph_(graph), lines_(lines), axis_of_line_(axis_of_line) {
        find_largest_part();
    }

    std::optional<RankGrid> run(std::int32_t axes) {
        RankGrid grid;
        grid.coordinates.assign(graph_.vertex_count() * static_cast<std::size_t>(axes), RankGrid::kNowhere);
        double positions = 1;
        for (std::int32_t axis = 0; axis < axes; ++axis) {
            const std::vector<std::int32_t> layer = layers_across(axis);
            const std::int32_t count = number_of_layers_;
            const std::vector<std::int32_t> position = position_of_layers(count, bytes_between(layer, axis));
            for (std::size_t v = 0; v < layer.size(); ++v) {
                if (layer[v] == RankGrid::kNowhere) continue;
                grid.coordinates[v * static_cast<std::size_t>(axes) + static_cast<std::size_t>(axis)] =
                    position[static_cast<std::size_t>(layer[v])];
            }
            grid.sizes.push_back(count);
            positions *= count;
        }
        // In a product, every position is taken. A border that is not straight leaves some positions free.
        constexpr double kMostPositionsPerRank = 2;
        if (positions > kMostPositionsPerRank * static_cast<double>(part_size_)) return {};
        return take_shared_positions_away(grid) ? std::optional(std::move(grid)) : std::nullopt;
    }

  private:
    [[nodiscard]] std::int32_t axis_of(std::size_t entry) const {
        return axis_of_line_[static_cast<std::size_t>(lines_.of_edge[entry])];
    }

    /// Ranks without a connection to the largest part have no comparable coordinates.
    void find_largest_part() {
        DisjointSets parts(graph_.vertex_count());
        for (std::size_t v = 0; v < graph_.vertex_count(); ++v) {
            for (std::size_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
                if (axis_of(e) != kNoAxis) parts.join(static_cast<std::int32_t>(v), graph_.partner[e]);
            }
        }
        std::vector<std::int32_t> size(graph_.vertex_count(), 0);
        for (std::size_t v = 0; v < size.size(); ++v) {
            ++size[static_cast<std::size_t>(parts.find(static_cast<std::int32_t>(v)))];
        }
        const auto largest = std::ranges::max_element(size) - size.begin();
        is_inside_.resize(size.size());
        for (std::size_t v = 0; v < size.size(); ++v) {
            is_inside_[v] = parts.find(static_cast<std::int32_t>(v)) == largest ? 1 : 0;
            part_size_ += is_inside_[v];
        }
    }

    /// The layer of each vertex along `axis`. The edges of all other axes connect the vertices of a layer.
    std::vector<std::int32_t> layers_across(std::int32_t axis) {
        DisjointSets joined(graph_.vertex_count());
        for (std::size_t v = 0; v < graph_.vertex_count(); ++v) {
            for (std::size_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
                if (axis_of(e) == axis || axis_of(e) == kNoAxis) continue;
                joined.join(static_cast<std::int32_t>(v), graph_.partner[e]);
            }
        }
        std::vector<std::int32_t> layer(graph_.vertex_count(), RankGrid::kNowhere);
        number_of_layers_ = 0;
        for (std::size_t v = 0; v < layer.size(); ++v) {
            if (is_inside_[v] == 0) continue;
            const auto first = static_cast<std::size_t>(joined.find(static_cast<std::int32_t>(v)));
            layer[v] = first == v ? number_of_layers_++ : layer[first];
        }
        return layer;
    }

    [[nodiscard]] std::vector<LayerBytes> bytes_between(const std::vector<std::int32_t>& layer,
                                                        std::int32_t axis) const {
        constexpr std::size_t kMostKept = std::size_t{1} << 20;
        std::size_t limit = kMostKept;
        std::vector<LayerBytes> bytes;
        for (std::size_t v = 0; v < layer.size(); ++v) {
            for (std::size_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
                const auto w = static_cast<std::size_t>(graph_.partner[e]);
                if (axis_of(e) != axis || w < v || layer[v] == layer[w] || is_inside_[v] == 0) continue;
                bytes.push_back({layer[v], layer[w], graph_.bytes[e]});
            }
            if (bytes.size() < limit) continue;
            bytes = summed(std::move(bytes));
            limit = std::max(kMostKept, 2 * bytes.size());
        }
        return summed(std::move(bytes));
    }

    /// Lets only the first rank keep a shared position. Returns false if many ranks share positions, because the ranks
    /// then form no grid.
    [[nodiscard]] bool take_shared_positions_away(RankGrid& grid) const {
        constexpr double kMostShared = 0.1;
        std::vector<std::uint8_t> is_taken;
        std::size_t positions = 1;
        for (const std::int32_t size : grid.sizes) positions *= static_cast<std::size_t>(size);
        is_taken.assign(positions, 0);
        std::size_t shared = 0;
        for (std::size_t v = 0; v < graph_.vertex_count(); ++v) {
            if (is_inside_[v] == 0) continue;
            std::size_t at = 0;
            for (std::size_t k = 0; k < grid.axis_count(); ++k) {
                at = at * static_cast<std::size_t>(grid.sizes[k]) +
                     static_cast<std::size_t>(grid.coordinates[v * grid.axis_count() + k]);
            }
            if (std::exchange(is_taken[at], 1) == 0) continue;
            ++shared;
            for (std::size_t k = 0; k < grid.axis_count(); ++k) {
                grid.coordinates[v * grid.axis_count() + k] = RankGrid::kNowhere;
            }
        }
        return static_cast<double>(shared) <= kMostShared * static_cast<double>(part_size_);
    }

    const RankGraph& graph_;
    const Lines& lines_;
    const std::vector<std::int32_t>& axis_of_line_;
    std::vector<std::uint8_t> is_inside_;
    std::size_t part_size_ = 0;
    std::int32_t number_of_layers_ = 0;
};

/// A ring of four is a product of two edges. Two axes of size 2 therefore become one of 4, in the order of the ring.
void join_axes_of_two(RankGrid& grid) {
    while (true) {
        const auto a = std::ranges::find(grid.sizes, 2);
        if (a == grid.sizes.end()) return;
        const auto b = std::find(a + 1, grid.sizes.end(), 2);
        if (b == grid.sizes.end()) return;
        const auto first = static_cast<std::size_t>(a - grid.sizes.begin());
        const auto second = static_cast<std::size_t>(b - grid.sizes.begin());
        const std::size_t axes = grid.axis_count();
        std::vector<std::int32_t> coordinates;
        coordinates.reserve(grid.coordinates.size());
        for (std::size_t i = 0; i < grid.coordinates.size(); i += axes) {
            for (std::size_t k = 0; k < axes; ++k) {
                const std::int32_t at = grid.coordinates[i + k];
                if (k == second) continue;
                const bool is_placed = at != RankGrid::kNowhere;
                if (k == first && is_placed) {
                    const std::int32_t other = grid.coordinates[i + second];
                    coordinates.push_back(2 * at + (at == 0 ? other : 1 - other));
                } else {
                    coordinates.push_back(at);
                }
            }
        }
        grid.coordinates = std::move(coordinates);
        grid.sizes[first] = 4;
        grid.sizes.erase(b);
    }
}

}  // namespace

std::optional<RankGrid> find_product_grid(const RankGraph& graph) {
    if (graph.partner.empty()) return {};
    const std::optional<Lines> lines = find_lines(graph);
    if (!lines) return {};
    AxesOfLines axes(graph, *lines);
    const std::int32_t count = axes.run();
    if (count == 0) return {};
    std::optional<RankGrid> grid = Layers(graph, *lines, axes.axis_of_line()).run(count);
    if (grid) join_axes_of_two(*grid);
    return grid;
}

}  // namespace haichi
