#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/selection.h"
#include "mgen/live_choices.h"
#include "mgen/process_options.h"

namespace haichi::host {
class LiveRank;
}
namespace haichi::mpi {
class World;
}

namespace haichi::abi::mpich {

class MpichRank;

/// Variables that MPICH's Fortran library sets to addresses in the program. If each rank has a copy of the program,
/// these addresses differ between ranks.
std::vector<std::span<std::byte>> addresses_of_program();

/// The MPI of a run for programs with MPICH's binary interface. Does not include mpi.h, so its users do not need MPICH.
class MpichWorld {
  public:
    struct Options {
        mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
        Progress updates = Progress::kNic;               ///< as in mpi::World::Options
        std::int32_t nics = 1;                           ///< NICs per node
        collectives::CollectiveSelection collectives{};  ///< MPICH's, unless set
    };
    MpichWorld(std::int32_t ranks, const Options& options);
    ~MpichWorld();

    /// Whether barriers use the machine's barrier network.
    [[nodiscard]] bool asks_for_hardware_barriers() const;
    /// Called before the rank's program begins.
    void begin(host::LiveRank& rank);
    /// Remarks to the user about ranks that have ended, one sentence each. They concern a missing MPI_Finalize,
    /// requests that were never waited for, messages whose data were not moved, and messages that nobody received.
    /// `place_name` names an address of the program.
    [[nodiscard]] std::vector<std::string> remarks(
        const std::function<std::string(const void* address)>& place_name) const;

    /// Messages without data as a possible reason why ranks wait forever. The text is "; ..." or empty.
    [[nodiscard]] std::string hint_when_stuck(const std::function<std::string(const void* address)>& place_name) const;

  private:
    std::unique_ptr<mpi::World> world_;
    collectives::CollectiveSelection selection_;
    std::vector<std::unique_ptr<MpichRank>> ranks_;
};

}  // namespace haichi::abi::mpich
