#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/errors.h"
#include "commlog/ccs/extraction.h"
#include "commlog/workload/workload_json.h"
#include "tests/commlog/logged_program.h"

namespace haichi {
namespace {

using Rank = LoggedProgram::Rank;
using Request = LoggedProgram::Request;

constexpr std::uint64_t kLarge = 8192;

std::string text_of(const Workload& workload) {
    std::string text;
    write_workload_json(workload, [&](std::string_view piece) { text += piece; });
    return text;
}

/// Source, destination and bytes of the messages of a set.
using Sent = std::set<std::tuple<int, int, std::int64_t>>;

Sent messages_of(const Workload& workload, std::size_t set) {
    Sent sent;
    for (const Message& m : workload.messages(set)) {
        sent.insert({m.source.value, m.destination.value, m.size_bytes});
    }
    EXPECT_EQ(sent.size(), workload.messages(set).size());
    return sent;
}

std::int64_t largest(const Workload& workload, std::size_t set) {
    std::int64_t bytes = 0;
    for (const Message& m : workload.messages(set)) bytes = std::max(bytes, m.size_bytes);
    return bytes;
}

struct CgGrid {
    int columns, rows;
    [[nodiscard]] int ranks() const { return columns * rows; }
    [[nodiscard]] int transpose(int r) const {
        if (columns == rows) return r % rows * rows + r / rows;
        return 2 * (r / 2 % rows * rows + r / 2 / rows) + r % 2;
    }
};

/// NPB CG's inner loop: row exchange, transpose, two reductions of scalars.
void cg(Rank& rank, const CgGrid& grid, int iterations) {
    const int me = rank.rank();
    const auto exchange = [&](int peer, std::uint64_t bytes) {
        const Request in = rank.irecv(peer);
        rank.send(peer, bytes);
        rank.wait(in);
    };
    const auto over_row = [&](std::uint64_t bytes) {
        for (int step = 1; step < grid.columns; step *= 2) {
            exchange(me / grid.columns * grid.columns + ((me % grid.columns) ^ step), bytes);
        }
    };
    rank.collective(CollectiveOperation::kBroadcast, 64, 64, 0, 0);
    for (int i = 0; i < iterations; ++i) {
        rank.compute(1000 + static_cast<std::uint64_t>((me * 7 + i * 13) % 100));
        over_row(kLarge);
        if (grid.transpose(me) != me) exchange(grid.transpose(me), kLarge);
        over_row(8);
        over_row(8);
    }
    rank.collective(CollectiveOperation::kReduce, 8, 8, 0, 0);
}

class CgExtraction : public testing::TestWithParam<std::tuple<CgGrid, std::size_t, std::size_t>> {};

TEST_P(CgExtraction, finds_rows_the_transpose_and_the_scalars) {
    const auto& [grid, row_sets, scalar_sets] = GetParam();
    const LoggedProgram program(grid.ranks(), [grid = grid](Rank& rank) { cg(rank, grid, 50); });
    const Extraction found = extract_sets(program.log(), {});
    const Workload& workload = found.workload;
    EXPECT_EQ(workload.iterations(), 50);
    EXPECT_EQ(workload.rank_count(), grid.ranks());
    ASSERT_EQ(workload.set_count(), row_sets + 1 + scalar_sets);
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        EXPECT_EQ(largest(workload, t), t <= row_sets ? static_cast<std::int64_t>(kLarge) : 8) << t;
    }
    for (std::size_t t = 0; t < row_sets; ++t) {
        Sent expected;
        for (int r = 0; r < grid.ranks(); ++r) expected.insert({r, r ^ (1 << t), kLarge});
        EXPECT_EQ(messages_of(workload, t), expected);
    }
    Sent transpose;
    for (const auto& sent : messages_of(workload, row_sets)) {
        if (std::get<2>(sent) == static_cast<std::int64_t>(kLarge)) transpose.insert(sent);
    }
    Sent expected;
    for (int r = 0; r < grid.ranks(); ++r) {
        if (grid.transpose(r) != r) expected.insert({r, grid.transpose(r), kLarge});
    }
    EXPECT_EQ(transpose, expected);
    EXPECT_DOUBLE_EQ(found.main_loop_bytes, found.total_bytes);
    EXPECT_EQ(found.in_flight, 0);
    EXPECT_EQ(found.relying_on_buffers, 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, CgExtraction,
                         testing::Values(std::tuple{CgGrid{4, 4}, 2UL, 4UL}, std::tuple{CgGrid{8, 4}, 3UL, 6UL},
                                         std::tuple{CgGrid{8, 8}, 3UL, 6UL}));

/// Returns a neighbour in a periodic cube.
int neighbour(int rank, int side, int axis, int step) {
    int at[3] = {rank / side / side, rank / side % side, rank % side};
    at[axis] = (at[axis] + step + side) % side;
    return (at[0] * side + at[1]) * side + at[2];
}

void stencil(Rank& rank, int side, int iterations, unsigned seed, bool any_source) {
    std::mt19937 random(seed * 1000 + static_cast<unsigned>(rank.rank()));
    for (int i = 0; i < iterations; ++i) {
        std::vector<std::pair<Request, int>> requests;
        for (int axis = 0; axis < 3; ++axis) {
            for (const int step : {-1, 1}) {
                const int peer = neighbour(rank.rank(), side, axis, step);
                requests.push_back({any_source ? rank.irecv_any(1) : rank.irecv(peer, 1), peer});
            }
        }
        std::vector<int> came;
        for (const auto& request : requests) came.push_back(request.second);
        if (any_source) std::ranges::shuffle(came, random);
        for (std::size_t k = 0; k < came.size(); ++k) requests[k].second = came[k];
        for (int axis = 0; axis < 3; ++axis) {
            for (const int step : {1, -1})
                requests.push_back({rank.isend(neighbour(rank.rank(), side, axis, step), 4096, 1), kNobody});
        }
        std::ranges::shuffle(requests, random);  // in the order of MPI_Waitany
        for (const auto& [request, from] : requests) {
            rank.wait(request, request.open ? from : kNobody, request.open ? 1 : 0);
        }
        rank.collective(CollectiveOperation::kAllreduce, 8, 8);
    }
}

TEST(Extraction, a_periodic_stencil_has_a_set_for_each_direction_whatever_completes_first) {
    constexpr int kSide = 3;
    std::string first;
    for (const bool any_source : {false, true}) {
        for (const unsigned seed : {1U, 2U, 3U}) {
            const LoggedProgram program(kSide * kSide * kSide,
                                        [&](Rank& rank) { stencil(rank, kSide, 20, seed, any_source); });
            const Extraction found = extract_sets(program.log(), {});
            EXPECT_EQ(found.workload.iterations(), 20);
            EXPECT_EQ(found.steps, 1);
            ASSERT_EQ(found.workload.set_count(), 6);
            for (std::size_t t = 0; t < 6; ++t) {
                Sent expected;
                for (int r = 0; r < kSide * kSide * kSide; ++r) {
                    expected.insert({r, neighbour(r, kSide, static_cast<int>(t / 2), t % 2 == 0 ? 1 : -1), 4096});
                }
                EXPECT_EQ(messages_of(found.workload, t), expected);
            }
            if (first.empty()) first = text_of(found.workload);
            EXPECT_EQ(text_of(found.workload), first);
        }
    }
}

TEST(Extraction, several_network_interfaces_take_several_messages_of_a_rank_in_one_set) {
    const LoggedProgram program(27, [](Rank& rank) { stencil(rank, 3, 20, 1, false); });
    ExtractionOptions options;
    options.sends_per_rank = 3;
    EXPECT_EQ(extract_sets(program.log(), options).workload.set_count(), 2);
    options.sends_per_rank = 6;
    EXPECT_EQ(extract_sets(program.log(), options).workload.set_count(), 1);
}

TEST(Extraction, a_sweep_becomes_its_wave_front) {
    constexpr int kSide = 4;
    const LoggedProgram program(kSide * kSide, [](Rank& rank) {
        const int row = rank.rank() / kSide;
        const int column = rank.rank() % kSide;
        for (int i = 0; i < 30; ++i) {
            if (column > 0) rank.receive(rank.rank() - 1);
            if (row > 0) rank.receive(rank.rank() - kSide);
            if (column + 1 < kSide) rank.send(rank.rank() + 1, 100);
            if (row + 1 < kSide) rank.send(rank.rank() + kSide, 200);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 30);
    EXPECT_EQ(found.in_flight, 0);
    EXPECT_EQ(found.workload.messages().size(), 2U * kSide * (kSide - 1));
    // The first row sends east one rank after the other. The corner sends south after it has sent east.
    EXPECT_EQ(messages_of(found.workload, 0), (Sent{{0, 1, 100}}));
    EXPECT_EQ(messages_of(found.workload, 1), (Sent{{0, 4, 200}, {1, 2, 100}}));
}

TEST(Extraction, a_collective_on_all_ranks_is_expanded_only_when_asked) {
    const LoggedProgram program(8, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) rank.collective(CollectiveOperation::kAllreduce, 1024, 1024);
    });
    EXPECT_THROW(extract_sets(program.log(), {}), UnsupportedError);
    ExtractionOptions options;
    options.levels.collectives = CollectiveScope::kAll;
    // MPICH's table: recursive halving, then doubling.
    EXPECT_EQ(extract_sets(program.log(), options).workload.set_count(), 6);
    options.levels.algorithms.set("allreduce=recursive-doubling");
    const Extraction found = extract_sets(program.log(), options);
    EXPECT_EQ(found.workload.iterations(), 10);
    ASSERT_EQ(found.workload.set_count(), 3);
    EXPECT_EQ(found.workload.set(2).label, "step 3, allreduce recursive-doubling 3");
    for (std::size_t t = 0; t < 3; ++t) {
        Sent expected;
        for (int r = 0; r < 8; ++r) expected.insert({r, r ^ (1 << t), 1024});
        EXPECT_EQ(messages_of(found.workload, t), expected);
    }
    options.levels.algorithms.set("allreduce=ring");
    EXPECT_EQ(extract_sets(program.log(), options).workload.set_count(), 14);
}

TEST(Extraction, a_collective_on_part_of_the_ranks_is_expanded_and_of_another_group_at_the_same_level) {
    const LoggedProgram program(8, [](Rank& rank) {
        const int colour = rank.rank() / 4;
        const auto group = rank.communicator(100 + static_cast<std::uint64_t>(colour), {4 * colour, 1, 4});
        for (int i = 0; i < 10; ++i) rank.collective(CollectiveOperation::kAllreduce, 16, 16, group);
    });
    const Extraction found = extract_sets(program.log(), {});
    ASSERT_EQ(found.workload.set_count(), 2);
    EXPECT_EQ(messages_of(found.workload, 0),
              (Sent{{0, 1, 16}, {1, 0, 16}, {2, 3, 16}, {3, 2, 16}, {4, 5, 16}, {5, 4, 16}, {6, 7, 16}, {7, 6, 16}}));
}

TEST(Extraction, a_master_with_workers_is_refused) {
    std::mt19937 random(5);
    std::vector<int> turns;
    for (int i = 0; i < 300; ++i) turns.push_back(1 + static_cast<int>(random() % 5));
    const LoggedProgram program(6, [&](Rank& rank) {
        for (const int worker : turns) {
            if (rank.rank() == 0) {
                rank.receive_any(worker);
                rank.send(worker, 64);
            } else if (rank.rank() == worker) {
                rank.send(0, 1000);
                rank.receive(0);
            }
        }
    });
    try {
        extract_sets(program.log(), {});
        FAIL();
    } catch (const UnsupportedError& error) {
        EXPECT_NE(std::string(error.what()).find("no loop that all ranks share"), std::string::npos) << error.what();
    }
}

TEST(Extraction, ranks_of_different_periods_share_the_least_common_one) {
    // Rank 0 sends to 1 and 2 in turn: 1 has a period of one message, and 0 a period of two.
    const LoggedProgram program(3, [](Rank& rank) {
        for (int i = 0; i < 40; ++i) {
            if (rank.rank() == 0) {
                rank.send(1, 10);
                rank.send(1, 20);
                if (i % 2 == 0) rank.send(2, 30);
            } else if (rank.rank() == 1) {
                rank.receive(0);
                rank.receive(0);
            } else if (i % 2 == 0) {
                rank.receive(0);
            }
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 20);
    EXPECT_EQ(found.workload.messages().size(), 5U);
    EXPECT_DOUBLE_EQ(found.main_loop_bytes, found.total_bytes);
}

TEST(Extraction, messages_posted_a_repetition_ahead_are_received_in_the_next) {
    // A pipeline of depth two: rank 0 is always one message ahead of the message that rank 1 receives.
    const LoggedProgram program(2, [](Rank& rank) {
        if (rank.rank() == 0) {
            Request before = rank.isend(1, 100);
            for (int i = 0; i < 50; ++i) {
                const Request next = rank.isend(1, 100);
                rank.wait(before);
                rank.receive(1, 9);
                before = next;
            }
            rank.wait(before);
        } else {
            for (int i = 0; i < 50; ++i) {
                rank.receive(0);
                rank.send(0, 5, 9);
            }
            rank.receive(0);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_GE(found.workload.iterations(), 49);
    EXPECT_EQ(found.workload.messages().size(), 2U);
}

TEST(Extraction, an_inner_loop_that_carries_nearly_everything_is_the_main_loop) {
    const LoggedProgram program(2, [](Rank& rank) {
        for (int outer = 0; outer < 12; ++outer) {
            for (int i = 0; i < 25; ++i) rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 1000);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 8, 3);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 300);
    EXPECT_EQ(found.workload.set_count(), 1U);
    ASSERT_GE(found.main_loops.size(), 2U);
    ExtractionOptions options;
    options.main_loop = parse_main_loop_choice("2");
    const Extraction outer = extract_sets(program.log(), options);
    EXPECT_EQ(outer.workload.iterations(), 12);
    EXPECT_EQ(outer.workload.set_count(), 26U);
    EXPECT_GT(outer.main_loop_bytes, found.main_loop_bytes);
}

TEST(Extraction, blocking_sends_around_a_ring_rely_on_buffers) {
    const LoggedProgram program(4, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            rank.send((rank.rank() + 1) % 4, 100);
            rank.receive((rank.rank() + 3) % 4);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.set_count(), 1U);
    EXPECT_EQ(found.relying_on_buffers, 4);
    ExtractionOptions options;
    options.levels.eager_limit_bytes = 100;
    EXPECT_EQ(extract_sets(program.log(), options).relying_on_buffers, 0);
}

TEST(Extraction, a_receiver_that_is_late_delays_a_message_above_the_eager_limit) {
    // Rank 1 posts the receive from 0 only after its exchange with 2.
    const LoggedProgram program(3, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            if (rank.rank() == 0) rank.send(1, 100);
            if (rank.rank() == 1) {
                rank.receive(2);
                rank.receive(0);
            }
            if (rank.rank() == 2) rank.send(1, 500);
            rank.collective(CollectiveOperation::kBarrier, 0, 0);
        }
    });
    const Extraction late = extract_sets(program.log(), {});
    EXPECT_EQ(late.steps, 2);
    EXPECT_EQ(messages_of(late.workload, 0), (Sent{{2, 1, 500}}));
    ExtractionOptions options;
    options.levels.eager_limit_bytes = 100;
    const Extraction eager = extract_sets(program.log(), options);
    EXPECT_EQ(eager.steps, 1);
    EXPECT_EQ(eager.workload.set_count(), 2U);  // the messages have the same destination
    EXPECT_EQ(messages_of(eager.workload, 0), (Sent{{0, 1, 100}}));
}

TEST(Extraction, a_log_without_repetition_is_one_repetition) {
    const LoggedProgram program(2, [](Rank& rank) {
        if (rank.rank() == 0) {
            rank.send(1, 10, 1);
            rank.send(1, 20, 2);
        } else {
            rank.receive(0, 1);
            rank.receive(0, 2);
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.chosen, -1);
    EXPECT_EQ(found.workload.iterations(), 1);
    EXPECT_EQ(found.workload.set_count(), 2U);
}

TEST(Extraction, an_event_without_room_in_the_log_is_passed_over) {
    const LoggedProgram program(2, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            rank.collective(CollectiveOperation::kBarrier, 0, 0);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 1000);
        }
    });
    JobLog log = program.log();
    for (RankLog& rank : log.ranks) {
        for (LoggedEvent& event : rank.threads.front().events) {
            if (event.key.kind == CallKind::kCollective) event = {};
        }
    }
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 10);
    ASSERT_EQ(found.workload.set_count(), 1);
    EXPECT_EQ(messages_of(found.workload, 0), (Sent{{0, 1, 1000}, {1, 0, 1000}}));
}

TEST(Extraction, a_few_sizes_that_come_and_go_are_taken_together) {
    const LoggedProgram program(2, [](Rank& rank) {
        std::mt19937 random(static_cast<unsigned>(rank.rank()) + 4);
        for (int i = 0; i < 30; ++i) rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 100 * (1 + random() % 3));
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 30);
    EXPECT_EQ(found.in_flight, 0);
    EXPECT_EQ(found.workload.messages().size(), 2U);
    EXPECT_NE(
        std::ranges::find_if(found.warnings, [](const std::string& w) { return w.find("sizes change") != w.npos; }),
        found.warnings.end());
}

TEST(Extraction, an_outer_loop_that_the_end_of_the_log_completes_is_found) {
    const LoggedProgram program(2, [](Rank& rank) {
        for (int outer = 0; outer < 2; ++outer) {
            for (const int inner : {7, 4, 5}) {
                for (int i = 0; i < inner; ++i) rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 10);
                rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 9000, 3);
            }
        }
    });
    const Extraction found = extract_sets(program.log(), {});
    EXPECT_EQ(found.workload.iterations(), 2);
    EXPECT_EQ(found.workload.set_count(), 19U);
    EXPECT_DOUBLE_EQ(found.main_loop_bytes, found.total_bytes);
}

TEST(Extraction, computing_before_a_barrier_at_the_end_belongs_to_the_next_repetition) {
    const LoggedProgram program(2, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            rank.compute(i == 0 ? 8000 : 3000);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 100);
            rank.compute(5000);
            rank.collective(CollectiveOperation::kBarrier, 0, 0);
        }
    });
    ExtractionOptions options;
    options.compute_time = ComputeTime::kMean;
    EXPECT_NEAR(extract_sets(program.log(), options).workload.set(0).compute_seconds, 8.5e-6, 1e-9);
}

TEST(Extraction, computing_time_is_given_to_the_sets_when_asked) {
    const LoggedProgram program(2, [](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            rank.compute(rank.rank() == 0 ? 3000 : 1000);
            rank.sendrecv(1 - rank.rank(), 1 - rank.rank(), 100);
        }
    });
    EXPECT_EQ(extract_sets(program.log(), {}).workload.set(0).compute_seconds, 0);
    ExtractionOptions options;
    options.compute_time = ComputeTime::kMean;
    EXPECT_DOUBLE_EQ(extract_sets(program.log(), options).workload.set(0).compute_seconds, 2e-6);
}

}  // namespace
}  // namespace haichi
