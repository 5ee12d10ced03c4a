#include "netmodel/routing/fat_tree_topology.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/fat_tree_routing.h"
#include "netmodel/routing/routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

/// One virtual channel suffices: every route goes up level by level, then down, so no cycle is possible.
class FatTreeRoutes final : public Routes {
  public:
    FatTreeRoutes(const FatTree& tree, FatTreeRouting routing) : tree_(tree), routing_(routing) {}

    [[nodiscard]] std::string name() const override { return to_string(routing_); }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        append_fat_tree_route(tree_, routing_, s, d, links);
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override {
        return 2 * static_cast<std::int32_t>(tree_.common_level(s, d));
    }
    [[nodiscard]] std::int32_t longest() const override { return 2 * static_cast<std::int32_t>(tree_.level_count()); }
    [[nodiscard]] bool are_shortest() const override { return true; }
    [[nodiscard]] bool are_symmetric() const override { return true; }
    [[nodiscard]] DistanceHistogram nearest() const override {
        DistanceHistogram histogram{{0}, true};  // every terminal has the same histogram
        for (std::size_t level = 1; level <= tree_.level_count(); ++level) {
            histogram.count.push_back(0);
            histogram.count.push_back(tree_.terminals_below(level) - tree_.terminals_below(level - 1));
        }
        return histogram;
    }
    [[nodiscard]] std::vector<std::int32_t> hops_of_blocks() const override {
        std::vector<std::int32_t> hops;
        for (std::size_t level = 0; level <= tree_.level_count(); ++level) {
            hops.push_back(2 * static_cast<std::int32_t>(level));
        }
        return hops;
    }

  private:
    const FatTree& tree_;
    FatTreeRouting routing_;
};

std::vector<PortClass> link_classes_of(const FatTree& tree) {
    std::vector<PortClass> classes;
    for (std::size_t level = 0; level < tree.level_count(); ++level) {
        classes.push_back({.name = level == 0 ? "host links" : "links above level " + std::to_string(level)});
    }
    return classes;
}

class FatTreeTopology final : public TopologyOf<FatTree> {
  public:
    FatTreeTopology(FatTree tree, std::span<const std::int64_t> bandwidths)
        : TopologyOf(std::move(tree)), classes_(classes_with(link_classes_of(value()), bandwidths)) {
        for (std::size_t l = 0; l <= value().level_count(); ++l) block_sizes_.push_back(value().terminals_below(l));
    }

    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override { return value().link_ends(link).lower_level; }
    /// "(terminal 3)" or "(switch 1.0)": level and number within it.
    [[nodiscard]] std::string vertex_name(VertexId v) const override {
        const std::size_t level = value().level(v);
        if (level == 0) return "(terminal " + std::to_string(v.value) + ")";
        return "(switch " + std::to_string(level) + "." + std::to_string(v.value - value().first_vertex(level)) + ")";
    }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        const FatTree::LinkEnds ends = value().link_ends(link);
        return (ends.up ? "up " : "down ") + vertex_name(ends.from) + "->" + vertex_name(ends.to);
    }
    [[nodiscard]] nlohmann::ordered_json description() const override {
        const bool is_fat = std::ranges::any_of(value().parents(), [](std::int32_t parents) { return parents > 1; });
        nlohmann::ordered_json words = {{"kind", is_fat ? "fattree" : "tree"}, {"children", value().children()}};
        if (is_fat) words["parents"] = value().parents();
        return words;
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        return text.empty() ? to_string(FatTreeRouting::kDestinationModK) : to_string(parse_fat_tree_routing(text));
    }
    /// Terminals forward no packets, so faulty terminals do not affect routes.
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text, const RouteLimits&) const override {
        return std::make_shared<FatTreeRoutes>(value(), parse_fat_tree_routing(routing(text)));
    }

    [[nodiscard]] std::span<const std::int32_t> block_sizes() const override { return block_sizes_; }
    [[nodiscard]] std::int32_t most_links_of_node(const JobNodes&) const override { return value().parents()[0]; }
    [[nodiscard]] NearNodes near_nodes(const JobNodes& job) const override {
        return NearNodes::in_blocks(value().terminals_below(1), job);
    }
    /// One range per level, so that neighbouring switches stay together.
    [[nodiscard]] std::vector<std::int32_t> router_ranges() const override {
        std::vector<std::int32_t> first;
        for (std::size_t level = 1; level <= value().level_count(); ++level) {
            first.push_back(value().first_vertex(level));
        }
        return first;
    }
    [[nodiscard]] Drawing drawing() const override {
        std::vector<std::int32_t> levels;
        for (std::int32_t v = 0; v < vertex_count(); ++v) {
            levels.push_back(static_cast<std::int32_t>(value().level(VertexId(v))));
        }
        std::vector<std::string> names = {"nodes"};
        for (std::size_t l = 1; l <= value().level_count(); ++l)
            names.push_back("switches of level " + std::to_string(l));
        return drawing_by_levels(*this, std::move(levels), names);
    }

  private:
    std::vector<PortClass> classes_;
    std::vector<std::int32_t> block_sizes_;
};

