#include "collectives/inter.h"

#include "base/errors.h"
#include "collectives/pieces.h"
#include "collectives/selection.h"

namespace haichi::collectives {

namespace {

/// Total size from which members send their blocks directly to the root.
constexpr std::int64_t kShortBytes = 2048;

/// Runs an operation in the rank's own group.
Steps in_own_group(Exchange& exchange, CollectiveArguments arguments) {
    exchange.turn_to_own_group(true);
    co_await collective_steps(exchange, arguments, *arguments.selection);
    exchange.turn_to_own_group(false);
}

CollectiveArguments part_of(const CollectiveArguments& arguments, CollectiveKind collective) {
    CollectiveArguments part;
    part.collective = collective;
    part.operation = arguments.operation;
    part.selection = arguments.selection;
    return part;
}

/// The root as seen by a group. In operations in both directions, member 0 of the root's group acts as the root.
int root_for_group(const Exchange& exchange, bool is_roots_group) {
    if (!is_roots_group) return 0;
    return exchange.rank() == 0 ? kRootIsThis : kRootIsAnother;
}

Steps broadcast(Exchange& exchange, CollectiveArguments arguments) {
    if (arguments.root == kRootIsAnother) co_return;
    if (arguments.root == kRootIsThis) {
        exchange.send(arguments.receive, 0);
        co_await exchange.wait();
        co_return;
    }
    if (exchange.rank() == 0) {
        exchange.receive(arguments.receive, arguments.root);
        co_await exchange.wait();
    }
    CollectiveArguments own = part_of(arguments, CollectiveKind::kBroadcast);
    own.receive = arguments.receive;
    co_await in_own_group(exchange, own);
}

/// Member 0 of each group broadcasts to the other group, beginning with the first group.
Steps broadcast_both_ways(Exchange& exchange, CollectiveArguments arguments, Buffer sent, Buffer received) {
    for (int turn = 0; turn < 2; ++turn) {
        const bool is_sender = arguments.is_first_group == (turn == 0);
        CollectiveArguments part = part_of(arguments, CollectiveKind::kBroadcast);
        part.receive = is_sender ? sent : received;
        if (part.receive.bytes() == 0 && arguments.collective != CollectiveKind::kBarrier) continue;
        part.root = root_for_group(exchange, is_sender);
        co_await broadcast(exchange, part);
    }
}

Steps barrier(Exchange& exchange, CollectiveArguments arguments) {
    co_await in_own_group(exchange, part_of(arguments, CollectiveKind::kBarrier));
    std::byte* const nothing = exchange.scratch(2);
    co_await broadcast_both_ways(exchange, arguments, packed(nothing, 1), packed(nothing + 1, 1));
}

Steps linear_gather(Exchange& exchange, CollectiveArguments arguments) {
    if (arguments.root == kRootIsThis) {
        const Blocks blocks = Blocks::received(arguments);
        for (int i = 0; i < exchange.remote_size(); ++i) {
            if (blocks.bytes(i) > 0) exchange.receive(blocks[i], i);
        }
    } else if (arguments.send.bytes() > 0) {
        exchange.send(arguments.send, arguments.root);
    }
    co_await exchange.wait();
}

Steps gather(Exchange& exchange, CollectiveArguments arguments) {
    const bool is_root = arguments.root == kRootIsThis;
    const std::int64_t total =
        is_root ? arguments.receive.bytes() * exchange.remote_size() : arguments.send.bytes() * exchange.size();
    if (total >= kShortBytes) {
        co_await linear_gather(exchange, arguments);
        co_return;
    }
    if (total == 0) co_return;
    if (is_root) {
        exchange.receive(Blocks::received(arguments).run(0, exchange.remote_size()), 0);
        co_await exchange.wait();
        co_return;
    }
    CollectiveArguments own = part_of(arguments, CollectiveKind::kGather);
    own.send = arguments.send;
    own.receive = packed(exchange.rank() == 0 ? exchange.scratch(total) : nullptr, arguments.send.bytes());
    co_await in_own_group(exchange, own);
    if (exchange.rank() == 0) {
        exchange.send(packed(static_cast<std::byte*>(own.receive.data), total), arguments.root);
        co_await exchange.wait();
    }
}

Steps linear_scatter(Exchange& exchange, CollectiveArguments arguments) {
    if (arguments.root == kRootIsThis) {
        const Blocks blocks = Blocks::sent(arguments);
        for (int i = 0; i < exchange.remote_size(); ++i) {
            if (blocks.bytes(i) > 0) exchange.send(blocks[i], i);
        }
    } else if (arguments.receive.bytes() > 0) {
        exchange.receive(arguments.receive, arguments.root);
    }
    co_await exchange.wait();
}

Steps inter_scatter(Exchange& exchange, CollectiveArguments arguments) {
    const bool is_root = arguments.root == kRootIsThis;
    const std::int64_t total =
        is_root ? arguments.send.bytes() * exchange.remote_size() : arguments.receive.bytes() * exchange.size();
    if (total >= kShortBytes) {
        co_await linear_scatter(exchange, arguments);
        co_return;
    }
    if (total == 0) co_return;
    if (is_root) {
        exchange.send(Blocks::sent(arguments).run(0, exchange.remote_size()), 0);
        co_await exchange.wait();
        co_return;
    }
    CollectiveArguments own = part_of(arguments, CollectiveKind::kScatter);
    own.receive = arguments.receive;
    own.send = packed(exchange.rank() == 0 ? exchange.scratch(total) : nullptr, arguments.receive.bytes());
    if (exchange.rank() == 0) {
        exchange.receive(packed(static_cast<std::byte*>(own.send.data), total), arguments.root);
        co_await exchange.wait();
    }
    co_await in_own_group(exchange, own);
}

/// Member 0 gathers its group's blocks for the other group.
Steps allgather(Exchange& exchange, CollectiveArguments arguments) {
    CollectiveArguments own = part_of(arguments, CollectiveKind::kGather);
    const std::int64_t block = arguments.send.bytes();
    std::byte* const all = exchange.rank() == 0 ? exchange.scratch(block * exchange.size()) : nullptr;
    own.send = arguments.send;
    own.receive = packed(all, block);
    co_await in_own_group(exchange, own);
    co_await broadcast_both_ways(exchange, arguments, packed(all, block * exchange.size()),
                                 Blocks::received(arguments).run(0, exchange.remote_size()));
}

/// Member 0 receives the blocks of the other group and broadcasts them in its own group.
Steps allgatherv(Exchange& exchange, CollectiveArguments arguments) {
    for (int turn = 0; turn < 2; ++turn) {
        CollectiveArguments part = arguments;
        part.collective = CollectiveKind::kGatherv;
        part.root = root_for_group(exchange, arguments.is_first_group == (turn == 0));
        if (part.root != kRootIsAnother) co_await linear_gather(exchange, part);
    }
    const Blocks blocks = Blocks::received(arguments);
    std::int64_t total = 0;
    for (int i = 0; i < exchange.remote_size(); ++i) total += blocks.bytes(i);
    std::byte* const all = exchange.scratch(total);
    const auto move = [&](bool out) {
        std::byte* at = all;
        for (int i = 0; i < exchange.remote_size(); ++i) {
            const Buffer bytes = packed(at, blocks.bytes(i));
            if (out) {
                exchange.copy(bytes, blocks[i]);
            } else {
                exchange.copy(blocks[i], bytes);
            }
            at += blocks.bytes(i);
        }
    };
    if (exchange.rank() == 0) move(false);
    CollectiveArguments own = part_of(arguments, CollectiveKind::kBroadcast);
    own.receive = packed(all, total);
    co_await in_own_group(exchange, own);
    if (exchange.rank() != 0) move(true);
}

Steps alltoall(Exchange& exchange, CollectiveArguments arguments) {
    const Blocks sent = Blocks::sent(arguments);
    const Blocks received = Blocks::received(arguments);
    const int remote = exchange.remote_size();
    const Ring ranks{exchange.rank(), std::max(exchange.size(), remote)};
    for (int i = 0; i < ranks.size; ++i) {
        const int to = ranks.rank_of(i);
        const int from = (exchange.rank() - i + ranks.size) % ranks.size;
        if (from < remote) exchange.receive(received[from], from);
        if (to < remote) exchange.send(sent[to], to);
        co_await exchange.wait();
    }
}

/// In the group without the root, member 0 gets the sum and sends it to the root.
Steps reduce(Exchange& exchange, CollectiveArguments arguments) {
    if (arguments.root == kRootIsAnother) co_return;
    if (arguments.root == kRootIsThis) {
        if (arguments.receive.bytes() > 0) exchange.receive(arguments.receive, 0);
        co_await exchange.wait();
        co_return;
    }
    if (arguments.send.bytes() == 0) co_return;
    CollectiveArguments own = part_of(arguments, CollectiveKind::kReduce);
    own.send = arguments.send;
    if (exchange.rank() == 0) own.receive = room_like(exchange, arguments.send);
    co_await in_own_group(exchange, own);
    if (exchange.rank() == 0) {
        exchange.send(own.receive, arguments.root);
        co_await exchange.wait();
    }
}

Steps allreduce(Exchange& exchange, CollectiveArguments arguments) {
    if (arguments.send.bytes() == 0) co_return;
    CollectiveArguments own = part_of(arguments, CollectiveKind::kReduce);
    own.send = arguments.send;
    if (exchange.rank() == 0) own.receive = room_like(exchange, arguments.send);
    co_await in_own_group(exchange, own);
    if (exchange.rank() == 0) co_await exchange_with(exchange, own.receive, 0, arguments.receive, 0);
    CollectiveArguments last = part_of(arguments, CollectiveKind::kBroadcast);
    last.receive = arguments.receive;
    co_await in_own_group(exchange, last);
}

/// Each group gets the sum of the other group and scatters it.
Steps reduce_scatter(Exchange& exchange, CollectiveArguments arguments) {
    const int rank = exchange.rank();
    const bool equal = arguments.receive_counts.empty();
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(exchange.size()) + 1);
    for (int i = 0; i < exchange.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        offsets[at + 1] = offsets[at] + (equal ? arguments.receive.count : arguments.receive_counts[i]);
    }
    const std::int64_t count = offsets.back();  // the same in both groups
    const ItemType* const type = arguments.receive.type;
    Buffer sum{nullptr, count, type};
    if (rank == 0) sum = room_like(exchange, sum);
    for (int turn = 0; turn < 2; ++turn) {
        CollectiveArguments part = part_of(arguments, CollectiveKind::kReduce);
        part.send = {arguments.send.data, count, type};
        part.receive = sum;
        part.root = root_for_group(exchange, arguments.is_first_group == (turn == 0));
        co_await reduce(exchange, part);
    }
    CollectiveArguments own = part_of(arguments, equal ? CollectiveKind::kScatter : CollectiveKind::kScatterv);
    own.send = {sum.data, arguments.receive.count, type};
    own.receive = {arguments.receive.data,
                   offsets[static_cast<std::size_t>(rank) + 1] - offsets[static_cast<std::size_t>(rank)], type};
    if (!equal) {
        own.send_counts = arguments.receive_counts;
        own.send_offsets = Counts(offsets.data());
    }
    co_await in_own_group(exchange, own);
}

}  // namespace

