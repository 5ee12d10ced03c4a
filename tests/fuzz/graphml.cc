#include "netmodel/topology/graphml.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return haichi::read_hostile_input(
        data, size, [](std::string_view text) { (void)haichi::parse_graphml(text, "fuzzed", 1'000'000'000); });
}