ReadTopology read_levels(const MachineSection& section, const std::vector<std::int32_t>& children,
                         const std::vector<std::int32_t>& parents) {
    FatTree tree = placed(section, "children", [&] { return FatTree(children, parents); });
    const std::vector<std::int64_t> bandwidths = read_class_bandwidths(section, children.size());
    return {fat_tree_topology(std::move(tree), bandwidths)};
}

ReadTopology read_tree(const TopologySection& from) {
    const std::vector<std::int32_t> children = from.section.integers("children");
    return read_levels(from.section, children, std::vector<std::int32_t>(children.size(), 1));
}

ReadTopology read_fat_tree(const TopologySection& from) {
    return read_levels(from.section, from.section.integers("children"), from.section.integers("parents"));
}

std::shared_ptr<const Topology> read_levels_and_arity(const TopologyParameters& from) {
    return fat_tree_topology(k_ary_n_tree(*from.text, from.machine));
}

std::shared_ptr<const Topology> read_children(const TopologyParameters& from) {
    std::vector<std::int32_t> children =
        parse_sizes(*from.text, "machine " + std::string(from.machine), 'x', "tree:4x8x6");
    std::vector<std::int32_t> parents(children.size(), 1);
    return fat_tree_topology(FatTree(std::move(children), std::move(parents)));
}

std::vector<RoutingWords> routing_words() {
    return {{"s-mod-k", "trees and fat trees: the source selects the upward links"},
            {"d-mod-k", "trees and fat trees: the destination selects the upward links"}};
}

}  // namespace

std::shared_ptr<const Topology> fat_tree_topology(FatTree tree, std::span<const std::int64_t> bandwidths) {
    return std::make_shared<FatTreeTopology>(std::move(tree), bandwidths);
}

FatTree k_ary_n_tree(std::string_view text, std::string_view machine) {
    const std::vector<std::int32_t> numbers = parse_sizes(text, "machine " + std::string(machine), 'x', "fattree:3x4");
    if (numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1) {
        throw OptionError("machine " + shown(machine) + " requires levels and an arity",
                          "an example is fattree:3x4, three levels of switches and 4^3 terminals");
    }
    if (static_cast<std::size_t>(numbers[0]) > FatTree::kMostLevels) {
        throw OptionError("machine " + shown(machine) + " has more than " + std::to_string(FatTree::kMostLevels) +
                          " levels");
    }
    const auto levels = static_cast<std::size_t>(numbers[0]);
    std::vector<std::int32_t> parents(levels, numbers[1]);
    parents[0] = 1;
    return {std::vector<std::int32_t>(levels, numbers[1]), std::move(parents)};
}

TopologyRow fat_tree_row() {
    TopologyPreset preset;
    preset.word = "fattree";
    preset.pattern = "fattree:LEVELSxARITY";
    preset.sentence =
        "the k-ary n-tree with full bisection and ARITY^LEVELS nodes (fattree:3x4), 4 GB/s links, 2 GB/s NICs";
    preset.example = "fattree:2x3";
    preset.machine_file = "fattree";
    preset.read = read_levels_and_arity;
    TopologyRow row;
    row.name = "fattree";
    row.sentence = "levels of switches above the nodes, each vertex with one or more parents";
    row.keys = {"children", "bandwidth", "parents"};
    row.routings = routing_words();
    row.example = R"({"kind": "fattree", "children": [3, 3], "parents": [1, 3]})";
    row.read = read_fat_tree;
    row.preset = std::move(preset);
    return row;
}

TopologyRow tree_row() {
    TopologyPreset preset;
    preset.word = "tree";
    preset.pattern = "tree:CHILDRENxCHILDREN...";
    preset.sentence =
        "levels of switches or groups above the nodes, lowest first (tree:4x8x6), 4 GB/s links, 2 GB/s NICs";
    preset.example = "tree:2x3";
    preset.machine_file = "tree";
    preset.read = read_children;
    TopologyRow row;
    row.name = "tree";
    row.sentence = "levels of switches above the nodes, each vertex with one parent";
    row.keys = {"children", "bandwidth"};
    row.routings = routing_words();
    row.example = R"({"kind": "tree", "children": [2, 3]})";
    row.read = read_tree;
    row.preset = std::move(preset);
    return row;
}

}  // namespace haichi
