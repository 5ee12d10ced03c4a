// A part written by the profiler, as left by a process that was killed or that overwrote it: a valid part with changes.
// The input lists the changes: offset (32 bits, in units of 4 bytes), number of bytes (8 bits), the bytes.

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "commlog/log/call_recorder.h"
#include "commlog/log/rank_bytes.h"
#include "tests/commlog/empty_part.h"
#include "tests/fuzz/readers.h"

namespace haichi {
namespace {

ProfileMemory* sound_part() {
    ProfileMemory* const memory = empty_part();
    ProfileHeader& header = memory->header;
    header.ticks_per_second = 1e9;
    header.has_calls = 1;
    header.function_count = 3;
    std::memcpy(header.function_names[0], "MPI_Send", 9);
    header.communicator_count = 2;
    header.segment_count = 2;
    memory->communicators[0] = {1, 4, 0, 0, 1, 0, 0};
    memory->communicators[1] = {2, 1, 0, 1, 1, 0, 0};
    memory->segments[0] = {0, 1, 4};
    memory->segments[1] = {1, 1, 1};
    header.module_count = 1;
    header.region_count = 2;
    header.has_call_sites = 1;
    memory->modules[0] = {0x1000, 0x9000, 0x1000, 20, {1, 2, 3}, "/bin/app"};
    std::memcpy(memory->regions[0].name, "solve", 6);
    std::memcpy(memory->regions[1].name, "write", 6);
    for (std::uint32_t t = 0; t < 2; ++t) {
        // One call site at the start of the table and one at its end: both are read, whatever lies between them.
        memory->threads[t].sites[0] = {0x2000, site_key(0, 0, 1), 5, 500, 90, 110, 4000, 0};
        memory->threads[t].sites[kMostSites - 1] = {0, site_key(0, kNoCommunicator, 0), 1, 100, 100, 100, 0, 8};
        memory->threads[t].regions[1] = {3, 1000};
        memory->threads[t].peers.dense.one_sided[3] = {1, 8, 2, 16};
        memory->threads[t].functions[0].add_call(100);
        memory->threads[t].functions[0].sent.add(1000);
        memory->threads[t].peers.dense.traffic[2] = {1, 1000, 0, 0};
        CallRecorder recorder(&memory->threads[t].calls);
        for (int i = 0; i < 10; ++i) {
            const auto in = recorder.receive(kNobody, 0, 0, kAnySource);
            const auto event = recorder.last_event();
            for (std::uint64_t k = 0; k < 3; ++k)
                recorder.send(2, 0, 0, 100 * (k + 1) + static_cast<std::uint64_t>(i), kBlocking);
            recorder.complete(in, event, 3, 0);
        }
    }
    return memory;
}

}  // namespace

void fuzz_own_part(std::string_view input) {
    static ProfileMemory* const memory = sound_part();
    auto* const bytes = reinterpret_cast<unsigned char*>(memory);
    struct Change {
        std::size_t offset;
        std::vector<unsigned char> before;
    };
    std::vector<Change> changes;
    while (input.size() >= 5) {
        std::uint32_t offset = 0;
        std::memcpy(&offset, input.data(), 4);
        const std::size_t count = std::min<std::size_t>(static_cast<unsigned char>(input[4]), input.size() - 5);
        const std::string_view changed = input.substr(5, count);
        input.remove_prefix(5 + count);
        if (count == 0) continue;
        const std::size_t place = std::size_t{offset} * 4 % (sizeof(ProfileMemory) - 256);
        changes.push_back({place, {bytes + place, bytes + place + count}});
        std::memcpy(bytes + place, changed.data(), count);
    }
    read_hostile_bytes({"changed part",
                        [](std::string_view) {
                            const RankRecord rank = read_rank(*memory, "fuzzed");
                            const auto record = encode_rank(rank);
                            (void)decode_rank(record, "encoded");
                        }},
                       {});
    for (std::size_t c = changes.size(); c-- > 0;) {
        std::memcpy(bytes + changes[c].offset, changes[c].before.data(), changes[c].before.size());
    }
}

}  // namespace haichi
