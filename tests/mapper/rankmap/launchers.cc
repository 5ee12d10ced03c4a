// Formats of other launchers: examples small enough to check by eye, and variants that the launchers' tools also read.

#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

/// Nodes n0, n1, ...
class NamedJob {
  public:
    explicit NamedJob(Allocation job)
        : job_(std::move(job)), hosts_(HostNames::parse_pattern("n%d", job_.node_count())) {}

    [[nodiscard]] RankMapContext context(std::int32_t ranks = 0) const { return {&job_, ranks, &hosts_}; }
    [[nodiscard]] std::string written(const std::string& format, const std::vector<std::int32_t>& nodes) const {
        const Mapping mapping = rankmap_mapping(nodes, job_);
        return rank_map_format(format).write(mapping, context(mapping.rank_count()));
    }
    [[nodiscard]] Mapping read(const std::string& format, const std::string& text) const {
        return parse_rank_map(text, "map", format, context());
    }
    [[nodiscard]] std::vector<std::int32_t> nodes(const std::string& format, const std::string& text) const {
        std::vector<std::int32_t> nodes;
        const Mapping mapping = read(format, text);
        for (const NodeId node : mapping.node_of_rank()) nodes.push_back(node.value);
        return nodes;
    }
    [[nodiscard]] const Allocation& job() const { return job_; }

  private:
    Allocation job_;
    HostNames hosts_;
};

using Nodes = std::vector<std::int32_t>;

std::vector<std::int32_t> slots_of(const Mapping& mapping) {
    std::vector<std::int32_t> slots;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) slots.push_back(mapping.slot(RankId(r)).value);
    return slots;
}

TEST(RankMapBgq, writes_five_coordinates_and_the_place_on_the_node) {
    const NamedJob job(rankmap_job("torus:2x2x2x2x2", {}, 2));
    EXPECT_EQ(job.written("bgq", {0, 0, 31, 5}), "0 0 0 0 0 0\n0 0 0 0 0 1\n1 1 1 1 1 0\n0 0 1 0 1 0\n");
}

TEST(RankMapBgq, axes_that_a_smaller_grid_lacks_are_zero) {
    const NamedJob job(rankmap_job("mesh:3x2"));
    EXPECT_EQ(job.written("bgq", {5}), "2 1 0 0 0 0\n");
    EXPECT_EQ(job.nodes("bgq", "2 1 0 0 0 0\n"), Nodes{5});
    EXPECT_THROW((void)job.read("bgq", "2 1 0 0 1 0\n"), InputError);
}

TEST(RankMapBgq, coordinates_are_those_of_the_block_not_of_the_machine) {
    const NamedJob job(rankmap_job("mesh:4x4", {2, 2}, 1, "default", {2, 1}));
    EXPECT_EQ(job.written("bgq", {0, 3}), "0 0 0 0 0 0\n1 1 0 0 0 0\n");
}

TEST(RankMapBgq, reads_comments_and_blank_lines_and_keeps_places) {
    const NamedJob job(rankmap_job("mesh:3x2", {}, 2));
    EXPECT_EQ(slots_of(job.read("bgq", "# A B C D E T\n\n0 0 0 0 0 1  # rank 0\n0 0 0 0 0 0\n")), (Nodes{1, 0}));
}

TEST(RankMapBgq, refuses_machines_without_five_coordinates) {
    EXPECT_THROW(rank_map_format("bgq").check({&NamedJob(rankmap_job("fattree:2x4")).job()}), UnsupportedError);
    EXPECT_THROW((void)NamedJob(rankmap_job("fx10-kyushu", {1, 1, 1, 2, 3, 2})).written("bgq", {0}), UnsupportedError);
}

TEST(RankMapBgl, writes_the_whole_partition_or_nothing) {
    const NamedJob job(rankmap_job("mesh:2x1x1", {}, 2));
    EXPECT_EQ(job.written("bgl", {1, 0, 0, 1}), "1 0 0 0\n0 0 0 0\n0 0 0 1\n1 0 0 1\n");
    try {
        (void)job.written("bgl", {1, 0, 0});
        FAIL();
    } catch (const UnsupportedError& error) {
        EXPECT_NE(std::string(error.what()).find("3 ranks for 4 rank slots"), std::string::npos) << error.what();
    }
    EXPECT_THROW(rank_map_format("bgl").check(job.context(3)), UnsupportedError) << "known before a search";
    EXPECT_NO_THROW(rank_map_format("bgl").check(job.context(4)));
    EXPECT_THROW((void)NamedJob(rankmap_job("torus:2x2x2x2")).written("bgl", {0}), UnsupportedError);
}

