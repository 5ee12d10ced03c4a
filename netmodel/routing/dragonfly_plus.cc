#include "netmodel/routing/dragonfly_plus.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

std::string text_of(const DragonflyPlus::Shape& shape) {
    return std::to_string(shape.groups) + " groups of " + std::to_string(shape.leaves) + " leaves with " +
           std::to_string(shape.hosts) + " hosts and " + std::to_string(shape.spines) + " spines";
}

void check_entry(const char* what, std::int32_t entry) {
    if (entry >= 1 && entry <= kMostVertices) return;
    throw OptionError("a Dragonfly+ has 1 to " + std::to_string(kMostVertices) + " " + what + ", not " +
                      std::to_string(entry));
}

}  // namespace

DragonflyPlus::DragonflyPlus(const Shape& shape) : shape_(shape) {
    check_entry("leaves per group", shape.leaves);
    check_entry("spines per group", shape.spines);
    check_entry("hosts per leaf", shape.hosts);
    check_entry("groups", shape.groups);
    // Entries are at most 2^23, so products of two fit. Longer products have only factors that are checked by then.
    const std::int64_t routers = std::int64_t{shape.leaves} + shape.spines;
    const std::int64_t hosts = std::int64_t{shape.leaves} * shape.hosts;
    if (routers + hosts > kMostVertices || (routers + hosts) * shape.groups > kMostVertices) {
        throw OptionError("a topology has at most " + std::to_string(kMostVertices) +
                          " nodes and switches, fewer than in a Dragonfly+ of " + text_of(shape));
    }
    const std::int64_t others = shape.groups - 1;
    const std::int64_t links = others == 0 ? 0 : std::max<std::int64_t>(1, shape.spines / others);
    const std::int64_t all =
        shape.groups * (2 * hosts + 2 * std::int64_t{shape.leaves} * shape.spines + links * others);
    // Reserves a quarter of the 32-bit range for injection and ejection channels.
    constexpr std::int64_t kMostLinks = std::numeric_limits<std::int32_t>::max() / 4 * 3;
    if (std::int64_t{shape.leaves} * shape.spines > kMostLinks || all > kMostLinks) {
        throw OptionError("a topology has at most " + std::to_string(kMostLinks) +
                          " links, fewer than in a Dragonfly+ of " + text_of(shape));
    }
    terminal_count_ = static_cast<std::int32_t>(hosts * shape.groups);
    first_spine_ = terminal_count_ + shape.leaves * shape.groups;
    links_between_groups_ = static_cast<std::int32_t>(links);
    ports_per_group_ = static_cast<std::int32_t>(links * others);
    first_global_ = 2 * terminal_count_ + 2 * shape.groups * shape.leaves * shape.spines;
}

DragonflyPlus::LinkEnds DragonflyPlus::link_ends(LinkId link) const {
    if (link.value < 2 * terminal_count_) {
        const VertexId terminal(link.value % terminal_count_);
        const VertexId leaf = leaf_vertex(leaf_of(terminal));
        if (link.value < terminal_count_) return {terminal, leaf, LinkKind::kUp};
        return {leaf, terminal, LinkKind::kDown};
    }
    if (link.value < first_global_) {
        const std::int32_t number = link.value - 2 * terminal_count_;
        const std::int32_t leaf = number / 2 / shape_.spines;
        const VertexId below = leaf_vertex(leaf);
        const VertexId above = spine_vertex(group_of_leaf(leaf) * shape_.spines + number / 2 % shape_.spines);
        if (number % 2 == 0) return {below, above, LinkKind::kLocal};
        return {above, below, LinkKind::kLocal};
    }
    const std::int32_t from = (link.value - first_global_) / ports_per_group_;
    const std::int32_t exit = (link.value - first_global_) % ports_per_group_;
    const std::int32_t place = exit % (shape_.groups - 1);
    const std::int32_t to = place + (place >= from ? 1 : 0);
    const std::int32_t entry = port(to, from, exit / (shape_.groups - 1));
    return {spine_vertex(spine_of_port(from, exit)), spine_vertex(spine_of_port(to, entry)), LinkKind::kGlobal};
}

namespace {

constexpr const char* kDragonflyPlusRouting = "minimal";
constexpr std::size_t kDragonflyPlusClasses = 3;

std::vector<std::int32_t> block_sizes_of(const DragonflyPlus::Shape& shape) {
    return {1, shape.hosts, shape.hosts * shape.leaves, shape.hosts * shape.leaves * shape.groups};
}

/// One virtual channel suffices. Links on a route are always in the order (up, leaf to spine, global, spine to leaf,
/// down), so no cycle is possible.
class DragonflyPlusRoutes final : public Routes {
  public:
    explicit DragonflyPlusRoutes(const DragonflyPlus& dragonfly) : dragonfly_(dragonfly) {}

