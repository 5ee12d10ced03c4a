// A libFuzzer program for one reader, HAICHI_FUZZED_READER.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const haichi::FuzzedReader& reader = haichi::fuzzed_reader(HAICHI_FUZZED_READER);
    haichi::read_hostile_bytes(reader, {reinterpret_cast<const char*>(data), size});
    return 0;
}
