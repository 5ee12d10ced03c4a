// The job lines of launchers, and the maps of Flux, MPICH and LSF.

#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

/// Four ranks on three nodes with two rank slots each: node 2, 0, 2, 1.
class LaunchedJob {
  public:
    LaunchedJob() : job_(rankmap_job("mesh:3", {}, 2)), hosts_(HostNames::parse_pattern("n%d", 3)) {}

    [[nodiscard]] RankMapContext unnamed(std::int32_t cores = 0) const {
        return {.allocation = &job_, .rank_count = 4, .cores_per_rank = cores};
    }
    [[nodiscard]] RankMapContext named(std::int32_t cores = 0) const {
        return {.allocation = &job_, .rank_count = 4, .hosts = &hosts_, .cores_per_rank = cores};
    }
    [[nodiscard]] Mapping mapping() const { return rankmap_mapping({2, 0, 2, 1}, job_); }
    [[nodiscard]] std::string lines(const std::string& launcher, const RankMapContext& context,
                                    const std::string& file = "F") const {
        return launch_lines(rank_map_format(launcher), mapping(), context, file);
    }

  private:
    Allocation job_;
    HostNames hosts_;
};

TEST(LaunchLines, start_the_program_with_the_map) {
    const LaunchedJob job;
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"slurm", "SLURM_HOSTFILE=F srun --nodes=3 --ntasks=4 --distribution=arbitrary ./app\n"},
        {"hydra", "mpiexec -launcher ssh -n 4 -f F ./app\n"},
        {"intel",
         "export I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=disable\nmpirun -bootstrap ssh -n 4 -machinefile F ./app\n"},
        {"pals", "mpiexec -n 4 --ppn 1 --hostfile F ./app\n"},
        {"lsf", "LSB_AFFINITY_HOSTFILE=F mpirun -n 4 ./app\n"},
        {"erf", "jsrun --erf_input F ./app\n"},
        {"openmpi",
         "mpirun -n 4 --rankfile F ./app\n"
         "# with Open MPI 5 and PRRTE: mpirun -n 4 --map-by rankfile:file=F ./app\n"},
        {"cray",
         "export MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=F\n"
         "srun --nodes=3 --ntasks=4 --ntasks-per-node=2 --distribution=block ./app\n"
         "# with PALS: mpiexec -n 4 --ppn 2 ./app\n"},
        {"flux", "flux run --exclusive --nodes=3 --ntasks=4 --taskmap=manual:\"$(cat F)\" ./app\n"},
        {"pmi", "# in an allocation, with MPICH 5.1 or later\nmpiexec -n 4 -rankmap \"$(cat F)\" ./app\n"},
        {"bgq", "runjob --np 4 --ranks-per-node 2 --mapping F : ./app\n"},
        {"bgl", "mpirun -np 4 -env BGLMPI_MAPPING=F -exe ./app\n"},
        {"simgrid", "smpirun -np 4 -platform platform.xml -hostfile F ./app\n"},
    };
    for (const auto& [launcher, lines] : expected) EXPECT_EQ(job.lines(launcher, job.named()), lines);
}

TEST(LaunchLines, state_the_cores_per_rank) {
    const LaunchedJob job;
    for (const auto& [launcher, words] :
         std::vector<std::pair<std::string, std::string>>{{"slurm", " --cpus-per-task=4 "},
                                                          {"hydra", " -bind-to core:4 "},
                                                          {"intel", " I_MPI_PIN_DOMAIN=4\n"},
                                                          {"pals", " --cpu-bind depth --depth 4 "},
                                                          {"cray", " --cpus-per-task=4 "},
                                                          {"flux", " --cores-per-task=4 "}}) {
        EXPECT_NE(job.lines(launcher, job.named(4)).find(words), std::string::npos) << launcher;
    }
    const auto written = [&](const char* format) { return rank_map_format(format).write(job.mapping(), job.named(4)); };
    EXPECT_EQ(written("openmpi"), "rank 0=n2 slot=0-3\nrank 1=n0 slot=0-3\nrank 2=n2 slot=4-7\nrank 3=n1 slot=0-3\n");
    EXPECT_EQ(written("lsf"), "n2 0,1,2,3\nn0 0,1,2,3\nn2 4,5,6,7\nn1 0,1,2,3\n");
    EXPECT_EQ(parse_rank_map(written("openmpi"), "map", "openmpi", job.named()), job.mapping()) << "4-7 is slot 1";
    EXPECT_EQ(parse_rank_map(written("erf"), "map", "erf", job.named()), job.mapping());
}

