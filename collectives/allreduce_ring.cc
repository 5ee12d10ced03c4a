#include "collectives/allreduce.h"
#include "collectives/pieces.h"

namespace haichi::collectives {

namespace {

/// A vector with one block per member. Each block has one part per phase.
struct RingVector {
    Buffer vector;
    Shares blocks;
    int phases = 1;

    [[nodiscard]] Buffer block(int i) const { return items(vector, blocks.first(i), blocks.size(i)); }
    [[nodiscard]] Buffer part(int i, int phase) const {
        const Shares parts{blocks.size(i), phases};
        return items(block(i), parts.first(phase), parts.size(phase));
    }
};

Steps reduce_phase(Exchange& exchange, RingVector data, int phase, const Reduction* operation) {
    const Ring ranks{exchange.rank(), exchange.size()};
    const int to = ranks.rank_of(1);
    const int from = ranks.rank_of(ranks.size - 1);
    const Buffer first = data.part(0, 0);  // the largest part
    Buffer rooms[2] = {room_like(exchange, first), room_like(exchange, first)};
    const auto receive = [&](int step) {
        Buffer room = rooms[step % 2];
        room.count = data.part(ranks.rank_of(ranks.size - step), phase).count;
        return exchange.receive(room, from);
    };
    Exchange::Message coming = receive(1);
    exchange.send(data.part(exchange.rank(), phase), to);
    for (int step = 1; step < ranks.size; ++step) {
        const Exchange::Message awaited = coming;
        if (step + 1 < ranks.size) coming = receive(step + 1);
        co_await exchange.wait(awaited);
        const Buffer part = data.part(ranks.rank_of(ranks.size - step), phase);
        exchange.combine(*operation, rooms[step % 2].data, part);
        if (step + 1 < ranks.size) exchange.send(part, to);
    }
    co_await exchange.wait();
}

Steps in_ring(Exchange& exchange, CollectiveArguments arguments, RingVector data) {
    if (!arguments.in_place) exchange.copy(arguments.send, arguments.receive);
    for (int phase = 0; phase < data.phases; ++phase) {
        co_await reduce_phase(exchange, data, phase, arguments.operation);
    }
    const Ring ranks{exchange.rank(), exchange.size()};
    for (int i = 0; i + 1 < ranks.size; ++i) {
        co_await exchange_with(exchange, data.block(ranks.rank_of(ranks.size + 1 - i)), ranks.rank_of(1),
                               data.block(ranks.rank_of(ranks.size - i)), ranks.rank_of(ranks.size - 1));
    }
}

}  // namespace

Steps allreduce_ring(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const Buffer& vector = arguments.receive;
    if (vector.count < exchange.size()) return allreduce_recursive_doubling(exchange, arguments, tuning);
    return in_ring(exchange, arguments, {vector, {vector.count, exchange.size()}});
}

Steps allreduce_segmented_ring(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const Buffer& vector = arguments.receive;
    const int size = exchange.size();
    const std::int64_t step = segment_items(tuning.segment_bytes, vector.type->size(), vector.count);
    const std::int64_t in_one_phase = size * step;
    if (vector.count < in_one_phase) return allreduce_ring(exchange, arguments, tuning);
    // A remainder gets its own phase if it is large enough.
    const std::int64_t rest = vector.count % in_one_phase;
    const std::int64_t phases = vector.count / in_one_phase + (rest >= size && rest > in_one_phase / 2 ? 1 : 0);
    return in_ring(exchange, arguments, {vector, {vector.count, size}, static_cast<int>(phases)});
}

}  // namespace haichi::collectives
