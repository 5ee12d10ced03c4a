#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "commlog/collectives/collectives.h"
#include "commlog/workload/patterns.h"

namespace haichi {
namespace {

PatternOptions any_options(const PatternRow& row) {
    PatternOptions options;
    if (row.dimensions > 0 && *rc::gen::arbitrary<bool>()) {
        for (int axis = 0; axis < row.dimensions; ++axis) options.dims.push_back(*rc::gen::inRange(1, 7));
    } else if (row.name == "cg") {
        options.ranks = 1 << *rc::gen::inRange(0, 9);
    } else {
        options.ranks = *rc::gen::inRange(1, 80);
    }
    if (!row.points.empty()) {
        options.points = *rc::gen::elementOf(row.points);
        options.periodic = *rc::gen::arbitrary<bool>();
    }
    options.seed = *rc::gen::arbitrary<std::uint64_t>();
    if (*rc::gen::arbitrary<bool>()) options.shuffle_seed = *rc::gen::arbitrary<std::uint64_t>();
    return options;
}

TEST(PatternProperty, no_rank_sends_or_receives_twice_in_a_set) {
    for (const PatternRow& row : patterns()) {
        if (row.name == "random-geometric") continue;  // a matrix: one set by definition
        EXPECT_TRUE(rc::check(row.name, [&] {
            const Workload workload = make_pattern(row.name, any_options(row));
            for (std::size_t t = 0; t < workload.set_count(); ++t) {
                std::set<RankId> sources;
                std::set<RankId> destinations;
                RC_ASSERT(!workload.messages(t).empty());
                for (const Message& m : workload.messages(t)) {
                    RC_ASSERT(m.source != m.destination);
                    RC_ASSERT(sources.insert(m.source).second);
                    RC_ASSERT(destinations.insert(m.destination).second);
                }
                RC_ASSERT(!workload.set(t).label.empty());
            }
        }));
    }
}

TEST(PatternProperty, stencils_send_along_every_edge_in_both_directions) {
    for (const char* name : {"stencil2d", "stencil3d"}) {
        const PatternRow* row = patterns().find(name);
        EXPECT_TRUE(rc::check(name, [&] {
            const Workload workload = make_pattern(name, any_options(*row));
            std::map<std::pair<RankId, RankId>, int> count;
            for (const Message& m : workload.messages()) ++count[{m.source, m.destination}];
            for (const auto& [ends, messages] : count) {
                const auto back = count.find({ends.second, ends.first});
                RC_ASSERT(back != count.end());
                RC_ASSERT(back->second == messages);
            }
        }));
    }
}

TEST(PatternProperty, pairwise_alltoall_delivers_each_pair_exactly_once) {
    const PatternRow* row = patterns().find("alltoall-pairwise");
    EXPECT_TRUE(rc::check([&] {
        const PatternOptions options = any_options(*row);
        const Workload workload = make_pattern("alltoall-pairwise", options);
        std::set<std::pair<RankId, RankId>> seen;
        for (const Message& m : workload.messages()) RC_ASSERT(seen.insert({m.source, m.destination}).second);
        RC_ASSERT(seen.size() == static_cast<std::size_t>(options.ranks) * static_cast<std::size_t>(options.ranks - 1));
    }));
}

TEST(PatternProperty, fft_delivers_each_pair_of_a_row_or_column_exactly_once) {
    const PatternRow* row = patterns().find("fft");
    EXPECT_TRUE(rc::check([&] {
        PatternOptions options = any_options(*row);
        options.shuffle_seed.reset();
        const Workload workload = make_pattern("fft", options);
        if (options.dims.empty()) options.dims = balanced_dims(options.ranks, 2);
        const int rows = options.dims[0];
        const int columns = options.dims[1];
        std::set<std::pair<int, int>> seen;
        for (const Message& m : workload.messages()) {
            const int a = m.source.value;
            const int b = m.destination.value;
            RC_ASSERT(a / columns == b / columns || a % columns == b % columns);
            RC_ASSERT(seen.insert({a, b}).second);
        }
        RC_ASSERT(seen.size() == static_cast<std::size_t>(rows * columns * (rows + columns - 2)));
    }));
}

TEST(CollectiveProperty, what_one_rank_sends_the_other_receives) {
    for (const CollectiveRow& row : collective_algorithms()) {
        EXPECT_TRUE(rc::check(row.name, [&] {
            const int ranks = *rc::gen::inRange(1, 100);
            for (int step = 0; step < collective_step_count(row.algorithm, ranks); ++step) {
                for (int rank = 0; rank < ranks; ++rank) {
                    const CollectiveStep mine = collective_step(row.algorithm, ranks, RankId(rank), step, 3);
                    RC_ASSERT(mine.send_to.valid() == (mine.send_bytes > 0));
                    RC_ASSERT(mine.receive_from.valid() == (mine.receive_bytes > 0));
                    if (!mine.send_to.valid()) continue;
                    RC_ASSERT(mine.send_to != RankId(rank));
                    const CollectiveStep theirs = collective_step(row.algorithm, ranks, mine.send_to, step, 3);
                    RC_ASSERT(theirs.receive_from == RankId(rank));
                    RC_ASSERT(theirs.receive_bytes == mine.send_bytes);
                }
            }
        }));
    }
}

/// A block on its way from `source` to `destination`.
using Block = std::pair<int, int>;

TEST(CollectiveProperty, bruck_brings_every_block_to_its_destination) {
    EXPECT_TRUE(rc::check([] {
        const int ranks = *rc::gen::inRange(1, 40);
        // slots[r][d]: the blocks rank r holds that were, at the start, d ranks before their destination.
        std::vector<std::vector<Block>> slots(static_cast<std::size_t>(ranks));
        for (int r = 0; r < ranks; ++r) {
            for (int d = 0; d < ranks; ++d) slots[static_cast<std::size_t>(r)].push_back({r, (r + d) % ranks});
        }
        for (int step = 0; step < collective_step_count(CollectiveAlgorithm::kBruck, ranks); ++step) {
            const auto before = slots;
            for (int r = 0; r < ranks; ++r) {
                const CollectiveStep move = collective_step(CollectiveAlgorithm::kBruck, ranks, RankId(r), step, 1);
                int sent = 0;
                for (int d = 0; d < ranks; ++d) {
                    if (!bruck_moves(d, step)) continue;
                    slots[move.send_to.index()][static_cast<std::size_t>(d)] =
                        before[static_cast<std::size_t>(r)][static_cast<std::size_t>(d)];
                    ++sent;
                }
                RC_ASSERT(move.send_bytes == sent);
            }
        }
        for (int r = 0; r < ranks; ++r) {
            std::set<int> sources;
            for (const auto& [source, destination] : slots[static_cast<std::size_t>(r)]) {
                RC_ASSERT(destination == r);
                RC_ASSERT(sources.insert(source).second);
            }
        }
    }));
}

TEST(CollectiveProperty, recursive_doubling_adds_every_rank_up_once_everywhere) {
    EXPECT_TRUE(rc::check([] {
        const int ranks = *rc::gen::inRange(1, 70);
        constexpr auto kAlgorithm = CollectiveAlgorithm::kRecursiveDoubling;
        // How often each rank's value is in each rank's sum.
        std::vector<std::vector<int>> sums(static_cast<std::size_t>(ranks),
                                           std::vector<int>(static_cast<std::size_t>(ranks)));
        for (std::size_t r = 0; r < sums.size(); ++r) sums[r][r] = 1;
        const int steps = collective_step_count(kAlgorithm, ranks);
        for (int step = 0; step < steps; ++step) {
            const bool unfold = collective_step_label(kAlgorithm, ranks, step) == "unfold";
            const auto before = sums;
            for (std::size_t r = 0; r < sums.size(); ++r) {
                const RankId from = collective_step(kAlgorithm, ranks, RankId(r), step, 1).receive_from;
                if (!from.valid()) continue;
                for (std::size_t i = 0; i < sums.size(); ++i) {
                    sums[r][i] = before[from.index()][i] + (unfold ? 0 : before[r][i]);
                }
            }
        }
        for (const auto& sum : sums) RC_ASSERT(std::ranges::all_of(sum, [](int times) { return times == 1; }));
    }));
}

TEST(CollectiveProperty, ring_brings_every_contribution_everywhere) {
    EXPECT_TRUE(rc::check([] {
        const int ranks = *rc::gen::inRange(1, 60);
        std::vector<std::set<int>> has(static_cast<std::size_t>(ranks));
        std::vector<int> latest(static_cast<std::size_t>(ranks));
        for (int r = 0; r < ranks; ++r) has[static_cast<std::size_t>(r)] = {latest[static_cast<std::size_t>(r)] = r};
        for (int step = 0; step < collective_step_count(CollectiveAlgorithm::kRing, ranks); ++step) {
            const auto before = latest;
            for (std::size_t r = 0; r < has.size(); ++r) {
                const auto from =
                    collective_step(CollectiveAlgorithm::kRing, ranks, RankId(r), step, 1).receive_from.index();
                latest[r] = before[from];
                has[r].insert(latest[r]);
            }
        }
        for (const auto& all : has) RC_ASSERT(all.size() == static_cast<std::size_t>(ranks));
    }));
}

}  // namespace
}  // namespace haichi
