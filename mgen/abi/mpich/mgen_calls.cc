// Functions beyond MPI for programs that are written for the simulated machine (mgen/program/mgen.h).

#include "mgen/abi/mpich/mgen_options.h"

#include <cmath>

#include "mgen/abi/mpich/guard.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/mpi/world.h"
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
            raise(mpi::ErrorClass::kArgument, "invalid protocol: " + std::to_string(protocol));
    }
}

}  // namespace

SendOptions send_options(const MGEN_Send_options& options) {
    const std::int32_t nics = MpichRank::current().process.world().options().nics;
    if (options.nic < -1 || options.nic >= nics) {
        raise(mpi::ErrorClass::kArgument, "invalid NIC: " + std::to_string(options.nic) +
                                              " (a node of this machine has " + std::to_string(nics) +
                                              ", numbered from 0; -1 uses them in turn)");
    }
    return {.protocol = protocol_of(options.protocol),
            .zero_copy = options.zero_copy != 0,
            .nic = options.nic,
            .gap_ps = picoseconds("a gap", options.gap_seconds)};
}

}  // namespace haichi::abi::mpich

using namespace haichi::abi::mpich;

EXPORTED void haichi_mgen_compute(double seconds, const void* site) {
    call("MGEN_Comp", site, [&] {
        haichi::host::LiveRank::current()->compute(picoseconds("a computation time", seconds));
        return MPI_SUCCESS;
    });
}

EXPORTED int haichi_mgen_begin_send(const MGEN_Send_options* options, const void* site) {
    const int code = call("MGEN_Send_with", site, [&] {
        MpichRank& state = MpichRank::current();
        state.process.set_next_send({});
        if (options == nullptr) return MPI_SUCCESS;
        state.process.set_next_send(send_options(*options));
        return MPI_SUCCESS;
    });
    haichi::host::LiveRank::current()->library_call_site = site;
    return code;
}

EXPORTED void haichi_mgen_end_send() {
    haichi::host::LiveRank::current()->library_call_site = nullptr;
    MpichRank::current().process.set_next_send({});
}

EXPORTED std::uint64_t haichi_simulated_nanoseconds() {
    constexpr std::int64_t kPsPerNs = 1000;
    haichi::host::LiveRank* const rank = haichi::host::LiveRank::current();
    return rank == nullptr ? 0 : static_cast<std::uint64_t>(rank->measured_ps() / kPsPerNs);
}
