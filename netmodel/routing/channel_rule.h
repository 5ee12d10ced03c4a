#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

class Routes;

/// Maximum number of virtual channels for the routes of a graph.
inline constexpr std::int32_t kMostLayers = 8;

/// A hop of a route: a link, and the virtual channel of the buffer downstream.
struct ChannelHop {
    LinkId link;
    std::uint8_t vc = 0;

    friend bool operator==(const ChannelHop&, const ChannelHop&) = default;
};

/// Selects the virtual channel of each hop of a route so that packets never wait for each other in a cycle. Such a
/// cycle of waiting channels is necessary for a deadlock (Dally, Seitz, IEEE Trans. Comp. C-36(5), 1987). Refers to
/// Routes that must outlive it.
class ChannelRule {
  public:
    ChannelRule() = default;
    ChannelRule(const ChannelRule&) = delete;
    ChannelRule& operator=(const ChannelRule&) = delete;
    virtual ~ChannelRule() = default;

    /// Minimum number of virtual channels of the machine.
    [[nodiscard]] virtual std::int32_t needed() const = 0;
    /// Appends the links from s to d, two different terminals, with their virtual channels. Throws what
    /// Routes::append_route throws.
    virtual void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const = 0;
};

/// The rule for routes whose channels form no cycle with a single VC.
class OneChannel final : public ChannelRule {
  public:
    explicit OneChannel(const Routes& routes) : routes_(routes) {}
    [[nodiscard]] std::int32_t needed() const override { return 1; }
    void append_route(VertexId s, VertexId d, std::vector<ChannelHop>& hops) const override;

  private:
    const Routes& routes_;
};

/// Appends the links of the route, all with VC 0.
void append_on_vc_0(const Routes& routes, VertexId s, VertexId d, std::vector<ChannelHop>& hops);

/// The first cycle in a graph given by the successors of each vertex; empty without cycles. O(vertices + edges).
[[nodiscard]] std::vector<std::int32_t> find_cycle(const std::vector<std::vector<std::int32_t>>& successors);

}  // namespace haichi
