#include "netmodel/routing/dragonfly_topology.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/errors.h"
#include "netmodel/routing/dragonfly_routing.h"
#include "netmodel/routing/routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

/// A local hop after the global hop uses VC 1, all other hops use VC 0. Hops are always in the order (up, local,
/// global, local, down), so no cycle is possible.
class DragonflyChannels final : public ChannelRule {
  public:
    explicit DragonflyChannels(const Dragonfly& dragonfly) : dragonfly_(dragonfly) {}
    [[nodiscard]] std::int32_t needed() const override {
        return dragonfly_.group_count() > 1 && dragonfly_.routers_per_group() > 1 ? 2 : 1;
    }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override {
        std::uint8_t vc = 0;
        walk_dragonfly_route(dragonfly_, s, d, [&](LinkId link) {
            const Dragonfly::LinkKind kind = dragonfly_.link_ends(link).kind;
            hops.push_back({link, kind == Dragonfly::LinkKind::kLocal ? vc : std::uint8_t{0}});
            if (kind == Dragonfly::LinkKind::kGlobal) vc = 1;
        });
    }

  private:
    const Dragonfly& dragonfly_;
};

class DragonflyRoutes final : public Routes {
  public:
    explicit DragonflyRoutes(const Dragonfly& dragonfly) : dragonfly_(dragonfly) {}

    [[nodiscard]] std::string name() const override { return to_string(DragonflyRouting::kMinimal); }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        walk_dragonfly_route(dragonfly_, s, d, [&links](LinkId link) { links.push_back(link); });
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override { return dragonfly_hops(dragonfly_, s, d); }
    [[nodiscard]] std::int32_t longest() const override { return 5; }  // up, local, global, local, down
    /// A path over two global links through a third group may be one hop shorter.
    [[nodiscard]] bool are_shortest() const override { return false; }
    /// The reverse route uses the same gateway routers.
    [[nodiscard]] bool are_symmetric() const override { return true; }
    [[nodiscard]] DistanceHistogram nearest() const override {
        // Counts from the first router of a group, because no other router has more groups one hop away than that
        // router.
        const std::int64_t here = dragonfly_.terminals_per_router();
        const std::int64_t others = here * (dragonfly_.routers_per_group() - 1);
        const std::int64_t groups = dragonfly_.group_count() - 1;
        const std::int64_t joined = std::min<std::int64_t>(groups, dragonfly_.global_links_per_router());
        // A packet enters a group at one router; the others are one local hop farther.
        return {{0, 0, here - 1, others + joined * here, joined * others + (groups - joined) * here,
                 (groups - joined) * others},
                true};
    }
    [[nodiscard]] std::shared_ptr<const ChannelRule> channels(const JobNodes&, std::int32_t) const override {
        return std::make_shared<DragonflyChannels>(dragonfly_);
    }

  private:
    const Dragonfly& dragonfly_;
};

constexpr std::size_t kDragonflyClasses = 3;

class DragonflyTopology final : public TopologyOf<Dragonfly> {
  public:
    DragonflyTopology(Dragonfly dragonfly, std::span<const std::int64_t> bandwidths)
        : TopologyOf(std::move(dragonfly)),
          classes_(
              classes_with({{.name = "host links"}, {.name = "local links"}, {.name = "global links"}}, bandwidths)) {}

    [[nodiscard]] std::span<const PortClass> link_classes() const override { return classes_; }
    [[nodiscard]] std::size_t class_of_link(LinkId link) const override {
        const Dragonfly::LinkKind kind = value().link_ends(link).kind;
        return kind == Dragonfly::LinkKind::kGlobal ? 2 : kind == Dragonfly::LinkKind::kLocal ? 1 : 0;
    }
    /// "(terminal 3)" or "(router 1.0)": group and number within it.
    [[nodiscard]] std::string vertex_name(VertexId v) const override {
        const std::int32_t router = v.value - value().terminal_count();
        if (router < 0) return "(terminal " + std::to_string(v.value) + ")";
        return "(router " + std::to_string(value().group_of(router)) + "." +
               std::to_string(router % value().routers_per_group()) + ")";
    }
    [[nodiscard]] std::string link_name(LinkId link) const override {
        static constexpr std::array kKinds = {"up ", "down ", "local ", "global "};
        const Dragonfly::LinkEnds ends = value().link_ends(link);
        return kKinds[static_cast<std::size_t>(ends.kind)] + vertex_name(ends.from) + "->" + vertex_name(ends.to);
    }
    [[nodiscard]] nlohmann::ordered_json description() const override {
        return {{"kind", "dragonfly"},
                {"terminals", value().terminals_per_router()},
                {"routers", value().routers_per_group()},
                {"global_links", value().global_links_per_router()},
                {"groups", value().group_count()}};
    }
    [[nodiscard]] std::string routing(std::string_view text) const override {
        return to_string(text.empty() ? DragonflyRouting::kMinimal : parse_dragonfly_routing(text));
    }
    /// Terminals forward no packets, so faulty terminals do not affect routes.
    [[nodiscard]] std::shared_ptr<const Routes> routes(std::string_view text, const RouteLimits&) const override {
        (void)routing(text);
        return std::make_shared<DragonflyRoutes>(value());
    }

