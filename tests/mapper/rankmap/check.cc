#include <gtest/gtest.h>

#include <algorithm>

#include "mapper/job/check_map.h"
#include "mapper/rankmap/job_script.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

// ---- reading a job script -------------------------------------------------------------------------------------------

TEST(JobScript, reads_every_way_to_write_an_option) {
    for (const char* line :
         {"#PJM -L \"node=8x6x4:torus\"", "#PJM -L node=8x6x4:torus", "#PJM -Lnode=8x6x4:torus",
          "#PJM\t-L 'node=8x6x4:torus'", "#PJM --rsc-list \"rscgrp=small,node=8x6x4:torus:strict-io,elapse=1:00\"",
          "#PJM --rsc-list=node=8x6x4:torus", "#PJM -j -L \"node=8x6x4:torus:strict\" -S   # a comment \"",
          "#PJM -g group -L freq=2000 -L node=8x6x4:torus\r"}) {
        const JobScript script = parse_job_script(std::string("#!/bin/sh\n") + line + "\n", "job");
        ASSERT_TRUE(script.node.has_value()) << line;
        const std::string text = line;
        const std::string strictness = text.find("strict-io") != std::string::npos ? "strict-io"
                                       : text.find("strict") != std::string::npos  ? "strict"
                                                                                   : "";
        EXPECT_EQ(script.node->value, (NodeRequest{{8, 6, 4}, "torus", strictness})) << line;
        EXPECT_EQ(script.node->place.line, 2U);
        EXPECT_TRUE(script.problems.empty()) << script.problems.front().what();
    }
}

TEST(JobScript, reads_shapes_of_one_two_and_three_dimensions) {
    const auto node = [](const std::string& value) {
        return parse_job_script("#PJM -L \"node=" + value + "\"\n", "job").node->value;
    };
    EXPECT_EQ(node("384"), (NodeRequest{{384}, "", ""}));
    EXPECT_EQ(node("4x3:mesh"), (NodeRequest{{4, 3}, "mesh", ""}));
    EXPECT_EQ(node("2:noncont"), (NodeRequest{{2}, "noncont", ""}));
}

TEST(JobScript, reads_mpi_parameters_of_one_line_or_several) {
    const JobScript script = parse_job_script(
        "#PJM --mpi \"shape=2x6x8,proc=64\"\n#PJM --mpi max-proc-per-node=4\n#PJM --mpi \"rank-map-bynode=XYZ\"\n"
        "#PJM --mpi rank-map-hostfile=maps/a.map\n#PJM --mpi \"assign-online-node,proc=64\"\n",
        "job");
    EXPECT_TRUE(script.problems.empty());
    EXPECT_EQ(script.shape->value, (std::vector<std::int32_t>{2, 6, 8}));
    EXPECT_EQ(script.proc->value, 64);
    EXPECT_EQ(script.proc->place.line, 1U) << "said again, but not changed";
    EXPECT_EQ(script.max_proc_per_node->value, 4);
    EXPECT_EQ(script.host_file->value, "maps/a.map");
    EXPECT_EQ(script.rank_rule->value, "rank-map-bynode=XYZ");
}

TEST(JobScript, comments_and_look_alikes_are_no_directives) {
    const JobScript script = parse_job_script(
        "##PJM -L node=1\n# #PJM -L node=2\n#PJMX -L node=3\n #PJM -L node=4\n####PJM --mpi proc=5\necho \"#PJM -L "
        "node=6\"\n",
        "job");
    EXPECT_FALSE(script.node.has_value());
    EXPECT_FALSE(script.proc.has_value());
}

TEST(JobScript, reads_how_the_program_is_started) {
    const JobScript script = parse_job_script(
        "# mpiexec -n 1 ./no\nexport OMP_NUM_THREADS=12\n"
        "time /opt/bin/mpiexec -stdout-proc out/%r -mca a 1 -n 64 \\\n   --vcoordfile cg.map ./a.out -n 5 > log\n"
        "mpirun -np ${NP} -vcoordfile=b.map -x A=1 ./b.out\nmpiexec ./c.out\n",
        "job");
    ASSERT_EQ(script.calls.size(), 3U);
    EXPECT_EQ(script.calls[0].ranks, 64);
    EXPECT_EQ(script.calls[0].coordinate_file, "cg.map");
    EXPECT_EQ(script.calls[1].ranks, std::nullopt) << "a variable";
    EXPECT_EQ(script.calls[1].coordinate_file, "b.map");
    EXPECT_EQ(script.calls[2].ranks, std::nullopt);
    EXPECT_TRUE(script.problems.empty());
}

