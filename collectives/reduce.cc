#include "collectives/reduce.h"

#include "collectives/pieces.h"
#include "collectives/trees.h"

namespace haichi::collectives {

namespace {

/// The position of the ranks in a child's subtree.
enum class ChildSide : std::uint8_t { kBefore, kBehind };

/// Reduces segment by segment up a tree, into `result` at its root; other members need no `result`. Children are
/// combined in order. While one child's data are combined, the next child's data arrive.
Steps up_tree(Exchange& exchange, CollectiveArguments arguments, Tuning tuning, TreePlace place, ChildSide side,
              Buffer result) {
    const Buffer own = contribution(arguments);
    const bool is_there = arguments.in_place && place.parent < 0 && result.data == own.data;
    const std::int64_t step = segment_items(tuning.segment_bytes, own.type->size(), own.count);
    const auto segment = [&](const Buffer& data, std::int64_t first) {
        return items(data, first, std::min(step, own.count - first));
    };
    if (place.children.empty()) {
        if (place.parent < 0) {
            if (!is_there) exchange.copy(own, result);
            co_return;
        }
        // Limits the number of sends in flight.
        std::vector<Exchange::Message> sends;
        for (std::int64_t first = 0; first < own.count; first += step) {
            const auto limit = static_cast<std::size_t>(std::max(tuning.most_requests, 1));
            if (tuning.most_requests > 0 && sends.size() >= limit) co_await exchange.wait(sends[sends.size() - limit]);
            sends.push_back(exchange.send(segment(own, first), place.parent));
        }
        co_await exchange.wait();
        co_return;
    }
    if (place.parent >= 0) result = room_like(exchange, own);
    if (!is_there) exchange.copy(own, result);
    const Buffer one_segment{nullptr, std::min(step, own.count), own.type};
    Buffer rooms[2] = {room_like(exchange, one_segment), room_like(exchange, one_segment)};

    const std::size_t children = place.children.size();
    const std::int64_t segments = (own.count + step - 1) / step;
    const auto receive = [&](std::int64_t turn) {
        const std::int64_t first = turn / static_cast<std::int64_t>(children) * step;
        Buffer room = rooms[turn % 2];
        room.count = segment(own, first).count;
        return exchange.receive(room, place.children[static_cast<std::size_t>(turn) % children]);
    };
    const std::int64_t turns = segments * static_cast<std::int64_t>(children);
    Exchange::Message coming = receive(0);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        const Exchange::Message awaited = coming;
        if (turn + 1 < turns) coming = receive(turn + 1);
        co_await exchange.wait(awaited);
        const Buffer part = segment(result, turn / static_cast<std::int64_t>(children) * step);
        Buffer room = rooms[turn % 2];
        room.count = part.count;
        if (side == ChildSide::kBefore || arguments.operation->commutes()) {
            exchange.combine(*arguments.operation, room.data, part);
        } else {
            exchange.combine(*arguments.operation, part.data, room);
            exchange.copy(room, part);
        }
        if (place.parent >= 0 && (turn + 1) % static_cast<std::int64_t>(children) == 0) {
            co_await exchange.wait(exchange.send(part, place.parent));
        }
    }
}

/// Reduces up a tree whose root may differ from the call's root. The tree's root then sends the result to the call's
/// root.
Steps up_tree_and_over(Exchange& exchange, CollectiveArguments arguments, Tuning tuning, TreePlace place,
                       ChildSide side, int tree_root) {
    const int root = arguments.root;
    const int rank = exchange.rank();
    if (tree_root == root) {
        co_await up_tree(exchange, arguments, tuning, place, side, arguments.receive);
        co_return;
    }
    Buffer result;
    if (rank == tree_root) result = room_like(exchange, arguments.send);
    co_await up_tree(exchange, arguments, tuning, place, side, result);
    if (rank == tree_root) exchange.send(result, root);
    if (rank == root) exchange.receive(arguments.receive, tree_root);
    co_await exchange.wait();
}

Steps reduce_binomial(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const int tree_root = arguments.operation->commutes() ? arguments.root : 0;
    return up_tree_and_over(exchange, arguments, tuning, binomial_tree(exchange.rank(), exchange.size(), tree_root),
                            ChildSide::kBehind, tree_root);
}

Steps in_order_binary(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return up_tree_and_over(exchange, arguments, tuning, in_order_tree(exchange.rank(), exchange.size()),
                            ChildSide::kBefore, exchange.size() - 1);
}

Steps chain(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const int chains = tuning.fanout > 0 ? tuning.fanout : 4;
    return up_tree(exchange, arguments, tuning, chain_tree(exchange.rank(), exchange.size(), arguments.root, chains),
                   ChildSide::kBehind, arguments.receive);
}

Steps reduce_pipeline(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return up_tree(exchange, arguments, tuning, chain_tree(exchange.rank(), exchange.size(), arguments.root, 1),
                   ChildSide::kBehind, arguments.receive);
}

Steps reduce_binary(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return up_tree(exchange, arguments, tuning, complete_tree(exchange.rank(), exchange.size(), arguments.root, 2),
                   ChildSide::kBehind, arguments.receive);
}

}  // namespace

Steps reduce_linear(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    if (rank != arguments.root) {
        exchange.send(arguments.send, arguments.root);
        co_await exchange.wait();
        co_return;
    }
    // Ranks are combined from the last one down, so received data are the left operand.
    Buffer own = contribution(arguments);
    const Buffer result = arguments.receive;
    if (arguments.in_place) {
        own = room_like(exchange, result);
        exchange.copy(result, own);
    }
    const Buffer room = room_like(exchange, result);
    for (int i = exchange.size() - 1; i >= 0; --i) {
        const bool is_first = i == exchange.size() - 1;
        if (i != rank) {
            exchange.receive(is_first ? result : room, i);
            co_await exchange.wait();
            if (!is_first) exchange.combine(*arguments.operation, room.data, result);
        } else if (is_first) {
            exchange.copy(own, result);
        } else {
            exchange.combine(*arguments.operation, own.data, result);
        }
    }
}

const Table<AlgorithmRow>& reduce_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"reduce algorithm", "algorithms"},
        {
            {"linear", "All ranks send to the root.", reduce_linear, 1},
            {"chain", "Up chains of ranks, segment by segment.", chain, 2, true},
            {"pipeline", "Up one chain of all ranks, segment by segment.", reduce_pipeline, 3, true},
            {"binary", "Up a binary tree.", reduce_binary, 4, true},
            {"binomial", "Up a binomial tree.", reduce_binomial, 5},
            {"in-order-binary", "Up a binary tree in the order of the ranks, to the last rank.", in_order_binary, 6},
            {"rabenseifner-halves",
             "Reduce-scatter by recursive halving, then a gather; each rank beyond a power of two shares the work of a "
             "partner.",
             reduce_rabenseifner_of_halves, 7, true},
            {"rabenseifner", "Reduce-scatter by recursive halving, then a gather.", reduce_rabenseifner, 0, true},
        });
    return kRows;
}

}  // namespace haichi::collectives
