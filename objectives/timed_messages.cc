#include "objectives/timed_messages.h"

#include <algorithm>
#include <cmath>

namespace haichi {

namespace {

constexpr std::int64_t kSmallShare = 8;

}  // namespace

/// A message that will be added to messages_.
struct TimedMessages::Built {
    TimedMessage message;
    NodePassage node_passage;
    std::int64_t size_bytes = 0;
    std::int64_t call_ticks = 0;  ///< duration of the sending call
};

TimedMessages::TimedMessages(const Problem& problem)
    : problem_(&problem),
      costs_(problem.machine_costs()),
      nodes_are_shared_(problem.ranks_per_node() > 1),
      classes_(problem.class_count()) {
    if (costs_.nic_bytes_per_s == 0) {
        costs_.nic_bytes_per_s = problem.network().largest_bandwidth_bytes_per_s();
    }
    choose_ticks();
    choose_weights();
    hop_ticks_ = ticks_of_ps(costs_.hop_ps);
    nic_packet_ticks_ = ticks_of_ps(costs_.nic_packet_ps);
    on_node_ticks_ = ticks_of_ps(costs_.on_node_ps);
    std::vector<std::size_t> sent(static_cast<std::size_t>(problem.rank_count()), 0);
    for (std::size_t t = 0; t < problem.set_count(); ++t) add_set(t, sent);
    total_weight_ = std::max<std::int64_t>(total_weight_, 1);
    mean_ticks_ = std::max<std::int64_t>(
        1, ticks_of(static_cast<std::int64_t>(problem.mean_message_bytes()), bytes_per_s_of_class(0)));
}

/// A tick is a picosecond, or a larger power of two if the sums of a value could exceed 2^62. The estimate of the sums
/// assumes that all messages go one after another over the longest route, for every rank.
void TimedMessages::choose_ticks() {
    const auto& workload = problem_->workload();
    double slowest = bytes_per_s_of_class(0);
    for (std::size_t c = 0; c < classes_; ++c) slowest = std::min(slowest, bytes_per_s_of_class(c));
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
            3 * hops * static_cast<double>(costs_.hop_ps) +
            4 * static_cast<double>(packets(m.size_bytes) + 2) * static_cast<double>(costs_.nic_packet_ps);
        seconds += 4 * wire_bytes(m.size_bytes) / slowest + host_ps * 1e-12;
    }
    const double most = seconds * (hops + 2) * problem_->rank_count();
    while (most * ticks_per_second_ > 0x1p62) ticks_per_second_ /= 2;
}

/// Bounds the sum of squares by a product: all weights on one link, times the weights of all links together.
void TimedMessages::choose_weights() {
    double slowest = bytes_per_s_of_class(0);
    for (std::size_t c = 0; c < classes_; ++c) slowest = std::min(slowest, bytes_per_s_of_class(c));
    double ticks = 0;
    double messages = 0;
    for (const Message& m : problem_->workload().messages()) {
        if (!m.crosses_network()) continue;
        ticks += wire_bytes(m.size_bytes) / slowest * ticks_per_second_ + 1;
        ++messages;
    }
    const double most = std::sqrt(0x1p61 / std::max(problem_->network().longest_route(), 1)) - messages;
    weight_ticks_ = static_cast<std::int64_t>(ticks / std::max(most, 1.0)) + 1;
}

double TimedMessages::bytes_per_s_of_class(std::size_t c) const {
    const double rate = problem_->scale_per_second() / static_cast<double>(problem_->class_scale(c));
    return costs_.router_bytes_per_s == 0 ? rate : std::min(rate, static_cast<double>(costs_.router_bytes_per_s));
}

double TimedMessages::wire_bytes(std::int64_t bytes) const {
    return static_cast<double>(bytes) +
           static_cast<double>(packets(bytes)) * static_cast<double>(costs_.packet_header_bytes);
}

std::int64_t TimedMessages::ticks_of(std::int64_t bytes, double bytes_per_s) const {
    if (bytes_per_s == 0) return 0;
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / bytes_per_s * ticks_per_second_));
}

std::int64_t TimedMessages::ticks_of_ps(std::int64_t ps) const {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(ps) * 1e-12 * ticks_per_second_));
}

void TimedMessages::add_set(std::size_t t, std::vector<std::size_t>& sent) {
    Set set{.first = messages_.size(), .first_waited = waited_count_, .first_member = members_.size()};
    std::vector<Built> built;
    for (const Message& m : problem_->workload().messages(t)) {
        if (m.crosses_network()) built.push_back(build(m, sent));
    }
    count_calls(set, built);
    if (!nodes_are_shared_) find_node_loads(built);
    set.small = set.end = set.first + built.size();
    if (!nodes_are_shared_) put_small_ones_last(set, built);
    append(built);
    waited_count_ += set.waited();
    sets_.push_back(set);
}