    /// Nodes at the same router, or in the same group if a router has one terminal.
    [[nodiscard]] NearNodes near_nodes(const JobNodes& job) const override {
        const std::int32_t terminals = value().terminals_per_router();
        return NearNodes::in_blocks(terminals > 1 ? terminals : value().routers_per_group(), job);
    }
    [[nodiscard]] Drawing drawing() const override {
        Drawing drawing;
        std::vector<std::int32_t> groups;
        for (std::int32_t v = 0; v < vertex_count(); ++v) {
            const std::int32_t router = v - value().terminal_count();
            drawing.level_of_vertex.push_back(router < 0 ? 0 : 1);
            groups.push_back(router < 0 ? -1 : value().group_of(router));
        }
        drawing.panels = {
            {"between groups", "global links: from the group of the row to the group of the column",
             Panel::Form::kMatrix, groups},
            {"within groups", "a square per group: from the router of the row to the router of the column",
             Panel::Form::kSquares, groups},
            {"nodes and their routers", "every link: upper half to the router, lower half back"}};
        for (std::int32_t l = 0; l < link_count(); ++l) {
            drawing.panel_of_link.push_back(
                static_cast<std::int32_t>(kDragonflyClasses - 1 - class_of_link(LinkId(l))));
        }
        return drawing;
    }

  private:
    std::vector<PortClass> classes_;
};

ReadTopology read_dragonfly(const TopologySection& from) {
    constexpr auto kMost = static_cast<std::int32_t>(kMostVertices);
    const MachineSection& section = from.section;
    const std::int32_t terminals = section.integer("terminals", 1, kMost);
    const std::int32_t routers = section.integer("routers", 1, kMost);
    const std::int32_t global_links = section.integer("global_links", 0, kMost);
    const std::int32_t groups = section.has("groups") ? section.integer("groups", 1, kMost) : 0;
    const Dragonfly dragonfly = placed(section, section.has("groups") ? "groups" : "global_links",
                                       [&] { return Dragonfly(terminals, routers, global_links, groups); });
    return {dragonfly_topology(dragonfly, read_class_bandwidths(section, kDragonflyClasses))};
}

std::shared_ptr<const Topology> read_dragonfly_numbers(const TopologyParameters& from) {
    constexpr std::string_view kExample = "dragonfly:2,4,2";
    const std::vector<std::int32_t> numbers =
        parse_sizes(*from.text, "machine " + std::string(from.machine), ',', kExample);
    if (numbers.size() != 3 && numbers.size() != 4) {
        throw OptionError("machine " + shown(from.machine) +
                              " requires terminals per router, routers per group and global links per router",
                          "an example is " + std::string(kExample));
    }
    if (numbers.size() == 4 && numbers[3] < 1)
        throw OptionError("machine " + shown(from.machine) + " requires at least 1 group");
    return dragonfly_topology(Dragonfly(numbers[0], numbers[1], numbers[2], numbers.size() == 4 ? numbers[3] : 0));
}

}  // namespace

std::shared_ptr<const Topology> dragonfly_topology(Dragonfly dragonfly, std::span<const std::int64_t> bandwidths) {
    return std::make_shared<DragonflyTopology>(std::move(dragonfly), bandwidths);
}

TopologyRow dragonfly_row() {
    TopologyPreset preset;
    preset.word = "dragonfly";
    preset.pattern = "dragonfly:P,A,H[,GROUPS]";
    preset.sentence =
        "P nodes per router, A routers per group, H global links per router (dragonfly:2,4,2), A*H+1 groups by "
        "default, 4 GB/s links, 2 GB/s NICs";
    preset.example = "dragonfly:2,3,1";
    preset.machine_file = "dragonfly";
    preset.read = read_dragonfly_numbers;
    TopologyRow row;
    row.name = "dragonfly";
    row.sentence = "groups of routers, all routers of a group joined to each other, one link between any two groups";
    row.keys = {"terminals", "routers", "global_links", "groups", "bandwidth"};
    row.routings = {
        {"minimal", "dragonflies: a local hop to the gateway, the global link, a local hop, each only if needed"}};
    row.example = R"({"kind": "dragonfly", "terminals": 2, "routers": 3, "global_links": 1})";
    row.read = read_dragonfly;
    row.preset = std::move(preset);
    return row;
}

}  // namespace haichi
