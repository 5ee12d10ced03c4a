#include "mapper/job/placement_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mapper/search/convergence.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_problems::random_workload;

/// Returns the ID of every existing link, indexed by the link's compact number.
std::vector<LinkId> existing_links(const Network& network) {
    std::vector<LinkId> links;
    for (std::int32_t l = 0; l < network.link_count(); ++l) {
        if (network.link_exists(LinkId(l))) links.emplace_back(l);
    }
    return links;
}

TEST(PlacementView, routes_carry_what_the_metrics_count) {
    const std::vector<std::pair<std::string, AllocationRequest>> jobs = {
        {"fx10-kyushu", {.shape = {1, 2, 4, 2, 3, 2}}},
        {"fx10-kyushu", {.shape = {2, 1, 1, 2, 3, 2}, .ranks_per_node = 2, .count_nic = true}},
        {"fattree:2x4", {}},
        {"dragonfly:2,4,2", {}},
        {"mesh:5x3", {}}};
    for (const auto& [machine, request] : jobs) {
        const Job job(
            {.machine = machine, .traffic = {.source = random_workload(12, 3, 40, true, 5)}, .allocation = request});
        const Network& network = job.allocation().network;
        const MessageRoutes routes = message_routes(Placement(job));
        const std::vector<LinkId> links = existing_links(network);
        const NetworkOutline outline = network_outline(network);
        ASSERT_EQ(outline.link_source.size(), links.size()) << machine;
        ASSERT_EQ(outline.link_bandwidth_bytes_per_s.size(), links.size());

        std::vector<std::int64_t> bytes(static_cast<std::size_t>(network.link_count()));
        const auto& messages = job.workload().messages();
        ASSERT_EQ(routes.first.size(), messages.size() + 1);
        for (std::size_t m = 0; m < messages.size(); ++m) {
            for (std::int64_t i = routes.first[m]; i < routes.first[m + 1]; ++i) {
                const auto link = static_cast<std::size_t>(routes.link[static_cast<std::size_t>(i)]);
                bytes[links[link].index()] += messages[m].size_bytes;
            }
        }
        EXPECT_EQ(bytes, measure(job.problem()->problem, job.default_placement()).link_bytes) << machine;
    }
}

TEST(PlacementView, routes_go_from_link_to_link_between_the_vertices_of_their_nodes) {
    for (const std::string machine : {"torus:4x3x2", "fattree:2x4", "dragonfly:2,4,2"}) {
        const Job job({.machine = machine, .traffic = {.source = random_workload(12, 2, 30, false, 6)}});
        const NetworkOutline outline = network_outline(job.allocation().network);
        const MessageRoutes routes = message_routes(Placement(job));
        const auto vertex = [&](RankId rank) {
            return outline.vertex_of_node[job.default_placement().node(rank).index()];
        };
        for (std::size_t m = 0; m + 1 < routes.first.size(); ++m) {
            const Message& message = job.workload().messages()[m];
            if (routes.first[m] == routes.first[m + 1]) {
                EXPECT_TRUE(message.size_bytes == 0 || vertex(message.source) == vertex(message.destination));
                continue;
            }
            std::int32_t at = vertex(message.source);
            for (std::int64_t i = routes.first[m]; i < routes.first[m + 1]; ++i) {
                const auto link = static_cast<std::size_t>(routes.link[static_cast<std::size_t>(i)]);
                EXPECT_EQ(outline.link_source[link], at);
                at = outline.link_destination[link];
            }
            EXPECT_EQ(at, vertex(message.destination));
        }
        EXPECT_EQ(outline.axes.empty(), !outline.panels.empty());
        EXPECT_EQ(outline.link_names.empty(), outline.panels.empty());
    }
}

TEST(Convergence, keeps_the_last_point_of_every_eighth_of_an_octave) {
    Convergence convergence;
    for (std::int64_t n = 0; n < 100'000; ++n) convergence.improved(n, static_cast<double>(1'000'000 - n));
    const auto& points = convergence.points();
    EXPECT_EQ(points.front(), (ConvergencePoint{0, 1'000'000}));
    EXPECT_EQ(points.back(), (ConvergencePoint{99'999, 900'001}));
    EXPECT_LT(points.size(), 130U);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_LT(points[i - 1].evaluations, points[i].evaluations);
        EXPECT_GT(points[i - 1].value, points[i].value);
        if (points[i].evaluations > 32) {
            EXPECT_LT(static_cast<double>(points[i].evaluations),
                      1.14 * static_cast<double>(points[i - 1].evaluations));
        }
    }
}

TEST(Convergence, of_a_search_ends_at_its_value_whatever_the_threads) {
    testing_jobs::Asked asked =
        testing_jobs::asked("fx10-kyushu", random_workload(64, 3, 200, false, 7), "rmatt", {1, 2, 4, 2, 3, 2});
    asked.search.strategy = "anneal";
    asked.search.search.evaluations = 3000;
    asked.search.search.restarts = 4;
    asked.search.search.threads = 1;
    const Evaluation alone = testing_jobs::found(asked);
    const auto& curve = alone.placement.search()->convergence;
    asked.search.search.threads = 3;
    EXPECT_EQ(testing_jobs::found(asked).placement.search()->convergence, curve);
    ASSERT_GT(curve.size(), 2U);
    EXPECT_EQ(curve.front().evaluations, 0);
    EXPECT_EQ(curve.back().value, alone.asked.value);
}

}  // namespace
}  // namespace haichi
