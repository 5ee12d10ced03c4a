#include "collectives/alltoall.h"

#include "collectives/pieces.h"

namespace haichi::collectives {

namespace {

/// The common state of all-to-alls with and without counts and types.
struct Sides {
    explicit Sides(const CollectiveArguments& arguments)
        : sent(Blocks::sent(arguments)), received(Blocks::received(arguments)) {}

    void keep_own(Exchange& exchange) const { exchange.copy(sent[exchange.rank()], received[exchange.rank()]); }

    Blocks sent;
    Blocks received;
};

/// Sends the content of a block and replaces it by data from the same member.
Steps replace_block(Exchange& exchange, Buffer block, int partner) {
    const Buffer leaving = packed(exchange.scratch(block.bytes()), block.bytes());
    exchange.copy(block, leaving);
    co_await exchange_with(exchange, leaving, partner, block, partner);
}

/// In place: exchanges blocks with the other members by rank.
Steps replace_by_rank(Exchange& exchange, CollectiveArguments arguments) {
    const Blocks blocks = Blocks::received(arguments);
    for (int i = 0; i < exchange.size(); ++i) {
        if (i != exchange.rank()) co_await replace_block(exchange, blocks[i], i);
    }
}

/// In place: exchanges blocks with both neighbours at distance 1, 2, ...
Steps replace_by_distance(Exchange& exchange, CollectiveArguments arguments) {
    const Blocks blocks = Blocks::received(arguments);
    const Ring ranks{exchange.rank(), exchange.size()};
    for (int distance = 1; distance <= ranks.size / 2; ++distance) {
        const int right = ranks.rank_of(distance);
        const int left = ranks.rank_of(ranks.size - distance);
        const Buffer leaving = packed(exchange.scratch(blocks.bytes(right)), blocks.bytes(right));
        exchange.copy(blocks[right], leaving);
        if (leaving.count > 0) exchange.receive(blocks[right], right);
        if (left != right && blocks.bytes(left) > 0) {
            exchange.send(blocks[left], left);
            co_await exchange.wait();
            exchange.receive(blocks[left], left);
        }
        if (leaving.count > 0) exchange.send(leaving, right);
        co_await exchange.wait();
    }
}

Steps alltoall_linear(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    if (arguments.in_place) {
        co_await replace_by_distance(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    sides.keep_own(exchange);
    const Ring ranks{exchange.rank(), exchange.size()};
    for (int i = 1; i < ranks.size; ++i) exchange.receive(sides.received[ranks.rank_of(i)], ranks.rank_of(i));
    for (int i = ranks.size - 1; i > 0; --i) exchange.send(sides.sent[ranks.rank_of(i)], ranks.rank_of(i));
    co_await exchange.wait();
}

/// Like linear, with a limit on the receives and on the sends in flight. The next message waits for the oldest one.
Steps linear_limited(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    if (arguments.in_place) {
        co_await replace_by_distance(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    sides.keep_own(exchange);
    const Ring ranks{exchange.rank(), exchange.size()};
    const int others = ranks.size - 1;
    const int limit = tuning.most_requests > 0 ? std::min(tuning.most_requests, others) : others;
    std::vector<Exchange::Message> receives;
    std::vector<Exchange::Message> sends;
    const auto begin_receive = [&](int i) {
        receives.push_back(exchange.receive(sides.received[ranks.rank_of(i)], ranks.rank_of(i)));
    };
    const auto begin_send = [&](int i) {
        sends.push_back(exchange.send(sides.sent[ranks.rank_of(ranks.size - i)], ranks.rank_of(ranks.size - i)));
    };
    for (int i = 1; i <= limit; ++i) begin_receive(i);
    for (int i = 1; i <= limit; ++i) begin_send(i);
    for (int i = limit + 1; i <= others; ++i) {
        const auto oldest = static_cast<std::size_t>(i - limit - 1);
        co_await exchange.wait(receives[oldest]);
        begin_receive(i);
        co_await exchange.wait(sends[oldest]);
        begin_send(i);
    }
    co_await exchange.wait();
}

/// Like linear, in batches. Empty blocks are skipped if the counts are known.
Steps scattered(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    if (arguments.in_place) {
        co_await replace_by_rank(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    sides.keep_own(exchange);
    const Ring ranks{exchange.rank(), exchange.size()};
    const bool sends_empty = !arguments.counts_are_known;
    const int batch = tuning.most_requests > 0 ? tuning.most_requests : ranks.size;
    for (int first = 0; first < ranks.size; first += batch) {
        const int end = std::min(first + batch, ranks.size);
        for (int i = std::max(first, 1); i < end; ++i) {
            const int from = ranks.rank_of(i);
            if (sends_empty || sides.received.bytes(from) > 0) exchange.receive(sides.received[from], from);
        }
        for (int i = std::max(first, 1); i < end; ++i) {
            const int to = ranks.rank_of(ranks.size - i);
            if (sends_empty || sides.sent.bytes(to) > 0) exchange.send(sides.sent[to], to);
        }
        co_await exchange.wait();
    }
}

/// Step i exchanges with rank XOR i. If the number of members is not a power of two, it works like pairwise_shift.
Steps alltoall_pairwise(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    if (arguments.in_place) {
        co_await replace_by_rank(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    sides.keep_own(exchange);
    const Ring ranks{exchange.rank(), exchange.size()};
    const bool by_bits = is_power_of_two(ranks.size);
    for (int i = 1; i < ranks.size; ++i) {
        const int to = by_bits ? exchange.rank() ^ i : ranks.rank_of(i);
        const int from = by_bits ? to : ranks.rank_of(ranks.size - i);
        co_await exchange_with(exchange, sides.sent[to], to, sides.received[from], from);
    }
}

/// Step i sends to rank + i and receives from rank - i.
Steps pairwise_shift(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    if (arguments.in_place) {
        co_await replace_by_distance(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    sides.keep_own(exchange);
    const Ring ranks{exchange.rank(), exchange.size()};
    for (int i = 1; i < ranks.size; ++i) {
        const int to = ranks.rank_of(i);
        const int from = ranks.rank_of(ranks.size - i);
        co_await exchange_with(exchange, sides.sent[to], to, sides.received[from], from);
    }
}

/// Counts the integers in [0, count) with bit `bit` set. They are half of every full period of 2 * bit, and a part of
/// the last period.
std::int64_t blocks_with_bit(std::int64_t count, std::int64_t bit) {
    return count / (2 * bit) * bit + std::max<std::int64_t>(0, count % (2 * bit) - bit);
}

/// Step k sends to rank + 2^k all blocks whose distance has bit k set.
Steps alltoall_bruck(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    if (arguments.in_place) {
        co_await replace_by_rank(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    const Ring ranks{exchange.rank(), exchange.size()};
    const std::int64_t block = sides.sent.bytes(0);
    if (!exchange.moves_data()) {
        for (int distance = 1; distance < ranks.size; distance *= 2) {
            const Buffer joined = packed(nullptr, blocks_with_bit(ranks.size, distance) * block);
            co_await exchange_with(exchange, joined, ranks.rank_of(distance), joined,
                                   ranks.rank_of(ranks.size - distance));
        }
        co_return;
    }
    // Block i travels i ranks in total. The joined blocks of a step use the other two buffers.
    std::byte* const own = exchange.scratch(ranks.size * block);
    std::byte* const out = exchange.scratch((ranks.size + 1) / 2 * block);
    std::byte* const in = exchange.scratch((ranks.size + 1) / 2 * block);
    for (int i = 0; i < ranks.size; ++i) {
        exchange.copy(sides.sent[ranks.rank_of(i)], packed(own + i * block, block));
    }
    for (int distance = 1; distance < ranks.size; distance *= 2) {
        int count = 0;
        for (int i = distance; i < ranks.size; ++i) {
            if ((i & distance) == 0) continue;
            exchange.copy(packed(own + i * block, block), packed(out + count * block, block));
            ++count;
        }
        co_await exchange_with(exchange, packed(out, count * block), ranks.rank_of(distance), packed(in, count * block),
                               ranks.rank_of(ranks.size - distance));
        count = 0;
        for (int i = distance; i < ranks.size; ++i) {
            if ((i & distance) == 0) continue;
            exchange.copy(packed(in + count * block, block), packed(own + i * block, block));
            ++count;
        }
    }
    for (int i = 0; i < ranks.size; ++i) {
        exchange.copy(packed(own + i * block, block), sides.received[ranks.rank_of((ranks.size - i) % ranks.size)]);
    }
}

Steps alltoall_two_members(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    if (arguments.in_place) {
        co_await replace_by_distance(exchange, arguments);
        co_return;
    }
    const Sides sides(arguments);
    const int other = 1 - exchange.rank();
    co_await exchange_with(exchange, sides.sent[other], other, sides.received[other], other);
    sides.keep_own(exchange);
}

const AlgorithmRow kScattered = {"scattered", "All messages in batches; `requests` limits their size.", scattered};

}  // namespace

const Table<AlgorithmRow>& alltoall_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"alltoall algorithm", "algorithms"},
        {
            {"linear", "All messages at once.", alltoall_linear, 1},
            {"pairwise-shift", "Step i sends to rank + i.", pairwise_shift, 2},
            {"bruck", "Step k sends joined blocks to rank + 2^k.", alltoall_bruck, 3},
            {"linear-limited", "All messages; `requests` limits the open requests.", linear_limited, 4},
            {"two-members", "Two ranks exchange their blocks.", alltoall_two_members, 5, false, 2},
            {"pairwise", "Step i exchanges with rank XOR i, or sends to rank + i.", alltoall_pairwise},
            kScattered,
        });
    return kRows;
}

const Table<AlgorithmRow>& alltoallv_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"alltoallv algorithm", "algorithms"},
        {
            {"linear", "All messages at once.", alltoall_linear, 1},
            {"pairwise-shift", "Step i sends to rank + i.", pairwise_shift, 2},
            {"pairwise", "Step i exchanges with rank XOR i, or sends to rank + i.", alltoall_pairwise},
            kScattered,
        });
    return kRows;
}

const Table<AlgorithmRow>& alltoallw_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"alltoallw algorithm", "algorithms"},
        {
            kScattered,
            {"pairwise-shift", "Step i sends to rank + i.", pairwise_shift},
            {"pairwise", "Step i exchanges with rank XOR i, or sends to rank + i.", alltoall_pairwise},
        });
    return kRows;
}

}  // namespace haichi::collectives
