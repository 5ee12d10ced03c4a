#include "netmodel/machine/machine.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A folder that does not exist: a graph file that the text names must not be some file of this computer.
    return haichi::read_hostile_input(
        data, size, [](std::string_view text) { (void)haichi::parse_machine(text, "/nonexistent/fuzzed.json"); });
}