TEST(RankMapCray, lists_the_ranks_of_the_first_node_first) {
    //  node 0: ranks 2 1   node 1: ranks 0 3
    EXPECT_EQ(NamedJob(rankmap_job("mesh:2", {}, 2)).written("cray", {1, 0, 0, 1}), "1,2\n0,3\n");
    EXPECT_EQ(NamedJob(rankmap_job("mesh:3")).written("cray", {2, 0, 1}), "1,2,0\n");
}

TEST(RankMapCray, the_last_node_may_have_room) {
    const NamedJob job(rankmap_job("mesh:2", {}, 2));
    EXPECT_EQ(job.written("cray", {0, 1, 0}), "0,2\n1\n");
    EXPECT_EQ(job.nodes("cray", "0,2\n1\n"), (Nodes{0, 1, 0}));
}

TEST(RankMapCray, idle_nodes_and_holes_cannot_be_expressed) {
    const NamedJob job(rankmap_job("mesh:3", {}, 2));
    for (const Nodes& nodes : {Nodes{0, 0, 1, 1}, Nodes{0, 1, 1, 2, 2}, Nodes{0, 0, 1, 2, 2}}) {
        try {
            (void)job.written("cray", nodes);
            FAIL();
        } catch (const UnsupportedError& error) {
            EXPECT_NE(std::string(error.what()).find("the order fills one node after another"), std::string::npos);
        }
    }
    EXPECT_THROW(rank_map_format("cray").check(job.context(4)), UnsupportedError) << "known before a search";
    EXPECT_NO_THROW(rank_map_format("cray").check(job.context(5)));
}

TEST(RankMapCray, reads_ranges_blanks_comments_and_lines_of_any_length) {
    const NamedJob job(rankmap_job("mesh:4", {}, 2));
    EXPECT_EQ(slots_of(job.read("cray", "# suggested order\n7-4,\n 0 , 1,2\n\n3  # last\n")),
              (Nodes{4, 5, 6, 7, 3, 2, 1, 0}));
}

/// Two nodes with alternating ranks: the library's text needs 8 bytes per two ranks, and 8 for its ends.
TEST(RankMapCray, warns_when_the_library_s_buffer_is_too_small) {
    const auto warning = [](std::int32_t ranks) {
        const NamedJob job(rankmap_job("mesh:2", {}, ranks / 2));
        std::vector<std::int32_t> nodes;
        for (std::int32_t r = 0; r < ranks; ++r) nodes.push_back(r % 2);
        return rank_map_format("cray").warning(rankmap_mapping(nodes, job.job()), job.context(ranks));
    };
    EXPECT_EQ(warning(252), "") << "1016 bytes";
    EXPECT_NE(warning(254).find("1024 bytes"), std::string::npos) << warning(254);
}

TEST(RankMapCray, an_order_of_blocks_is_short_for_the_library) {
    const NamedJob job(rankmap_job("mesh:4096"));
    std::vector<std::int32_t> nodes;
    for (std::int32_t r = 0; r < 4096; ++r) nodes.push_back(r);
    EXPECT_EQ(rank_map_format("cray").warning(rankmap_mapping(nodes, job.job()), job.context()), "");
}

TEST(RankMapOpenMpi, writes_rank_host_and_slot) {
    const NamedJob job(rankmap_job("mesh:3", {}, 2));
    EXPECT_EQ(job.written("openmpi", {2, 0, 2}), "rank 0=n2 slot=0\nrank 1=n0 slot=0\nrank 2=n2 slot=1\n");
}

TEST(RankMapOpenMpi, reads_any_order_comments_relative_hosts_users_and_slot_lists) {
    const NamedJob job(rankmap_job("mesh:3", {}, 2));
    EXPECT_EQ(job.nodes("openmpi",
                        "# job\nrank 2=+n1 slot=0:0-3\n\n/* two\nlines */ rank 0 = n2 slots = 1,3 // core\n"
                        "rank 1=me@n0 slot=*\n"),
              (Nodes{2, 0, 1}));
}

TEST(RankMapOpenMpi, slots_that_are_places_are_kept_others_are_only_cores) {
    const NamedJob job(rankmap_job("mesh:2", {}, 2));
    EXPECT_EQ(slots_of(job.read("openmpi", "rank 0=n1 slot=1\nrank 1=n1 slot=0\n")), (Nodes{3, 2}));
    EXPECT_EQ(slots_of(job.read("openmpi", "rank 0=n1 slot=12\nrank 1=n1 slot=0\n")), (Nodes{2, 3}));
    EXPECT_EQ(slots_of(job.read("openmpi", "rank 0=n1 slot=1\nrank 1=n1 slot=1\n")), (Nodes{2, 3}));
}

