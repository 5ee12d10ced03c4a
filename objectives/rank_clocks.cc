#include "objectives/rank_clocks.h"

#include <algorithm>
#include <limits>

namespace haichi {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

std::size_t at(std::int32_t rank) { return static_cast<std::size_t>(rank); }

/// The start time of a message. Without branches, because it is unpredictable whether a message is eager.
std::int64_t start_of(const TimedMessage& m, std::int64_t route_ticks, std::span<const std::int64_t> before) {
    const std::int64_t sent = before[at(m.source)] + m.sent_ticks;
    const std::int64_t posted = before[at(m.destination)] + m.posted_ticks;
    const std::int64_t asked = std::max(sent, posted) + 2 * route_ticks;
    return m.is_eager ? sent : asked;
}

/// Raises the clocks of both ranks of a message that is complete at `end` to the times at which they can continue.
void deliver(const TimedMessage& m, std::int64_t end, std::int64_t route_ticks, std::span<const std::int64_t> before,
             std::span<std::int64_t> after) {
    std::int64_t& source = after[at(m.source)];
    const std::int64_t left = m.is_eager ? 0 : end;
    source = std::max(source, left);
    // A rendezvous message never arrives before its receive is posted.
    const std::int64_t posted = before[at(m.destination)] + m.posted_ticks;
    const std::int64_t received = end + route_ticks;
    std::int64_t& destination = after[at(m.destination)];
    destination = std::max(destination, received < posted ? posted + m.copy_ticks : received);
}

void add_calls(const TimedMessages& messages, const TimedMessages::Set& set, std::span<std::int64_t> after) {
    for (std::size_t k = set.first_member; k < set.members_end; ++k) {
        const TimedMessages::Member& member = messages.members()[k];
        after[at(member.rank)] += member.calls_ticks;
    }
}

}  // namespace

/// State of one pass over a set.
struct RankClocks::Pass {
    const LinkQueues* placed = nullptr;
    std::size_t first_message = 0;
    std::span<const TimedMessage> messages;  ///< only the waited messages
    std::span<const LinkQueues::Queue> queues;
    std::span<const TimedMessages::Member> members;
    std::span<const std::int64_t> before;

    [[nodiscard]] std::size_t source_node(std::size_t i) const { return placed->node(messages[i].source).index(); }
    [[nodiscard]] std::size_t destination_node(std::size_t i) const {
        return placed->node(messages[i].destination).index();
    }
};

RankClocks::RankClocks(const Problem& problem, const TimedMessages& messages) : messages_(&messages) {
    const auto nodes = static_cast<std::size_t>(problem.node_count());
    std::size_t most = 0;
    for (const TimedMessages::Set& set : messages.sets()) most = std::max(most, set.waited());
    start_.resize(most);
    first_.assign(static_cast<std::size_t>(problem.network().link_count()) + 1, kNever);
    no_first_ = first_;
    if (!messages.nodes_are_shared()) {
        rank_first_.assign(static_cast<std::size_t>(problem.rank_count()), kNever);
        return;
    }
    node_.assign(nodes, {.first = kNever});
    memory_.assign(nodes, {.first = kNever});
    channel_ticks_.assign(nodes * (1 + 2 * static_cast<std::size_t>(messages.costs().nics)), 0);
}

void RankClocks::pass(std::size_t t, const LinkQueues& queues, std::span<const std::int64_t> before,
                      std::span<std::int64_t> after) {
    const TimedMessages::Set& set = messages_->sets()[t];
    std::ranges::copy(before, after.begin());
    if (set.waited() == 0) return;
    add_calls(*messages_, set, after);
    const Pass pass{&queues,
                    set.first,
                    messages_->messages().subspan(set.first, set.waited()),
                    queues.of_set(t),
                    messages_->members().subspan(set.first_member, set.members_end - set.first_member),
                    before};
    if (messages_->nodes_are_shared()) {
        find_starts_on_shared_nodes(pass);
        deliver_all_on_shared_nodes(pass, after);
    } else {
        find_starts(pass);
        deliver_all(pass, after);
    }
    clear_links(pass);
    clear_nodes(pass);
}

