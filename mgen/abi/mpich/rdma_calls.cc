// Remote memory access for programs that are written for the simulated machine (mgen/program/mgen.h).

#include <memory>
#include <optional>
#include <utility>

#include "mgen/abi/mpich/guard.h"
#include "mgen/abi/mpich/mgen_options.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/host/host.h"
#include "mgen/mpi/world.h"
#include "mgen/program/simulated_calls.h"

namespace haichi::abi::mpich {

namespace {

RankId partner(int rank) {
    MpichRank& state = MpichRank::current();
    if (rank < 0 || rank >= state.process.world().size()) {
        raise_code(MPI_ERR_RANK, "invalid rank: " + std::to_string(rank) + " (the job has " +
                                     std::to_string(state.process.world().size()) + " ranks)");
    }
    return RankId(rank);
}

std::int64_t size_of(int bytes) {
    if (bytes < 0) raise(mpi::ErrorClass::kArgument, "the size " + std::to_string(bytes) + " is negative");
    return bytes;
}

SendOptions options_of(const MGEN_Send_options* options) {
    return options != nullptr ? send_options(*options) : SendOptions{};
}

/// An atomic operation on a word of the target.
class WordOperation final : public mpi::RemoteOperation {
  public:
    WordOperation(host::Host& host, int word, std::optional<long long> expected, long long value, long long* result)
        : host_(&host), word_(word), expected_(expected), value_(value), result_(result) {}

    TargetAnswer at_target(const RemoteAccess& access, std::int64_t /*now_ps*/) override {
        auto& words = static_cast<MpichRank*>(host_->rank(access.target).calls_state)->words;
        const auto found = words.find(word_);
        before_ = found != words.end() ? found->second : 0;
        if (expected_ && before_ != *expected_) return TargetAnswer::kNow;
        // Sums wrap around, as they do in hardware.
        const long long after = expected_ ? value_
                                          : static_cast<long long>(static_cast<unsigned long long>(before_) +
                                                                   static_cast<unsigned long long>(value_));
        words.insert_or_assign(word_, after);
        return TargetAnswer::kNow;
    }
    void at_origin() override {
        if (result_ != nullptr) *result_ = before_;
    }

  private:
    host::Host* host_;
    int word_;
    std::optional<long long> expected_;
    long long value_;
    long long* result_;
    long long before_ = 0;
};

long long begin(const Call& access, std::unique_ptr<mpi::RemoteOperation> operation = nullptr) {
    return static_cast<long long>(MpichRank::current().process.begin_access(access, std::move(operation)));
}

}  // namespace

}  // namespace haichi::abi::mpich

using namespace haichi::abi::mpich;
using haichi::Call;

EXPORTED long long haichi_mgen_put(int to, int bytes, int tag, const MGEN_Send_options* options) {
    return call("MGEN_rdma_put", CALLER,
                [&] { return begin(Call::put(partner(to), size_of(bytes), tag, options_of(options))); });
}

EXPORTED long long haichi_mgen_get(int from, int bytes, const MGEN_Send_options* options) {
    return call("MGEN_rdma_get", CALLER,
                [&] { return begin(Call::get(partner(from), size_of(bytes), options_of(options))); });
}

EXPORTED long long haichi_mgen_word(int rank, int word, const long long* expected, long long value, long long* result) {
    return call(expected != nullptr ? "MGEN_rdma_compare_and_swap" : "MGEN_rdma_fetch_and_add", CALLER, [&] {
        constexpr std::int64_t kWordBytes = 8;
        const std::optional<long long> wanted = expected != nullptr ? std::optional(*expected) : std::nullopt;
        return begin(
            Call::atomic(partner(rank), (wanted ? 2 : 1) * kWordBytes, kWordBytes),
            std::make_unique<WordOperation>(haichi::host::LiveRank::current()->host(), word, wanted, value, result));
    });
}

EXPORTED void haichi_mgen_poll(int tag) {
    call("MGEN_rdma_poll", CALLER, [&] {
        MpichRank::current().process.poll(tag);
        return MPI_SUCCESS;
    });
}

EXPORTED void haichi_mgen_complete(long long handle) {
    call("MGEN_acp_complete", CALLER, [&] {
        haichi::mpi::Process& process = MpichRank::current().process;
        if (handle == MGEN_ACP_HANDLE_ALL) {
            process.wait_for_accesses();
        } else {
            process.wait_for_access(static_cast<haichi::mpi::Process::AccessNumber>(handle));
        }
        return MPI_SUCCESS;
    });
}
