#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.h"
#include "commlog/workload/workload_json.h"
#include "tests/commlog/workload_text.h"

namespace haichi {
namespace {

/// Generates labels of printable ASCII, quotes and backslashes, and control characters.
rc::Gen<std::string> any_label() { return rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)); }

Workload any_workload() {
    const int ranks = *rc::gen::inRange(1, 1000);
    Workload workload(ranks, *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 62));
    const int sets = *rc::gen::inRange(0, 6);
    for (int t = 0; t < sets; ++t) {
        workload.add_set(*any_label(), std::fmod(std::abs(*rc::gen::arbitrary<double>()), 2e6));
        const int messages = *rc::gen::inRange(0, 20);
        for (int i = 0; i < messages; ++i) {
            workload.add_message(RankId(*rc::gen::inRange(0, ranks)), RankId(*rc::gen::inRange(0, ranks)),
                                 *rc::gen::inRange<std::int64_t>(0, kLargestMessageBytes + 1));
        }
    }
    return workload;
}

TEST(WorkloadJsonProperty, what_is_written_reads_back_the_same) {
    EXPECT_TRUE(rc::check([] {
        const Workload workload = any_workload();
        const std::string text = workload_text(workload);
        const Workload read = read_workload_json(text, "w.json");
        RC_ASSERT(read.rank_count() == workload.rank_count());
        RC_ASSERT(read.iterations() == workload.iterations());
        RC_ASSERT(read.total_bytes() == workload.total_bytes());
        RC_ASSERT(read.crossing_message_count() == workload.crossing_message_count());
        RC_ASSERT(read.set_count() == workload.set_count());
        for (std::size_t t = 0; t < workload.set_count(); ++t) {
            RC_ASSERT(read.set(t).label == workload.set(t).label);
            RC_ASSERT(read.set(t).compute_seconds == workload.set(t).compute_seconds);
            RC_ASSERT(std::ranges::equal(read.messages(t), workload.messages(t)));
        }
        RC_ASSERT(workload_text(read) == text);
    }));
}

TEST(WorkloadJsonProperty, damaged_documents_are_read_or_refused_but_never_crash) {
    EXPECT_TRUE(rc::check([] {
        std::string text = workload_text(any_workload());
        const int damages = *rc::gen::inRange(1, 5);
        for (int i = 0; i < damages; ++i) {
            const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
            if (*rc::gen::arbitrary<bool>()) {
                text[at] = *rc::gen::arbitrary<char>();
            } else {
                text.insert(at, 1, *rc::gen::elementOf(std::string("[]{},:\"-0e.\\")));
            }
        }
        try {
            read_workload_json(text, "w.json");
        } catch (const InputError& error) {
            RC_ASSERT(std::string(error.what()).starts_with("w.json:"));
        }
    }));
}

}  // namespace
}  // namespace haichi