    [[nodiscard]] std::string name() const override { return kDragonflyPlusRouting; }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        dragonfly_.walk(s, d, [&links](LinkId link) { links.push_back(link); });
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override {
        const std::vector<std::int32_t> hops = hops_of_blocks();
        const std::int32_t leaf = dragonfly_.leaf_of(s);
        const std::int32_t target = dragonfly_.leaf_of(d);
        if (s == d) return hops[0];
        if (leaf == target) return hops[1];
        return dragonfly_.group_of_leaf(leaf) == dragonfly_.group_of_leaf(target) ? hops[2] : hops[3];
    }
    [[nodiscard]] std::int32_t longest() const override { return 5; }
    [[nodiscard]] bool are_shortest() const override { return true; }
    [[nodiscard]] bool are_symmetric() const override { return true; }
    /// Every terminal has the same histogram.
    [[nodiscard]] DistanceHistogram nearest() const override {
        const std::vector<std::int32_t> sizes = block_sizes_of(dragonfly_.shape());
        return {{0, 0, sizes[1] - 1, 0, sizes[2] - sizes[1], sizes[3] - sizes[2]}, true};
    }
    [[nodiscard]] std::vector<std::int32_t> hops_of_blocks() const override { return {0, 2, 4, 5}; }

  private:
    const DragonflyPlus& dragonfly_;
};

class DragonflyPlusTopology final : public TopologyOf<DragonflyPlus> {
  public:
    DragonflyPlusTopology(DragonflyPlus dragonfly, std::span<const std::int64_t> bandwidths)
        : TopologyOf(std::move(dragonfly)),
          classes_(
              classes_with({{.name = "host links"}, {.name = "local links"}, {.name = "global links"}}, bandwidths)),
          block_sizes_(block_sizes_of(value().shape())) {}

    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override {
        const DragonflyPlus::LinkKind kind = value().link_ends(link).kind;
        return kind == DragonflyPlus::LinkKind::kGlobal ? 2 : kind == DragonflyPlus::LinkKind::kLocal ? 1 : 0;
    }
    /// "(terminal 3)", "(leaf 1.0)" or "(spine 1.0)": group and number within it.
    [[nodiscard]] std::string vertex_name(VertexId v) const override {
        if (v.value < value().first_leaf()) return "(terminal " + std::to_string(v.value) + ")";
        const bool is_leaf = v.value < value().first_spine();
        const std::int32_t number = v.value - (is_leaf ? value().first_leaf() : value().first_spine());
        const std::int32_t of_group = is_leaf ? value().shape().leaves : value().shape().spines;
        return (is_leaf ? "(leaf " : "(spine ") + std::to_string(number / of_group) + "." +
               std::to_string(number % of_group) + ")";
    }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        static constexpr std::array kKinds = {"up ", "down ", "local ", "global "};
        const DragonflyPlus::LinkEnds ends = value().link_ends(link);
        return kKinds[static_cast<std::size_t>(ends.kind)] + vertex_name(ends.from) + "->" + vertex_name(ends.to);
    }
    [[nodiscard]] nlohmann::ordered_json description() const override {
        const DragonflyPlus::Shape& shape = value().shape();
        return {{"kind", "dragonfly-plus"},
                {"leaves", shape.leaves},
                {"spines", shape.spines},
                {"hosts", shape.hosts},
                {"groups", shape.groups}};
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        if (text.empty() || text == kDragonflyPlusRouting) return kDragonflyPlusRouting;
        throw OptionError(
            "routing " + shown(text) + " does not fit a Dragonfly+",
            std::string("use the routing ") + kDragonflyPlusRouting + ", which is the only one for a Dragonfly+");
    }
    /// Terminals forward no packets, so faulty terminals do not affect routes.
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text, const RouteLimits&) const override {
        (void)routing(text);
        return std::make_shared<DragonflyPlusRoutes>(value());
    }

    [[nodiscard]] std::span<const std::int32_t> block_sizes() const override { return block_sizes_; }
    /// Nodes at the same leaf, or in the same group if a leaf has one terminal.
    [[nodiscard]] NearNodes near_nodes(const JobNodes& job) const override {
        return NearNodes::in_blocks(value().shape().hosts > 1 ? block_sizes_[1] : block_sizes_[2], job);
    }
    /// Leaves and spines are separate ranges, so that neighbours stay together.
    [[nodiscard]] std::vector<std::int32_t> router_ranges() const override {
        return {value().first_leaf(), value().first_spine()};
    }
    [[nodiscard]] Drawing drawing() const override {
        std::vector<std::int32_t> group(static_cast<std::size_t>(value().first_spine()), -1);
        std::vector<std::int32_t> levels(static_cast<std::size_t>(terminal_count()), 0);
        levels.resize(static_cast<std::size_t>(value().first_spine()), 1);
        levels.resize(static_cast<std::size_t>(vertex_count()), 2);
        for (std::int32_t g = 0; g < value().shape().groups; ++g) {
            group.insert(group.end(), static_cast<std::size_t>(value().shape().spines), g);
        }
        Drawing drawing;
        drawing.level_of_vertex = std::move(levels);
        drawing.panels = {{"between groups", "global links: from the group of the row to the group of the column",
                           Panel::Form::kMatrix, std::move(group)},
                          {"leaves and spines", "every link: upper half to the spine, lower half back"},
                          {"nodes and their leaves", "every link: upper half to the leaf, lower half back"}};
        for (std::int32_t l = 0; l < link_count(); ++l) {
            drawing.panel_of_link.push_back(
                static_cast<std::int32_t>(kDragonflyPlusClasses - 1 - class_of_link(LinkId(l))));
        }
        return drawing;
    }

  private:
    std::vector<PortClass> classes_;
    std::vector<std::int32_t> block_sizes_;
};

