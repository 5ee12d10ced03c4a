#include "netmodel/routing/grid_topology.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/dimension_order.h"
#include "netmodel/routing/grid_routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

class GridTopology final : public TopologyOf<Grid> {
  public:
    using TopologyOf::TopologyOf;

    [[nodiscard]] bool link_exists(LinkId link) const override { return value().link_exists(link); }
    [[nodiscard]] std::int64_t existing_link_count() const override { return value().existing_link_count(); }
    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::string vertex_name(VertexId v) const override { return coordinates_text(value(), v); }
    [[nodiscard]] std::string node_name(VertexId terminal) const override { return vertex_name(terminal); }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        const Grid::LinkEnds ends = value().link_ends(link);
        return value().axis(ends.axis).name + (ends.sign == Sign::kPlus ? "+ " : "- ") + vertex_name(ends.from) + "->" +
               (ends.to.valid() ? vertex_name(ends.to) : "(outside)");
    }
    [[nodiscard]] nlohmann::ordered_json description() const override {
        const bool is_torus = std::ranges::any_of(value().axes(), &Axis::wraps);
        nlohmann::ordered_json axes = nlohmann::ordered_json::array();
        for (const Axis& axis : value().axes()) {
            axes.push_back({{"name", axis.name}, {"size", axis.size}});
            if (is_torus) axes.back()["wraps"] = axis.wraps;
        }
        return {{"kind", is_torus ? "torus" : "mesh"}, {"axes", std::move(axes)}};
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        return to_string(text.empty() ? default_dimension_order(value()) : parse_dimension_order(text, value()),
                         value());
    }
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text,
                                                       const RouteLimits& limits) const override {
        return std::make_shared<GridRoutes>(value(), parse_dimension_order(routing(text), value()), limits.faulty);
    }

    [[nodiscard]] const Grid* coordinates() const override { return &value(); }
    [[nodiscard]] std::shared_ptr<const Topology> cuboid(Grid job) const override {
        return grid_topology(std::move(job));
    }
    [[nodiscard]] bool is_host(VertexId) const override { return false; }
    [[nodiscard]] std::int32_t most_links_of_node(const JobNodes& job) const override {
        if (job.are_whole()) return value().links_per_vertex();  // an inner node has all links
        std::int32_t most = 0;
        for (std::int32_t n = 0; n < job.count(); ++n) most = std::max(most, link_count_of(job.vertex(NodeId(n))));
        return most;
    }
    [[nodiscard]] NearNodes near_nodes(const JobNodes& job) const override { return NearNodes::on_grid(value(), job); }

  private:
    [[nodiscard]] std::int32_t link_count_of(VertexId v) const {
        std::int32_t count = 0;
        for (std::size_t k = 0; k < value().axis_count(); ++k) {
            const VertexId plus = value().neighbour(v, k, Sign::kPlus);
            const VertexId minus = value().neighbour(v, k, Sign::kMinus);
            count += (plus.valid() ? 1 : 0) + (minus.valid() && minus != plus ? 1 : 0);
        }
        return count;
    }

    std::array<PortClass, 1> classes_ = {PortClass{.name = "links"}};
};

Axis parse_axis(const LocatedJson& file, const std::string& pointer, bool may_wrap) {
    const MachineSection section(
        file, pointer,
        may_wrap ? std::vector<std::string>{"name", "size", "wraps"} : std::vector<std::string>{"name", "size"});
    Axis axis;
    axis.name = section.text("name");
    constexpr std::size_t kLongestName = 16;
    const bool is_plain = std::ranges::all_of(axis.name, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (axis.name.empty() || axis.name.size() > kLongestName || !is_plain) {
        throw section.error("name", "axis name " + shown(axis.name) + " must be 1 to " + std::to_string(kLongestName) +
                                        " letters, digits or underscores");
    }
    axis.size = section.integer("size", 1, static_cast<std::int32_t>(kMostVertices));
    if (section.has("wraps")) {
        const nlohmann::json& wraps = section.required("wraps");
        if (!wraps.is_boolean()) section.fail("wraps", "true or false", wraps);
        axis.wraps = wraps.get<bool>();
    }
    return axis;
}

Grid parse_grid(const MachineSection& section, bool may_wrap) {
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < section.array("axes").size(); ++k) {
        const std::string pointer = section.pointer("axes/" + std::to_string(k));
        axes.push_back(parse_axis(section.file(), pointer, may_wrap));
        const auto same = [&](const Axis& axis) { return axis.name == axes.back().name; };
        if (std::ranges::count_if(axes, same) > 1) {
            throw section.error("axes/" + std::to_string(k) + "/name",
                                "duplicate axis name " + shown(axes.back().name));
        }
    }
    return placed(section, "axes", [&] { return Grid(std::move(axes)); });
}