TEST(JobScriptMalformed, that_is_no_text_of_lines_is_an_error) {
    for (const char* text : {"", " \n\t\r\n", "#!/bin/sh\r#PJM -L node=8\r", "#!/bin/sh\n# a\r#PJM -L node=8\n"}) {
        EXPECT_THROW((void)parse_job_script(text, "job"), InputError) << text;
    }
}

struct MalformedScript {
    const char* text;
    const char* message;
};

TEST(JobScriptMalformed, of_another_scheduler_is_refused_by_its_name) {
    for (const auto& [line, scheduler] :
         {std::pair{"#SBATCH -N 4", "Slurm"}, {"#PBS -l select=4", "PBS"}, {"#BSUB -n 4", "LSF"}}) {
        try {
            (void)parse_job_script(std::string("#!/bin/sh\n") + line + "\nmpirun ./a\n", "job");
            ADD_FAILURE() << line;
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()), "job:2: expected a PJM script with #PJM lines, found a " +
                                                     std::string(scheduler) + " script: '" + line + "'");
        }
    }
    EXPECT_NO_THROW((void)parse_job_script("#SBATCH -N 4\n#PJM -L node=4\n", "job")) << "one script for both";
}

TEST(JobScriptMalformed, is_a_problem_that_names_the_line_and_the_value) {
    for (const auto& [text, message] : std::vector<MalformedScript>{
             {"#PJM -L \"node=8x6x4\n", "job:1: unterminated quote \" in ' -L \"node=8x6x4'"},
             {"\n#PJM -L node=8x6x4x2\n", "job:2: '8x6x4x2' has more than 3 dimensions"},
             {"#PJM -L node=8x0\n", "job:1: invalid size '0' in '8x0' (expected 1 to 8388608)"},
             {"#PJM -L node=\n", "job:1: invalid size '' in '' (expected 1 to 8388608)"},
             {"#PJM -L node=8xx4\n", "job:1: invalid size '' in '8xx4' (expected 1 to 8388608)"},
             {"#PJM -L node=8,6\n#PJM -L node=-1\n", "job:2: invalid size '-1' in '-1' (expected 1 to 8388608)"},
             {"#PJM -L node=99999999999999999999\n",
              "job:1: invalid size '99999999999999999999' in '99999999999999999999' (expected 1 to 8388608)"},
             {"#PJM -L node=8:tours\n", "job:1: unknown kind of allocation 'tours' in 'node=8:tours'"},
             {"#PJM -L node=8:\n", "job:1: unknown kind of allocation '' in 'node=8:'"},
             {"#PJM -L node=8:mesh:torus\n", "job:1: 'node=8:mesh:torus' requests both mesh and torus"},
             {"#PJM -L node=8\n#PJM -L node=9\n", "job:2: 'node=9' contradicts line 1"},
             {"#PJM -L\n", "job:1: -L requires a value"},
             {"#PJM --mpi\n", "job:1: --mpi requires a value"},
             {"#PJM --mpi proc=0\n", "job:1: invalid parameter 'proc=0' (expected 1 to 2147483648)"},
             {"#PJM --mpi proc=\n", "job:1: invalid parameter 'proc=' (expected 1 to 2147483648)"},
             {"#PJM --mpi proc=1e3\n", "job:1: invalid parameter 'proc=1e3' (expected 1 to 2147483648)"},
             {"#PJM --mpi proc=4,proc=5\n", "job:1: 'proc=5' contradicts an earlier parameter on the same line"},
             {"#PJM --mpi shape=2x2x2x2\n", "job:1: '2x2x2x2' has more than 3 dimensions"},
             {"#PJM --mpi shap=2\n", "job:1: unknown MPI parameter 'shap'"},
             {"#PJM --mpi rank-map-hostfile\n", "job:1: rank-map-hostfile requires a file"},
             {"#PJM --mpi rank-map-bynode,rank-map-bychip\n",
              "job:1: 'rank-map-bychip' contradicts an earlier parameter on the same line"},
             {"#PJM --mpi max-proc-per-node=-1\n",
              "job:1: invalid parameter 'max-proc-per-node=-1' (expected 1 to 2147483648)"},
             {"mpiexec -n x ./a\n", "job:1: expected a whole number, found 'x'"},
             {"mpiexec \\\n -n\n", "job:2: -n requires a value"},
             {"mpiexec --vcoordfile", "job:1: -vcoordfile requires a value"},
             {"mpiexec './a\n", "job:1: unterminated quote ' in 'mpiexec './a'"},
         }) {
        const JobScript script = parse_job_script(text, "job");
        ASSERT_EQ(script.problems.size(), 1U) << text;
        EXPECT_STREQ(script.problems.front().what(), message);
    }
}

