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

/// Number of terminals at each distance, as seen from the terminal with the nearest neighbours.
struct DistanceHistogram {
    std::vector<std::int64_t> count;  ///< by hops, without the terminal itself; empty without a closed form
    bool is_reached = false;          ///< some terminal has exactly these distances; otherwise they are lower bounds
};

/// A pair of usable nodes that faulty terminals disconnect.
struct CutPair {
    NodeId source;
    NodeId destination;
    VertexId faulty;  ///< a faulty terminal on the usual route
};

/// The static routes of a topology under one routing, around given faulty terminals. Each route is a pure function of
/// two usable terminals. Immutable. Functions with a body are capabilities, which routes may override.
class Routes {
  public:
    Routes() = default;
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;
    virtual ~Routes() = default;

    /// The text that Topology::routes() accepts.
    [[nodiscard]] virtual std::string name() const = 0;
    /// The reason why the routes differ from the requested routing; empty if they do not differ.
    [[nodiscard]] virtual std::string remark() const { return {}; }
    /// Appends the links from s to d, in order; s != d. Throws OptionError, naming both, if faulty terminals disconnect
    /// them.
    virtual void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const = 0;
    /// Length of the route of append_route() in hops; 0 for s == d. The class of a link states its number of hops.
    [[nodiscard]] virtual std::int32_t hops(VertexId s, VertexId d) const = 0;
    /// An upper bound of the length of every route. It is cheap to compute, and may exceed the longest route.
    [[nodiscard]] virtual std::int32_t longest() const = 0;
    /// An upper bound of hops(), which may be tighter than longest().
    [[nodiscard]] virtual std::int32_t diameter() const { return longest(); }
    /// True if no route is longer than the shortest path.
    [[nodiscard]] virtual bool are_shortest() const = 0;
    /// True if hops(s, d) == hops(d, s) for all pairs.
    [[nodiscard]] virtual bool are_symmetric() const = 0;
    [[nodiscard]] virtual DistanceHistogram nearest() const { return {}; }

    /// True if hops() has no closed form and walks the route.
    [[nodiscard]] virtual bool hops_are_walked() const { return false; }
    /// True if the table of routes exceeds its budget, so that every call searches for its route.
    [[nodiscard]] virtual bool are_searched_for() const { return false; }
    /// Hops from every vertex to d, below 0 if there is no route. Empty if separate calls of hops() cost less.
    [[nodiscard]] virtual std::vector<std::int32_t> hops_to(VertexId /*d*/) const { return {}; }
    /// The grid whose distances equal the hops; null if there is none.
    [[nodiscard]] virtual const Grid* distance_grid() const { return nullptr; }
    /// Hops by the index of the smallest of Topology::block_sizes() that contains both terminals; empty if hops depend
    /// on more.
    [[nodiscard]] virtual std::vector<std::int32_t> hops_of_blocks() const { return {}; }
    /// The first disconnected pair of the job's nodes. O(nodes^2 * length) if faulty terminals can disconnect nodes.
    [[nodiscard]] virtual std::optional<CutPair> find_cut_pair(const JobNodes& /*job*/) const { return std::nullopt; }

    /// The virtual channels that make the job's routes deadlock-free. Throws UnsupportedError if they need more than
    /// `most`.
    [[nodiscard]] virtual std::shared_ptr<const ChannelRule> channels(const JobNodes& job, std::int32_t most) const;
    /// For routes of a grid: computes the hops of channels() one by one, in O(1) each.
    [[nodiscard]] virtual std::optional<GridSteps> steps() const { return std::nullopt; }
};

}  // namespace haichi
