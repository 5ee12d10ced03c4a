#include "commlog/ccs/barrier_scripts.h"

#include <gtest/gtest.h>

#include <map>

#include "base/errors.h"
#include "commlog/ccs/extraction.h"
#include "tests/commlog/logged_program.h"

namespace haichi {

namespace {

using barriers::BarrierFile;
using barriers::Step;
using barriers::StepKind;
using Rank = LoggedProgram::Rank;

/// Checks that the receive of every message that is sent before a barrier is posted before it. Returns the number of
/// barriers in each rank.
int check_cuts(const BarrierFile& file) {
    struct CheckedChannel {
        std::vector<int> sends, receives;  ///< before each barrier
    };
    std::map<std::array<int, 3>, CheckedChannel> channels;
    int barriers = -1;
    for (int r = 0; r < file.ranks; ++r) {
        int passed = 0;
        std::map<std::array<int, 3>, int> sends, receives;
        const std::vector<Step> steps = barriers::parse_script(file.scripts[static_cast<std::size_t>(r)], "script");
        const std::function<void(std::size_t, std::size_t)> walk = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Step& step = steps[i];
                if (step.kind == StepKind::kLoop) {
                    for (std::uint64_t k = 0; k < step.repetitions; ++k) walk(i + 1, step.other);
                    i = step.other;
                } else if (step.kind == StepKind::kPost) {
                    const bool sends_it = step.post.call < 4;
                    if (step.post.call > 5) continue;
                    const std::array<int, 3> channel = {sends_it ? r : step.post.peer, sends_it ? step.post.peer : r,
                                                        step.post.tag};
                    ++(sends_it ? sends : receives)[channel];
                } else {
                    ++passed;
                    for (const auto& [channel, count] : sends) {
                        channels[channel].sends.resize(static_cast<std::size_t>(passed));
                        channels[channel].sends.back() = count;
                    }
                    for (const auto& [channel, count] : receives) {
                        channels[channel].receives.resize(static_cast<std::size_t>(passed));
                        channels[channel].receives.back() = count;
                    }
                }
            }
        };
        walk(0, steps.size());
        if (barriers < 0) barriers = passed;
        EXPECT_EQ(passed, barriers) << r;
    }
    for (auto& [channel, counts] : channels) {
        counts.receives.resize(static_cast<std::size_t>(barriers));
        for (std::size_t k = 0; k < counts.sends.size(); ++k) EXPECT_LE(counts.sends[k], counts.receives[k]);
    }
    return barriers;
}

void two_rings(Rank& rank, int ranks, int iterations) {
    const auto at = [&](int distance) { return (rank.rank() + distance + ranks) % ranks; };
    for (int i = 0; i < iterations; ++i) {
        const auto in = rank.irecv(at(-1), 1);
        const auto out = rank.isend(at(1), 1000, 1);
        rank.wait(in);
        rank.wait(out);
        rank.sendrecv(at(2), at(-2), 2000, 2);
        rank.collective(CollectiveOperation::kAllreduce, 8, 8);
    }
}

TEST(BarrierScripts, two_sets_get_barriers_at_their_calls) {
    const JobLog log = LoggedProgram(4, [](Rank& rank) { two_rings(rank, 4, 6); }).log();
    const BarrierFile before_second = barriers_before(log, {1});
    EXPECT_EQ(before_second.barriers, 6);
    EXPECT_EQ(before_second.scripts[0], "6( irecv3/1 isend1/1 | irecv2/2 isend2/2 allreduce )");
    const BarrierFile before_both = barriers_before(log, {0, 1});
    EXPECT_EQ(before_both.barriers, 12);
    EXPECT_EQ(before_both.scripts[3], "6( | irecv2/1 isend0/1 | irecv1/2 isend1/2 allreduce )");
    EXPECT_EQ(before_both.sets, (std::vector<std::size_t>{0, 1}));
}

/// Rows of a 4 x 4 grid exchange by recursive doubling, then the grid is transposed, as in NAS CG. Ranks on the
/// diagonal skip the transpose.
void rows_and_transpose(Rank& rank, int iterations) {
    const int row = rank.rank() / 4;
    const int column = rank.rank() % 4;
    const auto exchange = [&](int peer, int tag) {
        const auto in = rank.irecv(peer, tag);
        rank.send(peer, 5000, tag);
        rank.wait(in);
    };
    rank.collective(CollectiveOperation::kBroadcast, 64, 64, 0, 0);
    for (int i = 0; i < iterations; ++i) {
        exchange(4 * row + (column ^ 1), 1);
        exchange(4 * row + (column ^ 2), 1);
        if (row != column) exchange(4 * column + row, 2);
        if (i % 5 == 4) rank.collective(CollectiveOperation::kAllreduce, 8, 8);
    }
}

