// PJM job scripts of every kind, from the request to the map and its check. The rules are in Fugaku's user guide,
// "Usage rule". Up to 384 nodes, noncont is the default. Jobs of more nodes and of the torus groups are tori. Torus
// jobs have whole units. PJM may rotate a request that is not strict.

#include <gtest/gtest.h>

#include <algorithm>

#include "commlog/workload/patterns.h"
#include "mapper/job/check_map.h"
#include "mapper/job/job.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

Workload ring(std::int32_t ranks) {
    PatternOptions options;
    options.ranks = ranks;
    return make_pattern("ring", options);
}

class JobScripts : public testing::Test {
  protected:
    JobSpec spec(const std::string& script, std::int32_t ranks, const std::string& machine = "fugaku") {
        return {.machine = machine,
                .traffic = {.source = ring(ranks)},
                .job_script = folder_.written("job.sh", "#!/bin/sh\n" + script + "mpiexec ./app\n")};
    }

    testing_files::TemporaryFolder folder_;
};

struct ScriptRow {
    const char* script;
    std::int32_t ranks;
    std::int32_t nodes;
    std::int32_t ranks_per_node;
    const char* fold;
    const char* lines;  ///< the lines for the script, without the host file
};

TEST_F(JobScripts, of_every_kind_lead_to_a_map_that_pjm_accepts) {
    for (const ScriptRow& row : std::vector<ScriptRow>{
             // 3D
             {"#PJM -L \"node=4x6x8:torus\"\n#PJM --mpi \"shape=4x6x8,proc=768,max-proc-per-node=4\"\n", 768, 192, 4,
              "default", "node=4x6x8:torus\"\n#PJM --mpi \"shape=4x6x8,proc=768,max-proc-per-node=4"},
             {"#PJM -L node=4x6x4:torus:strict\n", 96, 96, 1, "default",
              "node=4x6x4:torus:strict\"\n#PJM --mpi \"shape=4x6x4,proc=96"},
             {"#PJM -L node=4x6x4:strict-io\n#PJM -L rscgrp=small-torus\n", 96, 96, 1, "default",
              "node=4x6x4:torus:strict-io\"\n#PJM --mpi \"shape=4x6x4,proc=96"},
             {"#PJM -L node=8x9x8\n#PJM -L rscgrp=large\n", 576, 576, 1, "default",
              "node=8x9x8:torus\"\n#PJM --mpi \"shape=8x9x8,proc=576"},
             {"#PJM -L node=2x3x4:mesh\n#PJM --mpi max-proc-per-node=2\n", 48, 24, 2, "mesh",
              "node=2x3x4:mesh\"\n#PJM --mpi \"shape=2x3x4,proc=48,max-proc-per-node=2"},
             {"#PJM -L node=5x4x3:noncont\n#PJM --mpi proc=120\n", 120, 60, 2, "noncont",
              "node=5x4x3:noncont\"\n#PJM --mpi \"shape=5x4x3,proc=120,max-proc-per-node=2"},
             {"#PJM -L node=4x6x4:mesh:strict\n#PJM --mpi proc=96\n", 96, 96, 1, "mesh",
              "node=4x6x4:mesh:strict\"\n#PJM --mpi \"shape=4x6x4,proc=96"},
             {"#PJM -L node=4x6x16,rscgrp=small\n#PJM --mpi proc=384\n", 384, 384, 1, "noncont",
              "node=4x6x16:noncont\"\n#PJM --mpi \"shape=4x6x16,proc=384"},
             // 2D
             {"#PJM -L node=12x4:torus\n#PJM --mpi proc=192\n", 192, 48, 4, "2d",
              "node=12x4:torus\"\n#PJM --mpi \"shape=12x4,proc=192,max-proc-per-node=4"},
             {"#PJM -L node=3x3:noncont\n#PJM --mpi rank-map-bynode=XY,max-proc-per-node=2\n", 18, 9, 2, "noncont",
              "node=3x3:noncont\"\n#PJM --mpi \"shape=3x3,proc=18,max-proc-per-node=2"},
             {"#PJM -L node=12x4:torus\n", 48, 48, 1, "2d", "node=12x4:torus\"\n#PJM --mpi \"shape=12x4,proc=48"},
             {"#PJM -L node=8x8\n", 64, 64, 1, "noncont", "node=8x8:noncont\"\n#PJM --mpi \"shape=8x8,proc=64"},
             // 1D
             {"#PJM -L node=96:torus\n", 96, 96, 1, "1d", "node=96:torus\"\n#PJM --mpi \"shape=96,proc=96"},
             {"#PJM -L node=24:torus\n#PJM --mpi proc=96,rank-map-bynode\n", 96, 24, 4, "1d",
              "node=24:torus\"\n#PJM --mpi \"shape=24,proc=96,max-proc-per-node=4"},
             {"#PJM -L node=16,rscgrp=small\n#PJM --mpi max-proc-per-node=48\n", 768, 16, 48, "noncont",
              "node=16:noncont\"\n#PJM --mpi \"shape=16,proc=768,max-proc-per-node=48"},
         }) {
        const JobSpec asked = spec(row.script, row.ranks);
        const Job job(asked);
        EXPECT_EQ(job.allocation().node_count(), row.nodes) << row.script;
        EXPECT_EQ(job.allocation().ranks_per_node, row.ranks_per_node) << row.script;
        EXPECT_EQ(job.allocation().fold.name, row.fold) << row.script;
        const std::string lines = pjm_options(job.default_placement(), job.rank_maps(), "app.map");
        EXPECT_EQ(lines, std::string("#PJM -L \"") + row.lines + ",rank-map-hostfile=app.map\"\n") << row.script;

        const std::string map =
            folder_.written("app.map", rank_map_format("fujitsu").write(job.default_placement(), job.rank_maps()));
        const MapCheck check =
            check_map({.machine = "fugaku", .job_script = folder_.written("new.sh", lines)}, {.map = map});
        EXPECT_EQ(check.problem_count, 0) << row.script << (check.lines.empty() ? "" : check.lines.back().text);
        EXPECT_EQ(check.rank_count, row.ranks);
    }
}

