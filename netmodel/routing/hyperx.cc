#include "netmodel/routing/hyperx.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

HyperX::HyperX(std::vector<std::int32_t> sizes, std::int32_t terminals_per_router)
    : sizes_(std::move(sizes)),
      strides_(sizes_.size()),
      first_link_(sizes_.size()),
      terminals_per_router_(terminals_per_router) {
    if (sizes_.empty() || sizes_.size() > kMostAxes) {
        throw OptionError("a HyperX has 1 to " + std::to_string(kMostAxes) + " axes, not " +
                          std::to_string(sizes_.size()));
    }
    if (terminals_per_router < 1 || terminals_per_router > kMostVertices) {
        throw OptionError("a router of a HyperX has 1 to " + std::to_string(kMostVertices) + " terminals, not " +
                          std::to_string(terminals_per_router));
    }
    std::int64_t routers = 1;
    std::int64_t links_per_router = 0;
    for (std::size_t axis = sizes_.size(); axis-- > 0;) {
        if (sizes_[axis] < 1) {
            throw OptionError("an axis of a HyperX has at least 1 position, not " + std::to_string(sizes_[axis]));
        }
        strides_[axis] = static_cast<std::int32_t>(routers);
        routers *= sizes_[axis];
        links_per_router += sizes_[axis] - 1;
        // Each factor is below 2^31, and the previous product is at most 2^23, so the loop ends before an overflow.
        if (routers > kMostVertices || routers * (std::int64_t{terminals_per_router} + 1) > kMostVertices) {
            throw OptionError("a topology has at most " + std::to_string(kMostVertices) +
                              " nodes and switches, fewer than in a HyperX of " + sizes_text(sizes_) +
                              " routers with " + std::to_string(terminals_per_router) + " terminals");
        }
    }
    // Reserves a quarter of the 32-bit range for injection and ejection channels.
    constexpr std::int64_t kMostLinks = std::numeric_limits<std::int32_t>::max() / 4 * 3;
    if (routers * (2 * std::int64_t{terminals_per_router} + links_per_router) > kMostLinks) {
        throw OptionError("a topology has at most " + std::to_string(kMostLinks) +
                          " links, fewer than in a HyperX of " + sizes_text(sizes_));
    }
    router_count_ = static_cast<std::int32_t>(routers);
    links_per_router_ = static_cast<std::int32_t>(links_per_router);
    for (std::size_t axis = 1; axis < sizes_.size(); ++axis) {
        first_link_[axis] = first_link_[axis - 1] + sizes_[axis - 1] - 1;
    }
}

HyperX::LinkEnds HyperX::link_ends(LinkId link) const {
    const std::int32_t first = 2 * terminal_count();
    if (link.value < first) {
        const VertexId terminal(link.value % terminal_count());
        const VertexId router = router_vertex(router_of(terminal));
        if (link.value < terminal_count()) return {terminal, router, sizes_.size()};
        return {router, terminal, sizes_.size()};
    }
    const std::int32_t router = (link.value - first) / links_per_router_;
    const std::int32_t number = (link.value - first) % links_per_router_;
    const auto above = std::ranges::upper_bound(first_link_, number);  // an axis of size 1 starts where the next does
    const auto axis = static_cast<std::size_t>(above - first_link_.begin()) - 1;
    const std::int32_t from = coordinate(router, axis);
    const std::int32_t place = number - first_link_[axis];
    const std::int32_t to = place + (place >= from ? 1 : 0);
    return {router_vertex(router), router_vertex(router + (to - from) * strides_[axis]), axis};
}

std::int32_t HyperX::hops(VertexId s, VertexId d) const {
    if (s == d) return 0;
    std::int32_t hops = 2;
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
        if (coordinate(router_of(s), axis) != coordinate(router_of(d), axis)) ++hops;
    }
    return hops;
}

