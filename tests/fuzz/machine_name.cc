#include <algorithm>

#include "netmodel/machine/allocation.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return haichi::read_hostile_input(data, size, [](std::string_view text) {
        // "MACHINE ROUTING": a preset, and a routing on it where the machine is small.
        const auto blank = std::min(text.find(' '), text.size());
        if (text.starts_with("graph")) return;  // would open files
        const auto machine = haichi::preset_machine(text.substr(0, blank));
        constexpr std::int32_t kMostNodes = 1000;
        if (!machine || machine->size_is_open || haichi::terminal_count(*machine) > kMostNodes) return;
        haichi::AllocationRequest request;
        if (blank < text.size()) request.routing = std::string(text.substr(blank + 1));
        (void)haichi::allocate(*machine, request);
    });
}