Steps inter_steps(Exchange& exchange, CollectiveArguments arguments) {
    switch (arguments.collective) {
        case CollectiveKind::kBarrier:
            return barrier(exchange, arguments);
        case CollectiveKind::kBroadcast:
            return arguments.receive.bytes() == 0 ? Steps() : broadcast(exchange, arguments);
        case CollectiveKind::kGather:
            return arguments.root == kRootIsAnother ? Steps() : gather(exchange, arguments);
        case CollectiveKind::kGatherv:
            return arguments.root == kRootIsAnother ? Steps() : linear_gather(exchange, arguments);
        case CollectiveKind::kScatter:
            return arguments.root == kRootIsAnother ? Steps() : inter_scatter(exchange, arguments);
        case CollectiveKind::kScatterv:
            return arguments.root == kRootIsAnother ? Steps() : linear_scatter(exchange, arguments);
        case CollectiveKind::kAllgather:
            return allgather(exchange, arguments);
        case CollectiveKind::kAllgatherv:
            return allgatherv(exchange, arguments);
        case CollectiveKind::kAlltoall:
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
            return alltoall(exchange, arguments);
        case CollectiveKind::kReduce:
            return reduce(exchange, arguments);
        case CollectiveKind::kAllreduce:
            return allreduce(exchange, arguments);
        case CollectiveKind::kReduceScatter:
        case CollectiveKind::kReduceScatterBlock:
            return reduce_scatter(exchange, arguments);
        default:
            throw UnsupportedError(std::string(name_of(arguments.collective)) +
                                   " is not defined on an inter-communicator");
    }
}

}  // namespace haichi::collectives
