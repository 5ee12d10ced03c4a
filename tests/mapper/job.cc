#include "mapper/job/job.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "mapper/judge/simulate.h"
#include "tests/base/temporary_folder.h"
#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

using testing_jobs::cg;
using testing_jobs::found;

JobSpec cg16(const std::string& machine = "mesh:4x6") { return {.machine = machine, .traffic = {.source = cg(16)}}; }

std::vector<VertexId> vertices(const Job& job) {
    std::vector<VertexId> list;
    for (std::int32_t n = 0; n < job.allocation().node_count(); ++n) {
        list.push_back(job.allocation().network.vertex(NodeId(n)));
    }
    return list;
}

TEST(Job, lists_of_nodes_are_files_numbers_or_coordinates) {
    JobSpec file = cg16();
    JobSpec numbers = file;
    JobSpec coordinates = file;
    std::string text;
    std::vector<std::int32_t> listed;
    std::vector<Coordinates> at;
    for (std::int32_t n = 20; n >= 4; --n) {
        text += std::to_string(n) + "\n";
        listed.push_back(n);
        at.push_back({n / 6, n % 6});
    }
    file.allocation.nodes = testing_files::written("nodes", text);
    numbers.allocation.nodes = listed;
    coordinates.allocation.nodes = at;
    EXPECT_EQ(vertices(Job(numbers)), vertices(Job(file)));
    EXPECT_EQ(vertices(Job(coordinates)), vertices(Job(file)));
    numbers.allocation.nodes = std::vector<std::int32_t>{3, 24};
    EXPECT_THROW((void)Job(numbers), OptionError) << "the mesh has 24 nodes";
    numbers.allocation.nodes = std::vector<std::int32_t>{3, 4, 3};
    EXPECT_THROW((void)Job(numbers), OptionError);
    numbers.allocation.nodes = std::vector<std::int32_t>{};
    EXPECT_THROW((void)Job(numbers), OptionError);
    coordinates.allocation.nodes = std::vector<Coordinates>{{1, 2, 3}};
    EXPECT_THROW((void)Job(coordinates), OptionError);
    coordinates.allocation.nodes = std::vector<Coordinates>{{1, 6}};
    EXPECT_THROW((void)Job(coordinates), OptionError);
}

TEST(Job, faulty_nodes_are_values_too_and_may_be_none) {
    JobSpec spec = cg16("fx10:2x2x2");
    spec.allocation.faulty = std::vector<Coordinates>{{0, 1, 0, 1, 2, 0}};
    const Job job(spec);
    EXPECT_EQ(job.allocation().network.usable_node_count(), job.allocation().node_count() - 1);
    spec.allocation.faulty = std::vector<std::int32_t>{};
    EXPECT_EQ(Job(spec).allocation().network.usable_node_count(), job.allocation().node_count());
}

TEST(Job, host_names_are_a_pattern_or_the_names) {
    JobSpec pattern = cg16("mesh:16");
    pattern.hosts = "n%d";
    JobSpec names = pattern;
    std::vector<std::string> list;
    for (int i = 0; i < 16; ++i) list.push_back("n" + std::to_string(i));
    names.hosts = list;
    for (std::int32_t n = 0; n < 16; ++n) {
        EXPECT_EQ(Job(names).hosts()->name(NodeId(n)), Job(pattern).hosts()->name(NodeId(n)));
    }
    EXPECT_EQ(Job(cg16()).hosts(), nullptr);
    list.pop_back();
    names.hosts = list;
    EXPECT_THROW((void)Job(names), InputError);
    list.emplace_back("n0");
    names.hosts = list;
    EXPECT_THROW((void)Job(names), InputError) << "twice";
    list.back() = "no host";
    names.hosts = list;
    EXPECT_THROW((void)Job(names), InputError);
}

TEST(Job, copies_and_other_message_sizes_share_what_is_equal) {
    const Job job(cg16());
    const Job copy = job;
    EXPECT_EQ(&copy.workload(), &job.workload());
    const Job sized = job.with_message_size(17);
    EXPECT_EQ(&sized.allocation(), &job.allocation());
    EXPECT_EQ(sized.workload().messages().front().size_bytes, 17);
    EXPECT_NE(job.workload().messages().front().size_bytes, 17);
}

TEST(Job, its_problem_is_made_once_while_somebody_holds_it) {
    const Job job(cg16());
    std::weak_ptr<const JobProblem> gone;
    {
        const auto held = job.problem();
        EXPECT_EQ(Job(job).problem(), held);
        gone = held;
    }
    EXPECT_TRUE(gone.expired());
    EXPECT_EQ(&job.problem()->problem.workload(), &job.workload());
}

TEST(Placement, knows_its_job_and_how_it_was_found) {
    const Job job(cg16());
    const Placement usual(job);
    EXPECT_TRUE(usual.is_default());
    EXPECT_EQ(usual.search(), nullptr);
    const Placement searched = map(job, {.strategy = "greedy"});
    EXPECT_EQ(searched.search()->strategy, "greedy");
    const auto nodes = searched.mapping().node_of_rank();
    const Placement given = given_placement(job, std::vector<NodeId>(nodes.begin(), nodes.end()));
    EXPECT_EQ(given.mapping(), searched.mapping());
    EXPECT_FALSE(given.is_default());
    EXPECT_EQ(&given.job().workload(), &job.workload());
    EXPECT_THROW((void)given_placement(job, std::vector<NodeId>(3)), OptionError);
}

TEST(Map, starts_at_a_placement_as_at_the_strategy_that_made_it) {
    const Job job(cg16());
    MapOptions options;
    options.objective.name = "tac3";
    options.search.evaluations = 200;
    options.search.restarts = 1;
    options.start = "greedy";
    const Placement by_name = map(job, options);
    const Placement greedy = map(job, {.strategy = "greedy"});
    const auto nodes = greedy.mapping().node_of_rank();
    options.start = std::vector<NodeId>(nodes.begin(), nodes.end());
    EXPECT_EQ(map(job, options).mapping(), by_name.mapping());
}

TEST(Evaluate, tells_what_was_asked_for_and_nothing_else) {
    const Placement placement{Job(cg16("fx10:2x2x2"))};
    const Evaluation brief = evaluate(placement, {.all_objectives = false, .most_loaded_links = 0});
    EXPECT_TRUE(brief.objectives.empty());
    EXPECT_TRUE(brief.most_loaded_links.empty());
    EXPECT_FALSE(brief.simulated);
    EXPECT_EQ(brief.asked.value, brief.usual.value);
    const Evaluation all = evaluate(placement, {.most_loaded_links = 3, .simulation = SimulationOptions{}});
    EXPECT_GT(all.objectives.size(), 5U);
    EXPECT_EQ(all.most_loaded_links.size(), 3U);
    EXPECT_EQ(all.simulated->runs.front().result.seconds, simulate(placement, {}).runs.front().result.seconds);
}

TEST(Evaluate, simulated_time_needs_a_simulation_unless_the_search_made_one) {
    testing_jobs::Asked asked = testing_jobs::asked("fx10:2x2x2", cg(16), "simulated-time");
    EXPECT_THROW((void)evaluate(Placement(Job(asked.job)), {.objective = {"simulated-time"}}), OptionError);
    asked.search.search.evaluations = 500;
    asked.search.search.restarts = 2;
    const Evaluation ranked = found(asked);
    EXPECT_EQ(ranked.asked.objective, "simulated-time");
    EXPECT_EQ(ranked.searched_objective, "tac3");
    EXPECT_LE(ranked.asked.value, ranked.usual.value);
}

}  // namespace
}  // namespace haichi