void RankClocks::find_starts(const Pass& pass) {
    std::int64_t* const first = first_.data();
    std::int64_t* const rank_first = rank_first_.data();
    const std::int64_t hop_ticks = messages_->hop_ticks();
    const std::int64_t packet_ticks = messages_->nic_packet_ticks();
    for (std::size_t i = 0; i < pass.messages.size(); ++i) {
        const TimedMessage& m = pass.messages[i];
        const LinkQueues::Queue& queue = pass.queues[i];
        const std::int64_t start = start_of(m, hop_ticks * (queue.hops + 1) + packet_ticks, pass.before);
        start_[i] = start + packet_ticks;
        first[queue.link] = std::min(first[queue.link], start_[i]);
        rank_first[m.source] = std::min(rank_first[m.source], start);
        rank_first[m.destination] = std::min(rank_first[m.destination], start);
    }
}

void RankClocks::deliver_all(const Pass& pass, std::span<std::int64_t> after) {
    const std::int64_t* const first = first_.data();
    const std::int64_t* const rank_first = rank_first_.data();
    const std::int64_t hop_ticks = messages_->hop_ticks();
    for (std::size_t i = 0; i < pass.messages.size(); ++i) {
        const TimedMessage& m = pass.messages[i];
        const LinkQueues::Queue& queue = pass.queues[i];
        const std::int64_t start = start_[i];
        std::int64_t end = start + queue.alone_ticks;
        end = std::max(end, (start + first[queue.link]) / 2 + queue.load_ticks);
        end = std::max(end, rank_first[m.source] + m.source_node_ticks);
        end = std::max(end, rank_first[m.destination] + m.destination_node_ticks);
        deliver(m, end, hop_ticks * queue.hops, pass.before, after);
    }
}

void RankClocks::find_starts_on_shared_nodes(const Pass& pass) {
    const std::int64_t hop_ticks = messages_->hop_ticks();
    const std::int64_t packet_ticks = messages_->nic_packet_ticks();
    for (std::size_t i = 0; i < pass.messages.size(); ++i) {
        const TimedMessage& m = pass.messages[i];
        const LinkQueues::Queue& queue = pass.queues[i];
        if (queue.hops == 0) {
            const std::int64_t start = start_[i] = start_of(m, messages_->on_node_ticks(), pass.before);
            Load& memory = memory_[pass.source_node(i)];
            memory.first = std::min(memory.first, start);
            memory.ticks += messages_->node_passage(pass.first_message + i).memory_ticks;
            continue;
        }
        const std::int64_t start = start_of(m, hop_ticks * (queue.hops + 1) + packet_ticks, pass.before);
        start_[i] = start + packet_ticks;
        first_[queue.link] = std::min(first_[queue.link], start_[i]);
        for (const std::size_t node : {pass.source_node(i), pass.destination_node(i)}) {
            node_[node].first = std::min(node_[node].first, start);
        }
        add_to_nodes(pass, i);
    }
}

void RankClocks::add_to_nodes(const Pass& pass, std::size_t i) {
    const TimedMessages::NodePassage& p = messages_->node_passage(pass.first_message + i);
    const auto nics = static_cast<std::size_t>(messages_->costs().nics);
    const auto add = [&](std::size_t node, std::size_t channel, std::int64_t ticks) {
        std::int64_t& sum = channel_ticks_[node * (1 + 2 * nics) + channel];
        sum += ticks;
        node_[node].ticks = std::max(node_[node].ticks, sum);
    };
    add(pass.source_node(i), 0, p.host_ticks);
    add(pass.destination_node(i), 0, p.host_ticks);
    add(pass.source_node(i), 1 + p.nic, p.injection_ticks);
    add(pass.destination_node(i), 1 + nics + p.nic, p.ejection_ticks);
}

