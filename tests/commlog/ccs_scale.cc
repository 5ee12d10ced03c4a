// Regular programs at 64 to 1,024 ranks, with loops over collectives and other set-up before and after the time loop.
// The main loop is found for any number of ranks, in time proportional to the length of the ranks' logs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "commlog/ccs/extraction.h"
#include "tests/commlog/logged_program.h"

namespace haichi {
namespace {

using Rank = LoggedProgram::Rank;
using Request = LoggedProgram::Request;

/// Irregular calls around and in a program's time loop.
struct Around {
    int setup_loops = 3;         ///< loops over collectives, of different lengths
    bool odd_boundaries = true;  ///< ranks at the boundary make more calls before and after
    int outer = 1;               ///< consecutive time loops, with a collective between them
    int steps = 40;
};

void before(Rank& rank, int ranks, const Around& around) {
    for (int loop = 0; loop < around.setup_loops; ++loop) {
        for (int i = 0; i < 3 + 4 * loop; ++i) {
            rank.collective(CollectiveOperation::kBroadcast, 0, static_cast<std::uint64_t>(64 + loop), 0, 0);
        }
        rank.collective(CollectiveOperation::kBarrier, 0, 0);
    }
    if (!around.odd_boundaries) return;
    // Rank 0 distributes the input; the last rank sends to its neighbour.
    for (int r = 1; r < ranks; ++r) {
        if (rank.rank() == 0) rank.send(r, 256, 99);
        if (rank.rank() == r) rank.receive(0, 99);
    }
    if (rank.rank() == ranks - 1) {
        for (int i = 0; i < 6; ++i) rank.send(ranks - 2, 32, 98);
    } else if (rank.rank() == ranks - 2) {
        for (int i = 0; i < 6; ++i) rank.receive(ranks - 1, 98);
    }
}

void behind(Rank& rank, int ranks, const Around& around) {
    for (int loop = 0; loop < around.setup_loops; ++loop) {
        for (int i = 0; i < 5 + 2 * loop; ++i) {
            rank.collective(CollectiveOperation::kAllreduce, static_cast<std::uint64_t>(8 + loop), 8);
        }
        rank.collective(CollectiveOperation::kBarrier, 0, 0);
    }
    if (!around.odd_boundaries) return;
    for (int r = 1; r < ranks; ++r) {
        if (rank.rank() == r) rank.send(0, 512, 97);
        if (rank.rank() == 0) rank.receive(r, 97);
    }
}

template <typename Step>
JobLog run(int ranks, const Around& around, Step step) {
    const LoggedProgram program(ranks, [&](Rank& rank) {
        before(rank, ranks, around);
        int at = 0;
        for (int outer = 0; outer < around.outer; ++outer) {
            for (int i = 0; i < around.steps; ++i) step(rank, at++);
            rank.collective(CollectiveOperation::kReduce, 16, 16, 0, 0);
        }
        behind(rank, ranks, around);
    });
    return program.log();
}

/// Exchanges with all neighbours at once.
void exchange(Rank& rank, const std::vector<int>& peers, std::uint64_t bytes, int tag = 0) {
    std::vector<Request> requests;
    for (const int peer : peers) requests.push_back(rank.irecv(peer, tag));
    for (const int peer : peers) requests.push_back(rank.isend(peer, bytes, tag));
    for (const Request& request : requests) rank.wait(request);
}

/// Returns the neighbours in a grid that is not periodic. Ranks at its boundary have fewer.
std::vector<int> neighbours(int rank, int dims, int side, bool diagonal) {
    std::vector<int> at, steps;
    for (int d = 0, rest = rank; d < dims; ++d, rest /= side) at.push_back(rest % side);
    const int all = static_cast<int>(std::pow(3, dims));
    std::vector<int> peers;
    for (int code = 0; code < all; ++code) {
        int peer = 0;
        int moved = 0;
        bool inside = true;
        for (int d = 0, rest = code, scale = 1; d < dims; ++d, rest /= 3, scale *= side) {
            const int step = rest % 3 - 1;
            const int place = at[static_cast<std::size_t>(d)] + step;
            inside = inside && place >= 0 && place < side;
            moved += step != 0 ? 1 : 0;
            peer += place * scale;
        }
        if (inside && moved > 0 && (diagonal || moved == 1)) peers.push_back(peer);
    }
    return peers;
}

std::size_t edges(int ranks, int dims, int side, bool diagonal) {
    std::size_t count = 0;
    for (int r = 0; r < ranks; ++r) count += neighbours(r, dims, side, diagonal).size();
    return count;
}

struct Grid {
    int ranks, dims, side;
};
class Scale : public testing::TestWithParam<Grid> {};

TEST_P(Scale, a_stencil_with_reductions_is_found_between_loops_over_collectives) {
    const auto [ranks, dims, side] = GetParam();
    for (const bool diagonal : {false, true}) {
        if (diagonal && ranks > 256) continue;
        const JobLog log = run(ranks, {}, [&](Rank& rank, int) {
            exchange(rank, neighbours(rank.rank(), dims, side, diagonal), 4096);
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
        });
        const Extraction found = extract_sets(log, {});
        EXPECT_EQ(found.workload.iterations(), 40);
        EXPECT_EQ(found.workload.messages().size(), edges(ranks, dims, side, diagonal));
        EXPECT_EQ(found.steps, 1);
        EXPECT_EQ(found.in_flight, 0);
    }
}

TEST_P(Scale, conjugate_gradients_inside_of_time_steps_of_different_lengths) {
    const auto [ranks, dims, side] = GetParam();
    const JobLog log = run(ranks, {.steps = 6}, [&](Rank& rank, int step) {
        const auto peers = neighbours(rank.rank(), dims, side, false);
        exchange(rank, peers, 1000, 7);
        for (int i = 0; i < 20 + step % 3; ++i) {
            exchange(rank, peers, 8192, 1);
            rank.collective(CollectiveOperation::kAllreduce, 8, 8);
            rank.collective(CollectiveOperation::kAllreduce, 16, 16);
        }
    });
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 6 * 20 + 6);
    EXPECT_EQ(found.workload.messages().size(), edges(ranks, dims, side, false));
    EXPECT_GT(found.fraction_of_bytes(), 0.95);
}

TEST_P(Scale, a_sweep_from_corner_to_corner) {
    const auto [ranks, dims, side] = GetParam();
    if (dims != 2) return;
    const int width = side;
    const JobLog log = run(ranks, {.steps = 25}, [width](Rank& rank, int) {
        const int row = rank.rank() / width;
        const int column = rank.rank() % width;
        if (column > 0) rank.receive(rank.rank() - 1, 3);
        if (row > 0) rank.receive(rank.rank() - width, 3);
        if (column + 1 < width) rank.send(rank.rank() + 1, 100, 3);
        if (row + 1 < width) rank.send(rank.rank() + width, 200, 3);
        if (column > 0) rank.send(rank.rank() - 1, 100, 4);
        if (column + 1 < width) rank.receive(rank.rank() + 1, 4);
    });
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 25);
    const auto side_messages = static_cast<std::size_t>(width * (width - 1));
    EXPECT_EQ(found.workload.messages().size(), 3 * side_messages);
}

