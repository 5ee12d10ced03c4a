#include "mapper/judge/rotated.h"

#include <gtest/gtest.h>

#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

Workload stencil(const std::vector<std::int32_t>& dims) {
    PatternOptions options;
    options.dims = dims;
    options.periodic = true;
    return make_pattern("stencil3d", options);
}

Evaluation of_default(const std::vector<std::int32_t>& dims, const AllocationRequest& request) {
    const JobSpec spec{.machine = "fugaku", .traffic = {.source = stencil(dims)}, .allocation = request};
    return evaluate(Placement(Job(spec)),
                    {.objective = {.name = "hop-bytes"}, .all_objectives = false, .if_turned = true});
}

TEST(RotatedValue, of_neighbours_on_rings_is_the_same_in_every_orientation) {
    const Evaluation evaluation = of_default({12, 6, 4}, {.shape = {12, 6, 4}});
    ASSERT_TRUE(evaluation.rotated.has_value());
    EXPECT_FALSE(evaluation.rotated->matters);
    EXPECT_EQ(evaluation.rotated->value, evaluation.asked.value);
}

TEST(RotatedValue, is_worse_where_ranks_are_next_to_each_other_on_the_machine_only) {
    // The ranks (x,y,z) of a 2x1x2 block are neighbours along the short axes A and C. After a rotation, the axis of
    // size 12 lies on Y and B.
    const Evaluation asked = of_default({6, 12, 2}, {.shape = {6, 12, 2}});
    ASSERT_TRUE(asked.rotated.has_value());
    const Job job = asked.placement.job();
    // A placement in machine order is good only as long as the machine's axes are where it expects them.
    std::vector<NodeId> nodes;
    for (std::int32_t n = 0; n < job.allocation().node_count(); ++n) nodes.push_back(NodeId(n));
    const Placement by_number(job, Mapping::from_nodes(nodes, job.allocation().node_count(), 1));
    const Evaluation evaluation =
        evaluate(by_number, {.objective = {.name = "hop-bytes"}, .all_objectives = false, .if_turned = true});
    ASSERT_TRUE(evaluation.rotated.has_value());
    EXPECT_TRUE(evaluation.rotated->matters);
    EXPECT_GT(evaluation.rotated->value, evaluation.asked.value);
}

TEST(RotatedValue, is_missing_for_requests_that_pjm_does_not_turn) {
    for (const AllocationRequest& request :
         std::vector<AllocationRequest>{{.shape = {12, 6, 4}, .is_strict = true},
                                        {.shape = {12, 6, 4}, .origin = {1, 0, 0, 0, 0, 0}},
                                        {.shape = {6, 2, 2, 2, 3, 2}, .fold = "row-major"},
                                        {.shape = {288}}}) {
        EXPECT_FALSE(of_default({12, 6, 4}, request).rotated.has_value()) << sizes_text(request.shape);
    }
}

}  // namespace
}  // namespace haichi