/// Only the running job knows the names of its nodes.
TEST(LaunchLines, take_unknown_names_from_the_running_job) {
    const LaunchedJob job;
    const RankMapContext context = job.unnamed(2);
    EXPECT_EQ(format_for_launcher(rank_map_format("slurm"), context).name, "csv");
    EXPECT_EQ(format_for_launcher(rank_map_format("slurm"), job.named()).name, "slurm");
    EXPECT_EQ(job.lines("slurm", context),
              "#SBATCH --nodes=3\n#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=2\n#SBATCH --cpus-per-task=2\n"
              "# F is the rank map in the format csv\n"
              "scontrol show hostnames \"$SLURM_JOB_NODELIST\" |\n"
              "  awk -F, 'NR == FNR { name[NR - 1] = $1; next } FNR > 1 { print name[$2] }' - F > F.hosts\n"
              "SLURM_HOSTFILE=F.hosts srun --nodes=3 --ntasks=4 --cpus-per-task=2 --distribution=arbitrary ./app\n");
    EXPECT_NE(job.lines("hydra", context).find("print name[$2] \":1\" }"), std::string::npos);
    EXPECT_NE(job.lines("pals", context).find("\"$PBS_NODEFILE\""), std::string::npos);
    EXPECT_NE(job.lines("lsf", context).find("n = used[$2]++ * 2; for (i = 0; i < 2; i++)"), std::string::npos);
    EXPECT_THROW((void)job.lines("simgrid", context), OptionError);
    // awk would take the name for an assignment.
    EXPECT_NE(job.lines("slurm", context, "n=4.csv").find("' - ./n=4.csv > n=4.csv.hosts\n"), std::string::npos);
    EXPECT_NE(job.lines("slurm", context, "a/n=4.csv").find("' - a/n=4.csv > "), std::string::npos);
}

TEST(LaunchLines, formats_with_numbered_nodes_need_no_names) {
    const LaunchedJob job;
    for (const char* launcher : {"openmpi", "erf", "flux", "pmi"}) {
        EXPECT_EQ(format_for_launcher(rank_map_format(launcher), job.unnamed()).name, launcher);
        const std::string text = rank_map_format(launcher).write(job.mapping(), job.unnamed());
        EXPECT_EQ(parse_rank_map(text, "map", "", job.unnamed()).node(RankId(2)), NodeId(2)) << text;
    }
    EXPECT_EQ(rank_map_format("erf").write(rankmap_mapping({2}, *job.unnamed().allocation), job.unnamed()),
              "cpu_index_using: logical\nrank: 0: { host: 3; cpu: {0} }\n");
    EXPECT_THROW((void)format_for_launcher(rank_map_format("json"), job.unnamed()), OptionError);
}

TEST(LaunchLines, names_of_files_are_words_of_the_shell) {
    const LaunchedJob job;
    EXPECT_EQ(job.lines("erf", job.named(), "my map's"), "jsrun --erf_input 'my map'\\''s' ./app\n");
    EXPECT_EQ(job.lines("erf", job.named(), "a\n'b"), "jsrun --erf_input $'a\\x0a\\'b' ./app\n");
}

TEST(LaunchLines, warn_where_the_launcher_would_not_use_the_map_well) {
    const LaunchedJob job;
    const auto warning = [&](const char* format, const std::vector<std::int32_t>& nodes) {
        return rank_map_format(format).warning(rankmap_mapping(nodes, *job.named().allocation), job.named());
    };
    EXPECT_NE(warning("hydra", {2, 0, 2, 1}).find("counts 4 nodes in this file instead of 3"), std::string::npos);
    EXPECT_EQ(warning("hydra", {2, 2, 0, 0}), "");
    EXPECT_NE(warning("flux", {2, 2, 0, 0}).find("1 of the 3 nodes have no rank"), std::string::npos);
    EXPECT_EQ(warning("flux", {2, 1, 0, 0}), "");
}

