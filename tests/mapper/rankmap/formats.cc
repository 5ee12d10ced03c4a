#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/errors.h"
#include "tests/base/temporary_folder.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

std::string written_map(const std::string& format, const std::vector<std::int32_t>& nodes, const Allocation& job) {
    const Mapping mapping = rankmap_mapping(nodes, job);
    return rank_map_format(format).write(mapping, {&job, mapping.rank_count()});
}

std::vector<std::int32_t> read(const std::string& text, const std::string& format, const Allocation& job,
                               std::int32_t ranks = 0) {
    const Mapping mapping = parse_rank_map(text, "map", format, {&job, ranks});
    std::vector<std::int32_t> nodes;
    for (const NodeId node : mapping.node_of_rank()) nodes.push_back(node.value);
    return nodes;
}

/// A node list in a file that the destructor removes.
class NodeListFile {
  public:
    explicit NodeListFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("haichi_rankmap_" + std::to_string(::getpid()) + ".nodes")) {
        std::ofstream(path_) << text;
    }
    ~NodeListFile() { std::filesystem::remove(path_); }
    NodeListFile(const NodeListFile&) = delete;
    NodeListFile& operator=(const NodeListFile&) = delete;

    [[nodiscard]] Allocation job(const std::string& machine) const {
        AllocationRequest request;
        request.nodes = path_.string();
        return allocate(load_machine(machine), request);
    }

  private:
    std::filesystem::path path_;
};

const char* const kTwoCores = R"(<topology version="2.0"><object type="Machine"><object type="Package">
<object type="Core"/><object type="Core"/>
<object type="PCIDev" pci_busid="0000:3b:00.0" pci_type="0302 [10de:1eb8]"/>
<object type="PCIDev" pci_busid="0000:af:00.0" pci_type="0302 [10de:1eb8]"/></object></object></topology>)";

TEST(RankMapOpenMpi, cores_of_one_computer_are_its_slots) {
    const testing_files::TemporaryFolder folder;
    const std::string file = folder.written("host.xml", kTwoCores);
    const Allocation cores = allocate(load_machine(file), {.ranks_per_node = 2});
    const std::string text = "rank 0=localhost slot=1\nrank 1=localhost slot=0\nrank 2=localhost slot=1\n";
    EXPECT_EQ(written_map("openmpi", {1, 0, 1}, cores), text);
    EXPECT_EQ(read(text, "openmpi", cores), (std::vector<std::int32_t>{1, 0, 1}));
    EXPECT_THROW((void)read("rank 0=localhost slot=2\n", "openmpi", cores), InputError);
    EXPECT_THROW((void)written_map("slurm", {1, 0}, cores), OptionError) << "cores have no host names";
    const Allocation gpus = allocate(load_machine("hwloc-gpus:" + file), {});
    EXPECT_THROW((void)written_map("openmpi", {1, 0}, gpus), UnsupportedError);
}

// 1x1x1x2x3x2: nodes numbered a*6 + b*2 + c; logical (x, y, z) is (a, index of b in 0,2,1, c)
const std::vector<std::int32_t> kUnit = {1, 1, 1, 2, 3, 2};

TEST(RankMapFujitsu, writes_logical_coordinates_without_blanks_one_line_per_rank) {
    const Allocation job = rankmap_job("fx10-kyushu", kUnit);
    // node 0 = (a,b,c) (0,0,0); node 4 = (0,2,0), second in the ring of b; node 7 = (1,0,1)
    EXPECT_EQ(written_map("fujitsu", {0, 4, 7}, job), "(0,0,0)\n(0,1,0)\n(1,0,1)\n");
}

TEST(RankMapFujitsu, a_node_with_p_ranks_stands_on_p_lines) {
    const Allocation job = rankmap_job("fx10-kyushu", kUnit, 2);
    EXPECT_EQ(written_map("fujitsu", {0, 0, 7, 7}, job), "(0,0,0)\n(0,0,0)\n(1,0,1)\n(1,0,1)\n");
}

