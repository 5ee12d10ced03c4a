#include "commlog/log/site_totals.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "base/errors.h"
#include "tests/commlog/empty_part.h"
#include "tests/commlog/sample_logs.h"

namespace haichi {
namespace {

struct Free {
    void operator()(ProfileMemory* memory) const { std::free(memory); }
};
using Part = std::unique_ptr<ProfileMemory, Free>;

/// The part of rank 1 of 4, with one function, one module at 0x5000 and one region.
Part part() {
    Part part(empty_part());
    ProfileHeader& header = part->header;
    header.function_count = 2;
    std::memcpy(header.function_names[1], "MPI_Send", 9);
    header.communicator_count = 1;
    header.segment_count = 1;
    part->communicators[0] = {1, 4, 0, 0, 1, 0, 0};
    part->segments[0] = {0, 1, 4};
    header.module_count = 1;
    part->modules[0] = {0x5000, 0x9000, 0x5000, 2, {0xab, 0x01}, "/opt/app/ring"};
    header.region_count = 1;
    header.has_call_sites = 1;
    std::memcpy(part->regions[0].name, "solve", 6);
    for (std::uint32_t t = 0; t < 2; ++t) part->threads[t].functions[1].add_call(100);
    return part;
}

TEST(CallSites, threads_are_added_up_and_addresses_become_offsets) {
    const Part memory = part();
    memory->threads[0].sites[7] = {0x5040, site_key(1, 0, 1), 3, 300, 50, 200, 30, 0};
    memory->threads[1].sites[9] = {0x5040, site_key(1, 0, 1), 1, 20, 20, 20, 10, 5};
    memory->threads[1].regions[0] = {2, 700};
    const RankRecord rank = decode_rank(encode_rank(read_rank(*memory, "part")), "record");
    ASSERT_EQ(rank.log.profile.sites.size(), 1U);
    const SiteProfile& site = rank.log.profile.sites[0];
    EXPECT_EQ(site.offset, 0x40U);
    EXPECT_EQ(rank.log.profile.modules[site.module].build_id, "ab01");
    EXPECT_EQ(rank.log.profile.functions[site.function].name, "MPI_Send");
    EXPECT_EQ(site.calls, 4U);
    EXPECT_DOUBLE_EQ(site.seconds_total, 0.32);
    EXPECT_DOUBLE_EQ(site.seconds_min, 0.02);
    EXPECT_DOUBLE_EQ(site.seconds_max, 0.2);
    EXPECT_EQ(site.sent_bytes, 40U);
    EXPECT_EQ(rank.log.profile.regions[site.region - 1].name, "solve");
    EXPECT_DOUBLE_EQ(rank.log.profile.regions[0].seconds, 0.7);
}

TEST(CallSites, what_a_damaged_part_names_must_be_there) {
    const auto read_with = [](std::uint64_t key) {
        const Part memory = part();
        memory->threads[0].sites[0] = {0x5040, key, 1, 1, 1, 1, 0, 0};
        return read_rank(*memory, "part").log.profile.sites.size();
    };
    EXPECT_EQ(read_with(site_key(1, kNoCommunicator, 0)), 1U);
    EXPECT_EQ(read_with(site_key(1, kUnknownCommunicator, 0)), 1U);
    EXPECT_EQ(read_with(site_key(0, 0, 0)), 0U);     // a function without calls
    EXPECT_EQ(read_with(site_key(9999, 0, 0)), 0U);  // an unknown function
    EXPECT_THROW(read_with(site_key(1, 1, 0)), InputError);
    EXPECT_THROW(read_with(site_key(1, 0, 2)), InputError);
    const Part memory = part();
    memory->header.module_count = kMostModules + 1;
    EXPECT_THROW(read_rank(*memory, "part"), InputError);
}

/// A rank with calls of one function from one call site, on MPI_COMM_WORLD.
RankRecord rank_with(std::int32_t rank, const std::string& function, std::uint64_t calls, double seconds,
                     double least) {
    RankRecord record = samples::rank_record(rank, 2, 10);
    record.log.profile.functions = {samples::function(function, calls, seconds)};
    record.log.profile.modules = {{"/opt/app/ring", "ab01"}};
    record.log.profile.sites = {{0, 0x40, 0, 0, 0, calls, seconds, least, seconds, 100, 0}};
    return record;
}

TEST(CallSites, ranks_are_added_up_by_place) {
    const JobLog log =
        join_ranks({rank_with(0, "MPI_Bcast", 4, 0.4, 0.1), rank_with(1, "MPI_Bcast", 2, 0.1, 0.05)}, "test");
    const auto sites = call_site_totals(log);
    ASSERT_EQ(sites.size(), 1U);
    EXPECT_EQ(sites[0].totals.ranks, 2);
    EXPECT_EQ(sites[0].totals.calls, 6U);
    EXPECT_DOUBLE_EQ(sites[0].totals.seconds_total, 0.5);
    EXPECT_DOUBLE_EQ(sites[0].totals.seconds_min, 0.05);
    EXPECT_EQ(sites[0].totals.sent_bytes, 200U);
}

TEST(Waiting, lies_between_what_a_rank_spends_more_and_what_calls_take_longer) {
    const JobLog log =
        join_ranks({rank_with(0, "MPI_Barrier", 4, 0.4, 0.05), rank_with(1, "MPI_Barrier", 4, 1.2, 0.1)}, "test");
    const auto communicators = communicator_totals(log);
    ASSERT_EQ(communicators.size(), 1U);
    const Waiting& waiting = communicators[0].waiting;
    EXPECT_DOUBLE_EQ(waiting.at_least, 0.8);
    EXPECT_DOUBLE_EQ(waiting.at_most, (0.4 - 4 * 0.05) + (1.2 - 4 * 0.05));
    EXPECT_DOUBLE_EQ(waiting.of_seconds, 1.6);
}

TEST(Waiting, is_not_known_of_unequal_numbers_of_calls_nor_of_operations_that_need_not_wait) {
    for (const auto& [function, calls] : {std::pair("MPI_Barrier", 5U), std::pair("MPI_Bcast", 4U)}) {
        const JobLog log =
            join_ranks({rank_with(0, function, 4, 0.4, 0.05), rank_with(1, function, calls, 1.2, 0.1)}, "test");
        EXPECT_EQ(communicator_totals(log).front().waiting.of_seconds, 0) << function;
    }
}

}  // namespace
}  // namespace haichi