TEST_P(Scale, a_transpose_in_rows_that_have_nothing_to_do_with_each_other) {
    const auto [ranks, dims, side] = GetParam();
    if (dims != 2) return;
    const int width = side;
    const JobLog log = run(ranks, {.outer = 3, .steps = 10}, [width](Rank& rank, int) {
        const int first = rank.rank() / width * width;
        for (int k = 1; k < width; ++k) {
            const int me = rank.rank() - first;
            rank.sendrecv(first + (me + k) % width, first + (me - k + width) % width, 2048, 5);
        }
    });
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 30);
    EXPECT_EQ(found.workload.messages().size(), static_cast<std::size_t>(ranks * (width - 1)));
    EXPECT_EQ(found.main_loops[static_cast<std::size_t>(found.chosen)].ranks, ranks);
}

TEST_P(Scale, halos_whose_sizes_change_when_atoms_move) {
    // As in molecular dynamics: an iteration's messages have a few sizes that vary, and every tenth iteration is
    // longer.
    const auto [ranks, dims, side] = GetParam();
    const JobLog log = run(ranks, {.outer = 3, .steps = 10}, [&](Rank& rank, int step) {
        int axis = 0;
        for (const int peer : neighbours(rank.rank(), dims, side, false)) {
            const auto number = static_cast<std::uint64_t>(rank.rank() * 1000 + step * 10 + axis++);
            exchange(rank, {peer}, 1000 + 24 * (mixed(number) % 5), 1);
        }
        rank.collective(CollectiveOperation::kAllreduce, 4, 4);
        if (step % 10 == 9) {
            for (int i = 0; i < 4; ++i) rank.collective(CollectiveOperation::kAllreduce, 16, 16);
        }
    });
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 30);
    EXPECT_EQ(found.workload.messages().size(), edges(ranks, dims, side, false));
}

TEST_P(Scale, ranks_whose_setup_repeats_differently_do_not_hide_the_main_loop) {
    // Every rank has its own loops before the time loop, with the same neighbours and tags. No two ranks execute them
    // equally often.
    const auto [ranks, dims, side] = GetParam();
    const JobLog log = run(ranks, {.steps = 30}, [&](Rank& rank, int step) {
        const auto peers = neighbours(rank.rank(), dims, side, false);
        if (step == 0) {
            for (int i = 0; i < 3 + rank.rank() % 5; ++i) {
                rank.collective(CollectiveOperation::kAllreduce, 1 + static_cast<std::uint64_t>(rank.rank()), 8);
                rank.collective(CollectiveOperation::kAllreduce, 2, 2);
            }
            for (int i = 3 + rank.rank() % 5; i < 8; ++i) {
                for (int k = 0; k < 2; ++k) rank.collective(CollectiveOperation::kAllreduce, 2, 2);
            }
        }
        exchange(rank, peers, 4096, 1);
        if (step % 2 == 0) exchange(rank, peers, 64, 1);
        rank.collective(CollectiveOperation::kAllreduce, 8, 8);
    });
    const Extraction found = extract_sets(log, {});
    EXPECT_EQ(found.workload.iterations(), 15);
    EXPECT_EQ(found.workload.messages().size(), 3 * edges(ranks, dims, side, false));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Scale,
                         testing::Values(Grid{64, 2, 8}, Grid{64, 3, 4}, Grid{216, 3, 6}, Grid{400, 2, 20}),
                         [](const auto& of) {
                             return std::to_string(of.param.ranks) + "_" + std::to_string(of.param.dims) + "d";
                         });

}  // namespace
}  // namespace haichi