TEST(RankMapOpenMpi, relative_hosts_need_no_names) {
    const Allocation job = rankmap_job("mesh:3");
    EXPECT_EQ(parse_rank_map("rank 0=+n2 slot=0\n", "map", "openmpi", {&job}).node(RankId(0)), NodeId(2));
    EXPECT_THROW((void)parse_rank_map("rank 0=n2 slot=0\n", "map", "openmpi", {&job}), OptionError);
    EXPECT_EQ(rank_map_format("openmpi").write(rankmap_mapping({2, 0}, job), {&job}),
              "rank 0=+n2 slot=0\nrank 1=+n0 slot=0\n");
}

TEST(RankMapHosts, every_format_with_host_names_says_that_it_needs_them) {
    const Allocation job = rankmap_job("mesh:3");
    for (const char* format : {"slurm", "hydra", "intel", "pals", "lsf", "simgrid"}) {
        try {
            rank_map_format(format).check({&job});
            FAIL() << format;
        } catch (const OptionError& error) {
            EXPECT_NE(error.hint().find("§hosts"), std::string::npos);
        }
        EXPECT_THROW((void)rank_map_format(format).write(rankmap_mapping({0}, job), {&job}), OptionError);
    }
}

TEST(RankMapHosts, lines_in_rank_order) {
    const NamedJob job(rankmap_job("mesh:3", {}, 2));
    EXPECT_EQ(job.written("slurm", {2, 0, 2}), "n2\nn0\nn2\n");
    EXPECT_EQ(job.written("simgrid", {2, 0, 2}), "n2\nn0\nn2\n");
    EXPECT_EQ(job.written("hydra", {2, 0, 2}), "n2:1\nn0:1\nn2:1\n");
    EXPECT_EQ(job.written("intel", {2, 0, 2}), "n2:1\nn0:1\nn2:1\n");
    EXPECT_EQ(job.written("pals", {2, 0, 2}), "n2\nn0\nn2\n");
    EXPECT_EQ(job.written("lsf", {2, 0, 2}), "n2 0\nn0 0\nn2 1\n");
}

TEST(RankMapHosts, what_the_tools_also_read) {
    const NamedJob job(rankmap_job("mesh:4", {}, 3));
    EXPECT_EQ(job.nodes("slurm", "# tasks\nn3,n1\n\nn0*2 # two\nn[2-3]\n"), (Nodes{3, 1, 0, 0, 2, 3}));
    EXPECT_EQ(job.nodes("hydra", "n3:2 binding=user:0 user=me\n\n# c\nn1\nn0:1 # c\n"), (Nodes{3, 3, 1, 0}));
    EXPECT_EQ(job.nodes("intel", "n3:2\nn1\n"), (Nodes{3, 3, 1}));
    EXPECT_EQ(job.nodes("simgrid", "n3:2\n\nn1\n"), (Nodes{3, 3, 1}));
    EXPECT_EQ(job.nodes("lsf", "n3 0,1 0 1\nn1\n"), (Nodes{3, 1}));
}

TEST(RankMapRecognition, knows_host_names_rankfiles_and_lists) {
    const NamedJob job(rankmap_job("mesh:4", {}, 2));
    const auto name = [&](const std::string& text) { return recognise_rank_map(text, "map", job.context()); };
    EXPECT_EQ(name("# c\nrank 0=n1 slot=0\n"), "openmpi");
    EXPECT_EQ(name("n1\nn2\n"), "slurm");
    EXPECT_EQ(name("n1:2\nn2\n"), "hydra");
    EXPECT_EQ(name("n1 0,1\nn2 2,3\n"), "lsf");
    EXPECT_EQ(name("[[0,4,1,2]]\n"), "flux");
    EXPECT_EQ(name("{\"version\":1, \"map\":[[0,2,1,1]]}"), "flux");
    EXPECT_EQ(name("(vector,(0,4,1))\n"), "pmi");
    EXPECT_EQ(name("cpu_index_using: logical\nrank: 0: { host: 1; cpu: {0} }\n"), "erf");
    EXPECT_EQ(name("3,2,1,0\n"), "cray");
    EXPECT_EQ(name("0-3\n"), "cray");
    EXPECT_EQ(name("1 0 0 0 0 0\n"), "bgq");
    EXPECT_EQ(name("1 0 0 0\n"), "bgl");
    EXPECT_THROW((void)name("m1\n"), InputError);
}

TEST(RankMapRecognition, columns_that_mean_different_nodes_are_an_error) {
    // On a ring whose job covers all nodes from another origin, every coordinate is valid in both readings.
    const NamedJob job(rankmap_job("torus:3x1x1", {}, 1, "default", {1, 0, 0}));
    const std::string text = job.written("bgl", {0, 1, 2});
    EXPECT_EQ(text, "0 0 0 0\n1 0 0 0\n2 0 0 0\n");
    EXPECT_THROW((void)recognise_rank_map(text, "map", job.context()), InputError);
}

}  // namespace
}  // namespace haichi