namespace {

constexpr const char* kHyperXRouting = "dimension-order";

/// One virtual channel suffices. Hops are always in the order (up, one hop per axis in order, down), so no cycle is
/// possible.
class HyperXRoutes final : public Routes {
  public:
    explicit HyperXRoutes(const HyperX& hyperx) : hyperx_(hyperx) {}

    [[nodiscard]] std::string name() const override { return kHyperXRouting; }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        hyperx_.walk(s, d, [&links](LinkId link) { links.push_back(link); });
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override { return hyperx_.hops(s, d); }
    [[nodiscard]] std::int32_t longest() const override {
        return 2 +
               static_cast<std::int32_t>(std::ranges::count_if(hyperx_.sizes(), [](auto size) { return size > 1; }));
    }
    [[nodiscard]] bool are_shortest() const override { return true; }
    [[nodiscard]] bool are_symmetric() const override { return true; }
    /// Every terminal has the same histogram. The number of routers that differ in j coordinates is the j-th
    /// coefficient of the product of 1 + (size - 1) x over all axes.
    [[nodiscard]] DistanceHistogram nearest() const override {
        std::vector<std::int64_t> routers = {1};
        for (const std::int32_t size : hyperx_.sizes()) {
            routers.push_back(0);
            for (std::size_t j = routers.size(); j-- > 1;) routers[j] += routers[j - 1] * (size - 1);
        }
        DistanceHistogram histogram{{0, 0}, true};
        for (const std::int64_t count : routers) {
            histogram.count.push_back(count * hyperx_.terminals_per_router());
        }
        --histogram.count[2];  // the terminal itself
        return histogram;
    }

  private:
    const HyperX& hyperx_;
};

std::vector<PortClass> link_classes_of(const HyperX& hyperx) {
    std::vector<PortClass> classes = {{.name = "host links"}};
    for (std::size_t axis = 0; axis < hyperx.sizes().size(); ++axis) {
        classes.push_back({.name = "links of axis " + std::to_string(axis)});
    }
    return classes;
}

class HyperXTopology final : public TopologyOf<HyperX> {
  public:
    HyperXTopology(HyperX hyperx, std::span<const std::int64_t> bandwidths)
        : TopologyOf(std::move(hyperx)), classes_(classes_with(link_classes_of(value()), bandwidths)) {}

    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override {
        const std::size_t axis = value().link_ends(link).axis;
        return axis == axis_count() ? 0 : axis + 1;
    }
    /// "(terminal 3)" or "(router 1.0)", by the router's coordinates.
    [[nodiscard]] std::string vertex_name(VertexId v) const override {
        const std::int32_t router = v.value - terminal_count();
        if (router < 0) return "(terminal " + std::to_string(v.value) + ")";
        std::string text;
        for (std::size_t axis = 0; axis < axis_count(); ++axis) {
            text += (text.empty() ? "(router " : ".") + std::to_string(value().coordinate(router, axis));
        }
        return text + ")";
    }
    /// "up ..", "down .." or "axis0 (router 1.0)->(router 2.0)".
    [[nodiscard]] std::string link_name(LinkId link) const override {
        const HyperX::LinkEnds ends = value().link_ends(link);
        const bool is_up = link.value < terminal_count();
        const std::string kind = ends.axis < axis_count() ? "axis" + std::to_string(ends.axis) : is_up ? "up" : "down";
        return kind + " " + vertex_name(ends.from) + "->" + vertex_name(ends.to);
    }
    [[nodiscard]] nlohmann::ordered_json description() const override {
        return {{"kind", "hyperx"}, {"sizes", value().sizes()}, {"terminals", value().terminals_per_router()}};
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        if (text.empty() || text == kHyperXRouting) return kHyperXRouting;
        throw OptionError("routing " + shown(text) + " does not fit a HyperX",
                          std::string("use the routing ") + kHyperXRouting + ", which is the only one for a HyperX");
    }
    /// Terminals forward no packets, so faulty terminals do not affect routes.
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text, const RouteLimits&) const override {
        (void)routing(text);
        return std::make_shared<HyperXRoutes>(value());
    }
    [[nodiscard]] Drawing drawing() const override {
        Drawing drawing;
        drawing.level_of_vertex.assign(static_cast<std::size_t>(vertex_count()), 1);
        std::fill_n(drawing.level_of_vertex.begin(), terminal_count(), 0);
        for (std::size_t axis = 0; axis < axis_count(); ++axis) {
            std::vector<std::int32_t> line(static_cast<std::size_t>(terminal_count()), -1);
            for (std::int32_t r = 0; r < value().router_count(); ++r) line.push_back(value().line(r, axis));
            drawing.panels.push_back({"axis " + std::to_string(axis),
                                      "a square per line of " + std::to_string(value().sizes()[axis]) +
                                          " routers: from the router of the row to the router of the column",
                                      Panel::Form::kSquares, std::move(line)});
        }
        drawing.panels.push_back({"nodes and their routers", "every link: upper half to the router, lower half back"});
        for (std::int32_t l = 0; l < link_count(); ++l) {
            drawing.panel_of_link.push_back(static_cast<std::int32_t>(value().link_ends(LinkId(l)).axis));
        }
        return drawing;
    }

