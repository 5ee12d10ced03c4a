#include "netmodel/machine/fold.h"
#include "tests/fuzz/reader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const haichi::Grid kGrid({{"X", 2, false}, {"Y", 3, true}});
    return haichi::read_hostile_input(data, size, [](std::string_view text) {
        (void)haichi::table_fold(text, "fuzzed", kGrid.vertex_count(), 2, [](const haichi::Coordinates& at) {
            const bool inside = at[0] < 2 && at[1] < 3;
            return inside ? haichi::NodeId(kGrid.vertex(at).value) : haichi::NodeId{};
        });
    });
}
