#include "objectives/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace haichi {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace

RankClocks::RankClocks(const Problem& problem)
    : problem_(&problem), costs_(problem.machine_costs()), nodes_are_shared_(problem.ranks_per_node() > 1) {
    if (costs_.nic_bytes_per_s == 0) {
        costs_.nic_bytes_per_s = problem.network().largest_bandwidth_bytes_per_s();
    }
    choose_ticks();
    hop_ticks_ = ticks_of_ps(costs_.hop_ps);
    on_node_ticks_ = ticks_of_ps(costs_.on_node_ps);
    std::vector<std::size_t> sent(static_cast<std::size_t>(problem.rank_count()), 0);
    for (std::size_t t = 0; t < problem.set_count(); ++t) add_set(t, sent);
    if (!nodes_are_shared_) node_passages_ = {};
    passages_.resize(transfers_.size());
    index_ranks();
    mean_ticks_ = std::max<std::int64_t>(
        1, ticks_of(static_cast<std::int64_t>(problem.mean_message_bytes()), bytes_per_s_of_class(0)));

    const auto nodes = static_cast<std::size_t>(problem.node_count());
    link_.assign(static_cast<std::size_t>(problem.network().link_count()), {.first = kNever});
    node_.assign(nodes, {.first = kNever});
    no_link_ = link_;
    no_node_ = node_;
    is_plain_ = !nodes_are_shared_ && class_ticks_.empty() &&
                static_cast<std::size_t>(problem.network().longest_route()) <= Passage::kKept;
    if (nodes_are_shared_) {
        memory_.assign(nodes, {.first = kNever});
        channel_ticks_.assign(nodes * (1 + 2 * static_cast<std::size_t>(costs_.nics)), 0);
    }
}

/// A picosecond, unless the sums of a value could pass 2^62: of all messages one after the other over the longest
/// route, for every rank.
void RankClocks::choose_ticks() {
    const auto& workload = problem_->workload();
    double slowest = bytes_per_s_of_class(0);
    for (std::size_t c = 0; c < problem_->class_count(); ++c) slowest = std::min(slowest, bytes_per_s_of_class(c));
    slowest = std::min(slowest, static_cast<double>(costs_.nic_bytes_per_s));
    for (const std::int64_t rate : {costs_.host_bytes_per_s, costs_.copy_bytes_per_s, costs_.on_node_bytes_per_s}) {
        if (rate > 0) slowest = std::min(slowest, static_cast<double>(rate));
    }
    const double hops = problem_->network().longest_route() + 2;
    double seconds = 0;
    for (const Message& m : workload.messages()) {
        if (!m.crosses_network()) continue;
        const double host_ps =
            static_cast<double>(costs_.call_ps + costs_.eager_send_ps + costs_.rendezvous_send_ps + costs_.on_node_ps) +
            3 * hops * static_cast<double>(costs_.hop_ps);
        seconds += 4 * wire_bytes(m.size_bytes) / slowest + host_ps * 1e-12;
    }
    const double most = seconds * (hops + 2) * problem_->rank_count();
    while (most * ticks_per_second_ > 0x1p62) ticks_per_second_ /= 2;
}

double RankClocks::bytes_per_s_of_class(std::size_t c) const {
    const double rate = problem_->scale_per_second() / static_cast<double>(problem_->class_scale(c));
    return costs_.router_bytes_per_s == 0 ? rate : std::min(rate, static_cast<double>(costs_.router_bytes_per_s));
}

double RankClocks::wire_bytes(std::int64_t bytes) const {
    const std::int64_t packets = (bytes - 1) / costs_.packet_payload_bytes + 1;
    return static_cast<double>(bytes) + static_cast<double>(packets) * static_cast<double>(costs_.packet_header_bytes);
}

std::int64_t RankClocks::ticks_of(std::int64_t bytes, double bytes_per_s) const {
    if (bytes_per_s == 0) return 0;
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / bytes_per_s * ticks_per_second_));
}

std::int64_t RankClocks::ticks_of_ps(std::int64_t ps) const {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(ps) * 1e-12 * ticks_per_second_));
}

