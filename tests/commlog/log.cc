#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/errors.h"
#include "commlog/log/rank_bytes.h"
#include "commlog/workload/workload.h"
#include "tests/commlog/logged_program.h"

namespace haichi {
namespace {

struct FreeMemory {
    void operator()(CallLogMemory* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<CallLogMemory, FreeMemory>;
Memory new_memory() { return Memory(static_cast<CallLogMemory*>(std::calloc(1, sizeof(CallLogMemory)))); }

/// Appends the events of a log one by one.
void unroll(const CallSequence& calls, Symbol symbol, std::vector<Symbol>& events) {
    if (symbol < kLoopSymbol) {
        events.push_back(symbol);
        return;
    }
    const Loop& loop = calls.loops[symbol - kLoopSymbol];
    const LoopBody& body = calls.bodies[loop.body];
    for (std::uint64_t r = 0; r < loop.repetitions; ++r) {
        for (std::uint32_t i = 0; i < body.length; ++i) unroll(calls, calls.body[body.first + i], events);
    }
}

std::vector<Symbol> unrolled(const CallSequence& calls) {
    std::vector<Symbol> events;
    for (const Symbol symbol : calls.sequence) unroll(calls, symbol, events);
    return events;
}

/// Returns events, as numbers, of random nested loops.
std::vector<int> random_program(std::mt19937& random, int depth) {
    std::vector<int> events;
    const int parts = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < parts; ++i) {
        if (depth == 0 || random() % 2 == 0) {
            events.push_back(static_cast<int>(random() % 5));
            continue;
        }
        const std::vector<int> body = random_program(random, depth - 1);
        const int times = 1 + static_cast<int>(random() % 6);
        for (int t = 0; t < times; ++t) events.insert(events.end(), body.begin(), body.end());
    }
    return events;
}

TEST(CallLog, holds_every_event_in_order_at_any_time) {
    std::mt19937 random(3);
    for (int round = 0; round < 400; ++round) {
        std::vector<int> program = random_program(random, 3);
        const std::vector<int> once = program;
        for (auto t = random() % 20; t > 0; --t) program.insert(program.end(), once.begin(), once.end());
        // The log is also read in the middle, as a killed process leaves it.
        program.resize(1 + random() % program.size());
        const Memory memory = new_memory();
        CallRecorder recorder(memory.get());
        for (const int event : program) recorder.send(event, 0, 0, 100, kBlocking);
        const CallSequence calls = read_calls(*memory, 1e9, "log");
        check_calls(calls, kMostRanks, 1, "log");
        std::vector<int> read;
        for (const Symbol event : unrolled(calls)) read.push_back(calls.events[event].key.peer);
        ASSERT_EQ(read, program) << "round " << round;
        std::uint64_t count = 0;
        for (const LoggedEvent& event : calls.events) count += event.count;
        ASSERT_EQ(count, program.size());
    }
}

TEST(CallLog, a_hundred_thousand_repetitions_of_loops_in_loops_take_a_few_symbols) {
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    for (int i = 0; i < 100'000; ++i) {
        for (int k = 0; k < 5; ++k) {
            for (int peer = 0; peer < 3; ++peer) recorder.send(peer, 0, 0, 100, kBlocking);
        }
        recorder.collective(CollectiveOperation::kAllreduce, 0, kNobody, 8, 8, kBlocking);
    }
    const CallSequence calls = read_calls(*memory, 1e9, "log");
    EXPECT_LE(calls.sequence.size(), 3U);
    EXPECT_LE(calls.body.size(), 10U);
    EXPECT_EQ(calls.events[0].count, 500'000U);
}

TEST(CallLog, the_same_loop_is_found_the_same_whatever_comes_before_it) {
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    const auto loop = [&] {
        for (int i = 0; i < 10; ++i) {
            for (int peer = 0; peer < 3; ++peer) recorder.send(peer, 0, 0, 100, kBlocking);
        }
    };
    loop();
    recorder.send(7, 0, 0, 100, kBlocking);
    recorder.send(2, 0, 0, 100, kBlocking);  // the loop's last event: the loop could begin here
    loop();
    const CallSequence calls = read_calls(*memory, 1e9, "log");
    ASSERT_EQ(calls.bodies.size(), 1U);
    EXPECT_EQ(calls.bodies[0].repetitions, 20U);
}

TEST(CallLog, sizes_that_keep_changing_become_one_event_with_their_mean) {
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        recorder.send(1, 0, 0, 1000 + i % 777, kBlocking);
        recorder.send(2, 0, 0, 8, kBlocking);
    }
    const CallSequence calls = read_calls(*memory, 1e9, "log");
    EXPECT_LE(calls.events.size(), kMostSizes + 3U);
    const auto variable = std::ranges::find_if(
        calls.events, [](const LoggedEvent& event) { return (event.key.flags & kVariableSize) != 0; });
    ASSERT_NE(variable, calls.events.end());
    EXPECT_GT(variable->count, 9'900U);
    EXPECT_EQ(variable->bytes_max, 1776U);
    EXPECT_LE(calls.sequence.size(), 60U);
    EXPECT_EQ(calls.lost_events, 0U);
}

TEST(CallLog, requests_found_completed_in_any_order_and_number_are_one_event) {
    std::mt19937 random(9);
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    for (int i = 0; i < 100; ++i) {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> requests;
        for (int peer = 0; peer < 6; ++peer) {
            const auto number = recorder.receive(peer, 5, 0, 0);
            requests.emplace_back(number, recorder.last_event());
        }
        std::ranges::shuffle(requests, random);
        for (const auto& [number, event] : requests) recorder.complete(number, event);
    }
    const CallSequence calls = read_calls(*memory, 1e9, "log");
    EXPECT_EQ(calls.events.size(), 7U);
    EXPECT_EQ(calls.sequence.size(), 1U);
    const LoggedEvent& completed = calls.events.back();
    ASSERT_EQ(completed.completions, 6U);
    for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(calls.completions[completed.first_completion + i].distance, 6 - i);
}

TEST(CallLog, what_came_from_any_source_is_sorted) {
    std::mt19937 random(9);
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    for (int i = 0; i < 50; ++i) {
        std::vector<int> sources = {4, 2, 9};
        std::ranges::shuffle(sources, random);
        for (const int source : sources) recorder.receive(kNobody, 5, 0, kBlocking | kAnySource, source, 5);
        recorder.send(1, 0, 0, 8, kBlocking);
    }
    const CallSequence calls = read_calls(*memory, 1e9, "log");
    ASSERT_EQ(calls.events.size(), 2U);
    const LoggedEvent& event = calls.events.front();
    EXPECT_EQ(event.key.kind, CallKind::kReceiveAny);
    ASSERT_EQ(event.completions, 3U);
    EXPECT_EQ(calls.completions[event.first_completion].source, 2);
    EXPECT_EQ(calls.completions[event.first_completion + 2].source, 9);
}

TEST(CallLog, more_different_events_than_it_has_room_for_are_counted_and_harm_nothing) {
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    constexpr int kEvents = 3 * static_cast<int>(kMostEvents);
    for (int i = 0; i < kEvents; ++i) recorder.send(i, 0, 0, 8, kBlocking);
    const CallSequence calls = read_calls(*memory, 1e9, "log");
    check_calls(calls, kMostRanks, 1, "log");
    EXPECT_EQ(calls.lost_events, kEvents - std::uint64_t{kLostEvent});
    EXPECT_EQ(unrolled(calls).size(), static_cast<std::size_t>(kEvents));
}

TEST(CallLog, a_request_that_is_completed_before_its_post_is_refused) {
    const Memory memory = new_memory();
    CallRecorder recorder(memory.get());
    const std::uint64_t post = recorder.send(1, 0, 0, 8, 0);
    recorder.complete(post, recorder.last_event());
    CallSequence calls = read_calls(*memory, 1e9, "log");
    ASSERT_EQ(calls.completions.size(), 1U);
    calls.completions.front().distance = 0;
    EXPECT_THROW(check_calls(calls, 2, 1, "log"), InputError);
}

RankRecord sample_record() {
    const LoggedProgram program(3, [](LoggedProgram::Rank& rank) {
        const auto group = rank.communicator(55, {0, 1, 2});
        for (int i = 0; i < 20; ++i) {
            rank.compute(100);
            rank.sendrecv((rank.rank() + 1) % 3, (rank.rank() + 2) % 3, 1000);
            if (rank.rank() < 2) rank.collective(CollectiveOperation::kAllreduce, 8, 8, group);
        }
    });
    RankRecord record = program.records()[1];
    record.has_profile = true;
    record.log.host = "node\x01";
    record.log.program = "app";
    record.log.profile.wall_seconds = 1.5;
    record.log.profile.functions.push_back({"MPI_Send", 7, 0.5, 0.01, 0.1, {}, {}});
    record.log.profile.functions.back().sent.count = 3;
    record.log.profile.functions.back().sent.classes[5] = 3;
    record.log.profile.peers.push_back({2, {1, 2, 3, 4}});
    return record;
}

TEST(RankBytes, decoding_what_was_encoded_gives_the_same) {
    const RankRecord record = sample_record();
    const auto bytes = encode_rank(record);
    const RankRecord again = decode_rank(bytes, "file");
    EXPECT_EQ(encode_rank(again), bytes);
    EXPECT_EQ(again.log.rank, 1);
    EXPECT_EQ(again.log.host, record.log.host);
    EXPECT_EQ(again.log.profile.functions.at(0).sent.classes[5], 3U);
    EXPECT_EQ(again.log.profile.peers.at(0).traffic.received_bytes, 4U);
    EXPECT_EQ(unrolled(again.log.threads.at(0)).size(), unrolled(record.log.threads.at(0)).size());
}

TEST(RankBytes, damaged_records_are_refused_or_read_but_never_crash) {
    const auto bytes = encode_rank(sample_record());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(decode_rank(std::span(bytes).first(length), "file"), InputError) << length;
    }
    std::mt19937 random(1);
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        auto damaged = bytes;
        for (auto k = 1 + random() % 4; k > 0; --k) {
            damaged[random() % damaged.size()] = static_cast<std::byte>(random() % 256);
        }
        try {
            const RankRecord record = decode_rank(damaged, "file");
            for (const CallSequence& calls : record.log.threads)
                check_calls(calls, record.ranks, record.communicators.size(), "file");
        } catch (const InputError& error) {
            ++refused;
            EXPECT_EQ(std::string(error.what()).substr(0, 4), "file");
        }
    }
    EXPECT_GT(refused, 1000);
}

TEST(JobLog, ranks_that_are_missing_or_were_killed_are_named) {
    const LoggedProgram program(6, [](LoggedProgram::Rank& rank) { rank.send((rank.rank() + 1) % 6, 10); });
    std::vector<RankRecord> records = program.records();
    records[2].log.state = RankState::kRunning;
    records[4].log.state = RankState::kSignalled;
    records[4].log.signal = 15;
    records.erase(records.begin());
    const JobLog job = join_ranks(records, "job");
    EXPECT_EQ(job.ranks.size(), 5U);
    ASSERT_EQ(job.warnings.size(), 3U);
    EXPECT_EQ(job.warnings[0], "1 of 6 ranks left no data: rank 0");
    EXPECT_EQ(job.warnings[1], "rank 2 did not reach MPI_Finalize, so its numbers end there");
    EXPECT_EQ(job.warnings[2], "rank 4 received signal 15, so its numbers end there");
    records.push_back(records.front());
    EXPECT_THROW(join_ranks(records, "job"), InputError);
}

}  // namespace
}  // namespace haichi
