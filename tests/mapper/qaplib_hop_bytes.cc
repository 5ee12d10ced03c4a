#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "commlog/readers/readers.h"
#include "tests/mapper/jobs.h"

namespace haichi {
namespace {

using Numbers = std::vector<std::int64_t>;

/// nug12: 12, the flow, the distances of a 3 x 4 grid.
Numbers instance() {
    std::ifstream file(HAICHI_TEST_DATA "/nug12.dat");
    Numbers numbers;
    for (std::int64_t number = 0; file >> number;) numbers.push_back(number);
    return numbers;
}

std::string qaplib_text(const Numbers& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += std::to_string(number) + (text.empty() ? "\n" : " ");
    return text;
}

std::int64_t hop_bytes(const Workload& workload, const std::vector<NodeId>& node_of_rank) {
    const Job job({.machine = "mesh:3x4", .traffic = {.source = workload}});
    return evaluate(given_placement(job, node_of_rank)).metrics.hop_bytes;
}

TEST(QaplibHopBytes, of_a_placement_on_the_grid_are_the_objective_of_the_instance) {
    const Numbers numbers = instance();
    const std::size_t n = 12;
    ASSERT_EQ(numbers.size(), 1 + 2 * n * n);
    const Workload workload = read_workload(HAICHI_TEST_DATA "/nug12.dat");
    Numbers swapped = {12};
    swapped.insert(swapped.end(), numbers.begin() + 1 + n * n, numbers.end());
    swapped.insert(swapped.end(), numbers.begin() + 1, numbers.begin() + 1 + n * n);
    const Workload distances_first = parse_workload(qaplib_text(swapped), "swapped");
    EXPECT_EQ(workload.total_bytes(), std::accumulate(numbers.begin() + 1, numbers.begin() + 1 + n * n, 0));

    std::vector<NodeId> place(n);
    for (std::size_t i = 0; i < n; ++i) place[i] = NodeId(static_cast<std::int32_t>(i));
    Random random(1);
    for (int trial = 0; trial < 20; ++trial) {
        for (std::size_t i = n; i > 1; --i) std::swap(place[i - 1], place[random.below(static_cast<std::uint32_t>(i))]);
        std::int64_t objective = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                objective += numbers[1 + i * n + j] * numbers[1 + n * n + place[i].index() * n + place[j].index()];
            }
        }
        EXPECT_EQ(hop_bytes(workload, place), objective);
        EXPECT_EQ(hop_bytes(distances_first, place), objective);
    }
}

TEST(QaplibHopBytes, annealing_finds_the_proved_optimum_of_nug12) {
    testing_jobs::Asked asked;
    asked.job = {.machine = "mesh:3x4", .traffic = {.source = WorkloadFile{HAICHI_TEST_DATA "/nug12.dat"}}};
    asked.search.objective.name = "hop-bytes";
    asked.search.search.restarts = 8;
    EXPECT_EQ(testing_jobs::found(asked).metrics.hop_bytes, 578);
}

}  // namespace
}  // namespace haichi
