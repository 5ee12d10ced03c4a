#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/errors.h"
#include "base/random.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

struct DrawnJob {
    const char* machine;
    std::vector<std::int32_t> shape;
    const char* fold;
    std::vector<std::int32_t> origin;
};

const std::vector<DrawnJob>& jobs() {
    static const std::vector<DrawnJob> kJobs = {
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

/// The ranks on randomly chosen slots, in random order.
Mapping random_mapping(const Allocation& job, std::uint64_t seed, std::int32_t ranks) {
    Random random(seed);
    std::vector<SlotId> slots;
    for (std::int32_t s = 0; s < job.slot_count(); ++s) slots.push_back(SlotId(s));
    random.shuffle(std::span(slots));
    Mapping mapping(ranks, job.node_count(), job.ranks_per_node);
    for (std::int32_t r = 0; r < ranks; ++r) mapping.place(RankId(r), slots[static_cast<std::size_t>(r)]);
    return mapping;
}

bool expresses(const RankMapFormat& format, const RankMapContext& context) {
    try {
        format.check(context);
        return true;
    } catch (const UnsupportedError&) {
        return false;
    }
}

/// The text that the format writes, or nullopt if the format reports that it cannot express the placement.
std::optional<std::string> written_if_supported(const RankMapFormat& format, const Mapping& mapping,
                                                const RankMapContext& context) {
    try {
        return format.write(mapping, context);
    } catch (const UnsupportedError&) {
        return std::nullopt;
    }
}

/// Whether the format records the slot of each rank within its node.
bool keeps_places(const RankMapFormat& format) {
    return std::ranges::count(std::array{"tofu6d", "bgq", "bgl", "cray", "openmpi", "erf"}, format.name) > 0;
}

bool fills_nodes_in_order(const RankMapFormat& format) { return format.name == "bgl" || format.name == "cray"; }

HostNames names_of(const Allocation& job) { return HostNames::parse_pattern("node%05d", job.node_count()); }

std::vector<NodeId> nodes_of(const Mapping& mapping) {
    return {mapping.node_of_rank().begin(), mapping.node_of_rank().end()};
}

struct DrawnMap {
    Allocation job;
    HostNames hosts;
    Mapping mapping;

    [[nodiscard]] RankMapContext context(std::int32_t ranks) const { return {&job, ranks, &hosts}; }
};

DrawnMap random_case(bool fill) {
    const DrawnJob& given = *rc::gen::elementOf(jobs());
    const auto ranks_per_node = *rc::gen::inRange<std::int32_t>(1, 5);
    Allocation job = rankmap_job(given.machine, given.shape, ranks_per_node, given.fold, given.origin);
    const auto slots = static_cast<std::int32_t>(job.slot_count());
    const std::int32_t ranks = fill ? slots : *rc::gen::inRange<std::int32_t>(1, slots + 1);
    Mapping mapping = random_mapping(job, *rc::gen::arbitrary<std::uint64_t>(), ranks);
    HostNames hosts = names_of(job);
    return {std::move(job), std::move(hosts), std::move(mapping)};
}

TEST(RankMapRoundTrip, reading_what_any_format_wrote_gives_the_same_mapping) {
    EXPECT_TRUE(rc::check([] {
        const DrawnMap given = random_case(*rc::gen::arbitrary<bool>());
        const std::int32_t ranks = given.mapping.rank_count();
        const bool is_full = ranks == given.job.slot_count();
        for (const RankMapFormat& format : rank_map_formats()) {
            const std::optional<std::string> text = written_if_supported(format, given.mapping, given.context(ranks));
            if (!text) {
                RC_ASSERT(!expresses(format, given.context(ranks)) || (fills_nodes_in_order(format) && !is_full));
                continue;
            }
            RC_ASSERT(expresses(format, given.context(ranks)));
            for (const std::int32_t expected : {ranks, 0}) {
                const Mapping read = parse_rank_map(*text, "map", format.name, given.context(expected));
                RC_ASSERT(nodes_of(read) == nodes_of(given.mapping));
                RC_ASSERT(!keeps_places(format) || read == given.mapping);
            }
        }
    }));
}

TEST(RankMapRoundTrip, a_full_job_can_be_written_unless_the_machine_forbids_it) {
    EXPECT_TRUE(rc::check([] {
        const DrawnMap given = random_case(true);
        const RankMapContext context = given.context(given.mapping.rank_count());
        for (const RankMapFormat& format : rank_map_formats()) {
            RC_ASSERT(written_if_supported(format, given.mapping, context).has_value() == expresses(format, context));
        }
    }));
}

TEST(RankMapRoundTrip, recognition_never_reads_a_written_map_as_another) {
    EXPECT_TRUE(rc::check([] {
        const DrawnMap given = random_case(*rc::gen::arbitrary<bool>());
        const RankMapContext context = given.context(given.mapping.rank_count());
        for (const RankMapFormat& format : rank_map_formats()) {
            const std::optional<std::string> text = written_if_supported(format, given.mapping, context);
            if (!text) continue;
            try {
                RC_ASSERT(nodes_of(parse_rank_map(*text, "map", "", context)) == nodes_of(given.mapping));
            } catch (const InputError& error) {  // ambiguous or unrecognized maps must be reported, not guessed
                RC_ASSERT(error.hint().find("-f FORMAT") != std::string::npos);
            }
        }
    }));
}

TEST(RankMapRoundTrip, a_whole_fugaku_of_ranks) {
    const Allocation job = rankmap_job("fugaku");
    const HostNames hosts = HostNames::parse_pattern("n%06d", job.node_count());
    const RankMapContext context{&job, job.node_count(), &hosts};
    const Mapping mapping = random_mapping(job, 7, job.node_count());
    for (const RankMapFormat& format : rank_map_formats()) {
        const std::optional<std::string> text = written_if_supported(format, mapping, context);
        const bool has_few_axes = format.name == "bgq" || format.name == "bgl";
        EXPECT_EQ(text.has_value(), !has_few_axes && format.name != "partition") << format.name;
        if (!text) continue;
        EXPECT_EQ(nodes_of(parse_rank_map(*text, "map", "", context)), nodes_of(mapping)) << format.name;
    }
}

void change_bytes(std::string& text, Random& random) {
    for (std::uint32_t changes = 1 + random.below(3); changes > 0 && !text.empty(); --changes) {
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(text.size()));
        constexpr std::string_view kBytes = "0123456789 ,()\n\r#-{}[]\"\xff:*=+/n";
        if (random.below(3) == 0) {
            text.erase(at, 1 + random.below(4));
        } else {
            text[at] = kBytes[random.below(static_cast<std::uint32_t>(kBytes.size()))];
        }
    }
}

TEST(RankMapRoundTrip, changed_bytes_give_an_input_error_or_a_valid_mapping) {
    EXPECT_TRUE(rc::check([] {
        const DrawnMap given = random_case(*rc::gen::arbitrary<bool>());
        Random random(*rc::gen::arbitrary<std::uint64_t>());
        const std::int32_t ranks = given.mapping.rank_count();
        const RankMapContext context = given.context(ranks);
        for (const RankMapFormat& format : rank_map_formats()) {
            std::optional<std::string> text = written_if_supported(format, given.mapping, context);
            if (!text) continue;
            change_bytes(*text, random);
            for (const std::string& name : {format.name, std::string()}) {
                bool is_read = false;
                try {
                    RC_ASSERT(parse_rank_map(*text, "map", name, context).rank_count() == ranks);
                    is_read = true;
                } catch (const InputError& error) {
                    RC_ASSERT(std::string(error.what()).starts_with("map:"));
                } catch (const UnsupportedError&) {
                    RC_ASSERT(name.empty());  // the text now looks like a format that does not support this job
                    continue;
                }
                // A map of positions alone, as in robust maps, is read for every shape, but the scheduler accepts it
                // for no shape.
                if (is_read && text->starts_with('(') && text->find(',') == std::string::npos) continue;
                // examine_rank_map() finds a problem if and only if reading fails.
                RC_ASSERT((examine_rank_map(*text, "map", name, context).problems.count() == 0) == is_read);
            }
        }
    }));
}

}  // namespace
}  // namespace haichi