void RankClocks::add_set(std::size_t t, std::vector<std::size_t>& sent) {
    Set set{.first_transfer = transfers_.size(), .first_member = members_.size()};
    const auto copy_rate = static_cast<double>(costs_.copy_bytes_per_s);
    for (const Message& m : problem_->workload().messages(t)) {
        if (!m.crosses_network()) continue;
        Transfer transfer{.source = m.source.value, .destination = m.destination.value};
        transfer.is_eager = m.size_bytes <= costs_.eager_limit_bytes;
        const std::int64_t copy = ticks_of(m.size_bytes, copy_rate);
        // For now the time of the call that sends it.
        transfer.sent_ticks = ticks_of_ps(transfer.is_eager ? costs_.eager_send_ps : costs_.rendezvous_send_ps);
        if (transfer.is_eager ? costs_.copies_eager_sends : costs_.copies_rendezvous_sends) transfer.sent_ticks += copy;
        transfer.copy_ticks = transfer.is_eager ? copy : 0;
        const auto wire = static_cast<std::int64_t>(wire_bytes(m.size_bytes));
        transfer.link_ticks = kNever;
        for (std::size_t c = 0; c < problem_->class_count(); ++c) {
            const std::int64_t ticks = ticks_of(wire, bytes_per_s_of_class(c));
            transfer.link_ticks = std::min(transfer.link_ticks, ticks);
            if (problem_->class_count() > 1) class_ticks_.push_back(ticks);
        }
        node_passages_.push_back(
            {.host_ticks = ticks_of(m.size_bytes, static_cast<double>(costs_.host_bytes_per_s)),
             .nic_ticks = ticks_of(wire, static_cast<double>(costs_.nic_bytes_per_s)),
             .memory_ticks = ticks_of(m.size_bytes, static_cast<double>(costs_.on_node_bytes_per_s)),
             .nic = sent[m.source.index()]++ % static_cast<std::size_t>(costs_.nics)});
        transfers_.push_back(transfer);
    }
    set.transfers_end = transfers_.size();
    count_calls(set);
    if (!nodes_are_shared_) find_node_loads(set);
    start_.resize(std::max(start_.size(), set.transfers_end - set.first_transfer));
    sets_.push_back(set);
}

/// A rank posts the receives of the set, then makes its sends in their order.
void RankClocks::count_calls(Set& set) {
    struct Calls {
        std::int64_t posted = 0, sent = 0;
        bool is_member = false;
    };
    std::vector<Calls> calls(static_cast<std::size_t>(problem_->rank_count()));
    const std::int64_t receive = ticks_of_ps(costs_.call_ps);
    const auto transfers = std::span(transfers_).subspan(set.first_transfer);
    for (const Transfer& m : transfers) calls[static_cast<std::size_t>(m.destination)].posted += receive;
    for (Transfer& m : transfers) {
        Calls& source = calls[static_cast<std::size_t>(m.source)];
        Calls& destination = calls[static_cast<std::size_t>(m.destination)];
        source.sent += m.sent_ticks;
        m.sent_ticks = source.posted + source.sent;
        m.posted_ticks = destination.posted;
        source.is_member = destination.is_member = true;
    }
    for (std::size_t r = 0; r < calls.size(); ++r) {
        if (!calls[r].is_member) continue;
        members_.push_back({static_cast<std::int32_t>(r), calls[r].posted + calls[r].sent});
    }
    set.members_end = members_.size();
}

/// Where every node has one rank its load does not depend on the placement.
void RankClocks::find_node_loads(const Set& set) {
    const auto nics = static_cast<std::size_t>(costs_.nics);
    const std::size_t channels = 1 + 2 * nics;
    std::vector<std::int64_t> ticks(static_cast<std::size_t>(problem_->rank_count()) * channels, 0);
    std::vector<std::int64_t> busiest(static_cast<std::size_t>(problem_->rank_count()), 0);
    const auto add = [&](std::int32_t rank, std::size_t channel, std::int64_t time) {
        const auto r = static_cast<std::size_t>(rank);
        busiest[r] = std::max(busiest[r], ticks[r * channels + channel] += time);
    };
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i) {
        const NodePassage& p = node_passages_[i];
        add(transfers_[i].source, 0, p.host_ticks);
        add(transfers_[i].destination, 0, p.host_ticks);
        add(transfers_[i].source, 1 + p.nic, p.nic_ticks);
        add(transfers_[i].destination, 1 + nics + p.nic, p.nic_ticks);
    }
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i) {
        transfers_[i].source_node_ticks = busiest[static_cast<std::size_t>(transfers_[i].source)];
        transfers_[i].destination_node_ticks = busiest[static_cast<std::size_t>(transfers_[i].destination)];
    }
}