TimedMessages::Built TimedMessages::build(const Message& m, std::vector<std::size_t>& sent) const {
    Built built;
    built.size_bytes = m.size_bytes;
    TimedMessage& message = built.message;
    message.source = m.source.value;
    message.destination = m.destination.value;
    message.is_eager = m.size_bytes <= costs_.eager_limit_bytes;
    const std::int64_t copy = ticks_of(m.size_bytes, static_cast<double>(costs_.copy_bytes_per_s));
    built.call_ticks = ticks_of_ps(message.is_eager ? costs_.eager_send_ps : costs_.rendezvous_send_ps);
    if (message.is_eager ? costs_.copies_eager_sends : costs_.copies_rendezvous_sends) built.call_ticks += copy;
    message.copy_ticks = message.is_eager ? copy : 0;
    const auto wire = static_cast<std::int64_t>(wire_bytes(m.size_bytes));
    double fastest = 0;
    for (std::size_t c = 0; c < classes_; ++c) fastest = std::max(fastest, bytes_per_s_of_class(c));
    message.link_ticks = ticks_of(wire, fastest);
    message.weight = static_cast<std::int32_t>(message.link_ticks / weight_ticks_ + 1);
    const std::int64_t host_ticks = ticks_of(m.size_bytes, static_cast<double>(costs_.host_bytes_per_s));
    const std::int64_t nic_ticks = ticks_of(wire, static_cast<double>(costs_.nic_bytes_per_s));
    // A NIC does not work on the next packet while it sends one.
    const std::int64_t work_ticks = packets(m.size_bytes) * nic_packet_ticks_;
    built.node_passage = {.host_ticks = host_ticks,
                          .injection_ticks = work_ticks + std::max(nic_ticks, host_ticks),
                          .ejection_ticks = nic_ticks,
                          .memory_ticks = ticks_of(m.size_bytes, static_cast<double>(costs_.on_node_bytes_per_s)),
                          .nic = sent[m.source.index()]++ % static_cast<std::size_t>(costs_.nics)};
    return built;
}

/// A rank posts the receives of the set, then makes its sends in their order.
void TimedMessages::count_calls(Set& set, std::span<Built> built) {
    struct Calls {
        std::int64_t posted = 0, sent = 0;
        bool is_member = false;
    };
    std::vector<Calls> calls(static_cast<std::size_t>(problem_->rank_count()));
    const std::int64_t receive = ticks_of_ps(costs_.call_ps);
    for (const Built& one : built) calls[static_cast<std::size_t>(one.message.destination)].posted += receive;
    for (Built& one : built) {
        Calls& source = calls[static_cast<std::size_t>(one.message.source)];
        Calls& destination = calls[static_cast<std::size_t>(one.message.destination)];
        source.sent += one.call_ticks;
        one.message.sent_ticks = source.posted + source.sent;
        one.message.posted_ticks = destination.posted;
        source.is_member = destination.is_member = true;
    }
    for (std::size_t r = 0; r < calls.size(); ++r) {
        if (!calls[r].is_member) continue;
        members_.push_back({static_cast<std::int32_t>(r), calls[r].posted + calls[r].sent});
    }
    set.members_end = members_.size();
}

/// Finds the loads of nodes with one rank each, which do not depend on the placement.
void TimedMessages::find_node_loads(std::span<Built> built) const {
    const auto nics = static_cast<std::size_t>(costs_.nics);
    const std::size_t channels = 1 + 2 * nics;
    std::vector<std::int64_t> ticks(static_cast<std::size_t>(problem_->rank_count()) * channels, 0);
    std::vector<std::int64_t> busiest(static_cast<std::size_t>(problem_->rank_count()), 0);
    const auto add = [&](std::int32_t rank, std::size_t channel, std::int64_t time) {
        const auto r = static_cast<std::size_t>(rank);
        busiest[r] = std::max(busiest[r], ticks[r * channels + channel] += time);
    };
    for (const Built& one : built) {
        const NodePassage& p = one.node_passage;
        add(one.message.source, 0, p.host_ticks);
        add(one.message.destination, 0, p.host_ticks);
        add(one.message.source, 1 + p.nic, p.injection_ticks);
        add(one.message.destination, 1 + nics + p.nic, p.ejection_ticks);
    }
    for (Built& one : built) {
        one.message.source_node_ticks = busiest[static_cast<std::size_t>(one.message.source)];
        one.message.destination_node_ticks = busiest[static_cast<std::size_t>(one.message.destination)];
    }
}

void TimedMessages::put_small_ones_last(Set& set, std::vector<Built>& built) const {
    std::vector<std::int64_t> most_sent(static_cast<std::size_t>(problem_->rank_count()), 0);
    std::vector<std::int64_t> most_received(most_sent);
    for (const Built& one : built) {
        std::int64_t& sent = most_sent[static_cast<std::size_t>(one.message.source)];
        std::int64_t& received = most_received[static_cast<std::size_t>(one.message.destination)];
        sent = std::max(sent, one.size_bytes);
        received = std::max(received, one.size_bytes);
    }
    const auto is_waited_for = [&](const Built& one) {
        if (one.size_bytes > most_received[static_cast<std::size_t>(one.message.destination)] / kSmallShare)
            return true;
        return !one.message.is_eager &&
               one.size_bytes > most_sent[static_cast<std::size_t>(one.message.source)] / kSmallShare;
    };
    const auto small = std::stable_partition(built.begin(), built.end(), is_waited_for);
    set.small = set.first + static_cast<std::size_t>(small - built.begin());
}

void TimedMessages::append(std::span<const Built> built) {
    for (const Built& one : built) {
        messages_.push_back(one.message);
        total_weight_ += one.message.weight;
        if (nodes_are_shared_) node_passages_.push_back(one.node_passage);
        if (classes_ == 1) continue;
        const auto wire = static_cast<std::int64_t>(wire_bytes(one.size_bytes));
        for (std::size_t c = 0; c < classes_; ++c) {
            const std::int64_t ticks = ticks_of(wire, bytes_per_s_of_class(c));
            class_costs_.push_back({ticks, ticks / weight_ticks_ + 1});
        }
    }
}

}  // namespace haichi
