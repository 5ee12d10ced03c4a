#include "mgen/matching.h"

#include <algorithm>

#include "mgen/call.h"

namespace haichi {

namespace {

/// Compares context and tag. The caller compares the source.
bool fits(const PostedReceive& wanted, const Envelope& message) {
    return wanted.context == message.context && (wanted.tag == Call::kAnyTag || wanted.tag == message.tag);
}

}  // namespace

Matching::Found Matching::find_posted(const List& list, const Envelope& message) const {
    std::uint32_t before = kNone;
    for (std::uint32_t at = list.first; at != kNone; at = receives_[at].next) {
        if (fits(receives_[at], message)) return {at, before};
        before = at;
    }
    return {};
}

PostedReceive Matching::take(List& list, Found found) {
    PostedReceive& receive = receives_[found.at];
    const PostedReceive taken = receive;
    (found.before == kNone ? list.first : receives_[found.before].next) = receive.next;
    if (list.last == found.at) list.last = found.before;
    receive.next = first_unused_;
    first_unused_ = found.at;
    if (--open_receives_ == 0) give_memory_back();
    return taken;
}

/// Frees the memory of a rank that once had many open receives and now has none.
void Matching::give_memory_back() {
    constexpr std::size_t kMostKept = 64;
    if (receives_.capacity() <= kMostKept) return;
    receives_ = std::vector<PostedReceive>();
    first_unused_ = kNone;
}

std::optional<PostedReceive> Matching::arrive(Envelope& message) {
    Source* source = sources_.find(message.source);
    const Found own = source != nullptr ? find_posted(source->posted, message) : Found{};
    const Found any = find_posted(any_source_, message);
    if (own.at == kNone && any.at == kNone) {
        keep(message);
        return std::nullopt;
    }
    if (own.at == kNone || (any.at != kNone && receives_[any.at].order < receives_[own.at].order)) {
        return take(any_source_, any);
    }
    const PostedReceive taken = take(source->posted, own);
    if (source->is_empty()) sources_.erase(message.source);
    return taken;
}

void Matching::keep(Envelope& message) {
    Source& source = sources_.find_or_add(message.source);
    message.next = nullptr;
    (source.last != nullptr ? source.last->next : source.first) = &message;
    source.last = &message;
    message.arrived_before = last_arrived_;
    message.arrived_behind = nullptr;
    (last_arrived_ != nullptr ? last_arrived_->arrived_behind : first_arrived_) = &message;
    last_arrived_ = &message;
}

Envelope* Matching::take_unexpected(Source& source, const PostedReceive& wanted) {
    Envelope* before = nullptr;
    for (Envelope* at = source.first; at != nullptr; before = at, at = at->next) {
        if (!fits(wanted, *at)) continue;
        (before != nullptr ? before->next : source.first) = at->next;
        if (source.last == at) source.last = before;
        (at->arrived_before != nullptr ? at->arrived_before->arrived_behind : first_arrived_) = at->arrived_behind;
        (at->arrived_behind != nullptr ? at->arrived_behind->arrived_before : last_arrived_) = at->arrived_before;
        at->next = nullptr;
        return at;
    }
    return nullptr;
}

Envelope* Matching::post(const PostedReceive& wanted) {
    RankId from = wanted.source;
    if (!from.valid()) {
        // The first fitting message to arrive is also the first fitting message of its source.
        const Envelope* at = first_arrived_;
        while (at != nullptr && !fits(wanted, *at)) at = at->arrived_behind;
        if (at != nullptr) from = at->source;
    }
    if (Source* known = from.valid() ? sources_.find(from) : nullptr) {
        if (Envelope* message = take_unexpected(*known, wanted)) {
            if (known->is_empty()) sources_.erase(from);
            return message;
        }
    }
    std::uint32_t at = first_unused_;
    if (at == kNone) {
        at = static_cast<std::uint32_t>(receives_.size());
        receives_.emplace_back();
    } else {
        first_unused_ = receives_[at].next;
    }
    PostedReceive& receive = receives_[at];
    receive = wanted;
    receive.next = kNone;
    receive.order = posted_so_far_++;
    ++open_receives_;
    List& list = wanted.source.valid() ? sources_.find_or_add(wanted.source).posted : any_source_;
    (list.last != kNone ? receives_[list.last].next : list.first) = at;
    list.last = at;
    return nullptr;
}

Envelope* Matching::find(const PostedReceive& wanted) {
    if (!wanted.source.valid()) {
        Envelope* at = first_arrived_;
        while (at != nullptr && !fits(wanted, *at)) at = at->arrived_behind;
        return at;
    }
    const Source* known = sources_.find(wanted.source);
    Envelope* at = known != nullptr ? known->first : nullptr;
    while (at != nullptr && !fits(wanted, *at)) at = at->next;
    return at;
}

Matching::Found Matching::find_request(const List& list, std::uint32_t request) const {
    std::uint32_t before = kNone;
    for (std::uint32_t at = list.first; at != kNone; at = receives_[at].next) {
        if (receives_[at].request == request) return {at, before};
        before = at;
    }
    return {};
}

bool Matching::withdraw(std::uint32_t request) {
    if (const Found found = find_request(any_source_, request); found.at != kNone) {
        take(any_source_, found);
        return true;
    }
    for (const auto& [rank, source] : sources_.entries()) {
        if (!rank.valid()) continue;
        const Found found = find_request(source.posted, request);
        if (found.at == kNone) continue;
        Source& of_rank = *sources_.find(rank);
        const RankId from = rank;
        take(of_rank.posted, found);
        if (of_rank.is_empty()) sources_.erase(from);
        return true;
    }
    return false;
}

std::vector<PostedReceive> Matching::posted() const {
    std::vector<PostedReceive> all;
    const auto add = [&](const List& list) {
        for (std::uint32_t at = list.first; at != kNone; at = receives_[at].next) all.push_back(receives_[at]);
    };
    add(any_source_);
    for (const auto& [rank, source] : sources_.entries()) {
        if (rank.valid()) add(source.posted);
    }
    std::ranges::sort(all, {}, &PostedReceive::order);
    return all;
}

}  // namespace haichi
