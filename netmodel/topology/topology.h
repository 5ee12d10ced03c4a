#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodel/topology/drawing.h"
#include "netmodel/topology/grid.h"
#include "netmodel/topology/ids.h"
#include "netmodel/topology/job_nodes.h"
#include "netmodel/topology/near_nodes.h"

namespace haichi {

class Routes;

struct LinkEnds {
    VertexId from;
    VertexId to;
};

/// What the links, or the routers, of a class have in common. What is not stated is as the machine's parameters say.
struct PortClass {
    std::string name;                                     ///< "links", "global links"
    std::optional<std::int64_t> bandwidth_bytes_per_s{};  ///< the rate
    std::optional<std::int64_t> latency_ps{};             ///< of a link: its cable; of a router: a passage
    /// Of links: as how many a passage counts in distances.
    std::int32_t hops = 1;

    /// Of routers that take a packet in whole before it goes on, as the bridges of a wide-area line.
    struct Store {
        std::int64_t delay_ps = 0;                         ///< how long each packet is held, from its tail on
        std::int64_t timer_ps = 0;                         ///< held ones go on at multiples of it; 0: at any time
        std::int64_t packet_time_ps = 0;                   ///< that a packet takes an output longer than its bytes do
        std::optional<std::int64_t> buffer_bytes{};        ///< of an input, per virtual channel: places of full packets
        std::optional<std::int64_t> most_payload_bytes{};  ///< of packets of messages that pass

        friend bool operator==(const Store&, const Store&) = default;
    };
    std::optional<Store> store{};

    friend bool operator==(const PortClass&, const PortClass&) = default;
};

/// What routes have to keep to.
struct RouteLimits {
    std::span<const VertexId> faulty{};  ///< terminals that no route passes
    /// That the machine states; 0: it has as many as the routes need. Where routings differ in that, one that manages
    /// with these takes the place of the one that was asked for.
    std::int32_t virtual_channels = 0;
};

/// What a topology is at compile time: vertices, terminals first, and directed links, by their numbers. Hot loops take
/// the value itself (Grid, FatTree ..); all others ask Topology.
template <class T>
concept TopologyValue = std::equality_comparable<T> && requires(const T& value, LinkId link) {
    { value.terminal_count() } -> std::same_as<std::int32_t>;
    { value.vertex_count() } -> std::same_as<std::int32_t>;
    { value.link_count() } -> std::same_as<std::int32_t>;
    { value.link_ends(link).from } -> std::convertible_to<VertexId>;
    { value.link_ends(link).to } -> std::convertible_to<VertexId>;
};

/// A network without its routes, of any kind: what everything but the kind's own files knows of it. Immutable; never in
/// a hot loop. Functions with a body are capabilities: a kind that has one overrides it.
class Topology {
  public:
    Topology() = default;
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    virtual ~Topology() = default;

    [[nodiscard]] virtual std::int32_t terminal_count() const = 0;
    /// Terminals 0..terminal_count()-1, then the routers that are no terminals.
    [[nodiscard]] virtual std::int32_t vertex_count() const = 0;
    /// Upper bound of link numbers; see link_exists().
    [[nodiscard]] virtual std::int32_t link_count() const = 0;
    [[nodiscard]] virtual bool link_exists(LinkId /*link*/) const { return true; }
    [[nodiscard]] virtual std::int64_t existing_link_count() const { return link_count(); }
    /// Of a link that exists.
    [[nodiscard]] virtual LinkEnds link_ends(LinkId link) const = 0;

    /// At least one.
    [[nodiscard]] virtual std::span<const PortClass> link_classes() const = 0;
    [[nodiscard]] virtual std::size_t class_of_link(LinkId /*link*/) const { return 0; }
    /// None: all routers are as the machine says.
    [[nodiscard]] virtual std::span<const PortClass> router_classes() const { return {}; }
    /// Only where there are classes.
    [[nodiscard]] virtual std::size_t class_of_router(VertexId /*router*/) const { return 0; }

    /// "(0,1,2)", "(switch 1.0)"
    [[nodiscard]] virtual std::string vertex_name(VertexId v) const = 0;
    /// Of a terminal, as people name nodes: its number, or its vertex_name().
    [[nodiscard]] virtual std::string node_name(VertexId terminal) const { return std::to_string(terminal.value); }
    /// "X+ (0,1)->(1,1)", "up (switch 1.0)->(switch 2.1)": no two links have the same.
    [[nodiscard]] virtual std::string link_name(LinkId link) const = 0;
    /// {"kind": .., sizes by their names}, as a machine file's "topology" states it.
    [[nodiscard]] virtual nlohmann::ordered_json description() const = 0;

