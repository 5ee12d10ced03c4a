#include "collectives/reduce_scatter.h"

#include "collectives/halving.h"
#include "collectives/scattered_vector.h"

namespace haichi::collectives {

namespace {

/// A reduce to rank 0, then a scatter.
Steps reduced_and_scattered(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const ScatteredVector vector(arguments, exchange.size());
    const bool equal = arguments.receive_counts.empty();
    CollectiveArguments reduce;
    reduce.collective = CollectiveKind::kReduce;
    reduce.operation = arguments.operation;
    reduce.send = vector.input();
    Buffer all;
    if (rank == 0) {
        all = room_like(exchange, vector.input());
        reduce.receive = all;
    }
    co_await collective_steps(exchange, reduce, *arguments.selection);

    CollectiveArguments scatter;
    scatter.collective = equal ? CollectiveKind::kScatter : CollectiveKind::kScatterv;
    scatter.receive = vector.result(arguments, rank);
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> offsets;
    if (rank == 0) {
        scatter.send = {all.data, arguments.receive.count, all.type};
        if (!equal) {
            for (int i = 0; i < exchange.size(); ++i) {
                counts.push_back(arguments.receive_counts[i]);
                offsets.push_back(vector.first(i));
            }
            scatter.send_counts = Counts(counts.data());
            scatter.send_offsets = Counts(offsets.data());
        }
    }
    co_await collective_steps(exchange, scatter, *arguments.selection);
}

/// A block travels around the ring. Each member reduces it, and its owner is the last one.
Steps reduce_scatter_ring(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const ScatteredVector vector(arguments, exchange.size());
    const Ring ranks{exchange.rank(), exchange.size()};
    const int to = ranks.rank_of(1);
    const int from = ranks.rank_of(ranks.size - 1);
    const Buffer sums = vector.copied_input(exchange);
    std::int64_t largest = 0;
    for (int i = 0; i < ranks.size; ++i) largest = std::max(largest, vector.count(i, i + 1));
    const Buffer largest_block{nullptr, largest, sums.type};
    Buffer rooms[2] = {room_like(exchange, largest_block), room_like(exchange, largest_block)};
    const auto block_of = [&](int step) { return ranks.rank_of((2 * ranks.size - step - 1) % ranks.size); };
    const auto receive = [&](int step) {
        Buffer room = rooms[step % 2];
        room.count = vector.block(sums, block_of(step)).count;
        return exchange.receive(room, from);
    };
    Exchange::Message coming = receive(1);
    co_await exchange.wait(exchange.send(vector.block(sums, block_of(0)), to));
    for (int step = 1; step < ranks.size; ++step) {
        const Exchange::Message awaited = coming;
        if (step + 1 < ranks.size) coming = receive(step + 1);
        co_await exchange.wait(awaited);
        const Buffer block = vector.block(sums, block_of(step));
        exchange.combine(*arguments.operation, rooms[step % 2].data, block);
        if (step + 1 < ranks.size) co_await exchange.wait(exchange.send(block, to));
    }
    exchange.copy(vector.block(sums, exchange.rank()), vector.result(arguments, exchange.rank()));
}

/// Step i sends the block of rank + i. A member reduces the received blocks.
Steps reduce_scatter_pairwise(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const ScatteredVector vector(arguments, exchange.size());
    const Ring ranks{rank, exchange.size()};
    Buffer sum = vector.result(arguments, rank);
    const Buffer own = vector.block(vector.input(), rank);
    if (arguments.in_place) {
        sum = own;
    } else {
        exchange.copy(own, sum);
    }
    const Buffer room = room_like(exchange, sum);
    for (int i = 1; i < ranks.size; ++i) {
        const int to = ranks.rank_of(i);
        co_await exchange_with(exchange, vector.block(vector.input(), to), to, room, ranks.rank_of(ranks.size - i));
        exchange.combine(*arguments.operation, room.data, sum);
    }
    if (arguments.in_place && vector.first(rank) > 0) {
        // The two buffers may overlap.
        exchange.copy(sum, room);
        exchange.copy(room, vector.result(arguments, rank));
    }
}

Steps butterfly_of_blocks(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return is_power_of_two(exchange.size()) ? reduce_scatter_permuted_butterfly(exchange, arguments, tuning)
                                            : reduce_scatter_butterfly(exchange, arguments, tuning);
}

}  // namespace

/// Members exchange and reduce halves of the vector, starting with the most distant member.
Steps reduce_scatter_recursive_halving(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const ScatteredVector vector(arguments, exchange.size());
    const Reduction& operation = *arguments.operation;
    const Buffer sums = vector.copied_input(exchange);
    const FoldedRanks ranks(exchange.size(), FoldedRanks::Kept::kOdd);
    co_await fold(exchange, ranks, sums, arguments.operation);

    const int paired = ranks.paired();
    // The blocks of folded members [begin, end), which include both members of a pair.
    const auto part = [&](const Buffer& data, int begin, int end) {
        const auto first_rank = [&](int number) { return 2 * number < paired ? 2 * number : number + paired / 2; };
        return vector.blocks(data, first_rank(begin), first_rank(end));
    };
    if (!ranks.is_out(rank)) {
        const Buffer room = room_like(exchange, sums);
        const int number = ranks.number_of(rank);
        int begin = 0;
        int end = ranks.count();
        for (int distance = ranks.count() / 2; distance > 0; distance /= 2) {
            const int partner = ranks.rank_of(number ^ distance);
            const int middle = begin + distance;
            const bool upper = (number & distance) != 0;
            const Buffer given = upper ? part(sums, begin, middle) : part(sums, middle, end);
            const Buffer kept = upper ? part(sums, middle, end) : part(sums, begin, middle);
            const Buffer coming = upper ? part(room, middle, end) : part(room, begin, middle);
            if (coming.count > 0) exchange.receive(coming, partner);
            if (given.count > 0) exchange.send(given, partner);
            co_await exchange.wait();
            exchange.combine(operation, coming.data, kept);
            (upper ? begin : end) = middle;
        }
        exchange.copy(vector.block(sums, rank), vector.result(arguments, rank));
    }
    if (rank < paired) {
        if (ranks.is_out(rank)) {
            const Buffer result = vector.result(arguments, rank);
            if (result.count > 0) exchange.receive(result, rank + 1);
        } else {
            const Buffer block = vector.block(sums, rank - 1);
            if (block.count > 0) exchange.send(block, rank - 1);
        }
        co_await exchange.wait();
    }
}

const Table<AlgorithmRow>& reduce_scatter_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"reduce-scatter algorithm", "algorithms"},
        {
            {"reduce-scatter", "A reduce to rank 0, then a scatterv.", reduced_and_scattered, 1},
            {"recursive-halving", "Each step exchanges half of the remaining data, with the most distant rank first.",
             reduce_scatter_recursive_halving, 2, true},
            {"ring", "Each step passes a block on in a ring and reduces it.", reduce_scatter_ring, 3, true},
            {"butterfly", "Each step exchanges halves, with the nearest rank first, and keeps the order of the ranks.",
             reduce_scatter_butterfly, 4},
            {"pairwise", "Step i sends the block of rank + i.", reduce_scatter_pairwise, 0, true},
            {"recursive-doubling", "Step k exchanges with rank XOR 2^k all blocks that others need.",
             reduce_scatter_recursive_doubling},
            {"permuted-butterfly", "A butterfly of equal blocks; the number of ranks is a power of two.",
             reduce_scatter_permuted_butterfly, 0, false, 0, true},
        });
    return kRows;
}

const Table<AlgorithmRow>& reduce_scatter_block_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"reduce-scatter-block algorithm", "algorithms"},
        {
            {"reduce-scatter", "A reduce to rank 0, then a scatter.", reduced_and_scattered, 1},
            {"recursive-doubling", "Step k exchanges with rank XOR 2^k all blocks that others need.",
             reduce_scatter_recursive_doubling, 2},
            {"recursive-halving", "Each step exchanges half of the remaining data, with the most distant rank first.",
             reduce_scatter_recursive_halving, 3, true},
            {"butterfly", "Each step exchanges halves, with the nearest rank first, and keeps the order of the ranks.",
             butterfly_of_blocks, 4},
            {"pairwise", "Step i sends the block of rank + i.", reduce_scatter_pairwise, 0, true},
            {"ring", "Each step passes a block on in a ring and reduces it.", reduce_scatter_ring, 0, true},
        });
    return kRows;
}

}  // namespace haichi::collectives
