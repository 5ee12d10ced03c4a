#include "netmodel/machine/distances.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "base/errors.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/routes.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

constexpr std::string_view kLatency = "latency";
constexpr std::string_view kBandwidth = "bandwidth";

std::string example_for(std::size_t count) {
    std::string text = "1";
    for (std::size_t i = 1; i < count; ++i) text += ":" + std::to_string(10 * i);
    return text;
}

/// "3 levels", "3 axes (X, Y, Z)" or "2 classes of links (host links, local links)".
std::string counted_parts(const Machine& machine, std::size_t count) {
    const Topology& topology = *machine.topology;
    if (!topology.block_sizes().empty()) return std::to_string(count) + (count == 1 ? " level" : " levels");
    std::string names;
    const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
    if (const Grid* grid = topology.coordinates()) {
        for (const Axis& axis : grid->axes()) add(axis.name);
        return std::to_string(count) + (count == 1 ? " axis (" : " axes (") + names + ")";
    }
    constexpr std::size_t kMostNamed = 8;
    for (std::size_t c = 0; c < std::min(count, kMostNamed); ++c) add(topology.link_classes()[c].name);
    if (count > kMostNamed) names += ", ..";
    return std::to_string(count) + (count == 1 ? " class of links (" : " classes of links (") + names + ")";
}

std::size_t part_count(const Topology& topology) {
    if (!topology.block_sizes().empty()) return topology.block_sizes().size() - 1;
    if (const Grid* grid = topology.coordinates()) return grid->axis_count();
    return topology.link_classes().size();
}

/// The first link of a class.
std::optional<LinkId> link_of_class(const Topology& topology, std::size_t c) {
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if (topology.link_exists(LinkId(l)) && topology.class_of_link(LinkId(l)) == c) return LinkId(l);
    }
    return std::nullopt;
}

/// Cost of a link of class c. Throws OptionError if the machine does not state its latency.
double cost_of_class(const Machine& machine, std::size_t c, bool by_latency) {
    const Topology& topology = *machine.topology;
    const PortClass& links = topology.link_classes()[c];
    if (!by_latency) {
        return 1.0 / static_cast<double>(links.bandwidth_bytes_per_s.value_or(machine.link_bandwidth_bytes_per_s));
    }
    std::optional<std::int64_t> latency_ps = links.latency_ps;
    if (!latency_ps && machine.host_cable_latency_ps) {
        const auto link = link_of_class(topology, c);
        const auto is_host = [&](VertexId v) { return v.value < topology.terminal_count() && topology.is_host(v); };
        if (link && (is_host(topology.link_ends(*link).from) || is_host(topology.link_ends(*link).to))) {
            latency_ps = machine.host_cable_latency_ps;
        }
    }
    if (!latency_ps) latency_ps = machine.cable_latency_ps;
    if (!latency_ps || *latency_ps <= 0) {
        throw OptionError("distances by latency require the latency of " + links.name + " of machine " + machine.name,
                          "state it in the machine file, or state the distances: " + example_for(part_count(topology)));
    }
    return static_cast<double>(*latency_ps);
}

/// Converts costs to small integers with about the same ratios.
std::vector<std::int32_t> as_integers(const std::vector<double>& costs) {
    constexpr double kPerSmallest = 10;
    const double least = std::ranges::min(costs);
    std::vector<std::int32_t> distances;
    std::int32_t divisor = 0;
    for (const double cost : costs) {
        const double rounded = std::round(kPerSmallest * cost / least);
        if (rounded > kLargestDistance) {
            throw OptionError("the links of the machine differ by more than " +
                                  std::to_string(static_cast<std::int32_t>(kLargestDistance / kPerSmallest)) + " times",
                              "state the distances: " + example_for(costs.size()));
        }
        distances.push_back(static_cast<std::int32_t>(rounded));
        divisor = std::gcd(divisor, distances.back());
    }
    for (std::int32_t& distance : distances) distance /= divisor;
    return distances;
}

std::vector<std::int32_t> derived(const Machine& machine, bool by_latency) {
    const Topology& topology = *machine.topology;
    const std::string by = by_latency ? "latency" : "bandwidth";
    if (topology.coordinates() != nullptr) {
        throw OptionError(
            "distances by " + by + " do not suit machine " + machine.name + ", because all of its links are equal",
            "state the distance of a step along each axis: " + example_for(part_count(topology)));
    }
    std::vector<double> cost_of;
    for (std::size_t c = 0; c < topology.link_classes().size(); ++c) {
        cost_of.push_back(cost_of_class(machine, c, by_latency));
    }
    const auto sizes = topology.block_sizes();
    if (sizes.empty()) return as_integers(cost_of);
    const auto routes = topology.routes(machine.routing, {});
    std::vector<double> cost_of_level;
    for (std::size_t l = 1; l < sizes.size(); ++l) {
        // A level whose blocks contain only one block of the level below adds no pairs of nodes.
        double cost = cost_of_level.empty() ? *std::ranges::min_element(cost_of) : cost_of_level.back();
        if (sizes[l] > sizes[l - 1]) {
            std::vector<LinkId> links;
            routes->append_route(VertexId(0), VertexId(sizes[l - 1]), links);
            double sum = 0;
            for (const LinkId link : links) sum += cost_of[topology.class_of_link(link)];
            cost = std::max(cost, sum);
        }
        cost_of_level.push_back(cost);
    }
    return as_integers(cost_of_level);
}

}  // namespace

std::vector<std::int32_t> checked_distances(std::vector<std::int32_t> distances, const Machine& machine) {
    const std::size_t count = part_count(*machine.topology);
    if (distances.size() != count) {
        throw OptionError("machine " + machine.name + " has " + counted_parts(machine, count) + ", but " +
                              std::to_string(distances.size()) +
                              (distances.size() == 1 ? " distance is stated" : " distances are stated"),
                          "state a distance for each: " + example_for(count));
    }
    const bool are_levels = !machine.topology->block_sizes().empty();
    for (std::size_t i = 0; i < distances.size(); ++i) {
        if (distances[i] < 1 || distances[i] > kLargestDistance) {
            throw OptionError("the distance " + std::to_string(distances[i]) + " of machine " + machine.name +
                              " is outside 1.." + std::to_string(kLargestDistance));
        }
        if (are_levels && i > 0 && distances[i] < distances[i - 1]) {
            throw OptionError("the distance " + std::to_string(distances[i]) + " of level " + std::to_string(i + 1) +
                                  " of machine " + machine.name + " is smaller than " +
                                  std::to_string(distances[i - 1]) + " on the level below",
                              "state the distances of the lowest level first");
        }
    }
    return distances;
}

std::vector<std::int32_t> parse_distances(std::string_view text, const Machine& machine) {
    if (text == kLatency || text == kBandwidth) return derived(machine, text == kLatency);
    if (text.empty() || text.front() < '0' || text.front() > '9') {
        throw OptionError("invalid distances of machine " + machine.name + ": " + shown(text),
                          "use numbers (" + example_for(part_count(*machine.topology)) + "), latency or bandwidth");
    }
    return checked_distances(parse_sizes(text, "the distances of machine " + machine.name, ':', "1:10:100"), machine);
}

}  // namespace haichi
