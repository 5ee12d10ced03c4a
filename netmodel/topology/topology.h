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

/// Properties that all links or routers of a class share. Unstated values are those of the machine.
struct PortClass {
    std::string name;                                     ///< "links", "global links"
    std::optional<std::int64_t> bandwidth_bytes_per_s{};  ///< the rate
    std::optional<std::int64_t> latency_ps{};             ///< cable latency of a link, or latency of a router
    /// For links: number of hops that the link counts in distances.
    std::int32_t hops = 1;

    /// For routers that store a whole packet before they forward it, such as the bridges of a wide-area line.
    struct Store {
        std::int64_t delay_ps = 0;        ///< time for which each packet is held after its tail
        std::int64_t timer_ps = 0;        ///< held packets leave at multiples of this time; 0 means at any time
        std::int64_t packet_time_ps = 0;  ///< time that a packet occupies an output besides its bytes
        /// Size of an input buffer per virtual channel; it has entries for full packets.
        std::optional<std::int64_t> buffer_bytes{};
        std::optional<std::int64_t> most_payload_bytes{};  ///< limit for packets through the router
        /// Rate of all outputs together, which share one bus; 0 means that they are independent.
        std::int64_t shared_bus_bytes_per_s = 0;

        friend bool operator==(const Store&, const Store&) = default;
    };
    std::optional<Store> store{};

    friend bool operator==(const PortClass&, const PortClass&) = default;
};

/// Faulty terminals and the number of virtual channels, which limit the choice of routes.
struct RouteLimits {
    std::span<const VertexId> faulty{};  ///< terminals that no route may contain
    /// Virtual channels of the machine; 0 means as many as the routes need. If the requested routing needs more than
    /// this, another routing that needs at most this many replaces it.
    std::int32_t virtual_channels = 0;
};

/// A topology at compile time: numbered vertices, terminals first, and directed links. Hot loops use the value itself
/// (Grid, FatTree ..), all other code uses Topology.
template <class T>
concept TopologyValue = std::equality_comparable<T> && requires(const T& value, LinkId link) {
    { value.terminal_count() } -> std::same_as<std::int32_t>;
    { value.vertex_count() } -> std::same_as<std::int32_t>;
    { value.link_count() } -> std::same_as<std::int32_t>;
    { value.link_ends(link).from } -> std::convertible_to<VertexId>;
    { value.link_ends(link).to } -> std::convertible_to<VertexId>;
};

/// A network of any kind, without its routes. Code outside the files of a kind uses only this interface. Immutable; not
/// for hot loops. Functions with a body are optional capabilities, which a kind may override.
class Topology {
  public:
    Topology() = default;
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    virtual ~Topology() = default;

    [[nodiscard]] virtual std::int32_t terminal_count() const = 0;
    /// Terminals 0..terminal_count()-1, then the routers that are not terminals.
    [[nodiscard]] virtual std::int32_t vertex_count() const = 0;
    /// Number of link ids. Some of them may be unused; see link_exists().
    [[nodiscard]] virtual std::int32_t link_count() const = 0;
    [[nodiscard]] virtual bool link_exists(LinkId /*link*/) const { return true; }
    [[nodiscard]] virtual std::int64_t existing_link_count() const { return link_count(); }
    /// The link must exist.
    [[nodiscard]] virtual LinkEnds link_ends(LinkId link) const = 0;

    /// The classes of links; at least one.
    [[nodiscard]] virtual std::span<const PortClass> link_classes() const = 0;
    [[nodiscard]] virtual std::size_t class_of_link(LinkId /*link*/) const { return 0; }
    /// The classes of routers; empty if all routers have the machine's properties.
    [[nodiscard]] virtual std::span<const PortClass> router_classes() const { return {}; }
    /// May be called only if router_classes() is not empty.
    [[nodiscard]] virtual std::size_t class_of_router(VertexId /*router*/) const { return 0; }