TEST_F(JobScripts, of_large_jobs_on_fugaku_request_tori) {
    const auto notes_on = [&](const std::string& node) {
        const std::string script = "#PJM -L node=" + node + "\n#PJM --mpi proc=2,rank-map-hostfile=app.map\n";
        const MapCheck check = check_map({.machine = "fugaku", .job_script = folder_.written("job.sh", script)},
                                         {.map = folder_.written("app.map", "(0)\n(1)\n")});
        return std::ranges::count_if(check.lines, [](const CheckLine& line) {
            return line.text.find("have only torus jobs") != std::string::npos;
        });
    };
    EXPECT_EQ(notes_on("385:noncont"), 1);
    EXPECT_EQ(notes_on("396:mesh"), 1);
    EXPECT_EQ(notes_on("384:noncont"), 0);
    EXPECT_EQ(notes_on("396"), 0);
}

TEST_F(JobScripts, state_the_order_of_the_default_placement) {
    const auto nodes_of_first_ranks = [&](const std::string& rule) {
        const Job job(spec("#PJM -L node=2x3x2:torus\n#PJM --mpi max-proc-per-node=2," + rule + "\n", 24));
        std::vector<Coordinates> at;
        for (int r = 0; r < 3; ++r) {
            at.push_back(job.allocation().fold.logical_coordinates(job.default_placement().node(RankId(r))));
        }
        return at;
    };
    EXPECT_EQ(nodes_of_first_ranks("rank-map-bychip"), (std::vector<Coordinates>{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}));
    EXPECT_EQ(nodes_of_first_ranks("rank-map-bynode"), (std::vector<Coordinates>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
    EXPECT_EQ(nodes_of_first_ranks("rank-map-bynode=ZYX"), (std::vector<Coordinates>{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}));
}

struct RefusedScript {
    const char* script;
    AllocationRequest request;
    const char* message;
    const char* hint;
};

TEST_F(JobScripts, that_contradict_the_request_or_pjm_are_refused_with_both_values) {
    const std::string torus = "#PJM -L node=4x6x4:torus\n";
    for (const auto& [script, request, message, hint] : std::vector<RefusedScript>{
             {"#PJM -L node=4x6x4:torus\n",
              {.shape = {2, 6, 8}},
              "job.sh:2: node=4x6x4:torus contradicts §shape 2x6x8",
              "remove the option"},
             {"#PJM -L node=4x6x4:torus\n", {.fold = "mesh"}, "job.sh:2: node=4x6x4:torus contradicts §fold mesh", ""},
             {"#PJM -L node=96\n", {.fold = "1d"}, "node=96, by default :noncont, contradicts §fold 1d", ""},
             {"#PJM -L node=4x6x4:torus\n#PJM --mpi max-proc-per-node=1\n",
              {.ranks_per_node = 2},
              "job.sh:3: max-proc-per-node=1 contradicts §ppn 2",
              ""},
             {"#PJM -L node=4x6x4:torus\n#PJM --mpi proc=95\n",
              {},
              "job.sh:3: proc=95 contradicts the workload, which has 96 ranks",
              "proc=96"},
             {"#PJM -L node=2x6x4:torus\n",
              {},
              "node=2x6x4:torus without max-proc-per-node= starts at most 48 ranks, but the workload has 96 ranks",
              "add max-proc-per-node=2"},
             {"#PJM -L node=5x6x4:torus\n",
              {},
              "job.sh:2: node=5x6x4 does not consist of whole units",
              "use node=4x6x4 (96 nodes) or 6x6x4 (144 nodes)"},
             {"#PJM -L node=96:mesh\n", {}, "job.sh:2: the layout of node=96 as a mesh is unknown", ""},
             {"#PJM -L node=4x6x4:torus\n#PJM --mpi shape=2x6x4\n",
              {},
              "job.sh:3: shape=2x6x4 differs from node=4x6x4",
              ""},
             {"#PJM -L node=4x6x4:torus\n",
              {.nodes = std::vector<std::int32_t>{1, 2}},
              "node=4x6x4:torus, a cuboid of the machine, contradicts §nodes",
              ""},
             {"#PJM -L node=96:noncont\n",
              {.nodes = std::vector<std::int32_t>{1, 2}},
              "node=96:noncont contradicts §nodes with 2 nodes",
              ""},
             {"#PJM -L node=4x6x4:tours\n", {}, "unknown kind of allocation 'tours'", "did you mean 'torus'?"},
             {"#PJM -L node=$N\n", {}, "node= contains a variable", "§shape 4x6x4 for node=4x6x4"},
             {"#PJM -L elapse=1:00\n", {}, "the script has no -L \"node=...\"", "§shape"},
             {"#PJM --mpi rank-map-bynode=XY\n#PJM -L node=4x6x4:torus\n",
              {},
              "job.sh:2: invalid axes in 'rank-map-bynode=XY'",
              "each of XYZ once"},
             {"echo 1\n", {}, "the file has no #PJM line", ""},
             {"#SBATCH -N 4\n", {}, "found a Slurm script", "leave out §job"},
         }) {
        JobSpec asked = spec(script, 96);
        asked.allocation = request;
        try {
            const Job job(asked);
            ADD_FAILURE() << script;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
            EXPECT_NE(error.hint().find(hint), std::string::npos) << error.hint();
        }
    }
}

TEST_F(JobScripts, agree_with_the_same_request_in_other_words) {
    for (const AllocationRequest& request : std::vector<AllocationRequest>{
             {.shape = {4, 6, 4}}, {.shape = {2, 2, 2, 2, 3, 2}}, {.ranks_per_node = 2}, {.fold = "row-major"}}) {
        JobSpec asked = spec("#PJM -L node=4x6x4:torus\n#PJM --mpi proc=96,max-proc-per-node=2\n", 96);
        asked.allocation = request;
        EXPECT_EQ(Job(asked).allocation().node_count(), 96);
    }
}

TEST_F(JobScripts, of_scattered_nodes_use_a_list_of_nodes_and_a_coordinate_table) {
    std::string nodes;
    std::string table;
    for (int n = 0; n < 4; ++n) {
        nodes += std::to_string(n) + " 0 " + std::to_string(3 * n) + " 0 0 0\n";
        table += std::to_string(n) + " -> " + std::to_string(n) + " 0 " + std::to_string(3 * n) + " 0 0 0\n";
    }
    JobSpec asked = spec("#PJM -L node=4:noncont\n#PJM --mpi max-proc-per-node=2\n", 8);
    asked.allocation.nodes = folder_.written("nodes.txt", nodes);
    asked.allocation.fold = folder_.written("table.txt", table);
    const Job job(asked);
    EXPECT_EQ(pjm_options(job.default_placement(), job.rank_maps(), "a.map"),
              "#PJM -L \"node=4:noncont\"\n"
              "#PJM --mpi \"shape=4,proc=8,max-proc-per-node=2,rank-map-hostfile=a.map\"\n");
    asked.allocation.nodes = std::string();
    EXPECT_THROW((void)Job(asked), InputError) << "the table alone does not list the nodes";
}

TEST(UnstatedNodes, of_a_machine_with_pjm_are_a_question_with_three_answers) {
    const JobSpec asked{.machine = "fugaku", .traffic = {.source = ring(384)}, .allocation = {.ranks_per_node = 4}};
    try {
        const Job job(asked);
        ADD_FAILURE() << job.allocation().node_count();
    } catch (const OptionError& error) {
        EXPECT_STREQ(error.what(), "machine fugaku requires a choice of nodes: 384 ranks need 96 of its 158976 nodes");
        EXPECT_EQ(error.hint(),
                  "use §shape 4x6x4 as in node=4x6x4, §job SCRIPT, or §nodes FILE; the whole machine is §shape "
                  "24x23x24x2x3x2");
    }
    EXPECT_EQ(Job({.machine = "fx10-kyushu", .traffic = {.source = ring(768)}}).allocation().node_count(), 768)
        << "the ranks need the whole machine";
    EXPECT_EQ(Job({.machine = "fx10:1x1x1", .traffic = {.source = ring(3)}}).allocation().node_count(), 12);
    EXPECT_EQ(Job({.machine = "torus:4x4", .traffic = {.source = ring(3)}}).allocation().node_count(), 16);
}

}  // namespace
}  // namespace haichi