  private:
    [[nodiscard]] std::size_t axis_count() const { return value().sizes().size(); }

    std::vector<PortClass> classes_;
};

ReadTopology read_hyperx(const TopologySection& from) {
    const MachineSection& section = from.section;
    const std::vector<std::int32_t> sizes = section.integers("sizes");
    const std::int32_t terminals =
        section.has("terminals") ? section.integer("terminals", 1, static_cast<std::int32_t>(kMostVertices)) : 1;
    HyperX hyperx = placed(section, "sizes", [&] { return HyperX(sizes, terminals); });
    return {hyperx_topology(std::move(hyperx), read_class_bandwidths(section, sizes.size() + 1))};
}

/// Reads "4x4" or "4x4,2".
std::shared_ptr<const Topology> read_sizes_and_terminals(const TopologyParameters& from) {
    constexpr std::string_view kExample = "hyperx:4x4,2";
    const std::string what = "machine " + std::string(from.machine);
    const auto comma = from.text->find(',');
    std::int32_t terminals = 1;
    if (comma != std::string_view::npos) {
        const std::vector<std::int32_t> numbers = parse_sizes(from.text->substr(comma + 1), what, ',', kExample);
        if (numbers.size() != 1) {
            throw OptionError(what +
                                  " requires sizes and, optionally, one number of "
                                  "terminals per router",
                              "an example is " + std::string(kExample));
        }
        terminals = numbers[0];
    }
    return hyperx_topology(HyperX(parse_sizes(from.text->substr(0, comma), what, 'x', kExample), terminals));
}

}  // namespace

std::shared_ptr<const Topology> hyperx_topology(HyperX hyperx, std::span<const std::int64_t> bandwidths) {
    return std::make_shared<HyperXTopology>(std::move(hyperx), bandwidths);
}

TopologyRow hyperx_row() {
    TopologyPreset preset;
    preset.word = "hyperx";
    preset.pattern = "hyperx:SIZExSIZE...[,T]";
    preset.sentence =
        "a lattice of routers, all routers of a line joined, "
        "T nodes per router, 1 by default "
        "(hyperx:4x4,2), 4 GB/s links, 2 GB/s NICs";
    preset.example = "hyperx:3x4,2";
    preset.machine_file = "hyperx";
    preset.read = read_sizes_and_terminals;
    TopologyRow row;
    row.name = "hyperx";
    row.sentence =
        "a lattice of routers, each joined to all routers that differ from it "
        "in one coordinate";
    row.keys = {"sizes", "terminals", "bandwidth"};
    row.routings = {{kHyperXRouting,
                     "HyperX: one hop along every axis in which the "
                     "routers differ, in the order of the axes"}};
    row.example = R"({"kind": "hyperx", "sizes": [3, 4], "terminals": 2})";
    row.read = read_hyperx;
    row.preset = std::move(preset);
    return row;
}

}  // namespace haichi
