#include "collectives/allgather.h"

#include "collectives/gather.h"
#include "collectives/runs.h"

namespace haichi::collectives {

namespace {

bool has_counts(const CollectiveArguments& arguments) { return !arguments.receive_counts.empty(); }

/// Packed blocks of adjacent members, starting at member `first_rank` and wrapping around once.
class PackedBlocks {
  public:
    PackedBlocks(Exchange& exchange, const CollectiveArguments& arguments, int first_rank)
        : blocks_(Blocks::received(arguments)), ring_{first_rank, exchange.size()}, block_bytes_(0) {
        if (has_counts(arguments)) {
            first_byte_.resize(static_cast<std::size_t>(ring_.size) + 1);
            for (int i = 0; i < ring_.size; ++i) {
                const auto at = static_cast<std::size_t>(i);
                first_byte_[at + 1] = first_byte_[at] + blocks_.bytes(ring_.rank_of(i));
            }
        } else {
            block_bytes_ = blocks_.bytes(0);
        }
        place_ = exchange.scratch(first(ring_.size));
    }

    /// The blocks of the members with numbers [begin, end), counted from the first member.
    [[nodiscard]] Buffer part(int begin, int end) const {
        return packed(place_ + first(begin), first(end) - first(begin));
    }
    void take(Exchange& exchange, int rank) const { exchange.copy(blocks_[rank], part_of(rank)); }
    /// Copies all blocks to the receive buffer, except the block of `rank`, which is already there.
    void give_others(Exchange& exchange, int rank) const {
        if (!exchange.moves_data()) return;
        for (int i = 0; i < ring_.size; ++i) {
            if (i != rank) exchange.copy(part_of(i), blocks_[i]);
        }
    }

