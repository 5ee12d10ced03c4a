#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/objectives/problems.h"

namespace haichi::testing_problems {

/// The objectives computed directly from their definitions, using only routes and placements.
struct Plain {
    std::int64_t hop_bytes = 0;
    std::int64_t max_link_bytes = 0;
    double tac3_seconds = 0;
    double tac3_bytes_seconds = 0;
    std::vector<std::int64_t> contention;
};

/// Returns the hops that the link's class states. Injection and ejection each count as one hop.
inline std::int32_t hops_of(const Network& network, LinkId link) {
    const Topology& topology = network.topology();
    if (link.value >= topology.link_count()) return 1;
    return topology.link_classes()[topology.class_of_link(link)].hops;
}

inline Plain plain_values(const Posed& posed, const Mapping& mapping) {
    const Network& network = posed.allocation->network;
    Plain plain;
    std::map<LinkId, std::int64_t> total;
    for (std::size_t t = 0; t < posed.workload->set_count(); ++t) {
        std::map<LinkId, std::int64_t> count;
        std::map<LinkId, std::int64_t> bytes;
        std::vector<std::pair<std::int64_t, std::vector<LinkId>>> routes;
        for (const Message& m : posed.workload->messages(t)) {
            if (m.source == m.destination || m.size_bytes == 0) continue;
            std::vector<LinkId> route;
            network.append_route(mapping.node(m.source), mapping.node(m.destination), route);
            for (const LinkId link : route) {
                plain.hop_bytes += m.size_bytes * hops_of(network, link);
                ++count[link];
                bytes[link] += m.size_bytes;
                total[link] += m.size_bytes;
            }
            routes.emplace_back(m.size_bytes, route);
        }
        double worst_message = 0;
        double worst_load = 0;
        std::int64_t contention = 0;
        for (const auto& [size, route] : routes) {
            for (const LinkId link : route) {
                const auto rate = static_cast<double>(network.bandwidth_bytes_per_s(link));
                worst_message = std::max(worst_message, static_cast<double>(size * count[link]) / rate);
                worst_load = std::max(worst_load, static_cast<double>(bytes[link]) / rate);
                contention = std::max(contention, count[link]);
            }
        }
        plain.tac3_seconds += worst_message;
        plain.tac3_bytes_seconds += worst_load;
        plain.contention.push_back(contention);
    }
    for (const auto& [link, load] : total) plain.max_link_bytes = std::max(plain.max_link_bytes, load);
    return plain;
}

}  // namespace haichi::testing_problems