/// Without branches: whether a message is eager is hard to foresee.
std::int64_t RankClocks::start_of(const Transfer& m, std::int64_t route_ticks,
                                  std::span<const std::int64_t> before) const {
    const std::int64_t sent = before[static_cast<std::size_t>(m.source)] + m.sent_ticks;
    const std::int64_t posted = before[static_cast<std::size_t>(m.destination)] + m.posted_ticks;
    const std::int64_t asked = std::max(sent, posted) + 2 * route_ticks;
    return m.is_eager ? sent : asked;
}

void RankClocks::deliver(const Transfer& m, std::int64_t end, std::int64_t route_ticks,
                         std::span<const std::int64_t> before, std::span<std::int64_t> after) const {
    std::int64_t& source = after[static_cast<std::size_t>(m.source)];
    const std::int64_t left = m.is_eager ? 0 : end;
    source = std::max(source, left);
    // A rendezvous never comes before its receive.
    const std::int64_t posted = before[static_cast<std::size_t>(m.destination)] + m.posted_ticks;
    const std::int64_t received = end + route_ticks;
    std::int64_t& destination = after[static_cast<std::size_t>(m.destination)];
    destination = std::max(destination, received < posted ? posted + m.copy_ticks : received);
}

void RankClocks::index_ranks() {
    first_of_rank_.assign(static_cast<std::size_t>(problem_->rank_count()) + 1, 0);
    for (const Transfer& m : transfers_) {
        ++first_of_rank_[static_cast<std::size_t>(m.source) + 1];
        ++first_of_rank_[static_cast<std::size_t>(m.destination) + 1];
    }
    std::partial_sum(first_of_rank_.begin(), first_of_rank_.end(), first_of_rank_.begin());
    of_rank_.resize(first_of_rank_.back());
    std::vector<std::size_t> next(first_of_rank_);
    for (std::uint32_t i = 0; i < transfers_.size(); ++i) {
        of_rank_[next[static_cast<std::size_t>(transfers_[i].source)]++] = i;
        of_rank_[next[static_cast<std::size_t>(transfers_[i].destination)]++] = i;
    }
}

void RankClocks::place(std::span<const NodeId> node_of_rank) {
    nodes_.assign(node_of_rank.begin(), node_of_rank.end());
    for (std::size_t i = 0; i < passages_.size(); ++i) route_message(i);
}

void RankClocks::route_message(std::size_t message) {
    Passage& passage = passages_[message];
    const auto route = problem_->route(source_node(message), destination_node(message), scratch_);
    passage.hops = static_cast<std::uint32_t>(route.size());
    for (std::size_t k = 0; k < std::min(route.size(), Passage::kKept); ++k) {
        passage.links[k] = static_cast<std::uint32_t>(route[k].index());
    }
}

void RankClocks::move(const Move& move) {
    moved_ = move;
    passages_before_.clear();
    for (const Relocation& moved : move) nodes_[moved.rank.index()] = moved.to_node;
    for (const Relocation& moved : move) {
        for (std::size_t k = first_of_rank_[moved.rank.index()]; k < first_of_rank_[moved.rank.index() + 1]; ++k) {
            passages_before_.emplace_back(of_rank_[k], passages_[of_rank_[k]]);
            route_message(of_rank_[k]);
        }
    }
}

void RankClocks::undo() {
    for (const Relocation& moved : moved_) nodes_[moved.rank.index()] = moved.from_node;
    // Backwards: a message between two moved ranks is there twice.
    for (std::size_t k = passages_before_.size(); k-- > 0;) {
        passages_[passages_before_[k].first] = passages_before_[k].second;
    }
}