TEST(JobScriptMalformed, every_bad_parameter_of_a_line_is_found) {
    const JobScript script = parse_job_script("#PJM --mpi \"shap=2,proc=x,max-proc-per-node=0\"\n", "job");
    EXPECT_EQ(script.problems.size(), 3U);
}

// ---- checking a map -------------------------------------------------------------------------------------------------

/// Files of a job in a directory that the destructor removes.
class MapCheckTest : public testing::Test {
  protected:
    /// Checks this map and script for the FX10 job of 12 nodes, 2x3x2.
    MapCheck check(const std::string& map, const std::string& script, std::vector<std::int32_t> shape = kUnit) {
        JobSpec spec{.machine = "fx10-kyushu", .allocation = {.shape = std::move(shape)}};
        if (!script.empty()) spec.job_script = folder_.written("job.sh", script);
        return check_map(spec, {.map = folder_.written("a.map", map)});
    }
    /// Returns the lines with this result, without the directory's name.
    std::vector<std::string> lines(const MapCheck& check, CheckResult result) {
        std::vector<std::string> texts;
        const std::string folder = folder_.path().string() + "/";
        for (const CheckLine& line : check.lines) {
            if (line.result != result) continue;
            texts.push_back(line.text);
            for (std::size_t at = 0; (at = texts.back().find(folder)) != std::string::npos;) {
                texts.back().erase(at, folder.size());
            }
        }
        return texts;
    }
    std::vector<std::string> problems(const MapCheck& check) { return lines(check, CheckResult::kProblem); }
    std::vector<std::string> notes(const MapCheck& check) { return lines(check, CheckResult::kNote); }

    inline static const std::vector<std::int32_t> kUnit = {1, 1, 1, 2, 3, 2};
    inline static const std::string kMap = "(0,0,0)\n(1,2,1)\n(0,1,0)\n";
    inline static const std::string kNode = "#PJM -L node=2x3x2:torus\n";
    inline static const std::string kMpi = "#PJM --mpi proc=3,rank-map-hostfile=a.map\n";
    using Texts = std::vector<std::string>;

    testing_files::TemporaryFolder folder_;
};

TEST_F(MapCheckTest, a_fitting_map_and_script_are_taken) {
    const MapCheck checked = check(kMap, kNode + kMpi);
    EXPECT_EQ(checked.problem_count, 0);
    EXPECT_EQ(checked.format, "fujitsu");
    EXPECT_EQ(checked.rank_count, 3);
    EXPECT_EQ(lines(checked, CheckResult::kOk),
              (Texts{"job.sh:1: node=2x3x2:torus is the logical shape of the job",
                     "job.sh:2: proc=3 fits on 12 nodes with at most 1 rank each",
                     "job.sh:2: rank-map-hostfile='a.map' names the map",
                     "every line holds coordinates inside the logical shape 2x3x2", "3 ranks, as in the script",
                     "at most 1 rank on a node with 1 rank slot"}));
    EXPECT_EQ(notes(checked), Texts{});
}

TEST_F(MapCheckTest, without_a_shape_the_job_is_the_script_s) {
    EXPECT_EQ(problems(check(kMap, kNode + kMpi, {})), Texts{});
    EXPECT_EQ(problems(check("(0,0,0)\n(1,2,1)\n(2,1,0)\n", kNode + kMpi, {})),
              Texts{"a.map:3: invalid coordinates: '(2,1,0)' (the logical shape is 2x3x2)"});
}

TEST_F(MapCheckTest, the_machine_limits_the_script_s_job) {
    EXPECT_EQ(problems(check(kMap, "#PJM -L node=16x6x8\n" + kMpi, {})), Texts{}) << "rotated it fits 8x6x16";
    EXPECT_EQ(problems(check(kMap, "#PJM -L node=17x3x2\n" + kMpi, {})),
              Texts{"job.sh:1: node=17x3x2 does not fit machine fx10-kyushu in any orientation"});
    EXPECT_EQ(problems(check("(0)\n(1)\n(2)\n", "#PJM -L node=769\n" + kMpi, {})),
              Texts{"job.sh:1: node=769 has more nodes than machine fx10-kyushu (768)"});
}