    /// The routes of a routing (as routing() takes it); the topology has to outlive them.
    [[nodiscard]] virtual std::shared_ptr<const Routes> routes(std::string_view routing,
                                                               const RouteLimits& limits) const = 0;
    /// The text of a routing in full; "": of the default one. Throws OptionError for one that does not fit.
    [[nodiscard]] virtual std::string routing(std::string_view text) const = 0;

    /// The grid whose vertices and links these are, by the same numbers: nodes have coordinates, and a job may be a
    /// cuboid.
    [[nodiscard]] virtual const Grid* coordinates() const { return nullptr; }
    /// With coordinates: the topology of a cuboid of it.
    [[nodiscard]] virtual std::shared_ptr<const Topology> cuboid(Grid /*job*/) const { return nullptr; }
    /// Where terminals with consecutive numbers form blocks, each of several of the next smaller ones: their sizes,
    /// from 1 to terminal_count(), and two terminals are the nearer the smaller the block that has both.
    [[nodiscard]] virtual std::span<const std::int32_t> block_sizes() const { return {}; }
    /// A terminal without a router of its own: its links are the channels of its network interface.
    [[nodiscard]] virtual bool is_host(VertexId /*terminal*/) const { return true; }
    /// Most links that leave, or that enter, any node of the job.
    [[nodiscard]] virtual std::int32_t most_links_of_node(const JobNodes& /*job*/) const { return 1; }
    [[nodiscard]] virtual NearNodes near_nodes(const JobNodes& job) const { return NearNodes::by_search(*this, job); }
    /// First vertices of the ranges that a parallel simulation divides evenly, each by itself.
    [[nodiscard]] virtual std::vector<std::int32_t> router_ranges() const { return {0}; }
    /// Of a topology without coordinates: nodes and switches, and the links between them.
    [[nodiscard]] virtual Drawing drawing() const;

    /// Where terminals with consecutive numbers form regions, each a network of its own, joined by few links that cost
    /// much more than theirs: the first terminal of each, ascending.
    [[nodiscard]] virtual std::vector<std::int32_t> regions() const { return {0}; }
    /// With several regions: the same, with what joins them holding every packet that long. Distances stay as they are.
    [[nodiscard]] virtual std::shared_ptr<const Topology> with_delay(std::int64_t /*delay_ps*/) const {
        return nullptr;
    }
    /// With several regions: how long that holds every packet; the longest.
    [[nodiscard]] virtual std::int64_t delay_ps() const { return 0; }
};

/// The part of the interface that follows from the value.
template <TopologyValue Value>
class TopologyOf : public Topology {
  public:
    explicit TopologyOf(Value value) : value_(std::move(value)) {}

    [[nodiscard]] const Value& value() const { return value_; }
    [[nodiscard]] std::int32_t terminal_count() const override { return value_.terminal_count(); }
    [[nodiscard]] std::int32_t vertex_count() const override { return value_.vertex_count(); }
    [[nodiscard]] std::int32_t link_count() const override { return value_.link_count(); }
    [[nodiscard]] LinkEnds link_ends(LinkId link) const override {
        const auto& ends = value_.link_ends(link);
        return {ends.from, ends.to};
    }

  private:
    Value value_;
};

/// The value that a topology was made of; null when it is of another type.
template <TopologyValue Value>
const Value* topology_value(const Topology& topology) {
    const auto* typed = dynamic_cast<const TopologyOf<Value>*>(&topology);
    return typed == nullptr ? nullptr : &typed->value();
}

/// A panel for every pair of levels with links between them. `name_of_level`: "nodes", "switches of level 1".
Drawing drawing_by_levels(const Topology& topology, std::vector<std::int32_t> level_of_vertex,
                          const std::vector<std::string>& name_of_level);

/// A bandwidth for each of the first classes, the others have the machine's. Throws OptionError for more than there
/// are.
std::vector<PortClass> classes_with(std::vector<PortClass> classes, std::span<const std::int64_t> bandwidths);

}  // namespace haichi
