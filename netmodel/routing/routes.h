#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodel/routing/channel_rule.h"
#include "netmodel/routing/grid_steps.h"
#include "netmodel/topology/grid.h"
#include "netmodel/topology/ids.h"
#include "netmodel/topology/job_nodes.h"

namespace haichi {

/// How many terminals there are at each distance from the terminal that has the nearest ones.
struct DistanceHistogram {
    std::vector<std::int64_t> count;  ///< by hops, without the terminal itself; empty: no closed form
    bool is_reached = false;          ///< some terminal has exactly these; else all are at least as far
};

/// A pair of usable nodes that no route joins past the faulty terminals.
struct CutPair {
    NodeId source;
    NodeId destination;
    VertexId faulty;  ///< a faulty terminal on the usual route
};

/// The static routes of a topology under one routing, past given faulty terminals: pure functions of two terminals that
/// are not faulty. Immutable. Functions with a body are capabilities: routes that have one override it.
class Routes {
  public:
    Routes() = default;
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;
    virtual ~Routes() = default;

    /// The text that Topology::routes() takes.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Why they are not those of the routing that was asked for; empty: they are.
    [[nodiscard]] virtual std::string remark() const { return {}; }
    /// Appends the links from s to d, in order; s != d. Throws OptionError, naming both, when faulty terminals cut them
    /// off from each other.
    virtual void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const = 0;
    /// Length of that route, where a link counts as many hops as its class says; 0 for s == d.
    [[nodiscard]] virtual std::int32_t hops(VertexId s, VertexId d) const = 0;
    /// An upper bound of the links of every route (cheap to compute, not always reached).
    [[nodiscard]] virtual std::int32_t longest() const = 0;
    /// An upper bound of hops(), closer where that is known.
    [[nodiscard]] virtual std::int32_t diameter() const { return longest(); }
    /// No path of links is shorter.
    [[nodiscard]] virtual bool are_shortest() const = 0;
    /// hops(s, d) == hops(d, s) for all pairs.
    [[nodiscard]] virtual bool are_symmetric() const = 0;
    [[nodiscard]] virtual DistanceHistogram nearest() const { return {}; }

    /// hops() has no closed form: it goes along the route.
    [[nodiscard]] virtual bool hops_are_walked() const { return false; }
    /// The table that routes are usually looked up in is above its budget: they are searched for at every call.
    [[nodiscard]] virtual bool are_searched_for() const { return false; }
    /// Per vertex, hops to d, below 0 where there is no way, when that costs less than to ask for them one by one; else
    /// empty.
    [[nodiscard]] virtual std::vector<std::int32_t> hops_to(VertexId /*d*/) const { return {}; }
    /// The grid whose distances the hops are; null when they are others.
    [[nodiscard]] virtual const Grid* distance_grid() const { return nullptr; }
    /// Where hops depend on nothing but the smallest of Topology::block_sizes() that has both: hops by its number.
    [[nodiscard]] virtual std::vector<std::int32_t> hops_of_blocks() const { return {}; }
    /// The first pair of the job's nodes that is cut off. O(nodes^2 * length) where faulty terminals can do that.
    [[nodiscard]] virtual std::optional<CutPair> find_cut_pair(const JobNodes& /*job*/) const { return std::nullopt; }

    /// The virtual channels that keep the job's routes free of deadlock. Throws UnsupportedError when they need more
    /// than `most`.
    [[nodiscard]] virtual std::shared_ptr<const ChannelRule> channels(const JobNodes& job, std::int32_t most) const;
    /// The hops of channels() one by one, in O(1) each, where routes are a grid's.
    [[nodiscard]] virtual std::optional<GridSteps> steps() const { return std::nullopt; }
};

}  // namespace haichi
