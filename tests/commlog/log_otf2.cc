#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/errors.h"
#include "commlog/readers/log_readers.h"
#include "tests/base/temporary_folder.h"
#include "tests/commlog/call_text.h"

#ifdef HAICHI_HAS_OTF2
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/commlog/otf2_archives.h"
#endif

namespace haichi {
namespace {

std::string eztrace_sample() { return std::string(HAICHI_TEST_DATA) + "/logs/eztrace/eztrace_log.otf2"; }

#ifndef HAICHI_HAS_OTF2

TEST(Otf2Reader, without_the_library_an_archive_is_told_from_other_files_and_what_to_install) {
    try {
        (void)read_log(eztrace_sample());
        FAIL();
    } catch (const UnsupportedError& error) {
        EXPECT_NE(error.hint().find("libopen-trace-format2-dev"), std::string::npos);
    }
}

#else

using call_text::calls_of;
using otf2_archives::check;
using otf2_archives::Writer;
using testing_files::TemporaryFolder;
using Lines = std::vector<std::string>;

std::string archive_in(const TemporaryFolder& folder) { return folder.path() / "a" / "traces.otf2"; }

/// Writes an archive with OTF2's own library, with the records that Score-P writes.
void write_sample(const std::string& folder) {
    Writer w(folder, 3);
    // Rank 0 exchanges with rank 1. The message is known only when the receive is complete.
    w.tick(100);
    w.enter(0, "MPI_Irecv");
    check(OTF2_EvtWriter_MpiIrecvRequest(w.events(0), nullptr, w.tick(), 7));
    w.leave(0, "MPI_Irecv");
    w.tick(50);
    w.enter(0, "MPI_Isend");
    check(OTF2_EvtWriter_MpiIsend(w.events(0), nullptr, w.tick(), 1, Writer::kReversed, 5, 4096, 8));
    w.leave(0, "MPI_Isend");
    w.enter(0, "MPI_Test");
    check(OTF2_EvtWriter_MpiRequestTest(w.events(0), nullptr, w.tick(), 7));
    w.leave(0, "MPI_Test");
    w.enter(0, "MPI_Waitall");
    check(OTF2_EvtWriter_MpiIsendComplete(w.events(0), nullptr, w.tick(), 8));
    check(OTF2_EvtWriter_MpiIrecv(w.events(0), nullptr, w.tick(1000), 2, Writer::kReversed, 6, 512, 7));
    w.leave(0, "MPI_Waitall");
    // A cancelled receive, and a non-blocking collective operation.
    check(OTF2_EvtWriter_MpiIrecvRequest(w.events(0), nullptr, w.tick(), 9));
    check(OTF2_EvtWriter_MpiRequestCancelled(w.events(0), nullptr, w.tick(), 9));
    check(OTF2_EvtWriter_NonBlockingCollectiveRequest(w.events(0), nullptr, w.tick(), 10));
    w.enter(0, "MPI_Send");
    check(OTF2_EvtWriter_MpiSend(w.events(0), nullptr, w.tick(), 0, Writer::kSelf, 1, 3));
    w.leave(0, "MPI_Send");
    check(OTF2_EvtWriter_NonBlockingCollectiveComplete(w.events(0), nullptr, w.tick(), OTF2_COLLECTIVE_OP_BCAST,
                                                       Writer::kEven, 1, 0, 64, 10));
    w.enter(0, "MPI_Allreduce");
    check(OTF2_EvtWriter_MpiCollectiveBegin(w.events(0), nullptr, w.tick()));
    check(OTF2_EvtWriter_MpiCollectiveEnd(w.events(0), nullptr, w.tick(), OTF2_COLLECTIVE_OP_ALLREDUCE, Writer::kWorld,
                                          OTF2_COLLECTIVE_ROOT_NONE, 8, 8));
    w.leave(0, "MPI_Allreduce");
    // Another thread of rank 0.
    w.enter(1000, "MPI_Send");
    check(OTF2_EvtWriter_MpiSend(w.events(1000), nullptr, w.tick(), 1, Writer::kWorld, 2, 24));
    w.leave(1000, "MPI_Send");
    // Rank 1: MPI_Sendrecv is recorded as a send and a receive.
    w.enter(1, "MPI_Sendrecv");
    check(OTF2_EvtWriter_MpiSend(w.events(1), nullptr, w.tick(), 2, Writer::kWorld, 4, 32));
    check(OTF2_EvtWriter_MpiRecv(w.events(1), nullptr, w.tick(), 2, Writer::kWorld, 4, 48));
    w.leave(1, "MPI_Sendrecv");
    w.enter(1, "MPI_Recv");
    check(OTF2_EvtWriter_MpiRecv(w.events(1), nullptr, w.tick(), 0, Writer::kWorld, 2, 24));
    w.leave(1, "MPI_Recv");
    // Rank 2 sends to MPI_PROC_NULL in EZTrace's form.
    check(OTF2_EvtWriter_MpiSend(w.events(2), nullptr, w.tick(), 4294967294U, Writer::kWorld, 0, 8));
    w.finish();
}

TEST(Otf2Reader, requests_communicators_and_threads_of_an_archive_are_understood) {
    const TemporaryFolder folder;
    write_sample(folder.path() / "a");
    const JobLog log = read_log(archive_in(folder));
    EXPECT_EQ(log.format, "otf2");
    EXPECT_EQ(log.rank_count, 3);
    EXPECT_TRUE(log.warnings.empty()) << log.warnings.front();
    // Rank 1 of the reversed communicator is rank 1 of MPI_COMM_WORLD, and its rank 2 is rank 0.
    EXPECT_EQ(calls_of(log, 0),
              (Lines{"irecv from 0 tag 6 comm 1", "isend 4096 to 1 tag 5 comm 1", "complete 2 1",
                     "ibcast 0 64 root 2 comm 2", "send 3 to 0 tag 1 comm 3", "complete 1", "allreduce 8 8"}));
    ASSERT_EQ(log.ranks[0].threads.size(), 2U);
    EXPECT_EQ(calls_of(log, 0, 1), (Lines{"send 24 to 1 tag 2"}));
    EXPECT_EQ(calls_of(log, 1),
              (Lines{"irecv from 2 tag 4", "isend 32 to 2 tag 4", "complete 2 1", "recv from 0 tag 2"}));
    EXPECT_TRUE(calls_of(log, 2).empty());
    const auto members = [&](std::size_t local) {
        return log.communicators.at(log.ranks[0].communicators.at(local)).members;
    };
    EXPECT_EQ(members(1), (std::vector<std::int32_t>{2, 1, 0}));
    EXPECT_EQ(members(2), (std::vector<std::int32_t>{0, 2}));
    EXPECT_EQ(members(3), (std::vector<std::int32_t>{0}));
}

TEST(Otf2Reader, one_sided_operations_are_counted_by_their_target) {
    const TemporaryFolder folder;
    Writer w((folder.path() / "a").string(), 3);
    for (const std::uint64_t location : {0, 1000}) {
        check(OTF2_EvtWriter_RmaPut(w.events(location), nullptr, w.tick(), Writer::kWindow, 0, 4096, 1));
    }
    check(OTF2_EvtWriter_RmaGet(w.events(0), nullptr, w.tick(), Writer::kWindow, 1, 100, 2));
    check(OTF2_EvtWriter_RmaAtomic(w.events(1), nullptr, w.tick(), Writer::kWindow, 2,
                                   OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, 8, 8, 3));
    check(OTF2_EvtWriter_RmaPut(w.events(2), nullptr, w.tick(), Writer::kWindow + 1, 0, 64, 4));
    w.finish();
    const JobLog log = read_log(archive_in(folder));
    const auto& of_0 = log.ranks[0].profile.targets;
    ASSERT_EQ(of_0.size(), 2U);
    EXPECT_EQ(of_0[0].target, 1);
    EXPECT_EQ(of_0[0].traffic.got_bytes, 100U);
    EXPECT_EQ(of_0[1].target, 2);
    EXPECT_EQ(log.ranks[1].profile.targets.at(0).traffic.got_bytes, 8U);
    EXPECT_EQ(log.ranks[1].profile.targets.at(0).target, 0);
    EXPECT_EQ(log.left_out_calls, 1U);
}

TEST(Otf2Reader, times_of_functions_and_between_them_are_in_the_archives_resolution) {
    const TemporaryFolder folder;
    write_sample(folder.path() / "a");
    const JobLog log = read_log(archive_in(folder));
    const auto& functions = log.ranks[0].profile.functions;
    const auto wait = std::ranges::find(functions, "MPI_Waitall", &FunctionProfile::name);
    ASSERT_NE(wait, functions.end());
    EXPECT_EQ(wait->calls, 1U);
    EXPECT_NEAR(wait->seconds_total, 1002e-6, 1e-12);
    const auto send = std::ranges::find(functions, "MPI_Send", &FunctionProfile::name);
    EXPECT_EQ(send->calls, 2U);  // sum of both threads
    EXPECT_EQ(send->sent.bytes_total, 27U);
    const CallSequence& calls = log.ranks[0].threads[0];
    EXPECT_EQ(calls.events[calls.sequence[1]].gap_total, 51U);
}

TEST(Otf2Reader, an_archive_of_eztrace_is_read_though_it_completes_nothing) {
    const JobLog log = read_log(eztrace_sample());
    EXPECT_EQ(log.rank_count, 4);
    const Lines calls = calls_of(log, 1);
    ASSERT_GE(calls.size(), 22U);
    for (std::size_t k = 0; k < 20; k += 4) {
        EXPECT_EQ(calls[k], "irecv from any tag any");
        EXPECT_EQ(calls[k + 1], "isend 512 to 2 tag 7");
        EXPECT_EQ(calls[k + 2], "complete 2 1");
        EXPECT_EQ(calls[k + 3], "allreduce 8 8");
    }
    EXPECT_EQ(calls[20], "recv from 0 tag 3");
    EXPECT_EQ(log.warnings.size(), 2U);
}

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Otf2Reader, a_missing_or_cut_off_file_is_an_error_that_names_the_archive) {
    const std::vector<std::string> files = {"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt"};
    for (const std::string& damaged : files) {
        for (const bool missing : {true, false}) {
            // The library does not notice truncated definitions. After their end it reads earlier contents of its
            // buffer.
            if (!missing && damaged == "traces.def") continue;
            const TemporaryFolder folder;
            write_sample(folder.path() / "a");
            const auto file = folder.path() / "a" / damaged;
            if (missing) {
                std::filesystem::remove(file);
            } else {
                std::filesystem::resize_file(file, 60);
            }
            try {
                (void)read_log(archive_in(folder), "otf2");
                ADD_FAILURE() << damaged << (missing ? " missing" : " cut off");
            } catch (const InputError& error) {
                EXPECT_NE(std::string(error.what()).find("traces.otf2"), std::string::npos) << error.what();
            }
        }
    }
}

TEST(Otf2Reader, no_damaged_byte_of_an_archive_ends_the_program) {
    const TemporaryFolder folder;
    write_sample(folder.path() / "a");
    int refused = 0;
    for (const char* const damaged : {"traces.otf2", "traces.def", "traces/0.evt"}) {
        const auto file = folder.path() / "a" / damaged;
        const std::string sound = content(file);
        for (std::size_t at = 0; at < std::min<std::size_t>(sound.size(), 200); at += 9) {
            std::string bytes = sound;
            bytes[at] = static_cast<char>(~bytes[at]);
            std::ofstream(file, std::ios::binary) << bytes;
            try {
                (void)read_log(archive_in(folder), "otf2");
            } catch (const InputError&) {
                ++refused;
            }
        }
        std::ofstream(file, std::ios::binary) << sound;
    }
    EXPECT_GT(refused, 10);
    EXPECT_EQ(read_log(archive_in(folder)).rank_count, 3);
}

// A string that was empty gets one byte, so that bytes of the next number become the count of properties.
TEST(Otf2Reader, an_archive_that_claims_a_large_count_takes_little_memory) {
    const TemporaryFolder folder;
    std::string anchor = content(eztrace_sample());
    constexpr std::size_t kNameOfMachine = 46;
    ASSERT_EQ(anchor.at(kNameOfMachine), '\0');
    anchor[kNameOfMachine] = 'm';
    const std::string path = folder.path() / "traces.otf2";
    std::ofstream(path, std::ios::binary) << anchor;
    EXPECT_THROW((void)read_log(path, "otf2"), InputError);
    ::rusage children{}, own{};
    ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &children), 0);
    ASSERT_EQ(::getrusage(RUSAGE_SELF, &own), 0);
    constexpr long kKilobytes = 1 << 20;
    EXPECT_LT(children.ru_maxrss, own.ru_maxrss + kKilobytes);
    EXPECT_LT(own.ru_maxrss, 2 * kKilobytes);
}

#endif

}  // namespace
}  // namespace haichi