void RankClocks::deliver_all_on_shared_nodes(const Pass& pass, std::span<std::int64_t> after) {
    const std::int64_t hop_ticks = messages_->hop_ticks();
    for (std::size_t i = 0; i < pass.messages.size(); ++i) {
        const TimedMessage& m = pass.messages[i];
        const LinkQueues::Queue& queue = pass.queues[i];
        if (queue.hops == 0) {
            // The memory may be idle between the first message and this one.
            const std::int64_t alone = start_[i] + messages_->node_passage(pass.first_message + i).memory_ticks;
            const std::int64_t end = std::max(alone, memory_[pass.source_node(i)].end());
            deliver(m, end, messages_->on_node_ticks(), pass.before, after);
            continue;
        }
        std::int64_t end = start_[i] + queue.alone_ticks;
        end = std::max(end, (start_[i] + first_[queue.link]) / 2 + queue.load_ticks);
        end = std::max({end, node_[pass.source_node(i)].end(), node_[pass.destination_node(i)].end()});
        deliver(m, end, hop_ticks * queue.hops, pass.before, after);
    }
}

void RankClocks::clear_links(const Pass& pass) {
    if (first_.size() <= 16 * pass.queues.size()) {
        std::ranges::copy(no_first_, first_.begin());
        return;
    }
    for (const LinkQueues::Queue& queue : pass.queues) first_[queue.link] = kNever;
}

void RankClocks::clear_nodes(const Pass& pass) {
    if (!messages_->nodes_are_shared()) {
        for (const TimedMessages::Member& member : pass.members) rank_first_[at(member.rank)] = kNever;
        return;
    }
    const std::size_t channels = channel_ticks_.size() / node_.size();
    for (const TimedMessages::Member& member : pass.members) {
        const std::size_t node = pass.placed->node(member.rank).index();
        node_[node] = memory_[node] = {.first = kNever};
        std::fill_n(channel_ticks_.begin() + static_cast<std::ptrdiff_t>(node * channels), channels, 0);
    }
}

void RankClocks::pass_at_least(std::size_t t, const TimedMessages& messages, std::span<const std::int64_t> before,
                               std::span<std::int64_t> after) {
    const TimedMessages::Set& set = messages.sets()[t];
    std::ranges::copy(before, after.begin());
    if (set.waited() == 0) return;
    add_calls(messages, set, after);
    std::vector<std::int64_t> first(before.size(), kNever);
    const bool is_shared = messages.nodes_are_shared();
    const std::int64_t hop =
        is_shared ? std::min(messages.hop_ticks(), messages.on_node_ticks()) : messages.hop_ticks();
    const std::int64_t packet = is_shared ? 0 : messages.nic_packet_ticks();
    const std::int64_t there = packet + (is_shared ? hop : 2 * hop);  // a link and the ejection channel
    const auto waited = messages.messages().subspan(set.first, set.waited());
    for (const TimedMessage& m : waited) {
        const std::int64_t start = start_of(m, there, before);
        for (const std::int32_t rank : {m.source, m.destination}) first[at(rank)] = std::min(first[at(rank)], start);
    }
    for (std::size_t i = 0; i < waited.size(); ++i) {
        const TimedMessage& m = waited[i];
        std::int64_t end = start_of(m, there, before);
        if (is_shared) {
            end += std::min(m.link_ticks, messages.node_passage(set.first + i).memory_ticks);
        } else {
            end = std::max({end + packet + m.link_ticks, first[at(m.source)] + m.source_node_ticks,
                            first[at(m.destination)] + m.destination_node_ticks});
        }
        std::int64_t& source = after[at(m.source)];
        std::int64_t& destination = after[at(m.destination)];
        if (!m.is_eager) source = std::max(source, end);
        destination = std::max(destination, end + hop);
    }
}

}  // namespace haichi