  private:
    [[nodiscard]] std::int64_t first(int number) const {
        return first_byte_.empty() ? number * block_bytes_ : first_byte_[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] Buffer part_of(int rank) const {
        const int number = ring_.number_of(rank);
        return part(number, number + 1);
    }

    Blocks blocks_;
    Ring ring_;
    std::int64_t block_bytes_;
    std::vector<std::int64_t> first_byte_;
    std::byte* place_ = nullptr;
};

Steps allgather_ring(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    keep_own_block(exchange, arguments);
    const Blocks blocks = Blocks::received(arguments);
    const Ring ranks{exchange.rank(), exchange.size()};
    for (int i = 1; i < ranks.size; ++i) {
        co_await exchange_with(exchange, blocks[ranks.rank_of(ranks.size - i + 1)], ranks.rank_of(1),
                               blocks[ranks.rank_of(ranks.size - i)], ranks.rank_of(ranks.size - 1));
    }
}

/// Step k gets 2^k blocks from rank + 2^k. The last step gets the missing blocks.
Steps allgather_bruck(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    keep_own_block(exchange, arguments);
    const Ring ranks{exchange.rank(), exchange.size()};
    const PackedBlocks blocks(exchange, arguments, exchange.rank());
    blocks.take(exchange, exchange.rank());
    for (int have = 1; have < ranks.size; have *= 2) {
        const int count = std::min(have, ranks.size - have);
        co_await exchange_with(exchange, blocks.part(0, count), ranks.rank_of(ranks.size - have),
                               blocks.part(have, have + count), ranks.rank_of(have));
    }
    blocks.give_others(exchange, exchange.rank());
}

Steps allgather_recursive_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    keep_own_block(exchange, arguments);
    const Ring ranks{0, exchange.size()};
    if (!has_counts(arguments)) {
        const Blocks blocks = Blocks::received(arguments);
        const auto part = [blocks](int begin, int end) { return blocks.run(begin, end - begin); };
        co_await gather_runs_by_doubling(exchange, ranks, part);
        co_return;
    }
    const PackedBlocks blocks(exchange, arguments, 0);
    blocks.take(exchange, exchange.rank());
    const auto part = [&blocks](int begin, int end) { return blocks.part(begin, end); };
    co_await gather_runs_by_doubling(exchange, ranks, part);
    blocks.give_others(exchange, exchange.rank());
}

Steps recursive_doubling_or_bruck(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return is_power_of_two(exchange.size()) ? allgather_recursive_doubling(exchange, arguments, tuning)
                                            : allgather_bruck(exchange, arguments, tuning);
}

/// Pairs exchange their blocks. After that, a member alternates between its two neighbours. In each step it gets the
/// two blocks that the neighbour received last.
Steps neighbor_exchange(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const int rank = exchange.rank();
    const int size = exchange.size();
    if (size % 2 != 0) {
        co_await allgather_ring(exchange, arguments, tuning);
        co_return;
    }
    keep_own_block(exchange, arguments);
    const Blocks blocks = Blocks::received(arguments);
    const bool is_even = rank % 2 == 0;
    const int partners[2] = {is_even ? rank + 1 : rank - 1, is_even ? (rank + size - 1) % size : (rank + 1) % size};
    const int direction = is_even ? 1 : -1;
    co_await exchange_with(exchange, blocks[rank], partners[0], blocks[partners[0]], partners[0]);

    const auto pair_bytes = [&](int first) { return blocks.bytes(first) + blocks.bytes(first + 1); };
    int given = round_down(rank, 2);  // the first block of the pair
    int taken[2] = {given, given};
    for (int i = 1; i < size / 2; ++i) {
        const int side = i % 2;
        taken[side] = (taken[side] + (side == 0 ? 2 : -2) * direction + size) % size;
        const int coming = taken[side];
        std::byte* const out = exchange.scratch(pair_bytes(given));
        std::byte* const in = exchange.scratch(pair_bytes(coming));
        exchange.copy(blocks[given], packed(out, blocks.bytes(given)));
        exchange.copy(blocks[given + 1], packed(out + blocks.bytes(given), blocks.bytes(given + 1)));
        co_await exchange_with(exchange, packed(out, pair_bytes(given)), partners[side], packed(in, pair_bytes(coming)),
                               partners[side]);
        exchange.copy(packed(in, blocks.bytes(coming)), blocks[coming]);
        exchange.copy(packed(in + blocks.bytes(coming), blocks.bytes(coming + 1)), blocks[coming + 1]);
        given = coming;
    }
}

Steps allgather_two_members(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    keep_own_block(exchange, arguments);
    const Blocks blocks = Blocks::received(arguments);
    const int other = 1 - exchange.rank();
    co_await exchange_with(exchange, blocks[exchange.rank()], other, blocks[other], other);
}

/// A gather to member 0, then a broadcast of all blocks.
Steps gathered_and_broadcast(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const Blocks blocks = Blocks::received(arguments);
    const bool counts = has_counts(arguments);
    CollectiveArguments gather = arguments;
    gather.collective = counts ? CollectiveKind::kGatherv : CollectiveKind::kGather;
    gather.root = 0;
    if (arguments.in_place && exchange.rank() != 0) {
        gather.in_place = false;
        gather.send = blocks[exchange.rank()];
    }
    co_await collective_steps(exchange, gather, *arguments.selection);

    CollectiveArguments broadcast;
    broadcast.collective = CollectiveKind::kBroadcast;
    broadcast.root = 0;
    if (!counts) {
        broadcast.receive = blocks.run(0, exchange.size());
        co_await collective_steps(exchange, broadcast, *arguments.selection);
        co_return;
    }
    const PackedBlocks all(exchange, arguments, 0);
    if (exchange.rank() == 0) {
        for (int i = 0; i < exchange.size(); ++i) all.take(exchange, i);
    }
    broadcast.receive = all.part(0, exchange.size());
    co_await collective_steps(exchange, broadcast, *arguments.selection);
    if (exchange.rank() != 0) {
        keep_own_block(exchange, arguments);
        all.give_others(exchange, exchange.rank());
    }
}

/// Passes blocks around the ring in pieces of at most one segment. A member passes on the received part of a block
/// before it has the whole block.
Steps segmented_ring(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    keep_own_block(exchange, arguments);
    const Blocks blocks = Blocks::received(arguments);
    const Ring ranks{exchange.rank(), exchange.size()};
    std::int64_t largest = 0;
    std::int64_t total = 0;
    for (int i = 0; i < ranks.size; ++i) {
        largest = std::max(largest, blocks[i].count);
        total += blocks[i].count;
    }
    const std::int64_t extent = std::max<std::int64_t>(arguments.receive.type->extent(), 1);
    const bool is_cut = tuning.segment_bytes > 0 && largest * extent > tuning.segment_bytes;
    const std::int64_t piece = is_cut ? std::max<std::int64_t>(tuning.segment_bytes / extent, 1) : largest;

    struct Side {
        int block;
        std::int64_t done;
        std::int64_t left;
    };
    Side out{ranks.rank_of(0), 0, total - blocks[ranks.rank_of(1)].count};
    Side in{ranks.rank_of(ranks.size - 1), 0, total - blocks[ranks.rank_of(0)].count};
    const auto size_of = [&](const Side& side) {
        return side.left == 0 ? 0 : std::min(piece, blocks[side.block].count - side.done);
    };
    const auto advance = [&](Side& side, std::int64_t count) {
        side.done += count;
        side.left -= count;
        if (side.done == blocks[side.block].count) {
            side.done = 0;
            side.block = (side.block + ranks.size - 1) % ranks.size;
        }
    };
    while (out.left > 0 || in.left > 0) {
        const std::int64_t sent = size_of(out);
        const std::int64_t received = size_of(in);
        if (received > 0) exchange.receive(items(blocks[in.block], in.done, received), ranks.rank_of(ranks.size - 1));
        if (sent > 0) exchange.send(items(blocks[out.block], out.done, sent), ranks.rank_of(1));
        co_await exchange.wait();
        advance(out, sent);
        advance(in, received);
    }
}

}  // namespace

const Table<AlgorithmRow>& allgather_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"allgather algorithm", "algorithms"},
        {
            {"gather-broadcast", "A gather to rank 0, then a broadcast.", gathered_and_broadcast, 1},
            {"bruck", "Step k gets 2^k blocks from rank + 2^k.", allgather_bruck, 2},
            {"recursive-doubling-or-bruck", "Recursive doubling if the number of ranks is a power of two, else bruck.",
             recursive_doubling_or_bruck, 3},
            {"recursive-doubling", "Step k exchanges all blocks with rank XOR 2^k.", allgather_recursive_doubling},
            {"ring", "Each step passes a block on to rank + 1.", allgather_ring, 4},
            {"neighbor-exchange",
             "Each step exchanges two blocks with alternating neighbours; ring if the number of ranks is odd.",
             neighbor_exchange, 5},
            {"two-members", "Two ranks exchange their blocks.", allgather_two_members, 6, false, 2},
        });
    return kRows;
}

const Table<AlgorithmRow>& allgatherv_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"allgatherv algorithm", "algorithms"},
        {
            {"gather-broadcast", "A gatherv to rank 0, then a broadcast.", gathered_and_broadcast, 1},
            {"bruck", "Step k gets 2^k blocks from rank + 2^k.", allgather_bruck, 2},
            {"ring", "Each step passes a block on to rank + 1.", allgather_ring, 3},
            {"neighbor-exchange",
             "Each step exchanges two blocks with alternating neighbours; ring if the number of ranks is odd.",
             neighbor_exchange, 4},
            {"two-members", "Two ranks exchange their blocks.", allgather_two_members, 5, false, 2},
            {"recursive-doubling", "Step k exchanges all blocks with rank XOR 2^k.", allgather_recursive_doubling},
            {"segmented-ring", "Each step passes a block on to rank + 1, segment by segment.", segmented_ring},
        });
    return kRows;
}

}  // namespace haichi::collectives
