#include "mgen/abi/mpich/mpich_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/host/live_rank.h"
#include "mgen/mpi/world.h"

namespace haichi::abi::mpich {

MpichWorld::MpichWorld(std::int32_t ranks, const Options& options)
    : world_(std::make_unique<mpi::World>(
          ranks, mpi::World::Options{.payload = options.payload, .updates = options.updates, .nics = options.nics})),
      selection_(options.collectives),
      ranks_(static_cast<std::size_t>(ranks)) {}

MpichWorld::~MpichWorld() = default;

bool MpichWorld::asks_for_hardware_barriers() const {
    return std::ranges::any_of(
        selection_.lines(collectives::CollectiveKind::kBarrier), [](const collectives::SelectionLine& line) {
            return std::ranges::any_of(line.choices, [](const collectives::SelectionChoice& choice) {
                return choice.row != nullptr && choice.row->by_hardware;
            });
        });
}

void MpichWorld::begin(host::LiveRank& rank) {
    auto& state = ranks_[rank.id().index()];
    state = std::make_unique<MpichRank>(*world_, rank);
    state->selection = &selection_;
    rank.calls_state = state.get();
}

namespace {

using PlaceName = std::function<std::string(const void* address)>;

/// A call and its call site, such as "MPI_Isend (ring.c:12)".
template <class Made>
std::string made_by(const Made& made, const PlaceName& place_name) {
    const std::string call = made.call_name != nullptr ? made.call_name : "the program";
    const std::string place = place_name(made.call_site);
    return place.empty() ? call : call + " (" + place + ")";
}

std::string dataless_text(const mpi::World::DatalessMessage& message, const PlaceName& place_name) {
    return fmt::format("{} bytes from rank {} to rank {}, tag {}, in {}", message.bytes, message.from.value,
                       message.to.value, message.tag, made_by(message, place_name));
}

}  // namespace

std::string MpichWorld::hint_when_stuck(const std::function<std::string(const void* address)>& place_name) const {
    if (!world_->first_dataless()) return "";
    return "\n  a message without its data may be the cause: " + dataless_text(*world_->first_dataless(), place_name) +
           "\n  use §payload all to move all data";
}

std::vector<std::string> MpichWorld::remarks(const std::function<std::string(const void* address)>& place_name) const {
    std::int64_t without_finalize = 0;
    std::int64_t open_requests = 0;
    std::int64_t without_payload = 0;
    std::int32_t first = -1;
    std::size_t lost_messages = 0;
    std::string first_lost;
    std::string first_open;
    std::int32_t first_open_rank = -1;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (!ranks_[r]) continue;
        // The host's ranks no longer exist, so process.id() must not be used here.
        const mpi::Process& process = ranks_[r]->process;
        const auto rank = static_cast<std::int32_t>(r);
        if (process.is_initialized && !process.is_finalized) {
            if (without_finalize++ == 0) first = rank;
        }
        if (open_requests == 0 && process.open_requests() > 0) {
            first_open = made_by(*process.first_open_request(), place_name);
            first_open_rank = rank;
        }
        open_requests += static_cast<std::int64_t>(process.open_requests());
        without_payload += process.without_payload();
        const std::vector<mpi::Process::LostMessage> lost = process.lost_messages();
        if (lost_messages == 0 && !lost.empty()) {
            // The order of these messages depends on threads, so the smallest one is reported.
            const mpi::Process::LostMessage& one = *std::ranges::min_element(
                lost, {}, [](const auto& message) { return std::tuple(message.to, message.tag, message.bytes); });
            first_lost = fmt::format("from rank {} to rank {}, tag {}, {} bytes, in {}", rank, one.to.value, one.tag,
                                     one.bytes, made_by(one, place_name));
        }
        lost_messages += lost.size();
    }
    std::vector<std::string> remarks;
    if (without_finalize > 0) {
        remarks.push_back(fmt::format("{} ended without MPI_Finalize, rank {} first",
                                      without_finalize == 1 ? "1 rank" : fmt::format("{} ranks", without_finalize),
                                      first));
    }
    if (open_requests > 0) {
        remarks.push_back(
            fmt::format("{} neither waited for nor freed; rank {} made {} in {}",
                        open_requests == 1 ? "1 request was" : fmt::format("{} requests were", open_requests),
                        first_open_rank, open_requests == 1 ? "it" : "one of them", first_open));
    }
    if (lost_messages > 0) {
        remarks.push_back(
            fmt::format("{} never received; {} {}",
                        lost_messages == 1 ? "1 message was" : fmt::format("{} messages were", lost_messages),
                        lost_messages == 1 ? "it went" : "one of them went", first_lost));
    }
    if (without_payload > 0) {
        std::string remark = without_payload == 1
                                 ? "1 message was received without its data"
                                 : fmt::format("{} messages were received without their data", without_payload);
        if (world_->first_dataless())
            remark += ", the first with " + dataless_text(*world_->first_dataless(), place_name);
        remarks.push_back(remark + "; use §payload all to move all data");
    }
    return remarks;
}

}  // namespace haichi::abi::mpich