using Nodes = std::vector<std::int32_t>;

Nodes nodes_of(const std::string& format, const std::string& text, std::int32_t ranks = 0) {
    const Allocation job = rankmap_job("mesh:8", {}, 16);
    const Mapping mapping = parse_rank_map(text, "map", format, {.allocation = &job, .rank_count = ranks});
    Nodes nodes;
    for (const NodeId node : mapping.node_of_rank()) nodes.push_back(node.value);
    return nodes;
}

std::string written(const std::string& format, const Nodes& nodes) {
    const Allocation job = rankmap_job("mesh:8", {}, 16);
    return rank_map_format(format).write(rankmap_mapping(nodes, job), {&job});
}

/// The examples of RFC 34.
TEST(FluxTaskMap, blocks_cycles_and_reversed_nodes) {
    const std::vector<std::pair<std::string, Nodes>> examples = {
        {"[[0,1,1,1]]", {0}},
        {"[[0,2,1,1]]", {0, 1}},
        {"[[0,1,2,1]]", {0, 0}},
        {"[[0,2,1,2]]", {0, 1, 0, 1}},
        {"[[1,1,1,1],[0,1,1,1]]", {1, 0}},
        {"[[0,4,2,2]]", {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3}},
        {"[[0,6,1,2],[4,2,1,2]]", {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 4, 5, 4, 5}},
        {"[[0,5,2,1],[6,1,2,1],[5,1,2,1],[7,1,2,1]]", {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 6, 6, 5, 5, 7, 7}},
    };
    for (const auto& [text, nodes] : examples) {
        EXPECT_EQ(nodes_of("flux", text), nodes) << text;
        EXPECT_EQ(written("flux", nodes), text + "\n");
    }
    EXPECT_EQ(nodes_of("flux", "{\"map\": [ [0,2,1,1] ],\n \"version\": 1}\n"), (Nodes{0, 1}));
}

TEST(PmiVector, blocks_and_what_mpich_also_reads) {
    EXPECT_EQ(written("pmi", {0, 0, 1, 1, 3, 0}), "(vector,(0,2,2),(3,1,1),(0,1,1))\n");
    EXPECT_EQ(nodes_of("pmi", "(vector,(0,2,2),(3,1,1),(0,1,1))"), (Nodes{0, 0, 1, 1, 3, 0}));
    EXPECT_EQ(nodes_of("pmi", "  (vector, (0,2,1), (4, 1,2), )\n"), (Nodes{0, 1, 4, 4}));
    EXPECT_EQ(nodes_of("pmi", "(vector,3,[(0,2,1),5]x2)"), (Nodes{3, 0, 1, 5, 0, 1, 5}));
}

TEST(PmiVector, repeats_for_more_ranks_and_ends_early_for_fewer) {
    EXPECT_EQ(nodes_of("pmi", "(vector,(0,2,1))", 5), (Nodes{0, 1, 0, 1, 0}));
    EXPECT_EQ(nodes_of("pmi", "(vector,(1,1,1),(0,2,1))", 5), (Nodes{1, 0, 1, 0, 1}));
    EXPECT_EQ(nodes_of("pmi", "(vector,(0,1,2),(1,1,3),(2,1,4))", 8), (Nodes{0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(Erf, reads_the_preamble_ranges_names_and_applications) {
    const LaunchedJob job;
    const std::string text =
        "app 0: ./program\noverlapping-rs: allow\ncpu_index_using: logical\n\n"
        "rank: 1: { host: 1; cpu: {0-3}, {4-7} ; gpu: {0,1} ; mem: * } : app 0\n"
        "rank: 0: { hostname: n2; cpu: {0-27} } # first\n";
    const Mapping mapping = parse_rank_map(
        text, "map", "", {.allocation = job.named().allocation, .rank_count = 2, .hosts = job.named().hosts});
    EXPECT_EQ(mapping.node(RankId(0)), NodeId(2));
    EXPECT_EQ(mapping.node(RankId(1)), NodeId(0));
}

}  // namespace
}  // namespace haichi
