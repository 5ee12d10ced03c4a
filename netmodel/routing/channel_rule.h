#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

class Routes;

/// Virtual channels that routes of graphs may need.
inline constexpr std::int32_t kMostLayers = 8;

/// One passage of a route: a link, and the virtual channel of the buffer behind it.
struct ChannelHop {
    LinkId link;
    std::uint8_t vc = 0;

    friend bool operator==(const ChannelHop&, const ChannelHop&) = default;
};

/// Which virtual channel each hop of a route takes, so that packets never wait for each other in a circle (Dally,
/// Seitz, IEEE Trans. Comp. C-36(5), 1987: no cycle of channels that wait for each other). Belongs to Routes that
/// outlive it.
class ChannelRule {
  public:
    ChannelRule() = default;
    ChannelRule(const ChannelRule&) = delete;
    ChannelRule& operator=(const ChannelRule&) = delete;
    virtual ~ChannelRule() = default;

    /// How many a machine must have.
    [[nodiscard]] virtual std::int32_t needed() const = 0;
    /// Appends the links from s to d, two different terminals, with their virtual channels. Throws as
    /// Routes::append_route.
    virtual void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const = 0;
};

/// For routes that have no cycle on one channel.
class OneChannel final : public ChannelRule {
  public:
    explicit OneChannel(const Routes& routes) : routes_(routes) {}
    [[nodiscard]] std::int32_t needed() const override { return 1; }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override;

  private:
    const Routes& routes_;
};

/// The links of the route, all with VC 0.
void append_on_vc_0(const Routes& routes, VertexId s, VertexId d, std::vector<ChannelHop>& hops);

/// The first cycle in a graph given by the successors of each vertex; empty when there is none. O(vertices + edges).
[[nodiscard]] std::vector<std::int32_t> find_cycle(const std::vector<std::vector<std::int32_t>>& successors);

}  // namespace haichi
