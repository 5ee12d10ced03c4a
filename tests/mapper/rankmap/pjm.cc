#include <gtest/gtest.h>

#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

const std::vector<std::int32_t> kShape = {1, 2, 4, 2, 3, 2};

std::string options(const Allocation& job, std::int32_t ranks) {
    std::vector<std::int32_t> nodes;
    for (std::int32_t r = 0; r < ranks; ++r) nodes.push_back(r / job.ranks_per_node);
    return pjm_options(rankmap_mapping(nodes, job), {&job, ranks}, "cg.map");
}

TEST(PjmOptions, ask_for_the_logical_shape_as_a_torus_and_name_the_host_file) {
    EXPECT_EQ(options(rankmap_job("fx10-kyushu", kShape), 64),
              "#PJM -L \"node=2x6x8:torus\"\n"
              "#PJM --mpi \"shape=2x6x8,proc=64,rank-map-hostfile=cg.map\"\n");
}

TEST(PjmOptions, several_ranks_on_a_node_need_max_proc_per_node) {
    EXPECT_EQ(options(rankmap_job("fugaku", kShape, 4), 384),
              "#PJM -L \"node=2x6x8:torus\"\n"
              "#PJM --mpi \"shape=2x6x8,proc=384,max-proc-per-node=4,rank-map-hostfile=cg.map\"\n");
}

TEST(PjmOptions, the_mesh_fold_asks_for_a_mesh) {
    EXPECT_NE(options(rankmap_job("fx10-kyushu", kShape, 1, "mesh"), 64).find("node=2x6x8:mesh"), std::string::npos);
}

TEST(PjmOptions, line_and_plane_jobs) {
    EXPECT_NE(options(rankmap_job("fx10-kyushu", {1, 1, 4, 2, 3, 2}, 1, "1d"), 8).find("node=48:torus"),
              std::string::npos);
    EXPECT_NE(options(rankmap_job("fx10-kyushu", kShape, 1, "2d"), 8).find("node=12x8:torus"), std::string::npos);
}

TEST(PjmOptions, none_where_pjm_has_no_such_coordinates) {
    EXPECT_EQ(options(rankmap_job("fx10-kyushu", kShape, 1, "row-major"), 64), "");
    EXPECT_EQ(options(rankmap_job("torus:8x8x8"), 64), "");
    EXPECT_EQ(options(rankmap_job("fattree:2x4"), 4), "");
}

}  // namespace
}  // namespace haichi
