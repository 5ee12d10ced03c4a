#pragma once

#include <haichi/export.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

HAICHI_BEGIN

namespace detail {
struct JobData;
}

/// The network between the nodes of a job. Nodes are numbered from 0 within the job. A value.
class HAICHI_EXPORT Network {
  public:
    [[nodiscard]] std::int32_t nodes() const;
    /// Coordinates on the machine, or the number of the node if the machine has no coordinates.
    [[nodiscard]] std::vector<std::int32_t> coordinates(std::int32_t node) const;
    [[nodiscard]] std::string node_name(std::int32_t node) const;
    /// False for a faulty node.
    [[nodiscard]] bool is_usable(std::int32_t node) const;
    /// Length of the route in hops, or the distance that the machine states.
    [[nodiscard]] std::int32_t hops(std::int32_t from, std::int32_t to) const;
    /// Links of the static route, in order.
    [[nodiscard]] std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) const;
    [[nodiscard]] std::int32_t links() const;  ///< all link numbers are smaller; not every number is a link
    [[nodiscard]] std::string link_name(std::int32_t link) const;
    [[nodiscard]] std::int64_t link_bandwidth(std::int32_t link) const;  ///< bytes per second

    /// Moves copy as well, so that no Network is empty.
    Network(const Network&) = default;
    Network& operator=(const Network&) = default;
    ~Network() = default;

  private:
    friend struct detail::Access;
    explicit Network(std::shared_ptr<const detail::JobData> job);

    std::shared_ptr<const detail::JobData> job_;
};

HAICHI_END
