#pragma once

#include <span>
#include <string>
#include <vector>

#include "netmodel/routing/routes.h"
#include "netmodel/routing/shortest_paths.h"
#include "netmodel/routing/up_down_layers.h"
#include "netmodel/topology/topology.h"

namespace haichi {

/// Shortest-path routes on a graph. The topology must outlive this object.
class GraphRoutes final : public Routes {
  public:
    GraphRoutes(const TopologyOf<Graph>& topology, ShortestPaths paths, std::span<const VertexId> faulty,
                std::string remark);

    [[nodiscard]] std::string name() const override { return to_string(paths_.routing()); }
    [[nodiscard]] std::string remark() const override { return remark_; }
    void append_route(VertexId s, VertexId d, std::vector<LinkId>& links) const override {
        paths_.append_route(graph_, s, d, links);
    }
    [[nodiscard]] std::int32_t hops(VertexId s, VertexId d) const override { return paths_.hops(graph_, s, d); }
    [[nodiscard]] std::int32_t longest() const override { return paths_.longest_route(); }
    [[nodiscard]] bool are_shortest() const override { return faulty_.empty(); }
    [[nodiscard]] bool are_symmetric() const override { return graph_.is_symmetric(); }
    [[nodiscard]] bool hops_are_walked() const override { return true; }
    [[nodiscard]] bool are_searched_for() const override { return !paths_.has_table(); }
    [[nodiscard]] std::vector<std::int32_t> hops_to(VertexId d) const override {
        return paths_.has_lengths() ? std::vector<std::int32_t>() : paths_.distances_to(graph_, d);
    }
    [[nodiscard]] std::optional<CutPair> find_cut_pair(const JobNodes& job) const override;
    /// Spread routes use UpDownLayers if `most` layers suffice, otherwise ChannelLayers, which need fewer layers.
    /// Unspread routes always use ChannelLayers.
    [[nodiscard]] std::shared_ptr<const ChannelRule> channels(const JobNodes& job, std::int32_t most) const override;

  private:
    /// Number of UpDownLayers that the routes between these terminals need.
    [[nodiscard]] std::int32_t layers_between(std::span<const VertexId> terminals, UpDownLayers& layers) const;
    /// The first faulty vertex on the route that the graph would have without faults.
    [[nodiscard]] VertexId first_faulty(VertexId s, VertexId d) const;

    const Topology& topology_;
    const Graph& graph_;
    std::vector<VertexId> faulty_;
    ShortestPaths paths_;
    std::string remark_;
};

}  // namespace haichi