std::vector<std::vector<std::size_t>> parse_logical(const MachineSection& section, const Grid& grid) {
    std::vector<std::vector<std::size_t>> logical;
    if (!section.has("logical")) return logical;
    std::vector<std::string> names;
    for (const Axis& axis : grid.axes()) names.push_back(axis.name);
    std::vector<bool> used(names.size());
    for (const nlohmann::json& group : section.array("logical")) {
        const std::string key = "logical/" + std::to_string(logical.size());
        if (!group.is_array() || group.empty() || group.size() > 2) {
            throw section.error(
                key, "expected a logical axis with one or two axis names, found " + MachineSection::text_of(group));
        }
        logical.emplace_back();
        for (const nlohmann::json& name : group) {
            const auto found = name.is_string() ? std::ranges::find(names, name.get<std::string>()) : names.end();
            if (found == names.end()) {
                throw section.error(key, "unknown axis " + MachineSection::text_of(name),
                                    name.is_string() ? did_you_mean(name.get<std::string>(), names) : "");
            }
            const auto k = static_cast<std::size_t>(found - names.begin());
            if (used[k]) throw section.error(key, "duplicate axis " + shown(*found));
            used[k] = true;
            logical.back().push_back(k);
        }
    }
    if (logical.size() > 3) {
        throw section.error("logical", "expected 1 to 3 logical axes, found " + std::to_string(logical.size()));
    }
    const auto left_out = std::ranges::find(used, false);
    if (left_out != used.end()) {
        throw section.error("logical",
                            "axis " + shown(names[static_cast<std::size_t>(left_out - used.begin())]) + " is missing");
    }
    return logical;
}

template <bool kWraps>
ReadTopology read_grid(const TopologySection& from) {
    Grid grid = parse_grid(from.section, kWraps);
    std::vector<std::vector<std::size_t>> logical = parse_logical(from.section, grid);
    return {grid_topology(std::move(grid)), std::move(logical)};
}

template <bool kWraps>
std::shared_ptr<const Topology> read_sizes(const TopologyParameters& from) {
    const std::vector<std::int32_t> sizes =
        parse_sizes(*from.text, "machine " + std::string(from.machine), 'x', "torus:4x4");
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        std::string axis = sizes.size() <= 3 ? std::string(1, "XYZ"[k]) : std::to_string(k).insert(0, 1, 'd');
        axes.push_back({std::move(axis), sizes[k], kWraps});
    }
    return grid_topology(Grid(std::move(axes)));
}

std::string read_dimension_order(const MachineSection& section, const Topology& topology) {
    if (section.text("kind") != "dimension-order") {
        throw section.error("kind", "routing kind " + shown(section.text("kind")) + " does not fit a mesh or torus",
                            "use dimension-order");
    }
    const std::string usual = topology.routing("");
    std::string text = usual.substr(0, usual.find(','));
    if (section.has("order")) text = "dor:" + section.text("order");
    if (section.has("tie")) text += ",tie=" + section.text("tie");
    if (section.has("column")) text += ",column=" + section.text("column");
    const std::string at = section.has("order") ? "order" : section.has("tie") ? "tie" : "column";
    return placed(section, at, [&] { return topology.routing(text); });
}

TopologyRow grid_row(std::string name, std::string sentence, TopologyPreset preset) {
    TopologyRow row;
    row.name = std::move(name);
    row.sentence = std::move(sentence);
    row.keys = {"axes", "logical"};
    row.preset = std::move(preset);
    row.routings = {{"dor:ORDER[,tie=+|-][,column=I.J.K]",
                     "meshes and tori: axis by axis in this order, in the shorter direction. tie is the direction if "
                     "both are equally long. If ORDER has an axis twice, its first routing leads to the coordinate in "
                     "column, its second to the destination. Tofu has dor:XYZACB,tie=+"}};
    row.routing_keys = {"order", "tie", "column"};
    row.read_routing = read_dimension_order;
    return row;
}

}  // namespace

std::shared_ptr<const Topology> grid_topology(Grid grid) { return std::make_shared<GridTopology>(std::move(grid)); }

TopologyRow torus_row() {
    TopologyPreset preset;
    preset.word = "torus";
    preset.pattern = "torus:SIZExSIZE...";
    preset.sentence = "a torus of 1 to 12 axes that all wrap (torus:16x16x16), 8 GB/s links";
    preset.machine_file = "torus";
    preset.read = read_sizes<true>;
    preset.example = "torus:4x3";
    TopologyRow row =
        grid_row("torus", "a grid of nodes, each joined to its neighbours, in which every axis may wrap", preset);
    row.example = R"({"kind": "torus", "axes": [{"name": "X", "size": 4, "wraps": true},
              {"name": "Y", "size": 3, "wraps": true}]})";
    row.read = read_grid<true>;
    return row;
}

TopologyRow mesh_row() {
    TopologyPreset preset;
    preset.word = "mesh";
    preset.pattern = "mesh:SIZExSIZE...";
    preset.sentence = "a mesh of 1 to 12 axes (mesh:10x10), 8 GB/s links";
    preset.machine_file = "mesh";
    preset.read = read_sizes<false>;
    preset.example = "mesh:4x3";
    TopologyRow row = grid_row("mesh", "a grid of nodes, each joined to its neighbours", preset);
    row.example = R"({"kind": "mesh", "axes": [{"name": "X", "size": 4}, {"name": "Y", "size": 3}]})";
    row.read = read_grid<false>;
    return row;
}

}  // namespace haichi
