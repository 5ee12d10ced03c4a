#include "commlog/readers/log_readers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/traces/trace_readers.h"
#include "tests/base/temporary_folder.h"
#include "tests/commlog/call_text.h"
#include "tests/commlog/log_samples.h"

namespace haichi {
namespace {

using call_text::calls_of;
using namespace log_samples;
using Lines = std::vector<std::string>;

std::string beginning_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Sample {
    std::string file, format;
    std::int32_t ranks;
    bool has_calls;
};
const std::vector<Sample>& sample_files() {
    static const std::vector<Sample> kSamples = {{"tit/ring.tit", "tit", 4, true},
                                                 {"tit/null.tit", "tit", 3, true},
                                                 {"open-mpi-monitoring/ring.0.prof", "open-mpi-monitoring", 4, false},
                                                 {"dumpi/dumpi-0000.txt", "dumpi", 4, true},
                                                 {"goal/exchange.goal", "goal", 3, true},
                                                 {"mpip/ring.4.1234.1.mpiP", "mpip", 4, false},
                                                 {"ipm/full.ipm.xml", "ipm", 2, false},
                                                 {"ipm/ipm1.xml", "ipm", 2, false},
                                                 {"ipm/banner.txt", "ipm", 4, false},
                                                 {"ipm/banner1.txt", "ipm", 2, false},
                                                 {"paraver/ring.prv", "paraver", 3, true}};
    return kSamples;
}

TEST(LogReaders, every_sample_is_recognised_by_exactly_its_own_row) {
    for (const Sample& s : sample_files()) {
        const std::string prefix = beginning_of(sample(s.file));
        for (const LogFormat& format : log_formats()) {
            EXPECT_EQ(format.recognise(prefix), format.name == s.format) << s.file << " as " << format.name;
        }
        EXPECT_TRUE(is_log(prefix)) << s.file;
    }
}

TEST(LogReaders, every_sample_is_read_with_all_its_ranks) {
    for (const Sample& s : sample_files()) {
        const JobLog log = read_log(sample(s.file));
        EXPECT_EQ(log.format, s.format) << s.file;
        EXPECT_EQ(log.rank_count, s.ranks) << s.file;
        EXPECT_EQ(log.has_calls, s.has_calls) << s.file;
        EXPECT_TRUE(log.has_profile) << s.file;
        ASSERT_EQ(log.ranks.size(), static_cast<std::size_t>(s.ranks)) << s.file;
        EXPECT_EQ(log.communicators.front().members.size(), static_cast<std::size_t>(s.ranks)) << s.file;
        for (std::size_t r = 0; r < log.ranks.size(); ++r) {
            EXPECT_EQ(log.ranks[r].rank, static_cast<std::int32_t>(r)) << s.file;
            EXPECT_EQ(log.ranks[r].threads.empty(), !s.has_calls) << s.file;
            EXPECT_FALSE(log.ranks[r].profile.functions.empty()) << s.file;
        }
    }
}

TEST(LogReaders, logs_without_order_say_so_and_what_they_are_good_for) {
    EXPECT_TRUE(
        warns(read_log(sample("open-mpi-monitoring/ring.0.prof")), "hop-bytes, rmatt, rmatt-3d or max-link-load"));
    EXPECT_TRUE(warns(read_log(sample("ipm/full.ipm.xml")), "hop-bytes, rmatt, rmatt-3d or max-link-load"));
    EXPECT_TRUE(warns(read_log(sample("mpip/ring.4.1234.1.mpiP")), "but not for objectives"));
    EXPECT_TRUE(warns(read_log(sample("ipm/banner.txt")), "cannot compute objectives"));
}

TEST(LogReaders, workloads_and_prose_are_no_logs) {
    for (const char* const text :
         {"0 1 1024\n", "%%MatrixMarket matrix coordinate integer general\n", "{\"schema\": \"haichi-workload/1\"}",
          "0,1,2\n1,0,3\n", "Dear reader,\n", "", "\n\n", "12\n\n0 1 2\n", "source,destination,bytes\n"}) {
        EXPECT_FALSE(is_log(text)) << text;
    }
}

TEST(LogReaders, a_wrong_format_name_gets_a_suggestion) {
    try {
        (void)read_log("x", "paravr");
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_NE(error.hint().find("paraver"), std::string::npos);
    }
}

TEST(LogReaders, a_file_that_fits_nothing_is_told_with_its_first_line) {
    const testing_files::TemporaryFolder folder;
    try {
        (void)read_log(folder.written("x", "Dear reader,\n"));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("Dear reader,"), std::string::npos);
        EXPECT_NE(error.hint().find("dumpi"), std::string::npos);
    }
    EXPECT_THROW((void)read_log(folder.path() / "absent"), InputError);
    EXPECT_THROW((void)read_log(folder.written("empty", "")), InputError);
}

// --- SimGrid ---

TEST(TitReader, smpiruns_trace_of_the_ring_gives_the_calls_of_its_program) {
    const JobLog log = read_log(sample("tit/ring.tit"));
    Lines expected;
    for (int k = 0; k < 5; ++k) {
        for (const char* const line : {"irecv from 3 tag 7", "isend 512 to 1 tag 7", "complete 2 1", "allreduce 8 8"}) {
            expected.emplace_back(line);
        }
    }
    for (const char* const line : {"send 40 to 1 tag 3", "recv from 2 tag 9", "bcast 0 16 root 1", "ibarrier 0 0",
                                   "complete 1", "irecv from 3 tag 11", "send 4 to 1 tag 11", "complete 1",
                                   "gather 4 40 root 0", "alltoall 4 4", "reduce-scatter 32 8", "barrier 0 0"}) {
        expected.emplace_back(line);
    }
    EXPECT_EQ(calls_of(log, 0), expected);
    EXPECT_EQ(calls_of(log, 1)[20], "recv any");  // MPI_ANY_SOURCE and MPI_ANY_TAG
    EXPECT_EQ(traffic(log, 1, 2).sent_messages, 7U);
    EXPECT_EQ(function_of(log, 0, "MPI_Isend").sent.bytes_total, 5U * 512);
    EXPECT_TRUE(warns(log, "1 Gflop/s"));
}

TEST(TitReader, sends_to_nobody_are_dropped_and_persistent_ones_posted) {
    const JobLog log = read_log(sample("tit/null.tit"));
    const Lines expected = {"irecv from any tag any", "isend 8 to 2 tag 105",   "complete 2 1",
                            "irecv from 0 tag 106",   "isend 4 to 2 tag 106",   "complete 2 1",
                            "irecv from 0 tag any",   "isend 1 to 2 tag 0",     "complete 2 from 0 tag 0 1",
                            "isend 3 to 2 tag 108",   "irecv from any tag 108", "complete 2 1 from 0 tag 108"};
    Lines begin = calls_of(log, 1);
    begin.resize(expected.size());
    EXPECT_EQ(begin, expected);
    EXPECT_TRUE(warns(log, "MPI_PROC_NULL"));
    EXPECT_TRUE(warns(log, "counts of derived datatypes"));
}

TEST(TitReader, one_file_may_hold_all_ranks_and_old_traces_have_no_tags) {
    const JobLog log = parse_tit(
        "# merged\np0 init\np1 init\np0 compute 1e6\np0 isend p1 1024\n"
        "p1 irecv 0 1024\np1 wait\np0 wait\np0 finalize\np1 finalize\n",
        "t");
    EXPECT_EQ(calls_of(log, 0), (Lines{"isend 1024 to 1 tag 0", "complete 1"}));
    EXPECT_EQ(calls_of(log, 1), (Lines{"irecv from 0 tag 0", "complete 1"}));
    const CallSequence& calls = log.ranks[0].threads[0];
    EXPECT_EQ(calls.events[calls.sequence[0]].gap_total, 1'000'000U);
}

TEST(TitReader, one_file_of_more_ranks_than_are_read_at_once_is_read_in_passes) {
    constexpr int kRanks = 1100;
    std::string text;
    for (int step = 0; step < 2; ++step) {
        for (int r = kRanks - 1; r >= 0; --r) {
            const std::string rank = std::to_string(r);
            text += rank + " send " + std::to_string((r + 1) % kRanks) + " " + rank + " 8\n";
            text += rank + " recv " + std::to_string((r + kRanks - 1) % kRanks) + " 5 8\n";
        }
    }
    const JobLog log = parse_tit(text, "t");
    ASSERT_EQ(log.ranks.size(), static_cast<std::size_t>(kRanks));
    for (const int r : {0, 1, 511, 512, 1023, 1024, 1099}) {
        const Lines once = {"send 8 to " + std::to_string((r + 1) % kRanks) + " tag " + std::to_string(r),
                            "recv from " + std::to_string((r + kRanks - 1) % kRanks) + " tag 5"};
        EXPECT_EQ(calls_of(log, static_cast<std::size_t>(r)), (Lines{once[0], once[1], once[0], once[1]})) << r;
    }
    EXPECT_THROW((void)parse_tit(text + "1099 nonsense\n", "t"), InputError);
}

/// Returns the collective of rank 0 in a trace of `ranks` ranks that all call it.
std::string tit_collective(int ranks, const std::string& action) {
    std::string text;
    for (int r = 0; r < ranks; ++r) text += std::to_string(r) + " init\n";
    for (int r = 0; r < ranks; ++r) text += std::to_string(r) + " " + action + "\n";
    const Lines calls = calls_of(parse_tit(text, "t"), 0);
    return calls.size() == 1 ? calls.front() : "";
}

TEST(TitReader, datatypes_and_roots_may_be_missing_and_the_ranks_determine_the_positions) {
    // Datatype 1 has 4 bytes. Without a datatype, counts are bytes.
    EXPECT_EQ(tit_collective(3, "alltoallv 60 10 20 30 60 10 40 70"), "alltoall 60 120");
    EXPECT_EQ(tit_collective(3, "alltoallv 60 10 20 30 60 10 40 70 1"), "alltoall 240 480");
    EXPECT_EQ(tit_collective(3, "alltoallv 60 10 20 30 60 10 40 70 1 6"), "alltoall 240 120");
    EXPECT_EQ(tit_collective(4, "reducescatter 1000 2000 3000 4000 5000"), "reduce-scatter 10000 1000");
    EXPECT_EQ(tit_collective(4, "reducescatter 1000 2000 3000 4000 5000 1"), "reduce-scatter 40000 4000");
    EXPECT_EQ(tit_collective(3, "gatherv 5 5 6 7"), "gather 5 18 root 0");
    EXPECT_EQ(tit_collective(3, "gatherv 5 5 6 7 0"), "gather 5 18 root 0");
    EXPECT_EQ(tit_collective(3, "gatherv 5 5 6 7 0 1"), "gather 20 18 root 0");
    EXPECT_EQ(tit_collective(3, "gatherv 5 5 6 7 0 1 1"), "gather 20 72 root 0");
    EXPECT_EQ(tit_collective(3, "scatterv 5 6 7 5"), "scatter 18 5 root 0");
    EXPECT_EQ(tit_collective(3, "scatterv 5 6 7 5 0 1 1"), "scatter 72 20 root 0");
    EXPECT_EQ(tit_collective(2, "allgatherv 10 10 20"), "allgather 10 30");
    EXPECT_EQ(tit_collective(2, "allgatherv 10 10 20 1"), "allgather 40 120");
    EXPECT_EQ(tit_collective(2, "allgatherv 10 10 20 1 6"), "allgather 40 30");
    EXPECT_EQ(tit_collective(4, "allgatherv 10 10 20 5 5 0 10 30 35"), "allgather 10 40");
    EXPECT_EQ(tit_collective(4, "allgatherv 10 10 20 5 5 1 0 10 30 35"), "allgather 40 160");
    // A subcommunicator of two ranks, as SMPI writes it.
    EXPECT_EQ(tit_collective(6, "allgatherv 10 10 20 1 1"), "allgather 40 120");
    EXPECT_THROW((void)tit_collective(4, "alltoallv 60 10 20 30"), InputError);
}

TEST(TitReader, tests_in_a_row_complete_at_the_last_one_and_a_wait_after_them_is_nothing) {
    const JobLog log = parse_tit(
        "0 init\n0 isend 1 5 10 6\n0 test 0 1 5\n0 compute 3\n0 test 0 1 5\n0 barrier\n0 wait 0 1 5\n"
        "0 isend 1 5 10 6\n0 isend 1 5 20 6\n0 wait 0 1 5\n0 barrier\n0 wait 0 1 5\n",
        "t");
    EXPECT_EQ(calls_of(log, 0), (Lines{"isend 10 to 1 tag 5", "complete 1", "barrier 0 0", "isend 10 to 1 tag 5",
                                       "isend 20 to 1 tag 5", "complete 2", "barrier 0 0", "complete 1"}));
}

TEST(TitReader, many_repetitions_take_the_room_of_one) {
    std::string text = "0 init\n";
    for (int i = 0; i < 100'000; ++i) text += "0 irecv 1 1 64 0\n0 isend 1 1 64 0\n0 waitall\n";
    const JobLog log = parse_tit(text, "t");
    EXPECT_LE(log.ranks[0].threads[0].sequence.size(), 8U);
    EXPECT_EQ(calls_of(log, 0).size(), 300'000U);
}

// --- GOAL ---

TEST(GoalReader, operations_are_posted_when_what_they_require_is_completed) {
    const JobLog log = read_log(sample("goal/exchange.goal"));
    EXPECT_EQ(calls_of(log, 0), (Lines{"isend 1024 to 1 tag 5", "irecv from 2 tag 6", "complete 2 1",
                                       "isend 8 to 2 tag 7", "complete 1"}));
    EXPECT_EQ(calls_of(log, 1), (Lines{"irecv from 0 tag 5", "complete 1", "isend 256 to 2 tag 0", "complete 1"}));
    EXPECT_EQ(calls_of(log, 2), (Lines{"isend 512 to 0 tag 6", "irecv from any tag any", "complete 2 1",
                                       "irecv from 0 tag 7", "complete 1"}));
    const CallSequence& calls = log.ranks[0].threads[0];
    EXPECT_EQ(calls.events[calls.sequence[0]].gap_total, 1000U);
    EXPECT_EQ(calls.ticks_per_second, 1e9);
}

TEST(GoalReader, only_what_is_required_is_completed_before_an_operation) {
    const JobLog log = parse_goal(
        "num_ranks 2\nrank 0 { a: send 1b to 1; b: send 2b to 1; c: send 3b to 1\nc requires b }\nrank 1 { }\n", "g");
    EXPECT_EQ(calls_of(log, 0),
              (Lines{"isend 1 to 1 tag 0", "isend 2 to 1 tag 0", "complete 1", "isend 3 to 1 tag 0", "complete 3 1"}));
    EXPECT_TRUE(calls_of(log, 1).empty());
}

TEST(GoalReader, a_long_chain_in_the_wrong_order_is_sorted) {
    std::string text = "num_ranks 2\nrank 1 {\n}\nrank 0 {\n";
    constexpr int kLength = 20'000;
    const auto label = [](int i) { return std::string("l").append(std::to_string(i)); };
    for (int i = 0; i < kLength; ++i)
        text.append(label(i)).append(": send 1b to 1 tag ").append(std::to_string(i % 7) + "\n");
    for (int i = 0; i + 1 < kLength; ++i) text.append(label(i)).append(" requires ").append(label(i + 1)).append("\n");
    const Lines calls = calls_of(parse_goal(text + "}\n", "g"), 0);
    ASSERT_EQ(calls.size(), 2U * kLength);
    EXPECT_EQ(calls[0], "isend 1 to 1 tag " + std::to_string((kLength - 1) % 7));
    EXPECT_EQ(calls[2], "isend 1 to 1 tag " + std::to_string((kLength - 2) % 7));
}

// --- Open MPI's monitoring ---

TEST(MonitoringReader, the_matrix_holds_the_programs_messages_but_not_the_internal_ones) {
    const JobLog log = read_log(sample("open-mpi-monitoring/ring.2.prof"));
    EXPECT_EQ(traffic(log, 0, 1).sent_messages, 8U);
    EXPECT_EQ(traffic(log, 0, 1).sent_bytes, 2668U);  // 5 of 512, one each of 40, 64 and 4
    EXPECT_EQ(traffic(log, 1, 0).received_bytes, 2668U);
    EXPECT_EQ(traffic(log, 0, 2).sent_messages, 0U);
    EXPECT_EQ(traffic(log, 3, 1).sent_bytes, 3U);
    EXPECT_EQ(function_of(log, 0, "internal").sent.count, 28U);
    EXPECT_EQ(function_of(log, 3, "all-to-all operations").sent.bytes_total, 216U);
    const MessageStatistics& all = function_of(log, 0, "point-to-point and internal").sent;
    EXPECT_EQ(all.classes[9], 5U);  // messages of 512 bytes
    EXPECT_FALSE(warns(log, "pml_monitoring_enable"));
}

TEST(MonitoringReader, one_file_may_hold_several_ranks_and_internal_messages_may_be_among_the_others) {
    const JobLog log = parse_monitoring(
        "# POINT TO POINT\nE\t0\t2\t10 bytes\t1 msgs sent\t\nE\t2\t0\t20 bytes\t2 msgs sent\t0,1,1\n", "m");
    EXPECT_EQ(log.rank_count, 3);
    EXPECT_EQ(traffic(log, 0, 2).received_bytes, 20U);
    EXPECT_TRUE(warns(log, "pml_monitoring_enable"));
    EXPECT_TRUE(warns(log, "the log has no data of ranks 1"));
}

// --- mpiP and IPM ---

TEST(MpipReader, call_sites_of_a_function_are_summed_up_per_rank) {
    const JobLog log = read_log(sample("mpip/ring.4.1234.1.mpiP"));
    const FunctionProfile& send = function_of(log, 0, "MPI_Send");
    EXPECT_EQ(send.calls, 15U);
    EXPECT_NEAR(send.seconds_total, 0.017, 1e-12);
    EXPECT_NEAR(send.seconds_min, 0.0003, 1e-12);
    EXPECT_NEAR(send.seconds_max, 0.002, 1e-12);
    EXPECT_EQ(send.sent.bytes_total, 5160U);
    EXPECT_EQ(send.sent.bytes_min, 8U);
    EXPECT_EQ(function_of(log, 3, "MPI_Send").calls, 10U);
    EXPECT_EQ(log.ranks[2].host, "node2");
    EXPECT_EQ(log.ranks[2].library, "mpiP 3.5.0");
    EXPECT_DOUBLE_EQ(log.ranks[1].profile.mpi_seconds, 0.131);
}

TEST(IpmReader, keys_tell_partners_that_are_none_and_sizes_beyond_31_bits) {
    const JobLog log = read_log(sample("ipm/full.ipm.xml"));
    // 10 of 1024 bytes and 2 of 3 GiB. The 5 messages to MPI_PROC_NULL, which IPM writes as rank 0, do not count.
    EXPECT_EQ(traffic(log, 1, 0).sent_messages, 12U);
    EXPECT_EQ(traffic(log, 1, 0).sent_bytes, 10U * 1024 + 2 * (std::uint64_t{3} << 30));
    EXPECT_EQ(traffic(log, 1, 0).received_messages, 10U);
    EXPECT_EQ(log.ranks[1].profile.lost_messages, 2U);  // messages from MPI_ANY_SOURCE
    EXPECT_EQ(function_of(log, 0, "MPI_Isend").calls, 17U);
    EXPECT_EQ(log.ranks[0].program, "./a.out");
    EXPECT_EQ(log.ranks[0].host, "node1");
}

TEST(IpmReader, version_1_has_other_keys_and_tables_may_be_missing) {
    const JobLog log = read_log(sample("ipm/ipm1.xml"));
    EXPECT_EQ(traffic(log, 0, 1).sent_bytes, 20480U);
    EXPECT_EQ(traffic(log, 0, 1).received_messages, 3U);
    EXPECT_EQ(function_of(log, 1, "MPI_Recv").received.bytes_total, 20480U);
}

TEST(IpmReader, sums_of_the_banner_are_shared_out_evenly) {
    const JobLog log = read_log(sample("ipm/banner.txt"));
    EXPECT_EQ(function_of(log, 0, "MPI_Waitall").calls, 501U);
    EXPECT_EQ(function_of(log, 3, "MPI_Waitall").calls, 500U);
    EXPECT_DOUBLE_EQ(function_of(log, 1, "MPI_Waitall").seconds_total, 3.0);
    // 61.44 s over all ranks, of which 16.51 s in MPI; the slowest rank took 15.4 s.
    EXPECT_DOUBLE_EQ(log.ranks[0].profile.wall_seconds, 15.36);
    EXPECT_DOUBLE_EQ(log.ranks[0].profile.mpi_seconds, 16.51 / 4);
    EXPECT_DOUBLE_EQ(read_log(sample("ipm/banner1.txt")).ranks[1].profile.wall_seconds, 1.002069 / 2);
    EXPECT_DOUBLE_EQ(function_of(read_log(sample("ipm/banner1.txt")), 0, "MPI_Send").seconds_total, 0.03);
}

TEST(IpmReader, a_banner_without_sums_has_the_time_of_the_slowest_rank) {
    const JobLog log = parse_ipm(
        "##IPMv2.0.6####\n#\n# command   : ./a.out\n# stop      : Wed Oct 20 2021   wallclock : 10.00\n"
        "# mpi_tasks : 2 on 1 nodes               %comm     : 50.00\n#\n#############\n",
        "i");
    EXPECT_DOUBLE_EQ(log.ranks[1].profile.wall_seconds, 10.0);
    EXPECT_TRUE(warns(log, "slowest rank"));
}

TEST(IpmReader, ranks_without_time_in_mpi_do_not_take_their_number_of_calls_for_it) {
    const JobLog log = parse_ipm(
        "##IPMv2.0.6####\n# mpi_tasks : 2 on 1 nodes               %comm     : 0.00\n"
        "# wallclock :         22.00        11.00         4.00        18.00\n"
        "# MPI       :          0.00         0.00         0.00         0.00\n"
        "# #calls    :\n#   MPI     :            80           40           40           40\n#############\n",
        "i");
    EXPECT_DOUBLE_EQ(log.ranks[0].profile.wall_seconds, 11.0);
    EXPECT_DOUBLE_EQ(log.ranks[0].profile.mpi_seconds, 0.0);
}

// --- DUMPI ---

TEST(DumpiReader, statuses_requests_datatypes_and_communicators_are_understood) {
    const JobLog log = read_log(sample("dumpi/dumpi-0002.txt"));
    Lines expected;
    for (int k = 0; k < 3; ++k) {
        // 8 elements of a vector of 4 times 2 doubles are 512 bytes.
        for (const char* const line : {"irecv from 0 tag 7", "isend 512 to 2 tag 7", "complete 2 1", "allreduce 8 8"}) {
            expected.emplace_back(line);
        }
    }
    for (const char* const line :
         {"recv any from 0 tag 3", "irecv from 0 tag 1", "isend 64 to 2 tag 1", "complete 2 1", "other 0 0",
          "recv from 3 tag 9 comm 1", "bcast 16 0 root 1 comm 1", "other 0 0", "other 0 0 comm 2",
          "allgather 8 8 comm 3", "isend 8 to 2 tag 11", "irecv from any tag 11", "complete 2 1 from 0 tag 11",
          "gather 8 0 root 0", "barrier 0 0"}) {
        expected.emplace_back(line);
    }
    EXPECT_EQ(calls_of(log, 1), expected);
    EXPECT_TRUE(log.warnings.empty()) << log.warnings.front();
    // MPI_Comm_split by parity in descending order; a 2 x 2 grid and its rows.
    const auto members = [&](std::size_t rank, std::size_t local) {
        return log.communicators.at(log.ranks[rank].communicators.at(local)).members;
    };
    EXPECT_EQ(members(1, 1), (std::vector<std::int32_t>{3, 1}));
    EXPECT_EQ(members(0, 1), (std::vector<std::int32_t>{2, 0}));
    EXPECT_EQ(members(3, 2), (std::vector<std::int32_t>{0, 1, 2, 3}));
    EXPECT_EQ(members(3, 3), (std::vector<std::int32_t>{2, 3}));
}

TEST(DumpiReader, nothing_is_sent_to_mpi_proc_null) {
    const JobLog log = read_log(sample("dumpi/dumpi-0000.txt"));
    EXPECT_EQ(traffic(log, 3, 0).sent_messages, 4U);  // without the message of MPI_Sendrecv
    EXPECT_EQ(function_of(log, 3, "MPI_Sendrecv").sent.count, 0U);
    EXPECT_EQ(function_of(log, 0, "MPI_Sendrecv").received.count, 0U);
    EXPECT_EQ(function_of(log, 0, "MPI_Sendrecv").sent.bytes_total, 64U);
}

TEST(DumpiReader, communicators_of_missing_ranks_stay_unknown) {
    const testing_files::TemporaryFolder folder;
    for (const char* const rank : {"0", "1", "3"}) {
        const std::string name = std::string("dumpi-000") + rank + ".txt";
        std::filesystem::copy_file(sample("dumpi/" + name), folder.path() / name);
    }
    const JobLog log = read_log(folder.path() / "dumpi-0001.txt");
    EXPECT_EQ(log.rank_count, 4);
    EXPECT_TRUE(warns(log, "the log has no data of ranks 2"));
    EXPECT_TRUE(warns(log, "communicators are unknown"));
    EXPECT_EQ(log.ranks[2].state, RankState::kRunning);
    EXPECT_EQ(calls_of(log, 1)[17], "recv from -2 tag 9 comm 1");  // kOutside
}

TEST(DumpiReader, a_trace_cut_off_in_a_call_ends_before_it) {
    std::string text = beginning_of(sample("dumpi/dumpi-0000.txt"));
    text.resize(text.find("MPI_Allreduce entering") + 60);
    EXPECT_EQ(calls_of(parse_dumpi(text, "d"), 0),
              (Lines{"irecv from 3 tag 7", "isend 512 to 1 tag 7", "complete 2 1"}));
}

}  // namespace
}  // namespace haichi
