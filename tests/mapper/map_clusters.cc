// Placement on two full clusters of the same kind. The value of hop-bytes is minimal if the fewest bytes cross. Search
// results are therefore compared with all bipartitions of the ranks into equal halves.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "base/random.h"
#include "commlog/workload/patterns.h"
#include "mapper/choose/map.h"
#include "mapper/judge/evaluate.h"

namespace haichi {
namespace {

/// Bytes between any two ranks, summed over both directions.
class RankPairs {
  public:
    explicit RankPairs(const Workload& workload)
        : count_(static_cast<std::size_t>(workload.rank_count())), bytes_(count_ * count_) {
        for (const Message& m : workload.messages()) {
            if (!m.crosses_network()) continue;
            bytes_[m.source.index() * count_ + m.destination.index()] += m.size_bytes;
            bytes_[m.destination.index() * count_ + m.source.index()] += m.size_bytes;
        }
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::int64_t operator()(std::size_t a, std::size_t b) const { return bytes_[a * count_ + b]; }

  private:
    std::size_t count_;
    std::vector<std::int64_t> bytes_;
};

/// Branch and bound over all bipartitions into equal halves whose cut is below a limit. Ranks are assigned one by one;
/// a branch ends as soon as the assigned ranks cut too much.
class Bipartitions {
  public:
    explicit Bipartitions(const RankPairs& pairs) : pairs_(pairs) {
        // Neighbours are consecutive, so that a wrong side is detected early.
        std::vector<bool> seen(pairs.count());
        for (std::size_t first = 0; first < pairs.count(); ++first) {
            if (seen[first]) continue;
            seen[first] = true;
            std::queue<std::size_t> next({first});
            while (!next.empty()) {
                const std::size_t rank = next.front();
                next.pop();
                order_.push_back(rank);
                for (std::size_t other = 0; other < pairs.count(); ++other) {
                    if (seen[other] || pairs(rank, other) == 0) continue;
                    seen[other] = true;
                    next.push(other);
                }
            }
        }
    }

    /// The minimum cut, or `limit` if no cut is below it.
    std::int64_t least_cut(std::int64_t limit) {
        best_ = limit;
        side_.assign(pairs_.count(), 0);
        in_half_ = {0, 0};
        extend(0, 0);
        return best_;
    }

  private:
    void extend(std::size_t k, std::int64_t cut) {
        if (cut >= best_) return;
        if (k == order_.size()) {
            best_ = cut;
            return;
        }
        const std::size_t rank = order_[k];
        for (const int side : {0, 1}) {
            if (k == 0 && side == 1) return;  // the halves are interchangeable
            if (in_half_[static_cast<std::size_t>(side)] * 2 == order_.size()) continue;
            std::int64_t more = 0;
            for (std::size_t i = 0; i < k; ++i) {
                if (side_[order_[i]] != side) more += pairs_(rank, order_[i]);
            }
            side_[rank] = side;
            ++in_half_[static_cast<std::size_t>(side)];
            extend(k + 1, cut + more);
            --in_half_[static_cast<std::size_t>(side)];
        }
    }

