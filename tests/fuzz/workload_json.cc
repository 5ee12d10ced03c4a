#include "commlog/workload/workload_json.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return haichi::read_hostile_input(data, size,
                                      [](std::string_view text) { (void)haichi::read_workload_json(text, "fuzzed"); });
}