ReadTopology read_dragonfly_plus(const TopologySection& from) {
    constexpr auto kMost = static_cast<std::int32_t>(kMostVertices);
    const MachineSection& section = from.section;
    DragonflyPlus::Shape shape;
    shape.leaves = section.integer("leaves", 1, kMost);
    shape.spines = section.integer("spines", 1, kMost);
    shape.hosts = section.integer("hosts", 1, kMost);
    shape.groups = section.integer("groups", 1, kMost);
    DragonflyPlus dragonfly = placed(section, "groups", [&] { return DragonflyPlus(shape); });
    return {dragonfly_plus_topology(std::move(dragonfly), read_class_bandwidths(section, kDragonflyPlusClasses))};
}

std::shared_ptr<const Topology> read_dragonfly_plus_numbers(const TopologyParameters& from) {
    constexpr std::string_view kExample = "dragonfly-plus:4,4,2,5";
    const std::string what = "machine " + std::string(from.machine);
    const std::vector<std::int32_t> numbers = parse_sizes(*from.text, what, ',', kExample);
    if (numbers.size() != 4) {
        throw OptionError(what + " requires leaves and spines per group, hosts per leaf and groups",
                          "an example is " + std::string(kExample));
    }
    return dragonfly_plus_topology(DragonflyPlus({numbers[0], numbers[1], numbers[2], numbers[3]}));
}

}  // namespace

std::shared_ptr<const Topology> dragonfly_plus_topology(DragonflyPlus dragonfly,
                                                        std::span<const std::int64_t> bandwidths) {
    return std::make_shared<DragonflyPlusTopology>(std::move(dragonfly), bandwidths);
}

TopologyRow dragonfly_plus_row() {
    TopologyPreset preset;
    preset.word = "dragonfly-plus";
    preset.pattern = "dragonfly-plus:LEAVES,SPINES,HOSTS,GROUPS";
    preset.sentence =
        "groups of leaf and spine routers, HOSTS nodes per leaf, "
        "every two groups joined by spines "
        "(dragonfly-plus:4,4,2,5), 4 GB/s links, 2 GB/s NICs";
    preset.example = "dragonfly-plus:3,4,2,4";
    preset.machine_file = "dragonfly-plus";
    preset.read = read_dragonfly_plus_numbers;
    TopologyRow row;
    row.name = "dragonfly-plus";
    row.sentence =
        "groups of leaves, each joined to every spine of its group, "
        "and links between the spines of any two";
    row.keys = {"leaves", "spines", "hosts", "groups", "bandwidth"};
    row.routings = {{kDragonflyPlusRouting,
                     "Dragonfly+: up to a spine with a link to the "
                     "destination's group, across this link, and down"}};
    row.example = R"({"kind": "dragonfly-plus", "leaves": 3, "spines": 4, "hosts": 2, "groups": 4})";
    row.read = read_dragonfly_plus;
    row.preset = std::move(preset);
    return row;
}

}  // namespace haichi
