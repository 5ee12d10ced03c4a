#include "mgen/replay/collective_agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "commlog/log/logged_collective.h"
#include "commlog/log/logged_events.h"
#include "commlog/log/loop_finder.h"

namespace haichi {

namespace {

/// A hash of a sequence of numbers: the polynomial of their hashes modulo 2^64. Loops are hashed without unrolling
/// them.
struct Order {
    std::uint64_t hash = 1;
    std::uint64_t power = 1;  ///< the base to the power of the length

    void append(const Order& behind) {
        hash = (hash - 1) * behind.power + behind.hash;
        power *= behind.power;
    }
    void append(std::int64_t number) {
        constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15ULL;
        append(Order{1 + mixed(static_cast<std::uint64_t>(number) + kBase), kBase});
    }
    [[nodiscard]] Order repeated(std::uint64_t times) const {
        Order all;
        for (Order twice = *this; times > 0; times /= 2, twice.append(Order(twice))) {
            if (times % 2 == 1) all.append(twice);
        }
        return all;
    }
};

/// The sizes of each kind of collective in a rank's log.
class SizesOfRank {
  public:
    struct Sizes {
        Order order;
        double bytes = 0;
        double count = 0;
    };

    SizesOfRank(const JobLog& job, const std::vector<bool>& is_whole, const RankLog& rank, const CallSequence& calls)
        : job_(&job), is_whole_(&is_whole), rank_(&rank), calls_(&calls), bodies_(calls.bodies.size()) {
        append(calls.sequence, all_);
    }
    [[nodiscard]] const std::map<CollectivesOf, Sizes>& all() const { return all_; }

  private:
    struct Body {
        bool is_known = false;
        std::map<CollectivesOf, Sizes> sizes;
    };

    void append(std::span<const Symbol> symbols, std::map<CollectivesOf, Sizes>& to) {
        for (const Symbol symbol : symbols) {
            if (symbol < kLoopSymbol) {
                const LoggedEvent& event = calls_->events[symbol];
                if (event.key.kind != CallKind::kCollective) continue;
                if (!(*is_whole_)[communicator_of(*rank_, event.key.communicator)]) continue;
                const std::uint32_t communicator = communicator_of(*rank_, event.key.communicator);
                const std::size_t members = job_->communicators[communicator].members.size();
                const std::int64_t bytes =
                    collectives::common_bytes(sized_call(event, members), static_cast<int>(members));
                Sizes& sizes = to[{communicator, static_cast<CollectiveOperation>(event.key.operation)}];
                sizes.order.append(bytes);
                sizes.bytes += static_cast<double>(bytes);
                sizes.count += 1;
                continue;
            }
            const Loop& loop = calls_->loops[symbol - kLoopSymbol];
            const auto times = static_cast<double>(loop.repetitions);
            for (const auto& [key, of_body] : sizes_of(loop.body)) {
                Sizes& sizes = to[key];
                sizes.order.append(of_body.order.repeated(loop.repetitions));
                sizes.bytes += times * of_body.bytes;
                sizes.count += times * of_body.count;
            }
        }
    }
    const std::map<CollectivesOf, Sizes>& sizes_of(std::uint32_t body) {
        if (!bodies_[body].is_known) {
            const LoopBody& of = calls_->bodies[body];
            std::map<CollectivesOf, Sizes> sizes;
            append(std::span(calls_->body).subspan(of.first, of.length), sizes);
            bodies_[body] = {true, std::move(sizes)};
        }
        return bodies_[body].sizes;
    }

    const JobLog* job_;
    const std::vector<bool>* is_whole_;  ///< by communicator
    const RankLog* rank_;
    const CallSequence* calls_;
    std::vector<Body> bodies_;
    std::map<CollectivesOf, Sizes> all_;
};

}  // namespace

bool is_whole(const LoggedCommunicator& communicator) {
    return !communicator.is_intercommunicator() && !communicator.members.empty() &&
           std::ranges::min(communicator.members) >= 0;
}

CollectiveAgreement::CollectiveAgreement(const JobLog& job, std::span<const CallSequence* const> threads) {
    std::vector<bool> whole;
    for (const LoggedCommunicator& communicator : job.communicators) whole.push_back(is_whole(communicator));
    for (std::size_t r = 0; r < threads.size(); ++r) {
        if (threads[r] == nullptr) continue;
        const SizesOfRank of_rank(job, whole, job.ranks[r], *threads[r]);
        for (const auto& [key, own] : of_rank.all()) {
            const auto [at, is_new] = entries_.try_emplace(key);
            Entry& entry = at->second;
            entry.largest_mean = std::max(entry.largest_mean, own.bytes / own.count);
            if (is_new) {
                entry.sizes_of_first = own.order.hash;
            } else {
                entry.is_even = entry.is_even && entry.sizes_of_first == own.order.hash;
            }
        }
    }
}

collectives::SizedCall CollectiveAgreement::agreed(const CollectivesOf& of, collectives::SizedCall call,
                                                   int members) const {
    using collectives::CollectiveKind;
    const auto at = entries_.find(of);
    if (at == entries_.end()) return call;
    if (!at->second.is_even) {
        return with_common_bytes(call, members, static_cast<std::int64_t>(std::llround(at->second.largest_mean)));
    }
    // If all blocks have the same size, the members know which blocks are empty.
    const bool has_one_block =
        call.collective == CollectiveKind::kGatherv || call.collective == CollectiveKind::kScatterv;
    call.counts_are_known = has_one_block || call.sent + call.received == 0;
    return call;
}

}  // namespace haichi