TEST_F(MapCheckTest, another_node_shape_than_the_job_s_is_a_problem) {
    const MapCheck checked = check(kMap, "#PJM -L node=2x2x3\n" + kMpi);
    EXPECT_EQ(problems(checked), (Texts{"job.sh:1: node=2x2x3, but the logical shape of the job is 2x3x2",
                                        "a.map:2: invalid coordinates: '(1,2,1)' (the logical shape is 2x2x3)"}));
}

TEST_F(MapCheckTest, a_node_shape_that_cannot_be_read_is_the_job_s) {
    const std::string variable = "#PJM -L node=$NODES:torus\n";
    EXPECT_EQ(problems(check(kMap, variable + kMpi)), Texts{});
    EXPECT_EQ(problems(check(kMap, kMpi)), Texts{}) << "given to pjsub, perhaps";
    EXPECT_EQ(problems(check(kMap, variable + kMpi, {})),
              Texts{"job.sh: cannot read node=, so the map cannot be checked"});
    EXPECT_EQ(problems(check(kMap, "#PJM -L node=2x3x2:tours\n" + kMpi)).size(), 1U) << "one mistake, one problem";
}

TEST_F(MapCheckTest, the_process_shape_lies_in_the_node_shape_and_holds_the_coordinates) {
    EXPECT_EQ(problems(check(kMap, kNode + "#PJM --mpi shape=2x3x1,proc=3,rank-map-hostfile=a.map\n")),
              Texts{"a.map:2: invalid coordinates: '(1,2,1)' (the logical shape is 2x3x1)"});
    EXPECT_EQ(problems(check(kMap, kNode + "#PJM --mpi shape=2x3,proc=3,rank-map-hostfile=a.map\n")),
              Texts{"job.sh:2: shape=2x3 has a different number of dimensions than node=2x3x2"});
    EXPECT_EQ(problems(check(kMap, kNode + "#PJM --mpi shape=3x3x2,proc=3,rank-map-hostfile=a.map\n")),
              Texts{"job.sh:2: shape=3x3x2 does not fit into node=2x3x2"});
}

TEST_F(MapCheckTest, the_map_has_one_line_per_process) {
    EXPECT_EQ(problems(check(kMap, kNode + "#PJM --mpi proc=4,rank-map-hostfile=a.map\n")),
              Texts{"a.map: 3 lines for 4 ranks"});
    EXPECT_EQ(problems(check(kMap, kNode + "#PJM --mpi proc=12\nmpiexec -n 3 --vcoordfile a.map ./a\n")), Texts{})
        << "mpiexec's file has a line for each that it starts";
    EXPECT_EQ(problems(check(kMap, kNode + kMpi + "mpiexec -n 4 ./a\n")),
              Texts{"job.sh:3: mpiexec -n 4 exceeds proc=3"});
}

TEST_F(MapCheckTest, nodes_take_as_many_ranks_as_the_script_says) {
    const std::string twice = "(0,0,0)\n(0,0,0)\n(0,1,0)\n";
    EXPECT_EQ(problems(check(twice, kNode + kMpi + "#PJM --mpi max-proc-per-node=1\n")),
              Texts{"a.map:2: rank 1 does not fit on node (0,0,0) (at most 1)"});
    EXPECT_EQ(problems(check(twice, kNode + kMpi + "#PJM --mpi max-proc-per-node=2\n")), Texts{});
    EXPECT_EQ(problems(check(twice, kNode + "#PJM --mpi proc=13,rank-map-hostfile=a.map\n")),
              Texts{"a.map: 3 lines for 13 ranks"})
        << "13 processes are 2 on a node of 12";
    EXPECT_EQ(
        problems(check(twice, kNode + "#PJM --mpi proc=25,max-proc-per-node=2,rank-map-hostfile=a.map\n")),
        (Texts{"job.sh:2: proc=25 does not fit on 12 nodes with at most 2 ranks each", "a.map: 3 lines for 25 ranks"}));
}

