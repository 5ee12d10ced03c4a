#include "mgen/mpi/world.h"

#include <utility>

namespace haichi::mpi {

namespace {

constexpr std::uint32_t kWholeContext = 0;
constexpr std::uint32_t kSelfContext = 2;  ///< for all ranks; each rank sends only to itself

}  // namespace

World::World(std::int32_t ranks, const Options& options)
    : options_(options),
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

CommunicatorRef World::self(RankId rank) const {
    return std::make_shared<Communicator>(Communicator{kSelfContext, Group::strided(rank, 1, 1)});
}

}  // namespace haichi::mpi
