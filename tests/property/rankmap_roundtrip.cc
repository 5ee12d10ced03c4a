#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/errors.h"
#include "base/random.h"
#include "tests/unit/rankmap_job.h"

namespace haichi {
namespace {

struct Job {
    const char* machine;
    std::vector<std::int32_t> shape;
    const char* fold;
    std::vector<std::int32_t> origin;
};

const std::vector<Job>& jobs() {
    static const std::vector<Job> kJobs = {
        {"fx10-kyushu", {1, 2, 4, 2, 3, 2}, "default", {}},
        {"fx10-kyushu", {2, 2, 2, 2, 3, 2}, "mesh", {3, 0, 7, 0, 0, 0}},
        {"fx10-kyushu", {1, 1, 4, 2, 3, 2}, "1d", {0, 1, 2, 0, 0, 0}},
        {"fx10-kyushu", {2, 1, 4, 2, 3, 2}, "2d", {}},
        {"fx100", {1, 2, 1, 2, 3, 2}, "row-major", {}},
        {"torus:4x4x4", {}, "default", {}},
        {"mesh:10x3", {5, 2}, "default", {2, 1}},
        {"torus:12", {}, "default", {}},
        {"torus:3x2x2x2x2", {}, "default", {}},
        {"fattree:2x4", {}, "default", {}},
    };
    return kJobs;
}

/// Some of the slots, in random order.
Mapping random_mapping(const Allocation& job, std::uint64_t seed, std::int32_t ranks) {
    Random random(seed);
    std::vector<SlotId> slots;
    for (std::int32_t s = 0; s < job.slot_count(); ++s) slots.push_back(SlotId(s));
    random.shuffle(std::span(slots));
    Mapping mapping(ranks, job.node_count(), job.ranks_per_node);
    for (std::int32_t r = 0; r < ranks; ++r) mapping.place(RankId(r), slots[static_cast<std::size_t>(r)]);
    return mapping;
}

bool expresses(const RankMapFormat& format, const Allocation& job) {
    try {
        format.check(job);
        return true;
    } catch (const UnsupportedError&) {
        return false;
    }
}

std::vector<NodeId> nodes_of(const Mapping& mapping) {
    return {mapping.node_of_rank().begin(), mapping.node_of_rank().end()};
}

TEST(RankMapRoundTrip, reading_what_any_format_wrote_gives_the_same_nodes) {
    rc::check([] {
        const Job& given = *rc::gen::elementOf(jobs());
        const auto ranks_per_node = *rc::gen::inRange<std::int32_t>(1, 5);
        const Allocation job = rankmap_job(given.machine, given.shape, ranks_per_node, given.fold, given.origin);
        const auto ranks = *rc::gen::inRange<std::int32_t>(1, static_cast<std::int32_t>(job.slot_count()) + 1);
        const Mapping mapping = random_mapping(job, *rc::gen::arbitrary<std::uint64_t>(), ranks);
        for (const RankMapFormat& format : rank_map_formats()) {
            if (!expresses(format, job)) {
                RC_ASSERT_THROWS_AS((void)format.write(mapping, {&job, ranks}), UnsupportedError);
                continue;
            }
            const std::string text = format.write(mapping, {&job, ranks});
            RC_ASSERT(nodes_of(parse_rank_map(text, "map", format.name, {&job, ranks})) == nodes_of(mapping));
            RC_ASSERT(nodes_of(parse_rank_map(text, "map", format.name, {&job, 0})) == nodes_of(mapping));
        }
    });
}

TEST(RankMapRoundTrip, recognition_never_reads_a_written_map_as_another) {
    rc::check([] {
        const Job& given = *rc::gen::elementOf(jobs());
        const auto ranks_per_node = *rc::gen::inRange<std::int32_t>(1, 5);
        const Allocation job = rankmap_job(given.machine, given.shape, ranks_per_node, given.fold, given.origin);
        const auto ranks = *rc::gen::inRange<std::int32_t>(1, static_cast<std::int32_t>(job.slot_count()) + 1);
        const Mapping mapping = random_mapping(job, *rc::gen::arbitrary<std::uint64_t>(), ranks);
        for (const RankMapFormat& format : rank_map_formats()) {
            if (!expresses(format, job)) continue;
            const std::string text = format.write(mapping, {&job, ranks});
            try {
                RC_ASSERT(nodes_of(parse_rank_map(text, "map", "", {&job, ranks})) == nodes_of(mapping));
            } catch (const InputError& error) {  // may be either: it has to be said, not guessed
                RC_ASSERT(std::string(error.what()).find("which differ") != std::string::npos);
            }
        }
    });
}

TEST(RankMapRoundTrip, a_whole_fugaku_of_ranks) {
    const Allocation job = rankmap_job("fugaku");
    const Mapping mapping = random_mapping(job, 7, job.node_count());
    for (const RankMapFormat& format : rank_map_formats()) {
        const std::string text = format.write(mapping, {&job, job.node_count()});
        EXPECT_EQ(nodes_of(parse_rank_map(text, "map", "", {&job, job.node_count()})), nodes_of(mapping))
            << format.name;
    }
}

TEST(RankMapRoundTrip, changed_bytes_give_an_input_error_or_a_valid_mapping) {
    rc::check([] {
        const Job& given = *rc::gen::elementOf(jobs());
        const Allocation job = rankmap_job(given.machine, given.shape, 2, given.fold, given.origin);
        Random random(*rc::gen::arbitrary<std::uint64_t>());
        const std::int32_t ranks = 1 + static_cast<std::int32_t>(random.below(20));
        const Mapping mapping = random_mapping(job, random.next(), ranks);
        for (const RankMapFormat& format : rank_map_formats()) {
            if (!expresses(format, job)) continue;
            std::string text = format.write(mapping, {&job, ranks});
            for (std::uint32_t changes = 1 + random.below(3); changes > 0 && !text.empty(); --changes) {
                const std::uint32_t at = random.below(static_cast<std::uint32_t>(text.size()));
                constexpr std::string_view kBytes = "0123456789 ,()\n\r#-{}[]\"\xff";
                if (random.below(3) == 0) {
                    text.erase(at, 1 + random.below(4));
                } else {
                    text[at] = kBytes[random.below(static_cast<std::uint32_t>(kBytes.size()))];
                }
            }
            for (const std::string& name : {format.name, std::string()}) {
                try {
                    RC_ASSERT(parse_rank_map(text, "map", name, {&job, ranks}).rank_count() == ranks);
                } catch (const InputError& error) {
                    RC_ASSERT(std::string(error.what()).starts_with("map:"));
                } catch (const UnsupportedError&) {
                    RC_ASSERT(name.empty());  // it now looks like a format that this job cannot have
                }
            }
        }
    });
}

}  // namespace
}  // namespace haichi