TEST(BarrierScripts, every_set_of_a_grid_has_a_cut_also_where_ranks_skip_a_set) {
    const JobLog log = LoggedProgram(16, [](Rank& rank) { rows_and_transpose(rank, 25); }).log();
    const Extraction found = extract_sets(log, {});
    const auto sets = found.workload.set_count();
    for (std::size_t set = 0; set < sets; ++set) {
        EXPECT_EQ(check_cuts(barriers_before(log, {set})), found.workload.iterations()) << set;
    }
}

TEST(BarrierScripts, receives_posted_early_put_the_barrier_at_a_wait) {
    // Rank 1 posts both receives first. Its second set begins when it waits for the second message.
    const JobLog log = LoggedProgram(2, [](Rank& rank) {
                           for (int i = 0; i < 4; ++i) {
                               if (rank.rank() == 0) {
                                   rank.send(1, 5000, 1);
                                   rank.receive(1, 3);
                                   rank.send(1, 5000, 2);
                               } else {
                                   const auto first = rank.irecv(0, 1);
                                   const auto second = rank.irecv(0, 2);
                                   rank.wait(first);
                                   rank.send(0, 5000, 3);
                                   rank.wait(second);
                               }
                           }
                       }).log();
    const BarrierFile file = barriers_before(log, {2});
    EXPECT_EQ(file.scripts[0], "4( send1/1 recv1/3 | send1/2 )");
    EXPECT_EQ(file.scripts[1], "4( irecv0/1 irecv0/2 send0/3 |w )");
}

TEST(BarrierScripts, nothing_comes_between_the_halves_of_a_sendrecv_at_the_end_of_a_line) {
    // Each rank shifts to the left and then to the right. The ranks at the ends only send or only receive.
    const JobLog log = LoggedProgram(4, [](Rank& rank) {
                           const auto shift = [&](int to, int from, int tag) {
                               const bool sends = to >= 0 && to < 4;
                               if (from >= 0 && from < 4) {
                                   const auto in = rank.irecv(from, tag);
                                   if (sends) rank.wait(rank.isend(to, 5000, tag));
                                   rank.wait(in);
                               } else if (sends) {
                                   rank.wait(rank.isend(to, 5000, tag));
                               }
                           };
                           for (int i = 0; i < 8; ++i) {
                               shift(rank.rank() - 1, rank.rank() + 1, 0);
                               shift(rank.rank() + 1, rank.rank() - 1, 1);
                           }
                       }).log();
    const BarrierFile first = barriers_before(log, {0});
    EXPECT_EQ(first.scripts[0], "8( | irecv1/0 isend1/1 )");
    EXPECT_EQ(first.scripts[3], "8( | isend2/0 irecv2/1 )");
    const BarrierFile second = barriers_before(log, {1});
    EXPECT_EQ(second.scripts[0], "8( irecv1/0 | isend1/1 )");
    EXPECT_EQ(second.scripts[1], "8( irecv2/0 isend0/0 | irecv0/1 isend2/1 )");
    EXPECT_EQ(second.scripts[3], "8( isend2/0 | irecv2/1 )");
}

TEST(BarrierScripts, impossible_barriers_are_refused_with_the_reason) {
    const auto refusal = [](const JobLog& log, std::size_t set) -> std::string {
        try {
            barriers_before(log, {set});
        } catch (const UnsupportedError& error) {
            return error.what();
        }
        return "";
    };
    const JobLog rings = LoggedProgram(4, [](Rank& rank) { two_rings(rank, 4, 6); }).log();
    EXPECT_EQ(refusal(rings, 7), "barriers cannot be inserted: no message belongs to set 8");
    // A collective on some ranks becomes several sets, and is one call.
    const JobLog collective = LoggedProgram(4, [](Rank& rank) {
                                  const std::uint32_t pair = rank.communicator(9, {rank.rank() / 2 * 2, 1, 2});
                                  for (int i = 0; i < 5; ++i) {
                                      rank.sendrecv((rank.rank() + 1) % 4, (rank.rank() + 3) % 4, 500);
                                      rank.collective(CollectiveOperation::kAlltoall, 4096, 4096, pair);
                                      rank.collective(CollectiveOperation::kAllreduce, 4096, 4096, pair);
                                  }
                              }).log();
    std::size_t inside = 0;
    for (std::size_t set = 0; set < extract_sets(collective, {}).workload.set_count(); ++set) {
        const std::string why = refusal(collective, set);
        if (!why.empty()) {
            ++inside;
            EXPECT_NE(why.find("begins inside a collective"), std::string::npos) << why;
        }
    }
    EXPECT_GT(inside, 0U);
}

}  // namespace

}  // namespace haichi
