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

/// Variables that MPICH's Fortran library sets to addresses in the program. These addresses differ between ranks if
/// each rank has a copy of the program.
std::vector<std::span<std::byte>> addresses_of_program();

/// The MPI implementation of a run, for programs with MPICH's binary interface. This header does not include mpi.h, so
/// its users do not need MPICH.
class MpichWorld {
  public:
    struct Options {
        mpi::PayloadRule payload = mpi::PayloadRule::kAuto;
        Progress updates = Progress::kNic;               ///< as in mpi::World::Options
        std::int32_t nics = 1;                           ///< NICs per node
        collectives::CollectiveSelection collectives{};  ///< MPICH's algorithms, unless set
    };
    MpichWorld(std::int32_t ranks, const Options& options);
    ~MpichWorld();

    /// True if barriers use the machine's barrier network.
    [[nodiscard]] bool asks_for_hardware_barriers() const;
    /// Must be called before the rank's program begins.
    void begin(host::LiveRank& rank);
    /// Remarks for the user about ranks that have ended, one sentence each. They report a missing MPI_Finalize,
    /// requests that were never completed, messages whose data were not moved, and messages that no rank received.
    /// `place_name` returns the name of a code address of the program.
    [[nodiscard]] std::vector<std::string> remarks(
        const std::function<std::string(const void* address)>& place_name) const;

    /// States that messages without data may be the reason why ranks wait forever. The text is "; ..." or empty.
    [[nodiscard]] std::string hint_when_stuck(const std::function<std::string(const void* address)>& place_name) const;

  private:
    std::unique_ptr<mpi::World> world_;
    collectives::CollectiveSelection selection_;
    std::vector<std::unique_ptr<MpichRank>> ranks_;
};

}  // namespace haichi::abi::mpich