    const RankPairs& pairs_;
    std::vector<std::size_t> order_;
    std::vector<int> side_;
    std::array<std::size_t, 2> in_half_{};
    std::int64_t best_ = 0;
};

std::int64_t cut_of(const Placement& placement) {
    const Network& network = placement.job().allocation().network;
    const std::int32_t second = network.topology().regions()[1];
    const auto nodes = placement.mapping().node_of_rank();
    const auto is_first = [&](RankId rank) { return network.vertex(nodes[rank.index()]).value < second; };
    std::int64_t cut = 0;
    for (const Message& m : placement.job().workload().messages()) {
        if (is_first(m.source) != is_first(m.destination)) cut += m.size_bytes;
    }
    return cut;
}

Placement mapped(const Workload& workload, const std::string& objective, const std::string& bridges = "2,1ms") {
    JobSpec spec;
    spec.machine = "two-clusters:" + bridges + "," + std::to_string(workload.rank_count() / 2);
    spec.traffic.source = workload;
    MapOptions options;
    options.objective.name = objective;
    return map(Job(spec), options);
}

Workload stencil(const std::string& pattern, std::vector<std::int32_t> dims, bool periodic,
                 std::optional<std::uint64_t> shuffle) {
    PatternOptions options;
    options.dims = std::move(dims);
    options.periodic = periodic;
    options.message_bytes = 2'000;
    options.iterations = 2;
    options.shuffle_seed = shuffle;
    return make_pattern(pattern, options);
}

/// Points in a square; nearer points send each other more bytes, and no two cuts are equal.
Workload near_points(std::int32_t ranks, std::uint64_t seed) {
    Random random(seed, 1);
    constexpr std::uint32_t kSide = 1000;
    std::vector<std::pair<double, double>> points;
    for (std::int32_t r = 0; r < ranks; ++r) {
        points.emplace_back(random.below(kSide), random.below(kSide));
    }
    Workload workload(ranks);
    workload.add_set("near points");
    const double reach = 1.6 * kSide / std::sqrt(ranks);
    for (std::int32_t a = 0; a < ranks; ++a) {
        for (std::int32_t b = 0; b < ranks; ++b) {
            const auto& [xa, ya] = points[static_cast<std::size_t>(a)];
            const auto& [xb, yb] = points[static_cast<std::size_t>(b)];
            const double distance = std::hypot(xa - xb, ya - yb);
            if (a == b || distance > reach) continue;
            workload.add_message(RankId(a), RankId(b), 1'000 + static_cast<std::int64_t>(10 * (reach - distance)));
        }
    }
    return workload;
}

void expect_least_cut(const Workload& workload, const std::string& objective) {
    const Placement placement = mapped(workload, objective);
    const std::int64_t cut = cut_of(placement);
    const RankPairs pairs(workload);
    EXPECT_EQ(Bipartitions(pairs).least_cut(cut + 1), cut);
}

TEST(Bipartitions, are_all_looked_at) {
    // Two squares joined by one edge: 3 bytes in each direction inside, 1 byte across.
    Workload workload(8);
    workload.add_set("");
    for (std::int32_t r = 0; r < 8; ++r) workload.add_message(RankId(r), RankId(r / 4 * 4 + (r + 1) % 4), 3);
    workload.add_message(RankId(1), RankId(6), 1);
    const RankPairs pairs(workload);
    EXPECT_EQ(Bipartitions(pairs).least_cut(1 << 20), 1);
    EXPECT_EQ(Bipartitions(pairs).least_cut(1), 1) << "none is below the limit";
}

TEST(TwoClusters, get_the_halves_of_small_jobs_between_which_the_fewest_bytes_go) {
    for (const bool periodic : {false, true}) {
        for (const auto& dims : std::vector<std::vector<std::int32_t>>{{2, 4}, {4, 3}, {2, 6}, {4, 4}}) {
            SCOPED_TRACE(std::to_string(dims[0]) + "x" + std::to_string(dims[1]) + (periodic ? ", periodic" : ""));
            expect_least_cut(stencil("stencil2d", dims, periodic, 7), "hop-bytes");
        }
        for (const auto& dims : std::vector<std::vector<std::int32_t>>{{2, 2, 2}, {3, 2, 2}, {2, 2, 4}}) {
            SCOPED_TRACE(std::to_string(dims[0]) + "x2x" + std::to_string(dims[2]) + (periodic ? ", periodic" : ""));
            expect_least_cut(stencil("stencil3d", dims, periodic, 3), "hop-bytes");
        }
    }
    for (const std::int32_t ranks : {8, 12, 16}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            SCOPED_TRACE(std::to_string(ranks) + " points, seed " + std::to_string(seed));
            expect_least_cut(near_points(ranks, seed), "hop-bytes");
        }
    }
}

TEST(TwoClusters, get_the_halves_of_32_ranks_between_which_the_fewest_bytes_go) {
    for (const bool periodic : {false, true}) {
        for (const std::optional<std::uint64_t> shuffle :
             {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(5)}) {
            SCOPED_TRACE(std::string(periodic ? "periodic" : "open") + (shuffle ? ", shuffled" : ""));
            expect_least_cut(stencil("stencil2d", {4, 8}, periodic, shuffle), "hop-bytes");
            expect_least_cut(stencil("stencil3d", {2, 4, 4}, periodic, shuffle), "hop-bytes");
        }
    }
    expect_least_cut(near_points(32, 1), "hop-bytes");
}

// The placement with the shortest simulated time also has the minimum cut.
TEST(TwoClusters, get_such_halves_also_where_the_objective_is_left_open) {
    for (const bool periodic : {false, true}) {
        SCOPED_TRACE(periodic);
        expect_least_cut(stencil("stencil2d", {4, 8}, periodic, 5), "auto");
    }
    expect_least_cut(stencil("stencil3d", {2, 4, 4}, false, 5), "auto");
}

// Reports, searches and bounds use the same weight for a crossing; link loads are in bytes, independent of weights.
TEST(TwoClusters, have_the_same_hop_bytes_in_reports_and_searches_and_bounds_that_hold) {
    Workload all_to_all(8);
    all_to_all.add_set("");
    for (std::int32_t a = 0; a < 8; ++a) {
        for (std::int32_t b = 0; b < 8; ++b) {
            if (a != b) all_to_all.add_message(RankId(a), RankId(b), 1000);
        }
    }
    for (const std::string objective : {"hop-bytes", "max-link-load", "rmatt", "tac3", "max-hops"}) {
        SCOPED_TRACE(objective);
        JobSpec spec;
        spec.machine = "two-clusters:2,4ms,4";
        spec.traffic.source = all_to_all;
        MapOptions options;
        options.objective.name = objective;
        options.strategy = "anneal";
        options.search.evaluations = 2000;
        options.search.verify = VerifyLevel::kStep;
        const Placement placement = map(Job(spec), options);
        const Evaluation found = evaluate(placement, {.objective = options.objective});
        // 24 messages stay inside, with 2 hops each; 32 cross, with 3 and 67 hops.
        EXPECT_EQ(found.metrics.hop_bytes, 1000 * (24 * 2 + 32 * 70));
        // A bridge carries 16 messages in total, 8 in each direction.
        EXPECT_EQ(found.metrics.max_link_bytes, 8000);
        ASSERT_TRUE(found.asked.lower_bound);
        EXPECT_LE(*found.asked.lower_bound, found.asked.value);
    }
}

// With enough idle nodes, no message needs to cross.
TEST(TwoClusters, are_not_both_used_by_what_fits_into_one) {
    JobSpec spec;
    spec.machine = "two-clusters:2,1ms";
    spec.traffic.source = stencil("stencil2d", {4, 4}, false, 5);
    MapOptions options;
    options.objective.name = "hop-bytes";
    options.start = "random";
    EXPECT_EQ(cut_of(map(Job(spec), options)), 0);
}

// The first cut is at the boundary between the clusters, however many nodes of each cluster the job has.
TEST(TwoClusters, are_where_bisection_cuts_first) {
    JobSpec spec;
    spec.machine = "two-clusters:1,4ms,8";
    spec.allocation.nodes = std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 8, 9, 10};
    // A group of six ranks and one of three. Each group communicates only internally.
    Workload workload(9);
    workload.add_set("");
    for (std::int32_t a = 0; a < 9; ++a) {
        for (std::int32_t b = 0; b < 9; ++b) {
            if (a != b && (a % 3 == 0) == (b % 3 == 0)) workload.add_message(RankId(a), RankId(b), 100);
        }
    }
    spec.traffic.source = std::move(workload);
    MapOptions options;
    options.strategy = "bisection";
    EXPECT_EQ(cut_of(map(Job(spec), options)), 0);
}

}  // namespace
}  // namespace haichi