TEST(RankMapFujitsu, line_and_plane_jobs_have_one_and_two_coordinates) {
    EXPECT_EQ(written_map("fujitsu", {0}, rankmap_job("fx10-kyushu", kUnit, 1, "1d")), "(0)\n");
    EXPECT_EQ(written_map("fujitsu", {0}, rankmap_job("fx10-kyushu", kUnit, 1, "2d")), "(0,0)\n");
}

TEST(RankMapFujitsu, reads_windows_line_ends_and_a_missing_last_newline) {
    const Allocation job = rankmap_job("fx10-kyushu", kUnit);
    EXPECT_EQ(read("(0,0,0)\r\n(0,1,0)\r\n(1,0,1)", "fujitsu", job), (std::vector<std::int32_t>{0, 4, 7}));
}

TEST(RankMapFujitsu, refuses_jobs_whose_nodes_have_no_logical_coordinates) {
    const NodeListFile nodes("0\n5\n9\n");
    for (const Allocation& job : {nodes.job("fx10-kyushu"), rankmap_job("fattree:2x4")}) {
        EXPECT_THROW(rank_map_format("fujitsu").check({&job}), UnsupportedError);
        EXPECT_THROW((void)written_map("fujitsu", {0}, job), UnsupportedError);
        EXPECT_THROW((void)read("(0)\n", "fujitsu", job), UnsupportedError);
        EXPECT_EQ(default_rank_map_format({&job}).name, "json");
    }
    const Allocation unit = rankmap_job("fx10-kyushu", kUnit);
    EXPECT_EQ(default_rank_map_format({&unit}).name, "fujitsu");
}

TEST(RankMapTofu6d, writes_machine_coordinates_with_the_origin_added) {
    const Allocation job = rankmap_job("fx10-kyushu", kUnit, 1, "default", {3, 1, 5, 0, 0, 0});
    EXPECT_EQ(written_map("tofu6d", {0, 7}, job), "3 1 5 0 0 0\n3 1 5 1 0 1\n");
    EXPECT_EQ(read("3 1 5 1 0 1\n3 1 5 0 0 0\n", "tofu6d", job), (std::vector<std::int32_t>{7, 0}));
}

TEST(RankMapTofu6d, names_the_core_only_when_nodes_have_several) {
    EXPECT_EQ(written_map("tofu6d", {5, 5}, rankmap_job("torus:8x8", {}, 2)), "0 5 0\n0 5 1\n");
    EXPECT_EQ(written_map("tofu6d", {5}, rankmap_job("torus:8x8")), "0 5\n");
}

TEST(RankMapTofu6d, reads_comments_blank_lines_and_files_without_cores) {
    const Allocation job = rankmap_job("torus:8x8", {}, 2);
    EXPECT_EQ(read("# x y\n\n0 5  # rank 0\n\t0 5\r\n", "tofu6d", job), (std::vector<std::int32_t>{5, 5}));
}

TEST(RankMapTofu6d, refuses_trees) {
    EXPECT_THROW((void)written_map("tofu6d", {0}, rankmap_job("fattree:2x4")), UnsupportedError);
}

TEST(RankMapNsim, writes_rank_then_address) {
    EXPECT_EQ(written_map("nsim", {5, 9}, rankmap_job("torus:8x8")), "0 0 5\n1 1 1\n");
    EXPECT_EQ(written_map("nsim", {5, 9}, rankmap_job("fattree:2x4")), "0 5\n1 9\n");
}

TEST(RankMapNsim, reads_records_in_any_order) {
    EXPECT_EQ(read("# map\n2 7\n0 5\n\n1 9 # last\n", "nsim", rankmap_job("fattree:2x4")),
              (std::vector<std::int32_t>{5, 9, 7}));
}

TEST(RankMapJson, writes_schema_and_nodes) {
    EXPECT_EQ(written_map("json", {5, 9}, rankmap_job("torus:8x8", {}, 2)),
              "{\"schema\":\"haichi-mapping/1\",\"machine\":\"torus:8x8\",\"shape\":[8,8],\"ranks_per_node\":2,"
              "\"ranks\":2,\n\"node_of_rank\":[5,9]}\n");
}

