// A job file of the profiler, and the extraction of sets from what it says.

#include "commlog/ccs/extraction.h"
#include "commlog/log/log_file.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return haichi::read_hostile_input(data, size, [](std::string_view text) {
        const haichi::JobLog log = haichi::parse_own_log(std::as_bytes(std::span(text)), "fuzzed");
        if (log.rank_count > 4096) return;  // the time goes into empty ranks
        haichi::ExtractionOptions options;
        options.levels.collectives = haichi::CollectiveScope::kAll;
        options.most_events = 2000;
        (void)haichi::extract_sets(log, options);
    });
}
