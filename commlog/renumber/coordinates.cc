#include "commlog/renumber/coordinates.h"

#include "commlog/renumber/world.h"
#if defined(HAICHI_HAS_FJMPI)
#include <mpi-ext.h>
#endif

namespace haichi::renumber {

namespace {

constexpr int kTofuAxes = 6;
constexpr int kSuccess = 0;

}  // namespace

Coordinates asked_coordinates(int rank) {
    Coordinates node(kTofuAxes);
    int* const at = node.data();
#if defined(HAICHI_HAS_FJMPI)
    // The newer function takes a view number, which only Fujitsu's header defines.
    using Ask = int (*)(MPI_Comm, int, int, int, int*);
    if (const auto ask = reinterpret_cast<Ask>(preload::find_symbol("FJMPI_Topology_get_coords")); ask != nullptr) {
        return ask(MPI_COMM_WORLD, rank, FJMPI_TOFU_REL, kTofuAxes, at) == kSuccess ? node : Coordinates();
    }
#endif
    using AskOlder = int (*)(int, int*, int*, int*, int*, int*, int*);
    const auto ask = reinterpret_cast<AskOlder>(preload::find_symbol("FJMPI_Topology_rel_rank2xyzabc"));
    if (ask == nullptr) return {};
    return ask(rank, at, at + 1, at + 2, at + 3, at + 4, at + 5) == kSuccess ? node : Coordinates();
}

}  // namespace haichi::renumber
