#include "commlog/log/job_totals.h"

#include <gtest/gtest.h>

#include "commlog/log/function_kind.h"
#include "tests/commlog/sample_logs.h"

namespace haichi {
namespace {

using samples::function;
using samples::messages;

std::vector<PairTraffic> pairs_of(const JobLog& job) {
    std::vector<PairTraffic> pairs;
    visit_pairs(job, [&](const PairTraffic& pair) { pairs.push_back(pair); });
    return pairs;
}

TEST(JobTotals, functions_are_added_over_the_ranks_and_sorted_by_time) {
    const JobTotals totals = job_totals(join_ranks(samples::ring(4), "test"));
    ASSERT_EQ(totals.functions.size(), 4U);
    const FunctionTotals& receive = totals.functions.front();
    EXPECT_EQ(receive.name, "MPI_Recv");
    EXPECT_EQ(receive.ranks, 4);
    EXPECT_EQ(receive.calls, 40U);
    EXPECT_EQ(receive.received.count, 40U);
    EXPECT_EQ(receive.received.bytes_total, 40U << 20);
    EXPECT_EQ(receive.received.classes[20], 40U);
    EXPECT_EQ(receive.sent.count, 0U);
    EXPECT_DOUBLE_EQ(receive.seconds_total, 0.5 * (1 + 0.9 + 0.8 + 0.7));
    EXPECT_DOUBLE_EQ(receive.seconds_min, 0.5 * 0.7 / 10);
    EXPECT_DOUBLE_EQ(receive.seconds_max, 0.5 * 1.0 / 10);
    EXPECT_EQ(totals.hosts, (std::vector<std::string>{"node0", "node1"}));
}

TEST(JobTotals, the_balance_names_the_first_least_and_most_loaded_ranks) {
    const JobTotals totals = job_totals(join_ranks(samples::ring(4), "test"));
    EXPECT_EQ(totals.mpi.max_rank, 0);
    EXPECT_EQ(totals.mpi.min_rank, 3);
    EXPECT_EQ(totals.computing.max_rank, 3);
    EXPECT_EQ(totals.wall.min_rank, 0);
    EXPECT_EQ(totals.wall.max_rank, 0);
    EXPECT_NEAR(totals.mpi.mean, 0.85, 1e-12);
    EXPECT_NEAR(totals.mpi.deviation, std::sqrt((0.0225 + 0.0025) / 2), 1e-12);
    EXPECT_NEAR(totals.computing_seconds + totals.mpi_seconds, 8, 1e-12);
}

TEST(JobTotals, a_function_is_spoiled_from_a_tenth_of_its_mean_on_if_it_has_much_of_the_time) {
    std::vector<RankRecord> records = {samples::rank_record(0, 1, 2)};
    records[0].log.own_ns_per_call = 30;
    // 300 ns a call, 301 ns a call, and a short function with little of the time.
    records[0].log.profile.functions = {function("MPI_Iprobe", 1'000'000, 0.300),
                                        function("MPI_Test", 1'000'000, 0.301),
                                        function("MPI_Comm_rank", 1'000, 0.00003)};
    samples::count_mpi_seconds(records[0]);
    const JobTotals totals = job_totals(join_ranks(std::move(records), "test"));
    ASSERT_EQ(totals.functions.size(), 3U);
    EXPECT_FALSE(is_spoiled(totals.functions[0], totals)) << totals.functions[0].own_share();
    EXPECT_TRUE(is_spoiled(totals.functions[1], totals)) << totals.functions[1].own_share();
    EXPECT_NEAR(totals.functions[2].own_share(), 1, 1e-9);
    EXPECT_FALSE(is_spoiled(totals.functions[2], totals));
}

TEST(Pairs, are_those_of_the_senders_in_rank_order) {
    const std::vector<PairTraffic> pairs = pairs_of(join_ranks(samples::ring(4), "test"));
    ASSERT_EQ(pairs.size(), 4U);
    for (std::int32_t r = 0; r < 4; ++r) {
        const PairTraffic& pair = pairs[static_cast<std::size_t>(r)];
        EXPECT_EQ(pair.source, r);
        EXPECT_EQ(pair.destination, (r + 1) % 4);
        EXPECT_EQ(pair.messages, 10U);
        EXPECT_EQ(pair.bytes, 10U << 20);
        EXPECT_FALSE(pair.from_receiver);
    }
}

TEST(Pairs, of_a_rank_without_data_are_those_that_its_receivers_know_of) {
    std::vector<RankRecord> records = samples::ring(4);
    records.erase(records.begin() + 1);
    const std::vector<PairTraffic> pairs = pairs_of(join_ranks(std::move(records), "test"));
    ASSERT_EQ(pairs.size(), 4U);
    EXPECT_EQ(pairs.back().source, 1);
    EXPECT_EQ(pairs.back().destination, 2);
    EXPECT_EQ(pairs.back().bytes, 10U << 20);
    EXPECT_TRUE(pairs.back().from_receiver);
}

TEST(Pairs, come_from_the_call_log_where_there_is_no_profile) {
    std::vector<RankRecord> records = samples::ring(3);
    for (RankRecord& record : records) record.log.profile = {};
    const std::vector<PairTraffic> pairs = pairs_of(join_ranks(std::move(records), "test"));
    ASSERT_EQ(pairs.size(), 3U);
    EXPECT_EQ(pairs[2].source, 2);
    EXPECT_EQ(pairs[2].destination, 0);
    EXPECT_EQ(pairs[2].messages, 10U);
    EXPECT_EQ(pairs[2].bytes, 10U << 20);
}

TEST(Pairs, leave_out_processes_outside_the_job) {
    std::vector<RankRecord> records = {samples::rank_record(0, 1, 2)};
    records[0].log.profile.peers = {{kOutside, {5, 50, 5, 50}}};
    EXPECT_TRUE(pairs_of(join_ranks(std::move(records), "test")).empty());
}

TEST(FunctionKind, goes_by_the_name) {
    EXPECT_EQ(function_kind("MPI_Sendrecv_replace"), FunctionKind::kPointToPoint);
    EXPECT_EQ(function_kind("MPI_Imrecv_c"), FunctionKind::kPointToPoint);
    EXPECT_EQ(function_kind("MPI_Startall"), FunctionKind::kPointToPoint);
    EXPECT_EQ(function_kind("MPI_Waitsome"), FunctionKind::kCompletion);
    EXPECT_EQ(function_kind("MPI_Ialltoallw"), FunctionKind::kCollective);
    EXPECT_EQ(function_kind("MPI_Neighbor_alltoallv"), FunctionKind::kCollective);
    EXPECT_EQ(function_kind("MPI_Reduce_local"), FunctionKind::kOther);
    EXPECT_EQ(function_kind("MPI_Get_count"), FunctionKind::kOther);
    EXPECT_EQ(function_kind("MPI_Get_accumulate"), FunctionKind::kOneSided);
    EXPECT_EQ(function_kind("MPI_Get"), FunctionKind::kOneSided);
    EXPECT_EQ(function_kind("MPI_Dist_graph_neighbors"), FunctionKind::kOther);
    EXPECT_EQ(function_kind("MPI_Comm_split"), FunctionKind::kOther);
}

}  // namespace
}  // namespace haichi
