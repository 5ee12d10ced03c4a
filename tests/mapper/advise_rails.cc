#include "mapper/advise/rails.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/commlog/sample_logs.h"

namespace haichi {
namespace {

using samples::function;
using samples::messages;

JobLog job_of(std::vector<RankRecord> records) {
    for (RankRecord& record : records) samples::count_mpi_seconds(record);
    return join_ranks(std::move(records), "test");
}

std::string all_of(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += sentence + "\n";
    return text;
}

RailAdvice advice_of(const JobLog& job, const std::string& library = "Open MPI 4.1.4", std::int32_t interfaces = 4) {
    const JobTotals totals = job_totals(job);
    return advise_rails(rail_signs(job, totals), job.rank_count, library, interfaces);
}

/// Each rank waits a different time for large messages.
std::vector<RankRecord> crash_code() {
    std::vector<RankRecord> records;
    for (std::int32_t r = 0; r < 8; ++r) {
        RankRecord record = samples::rank_record(r, 8, 100);
        record.log.profile.functions = {
            function("MPI_Allreduce", 100, 10.0 + 3 * r, messages({{1 << 20, 90}, {8, 10}}), messages({{1 << 20, 90}})),
            function("MPI_Recv", 50, 8, {}, messages({{1 << 18, 50}})),
            function("MPI_Send", 50, 1, messages({{1 << 18, 50}}))};
        records.push_back(std::move(record));
    }
    return records;
}

/// All ranks spend the same time in broadcasts of 8 to 15 bytes.
std::vector<RankRecord> climate_code() {
    std::vector<RankRecord> records;
    for (std::int32_t r = 0; r < 8; ++r) {
        RankRecord record = samples::rank_record(r, 8, 6.44);
        const auto sizes = messages({{8, 700}, {12, 230}, {2048, 70}});
        record.log.profile.functions = {function("MPI_Bcast", 1000, 3, sizes, sizes)};
        records.push_back(std::move(record));
    }
    return records;
}

TEST(MeasuredRails, the_crash_code_is_told_four_rails_at_every_size_and_that_the_gain_grows) {
    const std::vector<MeasuredRun> runs = {{"", 64, 1, 18939},  {"", 64, 2, 17680},  {"", 64, 4, 17592},
                                           {"", 128, 1, 15514}, {"", 128, 2, 12300}, {"", 128, 4, 11060},
                                           {"", 272, 1, 20221}, {"", 272, 2, 13074}, {"", 272, 4, 9846}};
    const std::vector<RailAdvice> advices = advise_rails(runs, "MVAPICH2 2.3");
    ASSERT_EQ(advices.size(), 3U);
    for (const RailAdvice& advice : advices) {
        EXPECT_EQ(advice.choice, RailChoice::kNumber);
        EXPECT_EQ(advice.rails, 4);
        EXPECT_EQ(advice.settings, std::vector<std::string>{"MV2_NUM_HCAS=4"});
    }
    EXPECT_NEAR(advices[0].gain, 18939.0 / 17592, 1e-12);
    EXPECT_NEAR(advices[2].gain, 20221.0 / 9846, 1e-12);
    EXPECT_NE(all_of(advices[0].reasons).find("only 0.5% faster"), std::string::npos);
    EXPECT_EQ(all_of(advices[2].reasons), "measured: 20221 s with 1 NIC, 13074 s with 2 NICs, 9846 s with 4 NICs\n");
    EXPECT_EQ(rail_trend(advices),
              "the gain grows with the number of ranks: 1.08, 1.40 and 2.05 times at 64, 128 and 272");
}

TEST(RailFile, has_the_variables_of_each_job_without_unknown_numbers) {
    RailAdviceReport report;
    RailAdvice& fewer = report.advices.emplace_back();
    fewer.processes = 32;
    fewer.nodes = 8;
    fewer.settings = rail_settings("Open MPI v4.1.4", 1);
    RailAdvice& more = report.advices.emplace_back();
    more.processes = 64;
    more.settings = rail_settings("MPICH Version: 4.0.2", 0);
    EXPECT_EQ(rail_file_text(report),
              "haichi-rails/1\n"
              "ranks 32 nodes 8 UCX_MAX_RNDV_RAILS=1 OMPI_MCA_btl_openib_max_btls=1\n"
              "ranks 64 nodes 0\n");
    report.advices.erase(report.advices.begin());
    EXPECT_THROW(rail_file_text(report), OptionError);
}

TEST(MeasuredRails, the_climate_code_is_told_one_rail) {
    const std::vector<MeasuredRun> runs = {{"", 160, 4, 7.07}, {"", 160, 1, 6.44}, {"", 160, 2, 6.58}};
    const std::vector<RailAdvice> advices = advise_rails(runs, "MVAPICH2 2.3");
    ASSERT_EQ(advices.size(), 1U);
    EXPECT_EQ(advices[0].rails, 1);
    EXPECT_EQ(advices[0].gain, 1);
    EXPECT_EQ(advices[0].settings, std::vector<std::string>{"MV2_NUM_HCAS=1"});
    EXPECT_EQ(rail_trend(advices), "");
}

TEST(MeasuredRails, runs_with_one_number_of_rails_decide_nothing_and_of_equal_runs_the_fastest_counts) {
    EXPECT_TRUE(advise_rails(std::vector<MeasuredRun>{{"", 64, 1, 5}, {"", 128, 2, 4}, {"", 64, 0, 1}}, "").empty());
    const auto advices = advise_rails(std::vector<MeasuredRun>{{"", 8, 1, 5}, {"", 8, 2, 6}, {"", 8, 2, 4}}, "");
    ASSERT_EQ(advices.size(), 1U);
    EXPECT_EQ(advices[0].rails, 2);
}

TEST(ProfiledRails, large_messages_at_scattered_times_ask_for_all_rails) {
    const RailAdvice advice = advice_of(job_of(crash_code()));
    EXPECT_EQ(advice.choice, RailChoice::kMore);
    const std::string reasons = all_of(advice.reasons);
    EXPECT_NE(reasons.find("100.0% of the bytes are in messages of 16 KiB or more"), std::string::npos) << reasons;
    EXPECT_NE(reasons.find("at scattered times"), std::string::npos) << reasons;
    EXPECT_EQ(advice.settings, (std::vector<std::string>{"UCX_MAX_RNDV_RAILS=4 (over UCX)",
                                                         "OMPI_MCA_btl_openib_max_btls=4 (over openib)"}));
}

TEST(ProfiledRails, small_messages_of_all_ranks_at_once_ask_for_one) {
    const RailAdvice advice = advice_of(job_of(climate_code()), "MVAPICH2 2.3");
    EXPECT_EQ(advice.choice, RailChoice::kFewer);
    const std::string reasons = all_of(advice.reasons);
    EXPECT_NE(reasons.find("93.0% of the messages are below 1 KiB"), std::string::npos) << reasons;
    EXPECT_NE(reasons.find("collectives take 100.0% of the time in MPI, with 2 ranks per node"), std::string::npos)
        << reasons;
    EXPECT_EQ(advice.settings, std::vector<std::string>{"MV2_NUM_HCAS=1"});
}

TEST(ProfiledRails, contradicting_signs_and_missing_ones_are_no_advice) {
    std::vector<RankRecord> simultaneous = crash_code();
    for (RankRecord& record : simultaneous) {
        record.log.profile.functions[0].seconds_total = 20;
    }
    const RailAdvice large = advice_of(job_of(std::move(simultaneous)));
    EXPECT_EQ(large.choice, RailChoice::kUnknown);
    EXPECT_TRUE(large.settings.empty());
    EXPECT_NE(large.reasons.back().find("simultaneous communication favours fewer"), std::string::npos);

    std::vector<RankRecord> silent = climate_code();
    for (RankRecord& record : silent) record.log.profile.functions = {function("MPI_Barrier", 10, 3)};
    EXPECT_EQ(advice_of(job_of(std::move(silent))).choice, RailChoice::kUnknown);
}

TEST(ProfiledRails, time_of_waiting_belongs_to_what_was_posted) {
    std::vector<RankRecord> records;
    for (std::int32_t r = 0; r < 4; ++r) {
        RankRecord record = samples::rank_record(r, 4, 100);
        record.log.profile.functions = {function("MPI_Irecv", 50, 0.1, {}, messages({{1 << 20, 50}})),
                                        function("MPI_Isend", 50, 0.1, messages({{1 << 20, 50}})),
                                        function("MPI_Waitall", 50, 10.0 + 5 * r)};
        records.push_back(std::move(record));
    }
    const JobLog job = job_of(std::move(records));
    const RailSigns signs = rail_signs(job, job_totals(job));
    EXPECT_NEAR(signs.large_time, 1, 1e-9);
    EXPECT_EQ(signs.small_time, 0);
}

TEST(ProfiledRails, where_mpi_hardly_takes_time_one_rail_does) {
    std::vector<RankRecord> records = crash_code();
    for (RankRecord& record : records) record.log.profile.wall_seconds = 1e5;
    EXPECT_EQ(advice_of(job_of(std::move(records))).choice, RailChoice::kFewer);
}

}  // namespace
}  // namespace haichi