TEST_F(MapCheckTest, a_forgotten_number_of_ranks_per_node_is_one_problem) {
    std::string map;
    for (int rank = 0; rank < 48; ++rank) map += "(" + std::to_string(rank / 4 % 2) + ",0,0)\n";
    for (const char* proc : {"proc=48,", ""}) {
        const std::string call = *proc == '\0' ? "mpiexec -n 48 ./a\n" : "";
        const MapCheck checked = check(map, kNode + "#PJM --mpi " + proc + "rank-map-hostfile=a.map\n" + call);
        ASSERT_EQ(checked.problem_count, 1) << proc;
        const CheckLine problem = *std::ranges::find(checked.lines, CheckResult::kProblem, &CheckLine::result);
        EXPECT_NE(problem.text.find("up to 24 ranks on a node, but without max-proc-per-node= PJM starts at most"),
                  std::string::npos);
        EXPECT_EQ(problem.hint, "add max-proc-per-node=24 to #PJM --mpi");
    }
}

TEST_F(MapCheckTest, a_map_without_readable_lines_has_no_number_of_ranks_per_node) {
    const MapCheck checked = check("(0;0;0)\n", kNode + kMpi);
    for (const CheckLine& line : checked.lines) EXPECT_EQ(line.text.find("at most 0"), std::string::npos) << line.text;
}

TEST_F(MapCheckTest, the_script_has_to_use_the_map) {
    EXPECT_EQ(
        problems(check(kMap, kNode + "#PJM --mpi proc=3\nmpiexec ./a\n")),
        Texts{"job.sh: the job does not use the map: it has neither rank-map-hostfile= nor mpiexec --vcoordfile"});
    EXPECT_EQ(problems(check(kMap, kNode + "#PJM --mpi proc=3,rank-map-hostfile=b.map\n")).size(), 1U);
    EXPECT_EQ(problems(check(kMap, kNode + kMpi + "mpiexec --vcoordfile b.map ./b\n")), Texts{})
        << "for another program";
    const MapCheck unknown = check(kMap, kNode + "#PJM --mpi proc=3,rank-map-hostfile=$MAP\n");
    EXPECT_EQ(unknown.problem_count, 0);
    EXPECT_EQ(notes(unknown), Texts{"job.sh:2: rank-map-hostfile='$MAP' was not compared with the map's name"});
}

TEST_F(MapCheckTest, what_pjm_takes_but_a_user_should_know_is_a_note) {
    EXPECT_EQ(notes(check(kMap, "#PJM -L node=2x3x2:mesh\n" + kMpi)),
              Texts{"job.sh:1: the map is for the fold default of a torus job"});
    EXPECT_EQ(notes(check(kMap, "#PJM -L node=2x3x2:noncont\n" + kMpi)),
              Texts{"job.sh:1: node=2x3x2:noncont: logical coordinates do not determine the location of a node on the "
                    "machine"});
    EXPECT_EQ(notes(check(kMap, kNode + kMpi + "#PJM --mpi rank-map-bychip\n")),
              Texts{"job.sh:3: 'rank-map-bychip' together with rank-map-hostfile may change the meaning of the lines"});
    EXPECT_EQ(notes(check(kMap, kNode + "#PJM --mpi rank-map-hostfile=a.map\n")),
              Texts{"job.sh: proc= is missing, so the number of ranks is unknown"});
}

TEST_F(MapCheckTest, a_request_without_a_known_layout_is_a_note) {
    const auto noted = [&](const std::string& node, const std::string& map) {
        const MapCheck checked = check(map, "#PJM -L node=" + node + "\n" + kMpi, {});
        EXPECT_EQ(problems(checked), Texts{}) << "PJM accepts it";
        return notes(checked);
    };
    const std::string line = "(0)\n(1)\n(2)\n";
    const std::string none = "job.sh:1: haichi makes no map for node=";
    EXPECT_EQ(noted("24:mesh", line), Texts{none + "24:mesh: the layout of node=24 as a mesh is unknown"});
    EXPECT_EQ(noted("6x4:mesh", "(0,0)\n(1,0)\n(2,0)\n"),
              Texts{none + "6x4:mesh: the layout of node=6x4 as a mesh is unknown"});
    EXPECT_EQ(noted("4:torus", line), Texts{none + "4:torus: node=4 does not consist of whole units: jobs on machine "
                                                   "fx10-kyushu have whole units of 12 nodes"});
    EXPECT_EQ(noted("24:torus", line), Texts{});
    EXPECT_EQ(noted("2x3x4:mesh", kMap).size(), 1U) << "PJM may rotate it";
    EXPECT_EQ(noted("4:noncont", line).size(), 1U) << "positions do not matter";
}

