#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "mgen/process_model.h"
#include "tests/netmodel/packetsim/packetsim_machines.h"

// The order of messages between a pair of ranks, and the memory that it needs.

namespace haichi {
namespace {

using namespace packetsim_machines;

/// In every round a rank sends three messages to one random rank and receives three from another. The first is long and
/// the others are short, each on its own NIC, so that the short messages arrive first. The program checks by their tags
/// that they match in send order.
class RandomPairs final : public RankProgram {
  public:
    static constexpr std::int32_t kRanks = 2048;
    static constexpr int kRounds = 40;
    static constexpr std::array<std::int64_t, 3> kBytes = {1'000, 0, 16};

    RandomPairs() : positions_(kRanks), ends_ps_(kRanks, std::vector<std::int64_t>(kRounds * 3)) {
        Random random(11);
        for (int k = 0; k < kRounds; ++k) {
            // Some rounds repeat the pairs of a much earlier round, which have been forgotten by then.
            if (k >= 30 && k % 2 == 0) {
                rounds_.push_back(rounds_[static_cast<std::size_t>(k) - 30]);
                continue;
            }
            const std::int32_t factor = 2 * static_cast<std::int32_t>(random.below(kRanks / 2)) + 1;
            rounds_.push_back({factor, inverse(factor), static_cast<std::int32_t>(random.below(kRanks))});
        }
    }

    Call next(RankId rank, std::int64_t) override {
        Position& at = positions_[rank.index()];
        if (at.round == kRounds) return Call::finish();
        const Round& round = rounds_[static_cast<std::size_t>(at.round)];
        const int step = at.step++;
        const int k = step % 3;
        const auto request = static_cast<std::uint32_t>(3 * at.round + k);
        if (step < 3) return Call::receive(round.source_of(rank), 10'000, Call::kAnyTag, request);
        if (step < 6) {
            // Sometimes the first message is a rendezvous.
            const SendOptions options{
                .protocol = k == 0 && at.round % 8 == 7 ? Protocol::kRendezvous : Protocol::kEager, .zero_copy = true};
            return Call::send(round.destination_of(rank), kBytes[static_cast<std::size_t>(k)],
                              static_cast<std::int32_t>(request), options, 1'000'000 + request);
        }
        at = {at.round + 1, 0};
        return Call::wait();
    }

    void completed(RankId rank, std::uint32_t request, const CompletedRequest& completion,
                   std::int64_t now_ps) override {
        if (completion.is_send) return;
        const auto tag = static_cast<std::uint32_t>(completion.tag);
        Position& at = positions_[rank.index()];
        if (tag != request) ++at.out_of_order;
        ends_ps_[rank.index()][request] = now_ps;
    }

    [[nodiscard]] int out_of_order() const {
        int sum = 0;
        for (const Position& at : positions_) sum += at.out_of_order;
        return sum;
    }
    /// The number of messages that had to wait for the long message before them.
    [[nodiscard]] int held() const {
        int sum = 0;
        for (const auto& ends : ends_ps_) {
            for (std::size_t i = 0; i < ends.size(); i += 3) sum += ends[i] == ends[i + 1] && ends[i] == ends[i + 2];
        }
        return sum;
    }
    [[nodiscard]] const std::vector<std::vector<std::int64_t>>& ends_ps() const { return ends_ps_; }

  private:
    /// A permutation: destination = factor * rank + shift.
    struct Round {
        std::int32_t factor;
        std::int32_t inverse;
        std::int32_t shift;
        [[nodiscard]] RankId destination_of(RankId rank) const {
            return RankId((rank.value * factor + shift) % kRanks);
        }
        [[nodiscard]] RankId source_of(RankId rank) const {
            return RankId((rank.value - shift + kRanks) % kRanks * inverse % kRanks);
        }
    };
    struct Position {
        int round = 0;
        int step = 0;
        int out_of_order = 0;
    };
    /// The inverse of an odd number modulo a power of two. Newton's iteration doubles the correct bits, starting with
    /// three.
    static std::int32_t inverse(std::int32_t factor) {
        const auto odd = static_cast<std::uint32_t>(factor);
        std::uint32_t x = odd;
        for (int k = 0; k < 3; ++k) x *= 2 - odd * x;
        return static_cast<std::int32_t>(x % kRanks);
    }

    std::vector<Round> rounds_;
    std::vector<Position> positions_;
    std::vector<std::vector<std::int64_t>> ends_ps_;
};

struct OrderRun {
    explicit OrderRun(int partitions) : network(grid_network({-4, -4, -4})), model(parameters(partitions), program) {}
    [[nodiscard]] ProcessModel::Parameters parameters(int partitions) const {
        PacketTimingOptions timing = torus_study();
        timing.nics = 4;
        timing.shared_memory_latency_ps = 50'000;
        ProcessOptions process;
        process.nics = 4;
        process.call_overhead_ps = process.eager_overhead_ps = 10'000;
        std::vector<NodeId> nodes;
        for (std::int32_t r = 0; r < RandomPairs::kRanks; ++r) nodes.emplace_back(r * 5 % 64);
        return {.network = &network,
                .timing = PacketTiming(timing),
                .process = process,
                .node_of_rank = nodes,
                .partitions = partitions,
                .uses_barriers = false};
    }
    RandomPairs program;
    Network network;
    ProcessModel model;
};

TEST(PairOrder, is_kept_and_its_memory_follows_the_messages_under_way_not_the_pairs_that_ever_talked) {
    constexpr std::int64_t kPairs = std::int64_t{RandomPairs::kRanks} * 35;  // five of the 40 rounds repeat pairs
    constexpr std::int64_t kUsual = ProcessModel::kPairsOfRank * RandomPairs::kRanks;
    std::vector<std::vector<std::int64_t>> ends_ps;
    for (const int partitions : {1, 7}) {
        SCOPED_TRACE(partitions);
        OrderRun run(partitions);
        std::int64_t most_under_way = 0;
        std::int64_t most_pairs = 0;
        std::size_t most_bytes = 0;
        int forgotten = 0;
        std::int64_t pairs_before = 0;
        std::int64_t windows = 0;
        run.model.run([&] {
            most_under_way = std::max(most_under_way, run.model.engine().counts().messages_under_way);
            const std::int64_t pairs = run.model.numbered_pairs();
            EXPECT_LE(pairs, kUsual + 2 * most_under_way);
            forgotten += pairs < pairs_before ? 1 : 0;
            pairs_before = pairs;
            most_pairs = std::max(most_pairs, pairs);
            if (windows++ % 64 == 0) most_bytes = std::max(most_bytes, run.model.memory_bytes());
            return true;
        });
        EXPECT_TRUE(run.model.all_finished());
        EXPECT_EQ(run.program.out_of_order(), 0);
        EXPECT_GT(run.program.held(), RandomPairs::kRanks * RandomPairs::kRounds / 4);
        EXPECT_GT(forgotten, 3);
        // Over the whole run, three times as many pairs communicate as are numbered at once.
        EXPECT_LT(3 * most_pairs, kPairs);
        EXPECT_LT(most_bytes, std::size_t{2'000} * RandomPairs::kRanks);
        if (ends_ps.empty()) ends_ps = run.program.ends_ps();
        EXPECT_EQ(run.program.ends_ps(), ends_ps);
    }
}

}  // namespace
}  // namespace haichi
