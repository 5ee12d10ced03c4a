#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectives/recorded_rounds.h"
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
        if (row.name == "random-geometric") continue;  // a matrix has one set by definition
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

/// Patterns that are named after an algorithm consist of the rounds of its messages.
TEST(PatternProperty, patterns_of_collectives_are_what_their_algorithms_send) {
    using collectives::CollectiveKind;
    struct Row {
        const char* pattern;
        CollectiveKind collective;
        const char* algorithm;
    };
    for (const Row& row : {Row{"recursive-doubling", CollectiveKind::kAllreduce, "recursive-doubling"},
                           Row{"alltoall-pairwise", CollectiveKind::kAlltoall, "pairwise"},
                           Row{"alltoall-bruck", CollectiveKind::kAlltoall, "bruck"}}) {
        for (const int ranks : {2, 3, 5, 6, 7, 8, 13, 16, 23, 33}) {
            PatternOptions options;
            options.ranks = ranks;
            options.message_bytes = 24;
            const Workload workload = make_pattern(row.pattern, options);
            const bool by_blocks = row.collective == CollectiveKind::kAlltoall;
            const collectives::SizedArguments call({.collective = row.collective, .sent = by_blocks ? 24 * ranks : 24},
                                                   ranks);
            const std::vector<collectives::Round> rounds =
                collectives::recorded_rounds(ranks, [&](collectives::Exchange& exchange) {
                    return algorithms(row.collective).at(row.algorithm).run(exchange, call.arguments(), {});
                });
            ASSERT_EQ(rounds.size(), workload.set_count()) << row.pattern << " " << ranks;
            for (std::size_t r = 0; r < rounds.size(); ++r) {
                const auto messages = workload.messages(r);
                ASSERT_EQ(rounds[r].size(), messages.size()) << row.pattern << " " << ranks << " round " << r;
                for (std::size_t m = 0; m < messages.size(); ++m) {
                    EXPECT_EQ(rounds[r][m].from, messages[m].source.value);
                    EXPECT_EQ(rounds[r][m].to, messages[m].destination.value);
                    EXPECT_EQ(rounds[r][m].bytes, messages[m].size_bytes);
                }
            }
        }
    }
}

}  // namespace
}  // namespace haichi