TEST(RankMapJson, reads_mappings_without_the_rest_and_reports) {
    const Allocation job = rankmap_job("torus:8x8");
    const std::vector<std::int32_t> nodes = {5, 9};
    EXPECT_EQ(read(R"({"node_of_rank": [5, 9], "schema": "haichi-mapping/1"})", "json", job), nodes);
    EXPECT_EQ(
        read(R"({"schema": "haichi-report/1", "ranks": 2, "metrics": {"schema": [], "ranks": 7, "node_of_rank": 1},
                      "default": [{"node_of_rank": [[1]]}], "node_of_rank": [5, 9]})",
             "json", job),
        nodes);
}

TEST(RankMapCapacity, more_ranks_than_a_node_takes_name_line_rank_and_node) {
    const Allocation job = rankmap_job("torus:8x8", {}, 2);
    try {
        (void)read("0 5\n0 5\n0 5\n", "tofu6d", job);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "map:3: rank 2 does not fit on node (0,5) (at most 2)");
    }
}

TEST(Csv, ranks_stand_in_any_order_on_nodes_of_the_job) {
    const Allocation job = rankmap_job("torus:2x2", {}, 2);
    const std::vector<std::int32_t> nodes = {3, 1, 3};
    EXPECT_EQ(written_map("csv", nodes, job), "rank,node\n0,3\n1,1\n2,3\n");
    for (const char* text : {"rank,node\n2,3\n0,3\n1,1\n", "\xef\xbb\xbfrank,node\r\n1,1\r\n2,3\r\n0,3\r\n",
                             "# of today\nrank,node\n\n0,3\n1,1  # near\n2,3"}) {
        EXPECT_EQ(read(text, "csv", job), nodes) << text;
        EXPECT_EQ(recognise_rank_map(text, "map", {&job, 3}), "csv") << text;
    }
}

TEST(RankMapRecognition, goes_by_content) {
    const Allocation torus = rankmap_job("torus:8x8", {}, 2);
    const Allocation tree = rankmap_job("fattree:2x4");
    const auto name = [](const std::string& text, const Allocation& job) {
        return recognise_rank_map(text, "map", {&job, 0});
    };
    EXPECT_EQ(name(" \n{\"schema\": 1}", torus), "json");
    EXPECT_EQ(name("\xef\xbb\xbf{}", torus), "json");
    EXPECT_EQ(name("(0,1)\n", torus), "fujitsu");
    EXPECT_EQ(name("# c\n\n0 5\n", torus), "tofu6d");
    EXPECT_EQ(name("0 5 1\n0 5 0\n", torus), "tofu6d") << "rank 0 twice, so the last number is a core";
    EXPECT_EQ(name("1 0 5\n0 0 5\n2 7 7\n", torus), "nsim") << "core 5 is too many, so the first number is a rank";
    EXPECT_EQ(name("1 5\n0 5\n", tree), "nsim");
}

TEST(RankMapRecognition, two_readings_that_differ_are_an_error) {
    const Allocation job = rankmap_job("torus:8x8", {}, 2);
    EXPECT_THROW((void)recognise_rank_map("0 1 0\n1 1 1\n", "map", {&job, 0}), InputError);
}

TEST(RankMapRecognition, nothing_fits) {
    const Allocation job = rankmap_job("torus:8x8");
    for (const char* text : {"", "\n \n", "# only words\n", "1\n", "1 2 3 4 5\n", "[1]"}) {
        EXPECT_THROW((void)recognise_rank_map(text, "map", {&job, 0}), InputError) << text;
    }
}

TEST(RankMapTable, unknown_names_get_a_suggestion) {
    try {
        (void)rank_map_format("fujistu");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.hint(), "did you mean 'fujitsu'?");
    }
}

TEST(RankMapTable, a_wrong_format_name_is_found_before_the_file_is_opened) {
    const Allocation job = rankmap_job("torus:8x8");
    EXPECT_THROW((void)read_rank_map("/does/not/exist", "jsn", {&job, 0}), OptionError);
    EXPECT_THROW((void)read_rank_map("/does/not/exist", "", {&job, 0}), InputError);
}

}  // namespace
}  // namespace haichi
