// Readers of logs that are text: HAICHI_FUZZED_PARSER is one of trace_readers.h.
#include "commlog/traces/trace_readers.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return haichi::read_hostile_input(data, size, [](std::string_view text) {
        (void)haichi::is_log(text.substr(0, 65536));
        (void)haichi::HAICHI_FUZZED_PARSER(text, "fuzzed");
    });
}
