#include "collectives/broadcast.h"
#include "collectives/packed_data.h"
#include "collectives/runs.h"

namespace haichi::collectives {

namespace {

/// The data in one equal piece per member. The last pieces may be shorter or empty. Member numbers start at the root.
struct PiecedData {
    PackedData data;
    std::int64_t piece_bytes = 0;

    [[nodiscard]] std::int64_t first(int member) const { return std::min(member * piece_bytes, data.bytes()); }
    /// The pieces of members [begin, end).
    [[nodiscard]] Buffer part(int begin, int end) const { return data.part(first(begin), first(end) - first(begin)); }
    [[nodiscard]] std::int64_t bytes(int begin, int end) const { return first(end) - first(begin); }
};

PiecedData pieced(Exchange& exchange, const CollectiveArguments& arguments, bool of_items) {
    PiecedData result{{exchange, arguments.receive, exchange.rank() == arguments.root}};
    const std::int64_t item = of_items ? result.data.item_bytes() : 1;
    const std::int64_t count = result.data.bytes() / item;
    result.piece_bytes = (count + exchange.size() - 1) / exchange.size() * item;
    return result;
}

/// Sends each child in a binomial tree the data of its subtree, if there are any.
Steps scatter_pieces(Exchange& exchange, PiecedData data, Ring ring) {
    const int number = ring.number_of(exchange.rank());
    int distance = 1;
    for (; distance < ring.size; distance *= 2) {
        if ((number & distance) == 0) continue;
        const int end = std::min(number + distance, ring.size);
        if (data.bytes(number, end) > 0) {
            exchange.receive(data.part(number, end), ring.rank_of(number - distance));
            co_await exchange.wait();
        }
        break;
    }
    for (distance /= 2; distance > 0; distance /= 2) {
        const int child = number + distance;
        if (child >= ring.size) continue;
        const int end = std::min(child + distance, ring.size);
        if (data.bytes(child, end) == 0) continue;
        exchange.send(data.part(child, end), ring.rank_of(child));
        co_await exchange.wait();
    }
}

Steps by_doubling(Exchange& exchange, CollectiveArguments arguments, PiecedData data) {
    const Ring ring{arguments.root, exchange.size()};
    co_await scatter_pieces(exchange, data, ring);
    const auto part = [&data](int begin, int end) { return data.part(begin, end); };
    co_await gather_runs_by_doubling(exchange, ring, part);
    data.data.finish(exchange, exchange.rank() == arguments.root);
}

Steps by_ring(Exchange& exchange, CollectiveArguments arguments, PiecedData data) {
    const Ring ring{arguments.root, exchange.size()};
    co_await scatter_pieces(exchange, data, ring);
    const int number = ring.number_of(exchange.rank());
    for (int i = 1; i < ring.size; ++i) {
        const int given = (number - i + 1 + ring.size) % ring.size;
        const int taken = (number - i + ring.size) % ring.size;
        co_await exchange_with(exchange, data.part(given, given + 1), ring.rank_of(number + 1),
                               data.part(taken, taken + 1), ring.rank_of(number - 1 + ring.size));
    }
    data.data.finish(exchange, exchange.rank() == arguments.root);
}

}  // namespace

Steps broadcast_scatter_doubling(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return by_doubling(exchange, arguments, pieced(exchange, arguments, false));
}

Steps broadcast_scatter_ring(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return by_ring(exchange, arguments, pieced(exchange, arguments, false));
}

Steps broadcast_scatter_doubling_of_items(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const PiecedData data = pieced(exchange, arguments, true);
    if (data.data.bytes() / data.data.item_bytes() < exchange.size()) {
        return broadcast_linear(exchange, arguments, tuning);
    }
    return by_doubling(exchange, arguments, data);
}

Steps broadcast_scatter_ring_of_items(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const PiecedData data = pieced(exchange, arguments, true);
    if (data.data.bytes() / data.data.item_bytes() < exchange.size()) {
        return broadcast_linear(exchange, arguments, tuning);
    }
    return by_ring(exchange, arguments, data);
}

}  // namespace haichi::collectives
