#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mgen/mpi/payload.h"
#include "mgen/process_options.h"

namespace haichi::host {
class LiveRank;
}
namespace haichi::collectives {
class CollectiveSelection;
}
namespace haichi::mpi {
class World;
}

namespace haichi::abi::mpich {

class MpichRank;

/// Variables that MPICH's Fortran library sets to addresses in the program: where each rank has a copy of that, it has
/// others in them.
std::vector<std::span<std::byte>> addresses_of_program();

/// The MPI of a run for programs with MPICH's binary interface. Includes no mpi.h: who starts runs need not have one.
class MpichWorld {
  public:
    struct Options {
        mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
        Progress updates = Progress::kNic;  ///< as mpi::World::Options
        std::int32_t nics = 1;              ///< of a node
        std::string collectives{};          ///< as CollectiveSelection::set(); empty: as MPICH
    };
    MpichWorld(std::int32_t ranks, const Options& options);
    ~MpichWorld();

    /// Barriers are left to the machine's barrier network.
    [[nodiscard]] bool asks_for_hardware_barriers() const;
    /// Before the rank's program begins.
    void begin(host::LiveRank& rank);
    /// What a user should know of ranks that have ended: without MPI_Finalize, with requests that were never waited
    /// for, with data that were not moved, with messages that nobody received. A sentence each. `place_name` is how an
    /// address of the program is called.
    [[nodiscard]] std::vector<std::string> remarks(
        const std::function<std::string(const void* address)>& place_name) const;

    /// What messages without data may have to do with ranks that wait for ever: "; ...", or empty.
    [[nodiscard]] std::string hint_when_stuck(const std::function<std::string(const void* address)>& place_name) const;

  private:
    std::unique_ptr<mpi::World> world_;
    std::unique_ptr<collectives::CollectiveSelection> selection_;
    std::vector<std::unique_ptr<MpichRank>> ranks_;
};

}  // namespace haichi::abi::mpich
