// One rank-map format, HAICHI_FUZZED_FORMAT. What is read is written again and read back: the same mapping.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "mapper/rankmap/rankmap.h"
#include "netmodel/machine/machine.h"
#include "tests/fuzz/reader_input.h"

namespace {

using haichi::Allocation;
using haichi::HostNames;
using haichi::Mapping;
using haichi::RankMapContext;

/// A grid that every format knows: 3x2x2 nodes with two ranks each, called n0 to n11.
struct FuzzedJob {
    Allocation allocation = haichi::allocate(haichi::load_machine("torus:3x2x2"), {.ranks_per_node = 2});
    HostNames hosts = HostNames::parse_pattern("n%d", allocation.node_count());
};

void check(std::string_view text, const FuzzedJob& job) {
    const RankMapContext context{.allocation = &job.allocation, .hosts = &job.hosts};
    const std::string format = HAICHI_FUZZED_FORMAT;
    // Positions alone, as robust maps have them, are read on every shape; the scheduler takes them on none.
    const bool is_robust = format == "fujitsu" && text.find(',') == std::string_view::npos;
    const bool has_problems =
        !is_robust && haichi::examine_rank_map(text, "fuzzed", format, context).problems.count() > 0;
    const Mapping read = haichi::parse_rank_map(text, "fuzzed", format, context);
    const std::string written = haichi::rank_map_format(format).write(read, context);
    const Mapping again = haichi::parse_rank_map(written, "written", format, context);
    const bool same = std::ranges::equal(read.node_of_rank(), again.node_of_rank());
    if (has_problems || !same) {
        std::fprintf(stderr, "%s\n", has_problems ? "problems, but it was read" : "another mapping is read back");
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const FuzzedJob job;
    return haichi::read_hostile_input(data, size, [](std::string_view text) { check(text, job); });
}
