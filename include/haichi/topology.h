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

/// The network between the nodes of a job. Nodes are numbered from 0 within the job. It is a value; copies share their
/// data.
class HAICHI_EXPORT Network {
  public:
    [[nodiscard]] std::int32_t nodes() const;
    /// The coordinates of a node on the machine, or its number if the machine has no coordinates.
    [[nodiscard]] std::vector<std::int32_t> coordinates(std::int32_t node) const;
    [[nodiscard]] std::string node_name(std::int32_t node) const;
    /// Returns false for a faulty node.
    [[nodiscard]] bool is_usable(std::int32_t node) const;
    /// The length of the route in hops, or the distance that the machine defines.
    [[nodiscard]] std::int32_t hops(std::int32_t from, std::int32_t to) const;
    /// The links of the static route, in order.
    [[nodiscard]] std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) const;
    [[nodiscard]] std::int32_t links() const;  ///< upper bound of the link numbers; some smaller numbers may be unused
    [[nodiscard]] std::string link_name(std::int32_t link) const;
    [[nodiscard]] std::int64_t link_bandwidth(std::int32_t link) const;  ///< bytes per second

    /// A move is a copy, so that no Network is empty.
    Network(const Network&) = default;
    Network& operator=(const Network&) = default;
    ~Network() = default;

  private:
    friend struct detail::Access;
    explicit Network(std::shared_ptr<const detail::JobData> job);

    std::shared_ptr<const detail::JobData> job_;
};

HAICHI_END
