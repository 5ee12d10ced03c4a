#include <gtest/gtest.h>

#include <string>

#include "commlog/nas/nas_log.h"
#include "mgen/replay/simulation.h"
#include "tests/mgen/scripted_program.h"

namespace haichi {
namespace {

using namespace mgen_tests;

/// A rank that waits for a message that never arrives would be a simulation error.
TEST(NasReplay, every_program_runs_to_its_end_with_nothing_left_out) {
    for (const NasProgram& program : nas_programs()) {
        for (const char problem_class : {'S', 'W'}) {
            for (const int ranks : {2, 4, 8, 9, 16, 25, 64}) {
                if (!program.refusal(problem_class, ranks).empty()) continue;
                SCOPED_TRACE(program.name + "." + problem_class + "." + std::to_string(ranks));
                const std::int64_t iterations = program.iterations(problem_class) == 1 ? 1 : 2;
                const JobLog log = make_nas_log(program.name, {.problem_class = std::string(1, problem_class),
                                                               .ranks = ranks,
                                                               .iterations = iterations,
                                                               .compute_seconds = 1});
                const Network network = packetsim_machines::grid_network({8, 8});
                SimulationRequest request;
                request.log = &log;
                request.network = &network;
                request.timing = packetsim_machines::torus_study();
                request.timing.buffer_packets = 32;
                request.process = plain_process();
                for (std::int32_t r = 0; r < ranks; ++r) request.node_of_rank.emplace_back(r);
                const SimulationResult result = simulate(request);
                // No rank finishes before its computation time.
                EXPECT_GE(result.seconds, log.ranks[0].profile.wall_seconds);
                ASSERT_TRUE(result.gaps.has_value());
                for (const ReplayGapRow& row : replay_gap_rows()) EXPECT_EQ((*result.gaps).*row.count, 0u);
            }
        }
    }
}

}  // namespace
}  // namespace haichi
