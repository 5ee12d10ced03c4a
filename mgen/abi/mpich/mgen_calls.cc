// What programs for the simulated machine have besides MPI (mgen/program/mgen.h).

#include "mgen/abi/mpich/mgen_options.h"

#include <cmath>

#include "mgen/abi/mpich/guard.h"
#include "mgen/abi/mpich/rank_state.h"
#include "mgen/program/simulated_calls.h"

namespace haichi::abi::mpich {

namespace {

std::int64_t picoseconds(const char* what, double seconds) {
    constexpr double kPsPerS = 1e12;
    constexpr double kMostSeconds = 1e6;
    if (!(seconds >= 0 && seconds <= kMostSeconds)) {
        raise(mpi::ErrorClass::kArgument,
              std::string(what) + " of " + std::to_string(seconds) + " s is outside 0..1e6 s");
    }
    return std::llround(seconds * kPsPerS);
}

Protocol protocol_of(int protocol) {
    switch (protocol) {
        case MGEN_BY_SIZE:
            return Protocol::kByLimit;
        case MGEN_EAGER:
            return Protocol::kEager;
        case MGEN_RENDEZVOUS:
            return Protocol::kRendezvous;
        default:
            raise(mpi::ErrorClass::kArgument, "there is no protocol " + std::to_string(protocol));
    }
}

}  // namespace

SendOptions send_options(const MGEN_Send_options& options) {
    return {.protocol = protocol_of(options.protocol),
            .zero_copy = options.zero_copy != 0,
            .nic = options.nic,
            .gap_ps = picoseconds("a gap", options.gap_seconds)};
}

}  // namespace haichi::abi::mpich

using namespace haichi::abi::mpich;

EXPORTED void haichi_mgen_compute(double seconds) {
    call("MGEN_Comp", CALLER, [&] {
        haichi::host::LiveRank::current()->compute(picoseconds("a computing time", seconds));
        return MPI_SUCCESS;
    });
}

EXPORTED void haichi_mgen_next_send(const MGEN_Send_options* options) {
    call("MGEN_Isend_with", CALLER, [&] {
        RankState::current().process.set_next_send(send_options(*options));
        return MPI_SUCCESS;
    });
}

EXPORTED std::uint64_t haichi_simulated_nanoseconds() {
    constexpr std::int64_t kPsPerNs = 1000;
    haichi::host::LiveRank* const rank = haichi::host::LiveRank::current();
    return rank == nullptr ? 0 : static_cast<std::uint64_t>(rank->measured_ps() / kPsPerNs);
}
