#include "netmodel/machine/allocation.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const haichi::Machine kMachine = *haichi::preset_machine("fx10:2x1x2:X");
    return haichi::read_hostile_input(
        data, size, [](std::string_view text) { (void)haichi::parse_node_list(text, "fuzzed", kMachine); });
}