    /// For example "(0,1,2)" or "(switch 1.0)".
    [[nodiscard]] virtual std::string vertex_name(VertexId v) const = 0;
    /// Name of a terminal for users: its number, or its vertex_name().
    [[nodiscard]] virtual std::string node_name(VertexId terminal) const { return std::to_string(terminal.value); }
    /// For example "X+ (0,1)->(1,1)" or "up (switch 1.0)->(switch 2.1)"; unique.
    [[nodiscard]] virtual std::string link_name(LinkId link) const = 0;
    /// {"kind": .., named sizes}, as in a machine file's "topology".
    [[nodiscard]] virtual nlohmann::ordered_json description() const = 0;

    /// The routes of a routing, in the form that routing() accepts. The topology must outlive them.
    [[nodiscard]] virtual std::shared_ptr<const Routes> routes(std::string_view routing,
                                                               const RouteLimits& limits) const = 0;
    /// Completes the text of a routing with defaults; "" is the default routing. Throws OptionError for an invalid
    /// text.
    [[nodiscard]] virtual std::string routing(std::string_view text) const = 0;

    /// The grid with the same vertex and link ids; null if there is none. With a grid, nodes have coordinates, and a
    /// job may be a cuboid.
    [[nodiscard]] virtual const Grid* coordinates() const { return nullptr; }
    /// With coordinates: the topology of a cuboid that is cut out of the grid.
    [[nodiscard]] virtual std::shared_ptr<const Topology> cuboid(Grid /*job*/) const { return nullptr; }
    /// Sizes of nested blocks of terminals with consecutive numbers, from 1 to terminal_count(). The smaller the block
    /// that contains two terminals, the nearer they are. Empty without such blocks.
    [[nodiscard]] virtual std::span<const std::int32_t> block_sizes() const { return {}; }
    /// True for a terminal without its own router. Its links are the channels of its NIC.
    [[nodiscard]] virtual bool is_host(VertexId /*terminal*/) const { return true; }
    /// Maximum number of links that leave or enter any node of the job.
    [[nodiscard]] virtual std::int32_t most_links_of_node(const JobNodes& /*job*/) const { return 1; }
    [[nodiscard]] virtual NearNodes near_nodes(const JobNodes& job) const { return NearNodes::by_search(*this, job); }
    /// The first vertex of each range of routers. A parallel simulation divides every range evenly.
    [[nodiscard]] virtual std::vector<std::int32_t> router_ranges() const { return {0}; }
    /// Picture of a topology without coordinates: nodes, switches and the links between them.
    [[nodiscard]] virtual Drawing drawing() const;

    /// The first terminal of each region, ascending. A region has consecutive terminals and is a network by itself. Few
    /// links join regions, and these cost much more than links inside a region.
    [[nodiscard]] virtual std::vector<std::int32_t> regions() const { return {0}; }
    /// With several regions: the same topology, with bridges that hold every packet for `delay_ps`. Distances do not
    /// change.
    [[nodiscard]] virtual std::shared_ptr<const Topology> with_delay(std::int64_t /*delay_ps*/) const {
        return nullptr;
    }
    /// With several regions: the longest time for which a bridge holds a packet.
    [[nodiscard]] virtual std::int64_t delay_ps() const { return 0; }
};

/// Implements the functions of Topology that follow from the value.
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

/// The value of a topology, or null if it has another type.
template <TopologyValue Value>
const Value* topology_value(const Topology& topology) {
    const auto* typed = dynamic_cast<const TopologyOf<Value>*>(&topology);
    return typed == nullptr ? nullptr : &typed->value();
}

/// A panel for every pair of levels with links between them. `name_of_level`: "nodes", "switches of level 1".
Drawing drawing_by_levels(const Topology& topology, std::vector<std::int32_t> level_of_vertex,
                          const std::vector<std::string>& name_of_level);

/// Sets the bandwidths of the first classes; the others keep the machine's bandwidth. Throws OptionError for more
/// bandwidths than classes.
std::vector<PortClass> classes_with(std::vector<PortClass> classes, std::span<const std::int64_t> bandwidths);

}  // namespace haichi
