#include "mgen/abi/openmpi/arguments.h"

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::openmpi {

// MPICH's status has the number of bytes in two words, shifted by one bit for cancellation.
MPI_Status status_of_mpich(const Status& given) {
    MPI_Status made{};
    made.count_lo = static_cast<int>(static_cast<std::uint32_t>(given.bytes));
    const auto high = static_cast<std::uint32_t>(given.bytes >> 32U);
    made.count_hi_and_cancelled = static_cast<int>(high << 1U | (given.cancelled != 0 ? 1U : 0U));
    made.MPI_SOURCE = rank_of_mpich(given.source);
    made.MPI_TAG = given.tag;
    made.MPI_ERROR = error_code_of_mpich(given.error);
    return made;
}

Status status(const MPI_Status& of_mpich) {
    const auto low = static_cast<std::uint32_t>(of_mpich.count_lo);
    const auto high = static_cast<std::uint32_t>(of_mpich.count_hi_and_cancelled);
    return {.source = rank(of_mpich.MPI_SOURCE),
            .tag = of_mpich.MPI_TAG,
            .error = error_number(of_mpich.MPI_ERROR),
            .cancelled = static_cast<int>(high & 1U),
            .bytes = static_cast<std::size_t>(high >> 1U) << 32U | low};
}

const int* weights(const int* given) {
    const auto number = reinterpret_cast<std::uintptr_t>(given);
    return number == 2 ? MPI_UNWEIGHTED : number == 3 ? MPI_WEIGHTS_EMPTY : given;
}

Statuses::Statuses(Status* to, int count) : to_(to), count_(std::max(count, 0)) {
    if (to == nullptr) return;
    of_mpich_.reset(new MPI_Status[static_cast<std::size_t>(count_) + 1]);
    std::transform(to, to + count_, of_mpich_.get(), status_of_mpich);
}

Statuses::~Statuses() {
    if (to_ != nullptr) std::transform(of_mpich_.get(), of_mpich_.get() + count_, to_, status);
}

int senders(Comm comm) {
    return mpich::MpichRank::current().comm(handle(comm)).membership->communicator->partners().size();
}
int receivers(const void* data, Comm comm) { return is_in_place(data) ? 0 : senders(comm); }
int neighbor_senders(Comm comm) {
    return static_cast<int>(mpich::MpichRank::current().neighbors(handle(comm)).sources.size());
}
int neighbor_receivers(const void* /*data*/, Comm comm) {
    return static_cast<int>(mpich::MpichRank::current().neighbors(handle(comm)).destinations.size());
}

}  // namespace haichi::abi::openmpi
