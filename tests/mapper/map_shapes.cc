#include "mapper/choose/map_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "mapper/solve/rotations.h"
#include "objectives/registry.h"
#include "tests/mapper/jobs.h"
#include "tests/objectives/objective_names.h"
#include "tests/objectives/problems.h"

namespace haichi {
namespace {

using testing_jobs::cg;
using testing_problems::random_move;

const std::vector<std::vector<std::int32_t>> kPaperShapes = {
    {1, 2, 4, 2, 3, 2}, {2, 2, 2, 2, 3, 2}, {4, 2, 1, 2, 3, 2}};

std::vector<Job> paper_jobs(const std::vector<std::vector<std::int32_t>>& shapes = kPaperShapes) {
    return jobs_of_shapes({.machine = "fx10-kyushu", .traffic = {.source = cg(64)}}, shapes);
}

MapOptions quick_search(std::int64_t evaluations = 20'000) {
    MapOptions options;
    options.search.evaluations = evaluations;
    options.search.restarts = 2;
    return options;
}

const EvaluateOptions kBrief{.all_objectives = false};

TEST(Rotations, order_the_nodes_along_every_permutation_of_the_logical_axes) {
    const Allocation job = allocate(load_machine("fx10-kyushu"), {.shape = {1, 2, 4, 2, 3, 2}});
    const std::vector<Rotation> all = rotations(job);
    ASSERT_EQ(all.size(), 6U);  // 2 x 6 x 8: all axes differ
    EXPECT_EQ(all.front().node_of_position, job.fold.node_of_position);
    for (const Rotation& rotation : all) {
        // Consecutive ranks follow the request's first axis, then its second axis.
        const std::int32_t first = job.fold.logical_sizes[rotation.axes[0]];
        for (std::int32_t p = 0; p < job.node_count(); ++p) {
            const Coordinates at = job.fold.logical_coordinates(rotation.node_of_position[static_cast<std::size_t>(p)]);
            EXPECT_EQ(at[rotation.axes[0]], p % first);
            EXPECT_EQ(at[rotation.axes[1]], p / first % job.fold.logical_sizes[rotation.axes[1]]);
        }
    }
    EXPECT_EQ(rotations(allocate(load_machine("mesh:4x4"), {})).size(), 2U);
    EXPECT_EQ(rotations(allocate(load_machine("fattree:2x4"), {})).size(), 1U);
}

/// The contract of objectives also holds for robust forms: incremental values equal full evaluations, rollbacks leave
/// no trace.
TEST(Robust, random_moves_change_the_value_as_from_scratch) {
    const Workload workload = cg(64);
    std::vector<Allocation> allocations;
    for (const auto& shape : kPaperShapes) {
        allocations.push_back(allocate(load_machine("fx10-kyushu"), {.shape = shape}));
    }
    std::vector<std::unique_ptr<Problem>> problems;
    for (const RobustMeasure measure : {RobustMeasure::kMax, RobustMeasure::kMean}) {
        RobustJob job{measure, {}};
        problems.clear();
        for (const Allocation& allocation : allocations) {
            problems.push_back(std::make_unique<Problem>(workload, allocation.network, 1));
            RobustVariant variant{problems.back().get(), {}};
            for (const std::int32_t position : allocations.front().fold.position_of_node) {
                variant.slot_of_slot.emplace_back(
                    allocation.fold.node_of_position[static_cast<std::size_t>(position)].value);
            }
            job.variants.push_back(std::move(variant));
        }
        problems.front()->set_robust_job(&job);
        const Mapping start = default_placement(64, allocations.front());
        const auto check = [&](auto tag, const ObjectiveSpec& spec) {
            using O = typename decltype(tag)::type;
            Robust<O> robust(*problems.front(), spec, start);
            Mapping mapping = start;
            robust.reset(mapping);
            Random random(5);
            for (int step = 0; step < 200; ++step) {
                const Move move = random_move(mapping, allocations.front().network, random);
                if (move.empty()) continue;
                const auto before = robust.value();
                robust.propose(mapping, move);
                if (random.below(2) == 0) {
                    robust.rollback();
                    ASSERT_EQ(robust.value(), before);
                } else {
                    robust.commit();
                    mapping.apply(move);
                }
                ASSERT_EQ(robust.value(), robust.value_from_scratch(mapping)) << step;
                ASSERT_EQ(robust.smoothing(), robust.smoothing_from_scratch(mapping)) << step;
            }
        };
        for_each_objective([&](auto tag) {
            const ObjectiveRow& row = objectives().at(decltype(tag)::type::kInfo.name);
            if (row.needs_logical_torus) return;
            SCOPED_TRACE(std::string(row.name));
            check(tag, parse_objective(testing_problems::text_of(row)));
        });
    }
}

TEST(MapShapes, one_placement_serves_every_shape_of_the_paper) {
    const ShapesReport report = evaluate_shapes(map_robust(paper_jobs(), {}, quick_search(300'000)), kBrief);
    ASSERT_EQ(report.shapes.size(), 3U);
    double worst = 0;
    for (std::size_t k = 0; k < report.shapes.size(); ++k) {
        const Evaluation& shape = report.shapes[k];
        const auto& contention = shape.metrics.set_contention;
        EXPECT_LE(std::accumulate(contention.begin(), contention.end(), std::int64_t{0}), 6);
        worst = std::max(worst, shape.asked.value);
        // The same ranks have the same positions in each shape's own rank order.
        for (std::int32_t r = 0; r < 64; ++r) {
            const auto position =
                static_cast<std::size_t>(report.robust->position_of_rank[static_cast<std::size_t>(r)]);
            EXPECT_EQ(shape.placement.mapping().node(RankId(r)),
                      shape.placement.job().allocation().fold.node_of_position[position]);
        }
        EXPECT_EQ(report.robust->rotations[k].front().set_contention, contention);
    }
    EXPECT_DOUBLE_EQ(report.robust->value, worst);
    EXPECT_EQ(robust_map_text(*report.robust, "fujitsu").substr(0, 1), "(");
    EXPECT_THROW(robust_map_text(*report.robust, "tofu6d"), UnsupportedError);
    for (const char* format : {"fujitsu", "json"}) {
        const std::string text = robust_map_text(*report.robust, format);
        for (const Evaluation& shape : report.shapes) {
            const RankMapContext context = shape.placement.job().rank_maps();
            EXPECT_EQ(parse_rank_map(text, "robust", "", context), shape.placement.mapping()) << format;
        }
    }
}

TEST(MapShapes, a_robust_json_map_says_for_how_many_ranks_per_node_it_is) {
    const Allocation job = allocate(load_machine("mesh:2x2"), {.ranks_per_node = 2});
    const RankMapContext context{.allocation = &job};
    const auto read = [&](const std::string& keys) {
        return parse_rank_map(R"({"schema": "haichi-mapping/1", )" + keys + "}", "map", "json", context);
    };
    EXPECT_EQ(read(R"("position_of_rank": [7, 0])").node(RankId(0)), NodeId(3));
    EXPECT_THROW((void)read(R"("ranks_per_node": 1, "position_of_rank": [3, 0])"), InputError);
    EXPECT_THROW((void)read(R"("position_of_rank": [8])"), InputError);
    EXPECT_THROW((void)read(R"("position_of_rank": [0, 1], "node_of_rank": [0, 1])"), InputError);
    EXPECT_THROW((void)read(R"("position_of_rank": ["a"])"), InputError);
}

TEST(MapShapes, rotations_count_when_asked_for) {
    MapOptions options = quick_search(2'000);
    options.search.verify = VerifyLevel::kEnd;
    const RobustPlacement robust = map_robust(paper_jobs(), {RobustMeasure::kMean, true}, options);
    double sum = 0;
    std::size_t count = 0;
    for (const auto& rotations : robust.rotations) {
        for (const RotationReport& rotation : rotations) sum += rotation.value;
        count += rotations.size();
    }
    EXPECT_EQ(count, 18U);
    EXPECT_NEAR(robust.value, sum / static_cast<double>(count), 1e-12);
}

TEST(MapShapes, a_robust_placement_is_not_searched_on_logical_tori) {
    const std::vector<Job> jobs = paper_jobs();
    for (const char* objective : {"rmatt-3d", "weighted(tac3=0.5,rmatt-3d=0.5)"}) {
        EXPECT_THROW(map_robust(jobs, {}, {.objective = {objective}}), UnsupportedError) << objective;
    }
}

TEST(MapShapes, without_robust_every_shape_has_its_own_placement) {
    const ShapesReport report = evaluate_shapes(map_shapes(paper_jobs(), quick_search(500)), kBrief);
    ASSERT_EQ(report.shapes.size(), 3U);
    EXPECT_FALSE(report.robust);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(report.shapes[k].placement.job().allocation().shape, kPaperShapes[k]);
        EXPECT_EQ(&report.shapes[k].placement.job().workload(), &report.shapes[0].placement.job().workload())
            << "loaded once";
    }
}

TEST(MapShapes, shapes_of_other_sizes_cannot_share_a_placement) {
    const std::vector<Job> jobs = paper_jobs({{1, 2, 4, 2, 3, 2}, {2, 2, 4, 2, 3, 2}});
    EXPECT_THROW(map_robust(jobs, {}, quick_search()), OptionError);
}

}  // namespace
}  // namespace haichi
