#include "commlog/workload/workload.h"

#include <cmath>
#include <limits>

#include "base/errors.h"

namespace haichi {

namespace {

void check_compute_seconds(double compute_seconds) {
    if (!(compute_seconds >= 0) || !std::isfinite(compute_seconds)) {
        throw InputError("compute_seconds must be finite and not negative, found " + std::to_string(compute_seconds));
    }
}

[[noreturn]] void refuse_message_count() {
    throw InputError("more than " + std::to_string(kMostMessages) + " messages, the limit of a workload");
}

}  // namespace

Workload::Workload(std::int32_t rank_count, std::int64_t iterations)
    : rank_count_(rank_count), iterations_(iterations) {
    if (rank_count < 1 || rank_count > kMostRanks) {
        throw OptionError("a workload has 1 to " + std::to_string(kMostRanks) + " ranks, found " +
                          std::to_string(rank_count));
    }
    if (iterations < 1) throw OptionError("a workload has at least 1 iteration, found " + std::to_string(iterations));
}

Workload::Workload(std::int32_t rank_count, std::int64_t iterations, std::vector<Set> sets,
                   std::vector<Message> messages)
    : Workload(rank_count, iterations) {
    if (messages.size() > static_cast<std::size_t>(kMostMessages)) refuse_message_count();
    std::size_t covered = 0;
    for (const Set& set : sets) {
        check_compute_seconds(set.compute_seconds);
        if (set.first != covered || set.end < set.first) throw InputError("the sets do not follow one another");
        covered = set.end;
    }
    if (covered != messages.size()) throw InputError("the sets do not cover the messages");
    for (const Message& message : messages) count(message);
    sets_ = std::move(sets);
    messages_ = std::move(messages);
}

std::string_view transfer_name(Transfer transfer) { return transfer == Transfer::kPut ? "put" : "messages"; }

Transfer parse_transfer(std::string_view name) {
    for (const Transfer transfer : {Transfer::kMessages, Transfer::kPut}) {
        if (name == transfer_name(transfer)) return transfer;
    }
    throw InputError("expected the transfer \"messages\" or \"put\", found " + shown(name));
}

void Workload::set_rank_weights(std::vector<std::int64_t> weights) {
    if (weights.size() != static_cast<std::size_t>(rank_count_)) {
        throw InputError(std::to_string(weights.size()) + " weights for " + std::to_string(rank_count_) + " ranks");
    }
    std::int64_t left = kLargestRankWeight;
    for (const std::int64_t weight : weights) {
        if (weight < 0) throw InputError("the weight of a rank is negative: " + std::to_string(weight));
        if (weight > left) throw InputError("the weights of the ranks exceed 2^48 in all");
        left -= weight;
    }
    rank_weights_ = std::move(weights);
}

void Workload::add_set(std::string label, double compute_seconds, Transfer transfer) {
    check_compute_seconds(compute_seconds);
    sets_.push_back({std::move(label), compute_seconds, messages_.size(), messages_.size(), transfer});
}

void Workload::add_message(RankId source, RankId destination, std::int64_t size_bytes) {
    if (sets_.empty()) throw InputError("a message precedes the first set");
    if (messages_.size() >= static_cast<std::size_t>(kMostMessages)) refuse_message_count();
    const Message message{source, destination, size_bytes};
    count(message);
    messages_.push_back(message);
    sets_.back().end = messages_.size();
}

void Workload::count(const Message& message) {
    for (const RankId rank : {message.source, message.destination}) {
        if (rank.value < 0 || rank.value >= rank_count_) {
            throw InputError("rank " + std::to_string(rank.value) + " is outside 0.." +
                             std::to_string(rank_count_ - 1));
        }
    }
    if (message.size_bytes < 0 || message.size_bytes > kLargestMessageBytes) {
        throw InputError("message size " + std::to_string(message.size_bytes) + " is outside 0..2^48 bytes");
    }
    if (!message.crosses_network()) return;
    if (total_bytes_ > std::numeric_limits<std::int64_t>::max() - message.size_bytes) {
        throw InputError("the message sizes add up to more than 2^63 - 1 bytes");
    }
    total_bytes_ += message.size_bytes;
    ++crossing_message_count_;
}

Workload Workload::with_message_size(std::int64_t size_bytes) const {
    Workload result(rank_count_, iterations_);
    result.rank_weights_ = rank_weights_;
    result.messages_.reserve(messages_.size());
    for (const Set& set : sets_) {
        result.add_set(set.label, set.compute_seconds, set.transfer);
        for (std::size_t i = set.first; i < set.end; ++i) {
            const Message& m = messages_[i];
            result.add_message(m.source, m.destination, m.size_bytes > 0 ? size_bytes : 0);
        }
    }
    return result;
}

}  // namespace haichi
