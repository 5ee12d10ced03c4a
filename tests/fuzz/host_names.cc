// Lists of host names: a pattern, and the text of a file.

#include "mapper/rankmap/hosts.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using haichi::HostNames;
    haichi::read_hostile_input(data, size,
                               [](std::string_view text) { (void)HostNames::parse_pattern(std::string(text), 12); });
    return haichi::read_hostile_input(data, size,
                                      [](std::string_view text) { (void)HostNames::parse_list(text, "fuzzed", 3); });
}
