// Compares routes around faulty nodes with an independent walk over coordinates, step by step.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/routing/hop_distance.h"
#include "netmodel/routing/network.h"
#include "netmodel/routing/route_table.h"
#include "tests/netmodel/fabrics.h"

namespace haichi {
namespace {

using namespace testing_fabrics;

using Place = std::array<std::int32_t, 6>;  ///< X Y Z A B C

struct Region {
    Place sizes;
    std::array<bool, 6> wraps;
    bool tie_is_plus = true;
    std::set<Place> faulty;
};

/// Every coordinate from `at` (excluded) to `target` along one axis in the shorter direction.
void travel(const Region& region, std::size_t axis, std::int32_t target, Place& at, std::vector<Place>& places) {
    const std::int32_t size = region.sizes[axis];
    const std::int32_t up = ((target - at[axis]) % size + size) % size;
    bool goes_up = target > at[axis];
    if (region.wraps[axis] && size > 2) goes_up = 2 * up < size || (2 * up == size && region.tie_is_plus);
    while (at[axis] != target) {
        at[axis] = (at[axis] + (goes_up ? 1 : size - 1)) % size;
        places.push_back(at);
    }
}

/// Returns the coordinates on the route from s along B, C, A to the column, and then along X, Y, Z, A, C, B.
std::vector<Place> walk(const Region& region, const Place& s, const Place& d, std::int32_t a, std::int32_t b,
                        std::int32_t c) {
    std::vector<Place> places;
    Place at = s;
    travel(region, 4, b, at, places);
    travel(region, 5, c, at, places);
    travel(region, 3, a, at, places);
    for (const std::size_t axis : {0, 1, 2, 3, 5, 4}) travel(region, axis, d[axis], at, places);
    return places;
}

bool is_free(const Region& region, const std::vector<Place>& places) {
    return std::ranges::none_of(places, [&](const Place& place) { return region.faulty.contains(place); });
}

/// Returns the route in s's own column if this route is free, otherwise the first of the shortest free routes, or
/// nullopt if no route is free.
std::optional<std::vector<Place>> expected_walk(const Region& region, const Place& s, const Place& d) {
    if (auto own = walk(region, s, d, s[3], s[4], s[5]); is_free(region, own)) return own;
    std::optional<std::vector<Place>> best;
    for (std::int32_t a = 0; a < region.sizes[3]; ++a) {
        for (std::int32_t b = 0; b < region.sizes[4]; ++b) {
            for (std::int32_t c = 0; c < region.sizes[5]; ++c) {
                auto places = walk(region, s, d, a, b, c);
                if (is_free(region, places) && (!best || places.size() < best->size())) best = std::move(places);
            }
        }
    }
    return best;
}

Region drawn_region(Random& random) {
    Region region{{1, 1, 1, 2, 3, 2}, {}, true, {}};
    for (const std::size_t axis : {0, 1, 2}) {
        region.sizes[axis] = static_cast<std::int32_t>(1 + random.below(axis == 0 ? 5 : 2));
        region.wraps[axis] = random.below(2) == 0;
    }
    region.wraps[4] = true;
    if (random.below(4) == 0) region.sizes[4] = 2;
    region.tie_is_plus = random.below(2) == 0;
    return region;
}

Grid grid_of(const Region& region) {
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < 6; ++k) axes.push_back({std::string(1, "XYZABC"[k]), region.sizes[k], region.wraps[k]});
    return Grid(std::move(axes));
}

Place place_of(const Grid& grid, VertexId v) {
    Place place{};
    for (std::size_t k = 0; k < 6; ++k) place[k] = grid.coordinate(v, k);
    return place;
}

RC_GTEST_PROP(FaultyNodes, are_passed_as_the_extended_order_says, (std::uint64_t seed)) {
    Random random(seed);
    Region region = drawn_region(random);
    const Grid grid = grid_of(region);
    std::vector<VertexId> faulty;
    for (std::uint32_t i = random.below(4) + 1; i > 0; --i) {
        const VertexId v(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(grid.vertex_count()))));
        if (region.faulty.insert(place_of(grid, v)).second) faulty.push_back(v);
    }
    const DimensionOrder order =
        parse_dimension_order(region.tie_is_plus ? "dor:XYZACB,tie=+" : "dor:XYZACB,tie=-", grid);
    const Network network(grid_fabric(grid, order), {.link_bandwidth_bytes_per_s = 1, .faulty = faulty});
    bool any_is_cut = false;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (s == d || !network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            const auto expected = expected_walk(region, place_of(grid, VertexId(s)), place_of(grid, VertexId(d)));
            std::vector<LinkId> links;
            if (!expected) {
                any_is_cut = true;
                RC_ASSERT_THROWS_AS(network.append_route(NodeId(s), NodeId(d), links), OptionError);
                RC_ASSERT_THROWS_AS((void)network.hops(NodeId(s), NodeId(d)), OptionError);
                continue;
            }
            network.append_route(NodeId(s), NodeId(d), links);
            std::vector<Place> places;
            for (const LinkId link : links) places.push_back(place_of(grid, grid.link_ends(link).to));
            RC_ASSERT(places == *expected);
            RC_ASSERT(network.hops(NodeId(s), NodeId(d)) == static_cast<std::int32_t>(places.size()));
            RC_ASSERT(network.longest_route() >= static_cast<std::int32_t>(places.size()));
        }
    }
    RC_ASSERT(network.find_cut_pair().has_value() == any_is_cut);
    if (any_is_cut) return;
    const HopDistance table(network);
    const HopDistance walked(network, {.walked_table_budget_bytes = 0});
    const RouteTable routes(network);
    std::vector<LinkId> scratch;
    for (std::int32_t s = 0; s < network.node_count(); ++s) {
        for (std::int32_t d = 0; d < network.node_count(); ++d) {
            if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            const std::int32_t hops = network.hops(NodeId(s), NodeId(d));
            RC_ASSERT(table(NodeId(s), NodeId(d)) == hops);
            RC_ASSERT(walked(NodeId(s), NodeId(d)) == hops);
            RC_ASSERT(static_cast<std::int32_t>(routes.route(NodeId(s), NodeId(d), scratch).size()) == hops);
        }
    }
}

}  // namespace
}  // namespace haichi
