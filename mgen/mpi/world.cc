#include "mgen/mpi/world.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.h"

namespace haichi::mpi {

namespace {

constexpr std::uint32_t kWholeContext = 0;
constexpr std::uint32_t kSelfContext = 2;  ///< shared by all ranks, because each rank sends only to itself

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// The number after `label` (or the first one) in a kernel file, multiplied by `unit`; kUnlimited if there is none.
std::int64_t number_in(const char* path, std::string_view label, std::int64_t unit) {
    std::ifstream file(path);
    for (std::string word; word != label && file >> word;) {
    }
    std::int64_t value = 0;
    return file >> value ? value * unit : kUnlimited;
}

/// Memory that this process can still allocate within the limits of the system, the container and the process.
std::int64_t free_memory_bytes() {
    constexpr std::int64_t kKib = 1024;
    rlimit limit{};
    const bool is_limited = ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return std::min({number_in("/proc/meminfo", "MemAvailable:", kKib), number_in("/sys/fs/cgroup/memory.max", "", 1),
                     is_limited ? static_cast<std::int64_t>(limit.rlim_cur) : kUnlimited});
}

}  // namespace

World::World(std::int32_t ranks, const Options& options)
    : options_(options),
      most_payload_bytes_(options.payload == PayloadRule::kAuto ? free_memory_bytes() / 2 : kUnlimited),
      processes_(static_cast<std::size_t>(ranks)),
      whole_(std::make_shared<Communicator>(Communicator{kWholeContext, Group::strided(RankId(0), 1, ranks)})) {}

Process& World::begin(host::LiveRank& rank) {
    auto& process = processes_[rank.id().index()];
    process = std::make_unique<Process>(*this, rank);
    rank.set_listener(process.get());
    return *process;
}

void World::note_dataless(const DatalessMessage& message) {
    const auto order = [](const DatalessMessage& of) { return std::pair(of.sent_ps, of.from.value); };
    if (!first_dataless_ || order(message) < order(*first_dataless_)) first_dataless_ = message;
}

void World::refuse_payload() const {
    throw UnsupportedError(
        "the data of messages in flight exceed " + std::to_string(most_payload_bytes_) +
            " bytes, half of the free memory",
        "if the communication does not depend on the data, use §payload none; otherwise use fewer ranks "
        "or §payload all");
}

CommunicatorRef World::self(RankId rank) const {
    return std::make_shared<Communicator>(Communicator{kSelfContext, Group::strided(rank, 1, 1)});
}

}  // namespace haichi::mpi