TEST_F(MapCheckTest, a_map_of_single_nodes_gets_no_hint_to_become_one) {
    const std::string script = "#PJM -L node=2x3x2:noncont\n" + kMpi;
    const auto hint = [&](const std::string& fold) {
        const MapCheck checked = check_map(
            {.machine = "fx10-kyushu",
             .allocation = {.shape = fold.empty() ? std::vector<std::int32_t>{} : std::vector<std::int32_t>{2, 3, 2},
                            .fold = fold.empty() ? "default" : fold},
             .job_script = folder_.written("job.sh", script)},
            {.map = folder_.written("a.map", kMap)});
        const auto note = std::ranges::find(checked.lines, CheckResult::kNote, &CheckLine::result);
        return note == checked.lines.end() ? "none" : note->hint;
    };
    EXPECT_EQ(hint(""), "request :torus, or make the map with §job or §fold noncont");
    EXPECT_EQ(hint("noncont"), "");
}

TEST_F(MapCheckTest, a_script_without_directives_is_one_problem) {
    const MapCheck checked = check(kMap, "#!/bin/sh\nmpiexec -n x ./a\n");
    EXPECT_EQ(problems(checked), Texts{"job.sh: the script has no #PJM line"});
    ASSERT_EQ(checked.lines.size(), 1U);
    EXPECT_NE(checked.lines[0].hint.find("pjsub"), std::string::npos);
}

TEST_F(MapCheckTest, without_proc_mpiexec_states_the_number_of_ranks) {
    const std::string use = "#PJM --mpi rank-map-hostfile=a.map\n";
    const MapCheck fits = check(kMap, kNode + use + "mpiexec -n 3 ./a\n");
    EXPECT_EQ(notes(fits), Texts{});
    EXPECT_EQ(problems(fits), Texts{});
    EXPECT_EQ(problems(check(kMap, kNode + use + "mpiexec -n 4 ./a\n")), Texts{"a.map: 3 lines for 4 ranks"});
    EXPECT_EQ(problems(check(kMap, kNode + use + "#PJM --mpi max-proc-per-node=1\nmpiexec -n 24 ./a\n")),
              (Texts{"job.sh:4: mpiexec -n 24 does not fit on 12 nodes with at most 1 rank each",
                     "a.map: 3 lines for 24 ranks"}));
    EXPECT_EQ(notes(check(kMap, kNode + use + "mpiexec -n 3 ./a\nmpiexec -n 2 ./b\n")),
              Texts{"job.sh: proc= is missing, so the number of ranks is unknown"});
}

TEST_F(MapCheckTest, pjm_reads_no_other_format) {
    const MapCheck checked = check("0 0 0 0 0 0\n", kNode + kMpi);
    EXPECT_EQ(checked.problem_count, 1);
    EXPECT_NE(problems(checked).front().find("PJM requires a map in the format fujitsu"), std::string::npos);
}

TEST_F(MapCheckTest, all_problems_of_all_files_are_told_at_once) {
    const MapCheck checked = check("(0,0,0)\n(9,0,0)\n\n(0,0,0)\n",
                                   "#PJM -L node=2x3x2:turos\n#PJM -L node=2x3x2\n"
                                   "#PJM --mpi proc=3,prco=2,rank-map-hostfile=b.map\n");
    EXPECT_EQ(checked.problem_count, 6);
    EXPECT_EQ(problems(checked).size(), 6U);
}

TEST_F(MapCheckTest, without_a_script_any_format_is_checked_against_the_job) {
    const MapCheck good = check("0 0 0 0 0 0\n0 0 0 1 2 1\n", "");
    EXPECT_EQ(good.problem_count, 0);
    EXPECT_EQ(good.format, "tofu6d");
    EXPECT_EQ(problems(check("0 0 0 0 0 0\n0 0 0 1 3 1\n0 0 0 0 0 0\n", "")),
              (Texts{"a.map:2: the number '3' is too large (at most 2)",
                     "a.map:3: rank 2 does not fit on node (0,0,0,0,0,0) (at most 1)"}));
    EXPECT_EQ(check("what\n", "").problem_count, 1);
}

TEST_F(MapCheckTest, a_missing_file_and_a_wrong_machine_are_errors) {
    const JobSpec job{.machine = "fx10-kyushu"};
    EXPECT_THROW((void)check_map(job, {.map = "/does/not/exist"}), InputError);
    const std::string map = folder_.written("a.map", kMap);
    EXPECT_THROW((void)check_map({.machine = "fx11"}, {.map = map}), Error);
    EXPECT_THROW((void)check_map(job, {.map = map, .format = "fujistu"}), OptionError);
}

}  // namespace
}  // namespace haichi