/// f(Load&, ticks of the message there).
template <bool kPlain, class F>
void RankClocks::for_each_link(std::size_t message, Load* links, F&& f) {
    const Passage& passage = passages_[message];
    if (kPlain || (class_ticks_.empty() && passage.hops <= Passage::kKept)) {
        const std::int64_t ticks = transfers_[message].link_ticks;
        for (std::size_t k = 0; k < passage.hops; ++k) f(links[passage.links[k]], ticks);
        return;
    }
    const std::size_t classes = problem_->class_count();
    for (const LinkId link : problem_->route(source_node(message), destination_node(message), scratch_)) {
        f(links[link.index()], class_ticks_.empty() ? transfers_[message].link_ticks
                                                    : class_ticks_[message * classes + problem_->link_class(link)]);
    }
}

void RankClocks::add_to_nodes(std::size_t message) {
    const NodePassage& p = node_passages_[message];
    const auto nics = static_cast<std::size_t>(costs_.nics);
    const auto add = [&](NodeId node, std::size_t channel, std::int64_t ticks) {
        std::int64_t& sum = channel_ticks_[node.index() * (1 + 2 * nics) + channel];
        sum += ticks;
        node_[node.index()].ticks = std::max(node_[node.index()].ticks, sum);
    };
    add(source_node(message), 0, p.host_ticks);
    add(destination_node(message), 0, p.host_ticks);
    add(source_node(message), 1 + p.nic, p.nic_ticks);
    add(destination_node(message), 1 + nics + p.nic, p.nic_ticks);
}

template <bool kPlain>
void RankClocks::add_loads(const Set& set, std::span<const std::int64_t> before) {
    Load* const links = link_.data();
    Load* const nodes = node_.data();
    const std::int64_t hop_ticks = hop_ticks_;
    std::int64_t* start_of_message = start_.data();
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i, ++start_of_message) {
        const Transfer& m = transfers_[i];
        const Passage& passage = passages_[i];
        if (!kPlain && passage.hops == 0) {
            const std::int64_t start = *start_of_message = start_of(m, on_node_ticks_, before);
            Load& memory = memory_[source_node(i).index()];
            memory.first = std::min(memory.first, start);
            memory.ticks += node_passages_[i].memory_ticks;
            continue;
        }
        const std::int64_t start = *start_of_message = start_of(m, hop_ticks * (passage.hops + 1), before);
        Load& source = nodes[source_node(i).index()];
        Load& destination = nodes[destination_node(i).index()];
        source.first = std::min(source.first, start);
        destination.first = std::min(destination.first, start);
        if (!kPlain && nodes_are_shared_) add_to_nodes(i);
        for_each_link<kPlain>(i, links, [start](Load& load, std::int64_t ticks) {
            load.first = std::min(load.first, start);
            load.ticks += ticks;
        });
    }
}

template <bool kPlain>
std::int64_t RankClocks::deliver_all(const Set& set, std::span<const std::int64_t> before,
                                     std::span<std::int64_t> after) {
    Load* const links = link_.data();
    const Load* const nodes = node_.data();
    const std::int64_t hop_ticks = hop_ticks_;
    const std::int64_t* start_of_message = start_.data();
    __extension__ unsigned __int128 queues = 0;
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i, ++start_of_message) {
        const Transfer& m = transfers_[i];
        const Passage& passage = passages_[i];
        if (!kPlain && passage.hops == 0) {
            deliver(m, memory_[source_node(i).index()].end(), on_node_ticks_, before, after);
            continue;
        }
        const Load& source = nodes[source_node(i).index()];
        const Load& destination = nodes[destination_node(i).index()];
        const bool is_shared = !kPlain && nodes_are_shared_;
        std::int64_t end = source.first + (is_shared ? source.ticks : m.source_node_ticks);
        end = std::max(end, destination.first + (is_shared ? destination.ticks : m.destination_node_ticks));
        std::int64_t queue = 0;
        std::int64_t alone = m.link_ticks;
        for_each_link<kPlain>(i, links, [&](const Load& load, std::int64_t ticks) {
            end = std::max(end, load.end());
            queue += load.ticks;
            if (!kPlain) alone = std::max(alone, ticks);
        });
        queues += static_cast<std::uint64_t>(queue);
        end = std::max(end, *start_of_message + alone);
        deliver(m, end, hop_ticks * passage.hops, before, after);
    }
    return static_cast<std::int64_t>(queues / (set.transfers_end - set.first_transfer));
}

std::int64_t RankClocks::pass(std::size_t t, std::span<const std::int64_t> before, std::span<std::int64_t> after) {
    const Set& set = sets_[t];
    std::ranges::copy(before, after.begin());
    if (set.first_transfer == set.transfers_end) return 0;
    for (std::size_t k = set.first_member; k < set.members_end; ++k) {
        after[static_cast<std::size_t>(members_[k].rank)] += members_[k].calls_ticks;
    }
    std::int64_t queue = 0;
    if (is_plain_) {
        add_loads<true>(set, before);
        queue = deliver_all<true>(set, before, after);
        clear_loads<true>(set);
    } else {
        add_loads<false>(set, before);
        queue = deliver_all<false>(set, before, after);
        clear_loads<false>(set);
    }
    return queue;
}

template <bool kPlain>
void RankClocks::clear_loads(const Set& set) {
    const std::size_t messages = set.transfers_end - set.first_transfer;
    const bool copies = link_.size() <= 16 * messages;
    if (copies) {
        std::ranges::copy(no_link_, link_.begin());
        std::ranges::copy(no_node_, node_.begin());
        if (kPlain) return;
    }
    const std::size_t channels = channel_ticks_.size() / node_.size();
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i) {
        for (const NodeId node : {source_node(i), destination_node(i)}) {
            node_[node.index()] = {.first = kNever};
            if (!nodes_are_shared_) continue;
            memory_[node.index()] = {.first = kNever};
            std::fill_n(channel_ticks_.begin() + static_cast<std::ptrdiff_t>(node.index() * channels), channels, 0);
        }
        if (copies) continue;
        for_each_link<kPlain>(i, link_.data(), [](Load& load, std::int64_t) { load = {.first = kNever}; });
    }
}

std::int64_t RankClocks::pass_at_least(std::size_t t, std::span<const std::int64_t> before,
                                       std::span<std::int64_t> after) const {
    const Set& set = sets_[t];
    std::ranges::copy(before, after.begin());
    for (std::size_t k = set.first_member; k < set.members_end; ++k) {
        after[static_cast<std::size_t>(members_[k].rank)] += members_[k].calls_ticks;
    }
    std::vector<std::int64_t> first(before.size(), kNever);
    const std::int64_t hop = nodes_are_shared_ ? std::min(hop_ticks_, on_node_ticks_) : hop_ticks_;
    const std::int64_t there = nodes_are_shared_ ? hop : 2 * hop;  // a link and the ejection channel
    __extension__ unsigned __int128 queues = 0;
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i) {
        const Transfer& m = transfers_[i];
        const std::int64_t start = start_of(m, there, before);
        for (const std::int32_t rank : {m.source, m.destination}) {
            first[static_cast<std::size_t>(rank)] = std::min(first[static_cast<std::size_t>(rank)], start);
        }
    }
    for (std::size_t i = set.first_transfer; i < set.transfers_end; ++i) {
        const Transfer& m = transfers_[i];
        std::int64_t end = start_of(m, there, before);
        if (nodes_are_shared_) {
            end += std::min(m.link_ticks, node_passages_[i].memory_ticks);
        } else {
            end = std::max({end + m.link_ticks, first[static_cast<std::size_t>(m.source)] + m.source_node_ticks,
                            first[static_cast<std::size_t>(m.destination)] + m.destination_node_ticks});
            queues += static_cast<std::uint64_t>(m.link_ticks);
        }
        std::int64_t& source = after[static_cast<std::size_t>(m.source)];
        std::int64_t& destination = after[static_cast<std::size_t>(m.destination)];
        if (!m.is_eager) source = std::max(source, end);
        destination = std::max(destination, end + hop);
    }
    if (set.first_transfer == set.transfers_end) return 0;
    return static_cast<std::int64_t>(queues / (set.transfers_end - set.first_transfer));
}

}  // namespace haichi
