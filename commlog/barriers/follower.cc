#include "commlog/barriers/follower.h"

#include <algorithm>

namespace haichi::barriers {

Follower::Follower(std::vector<Step> script) : script_(std::move(script)) {
    for (std::size_t i = 0; i < script_.size(); ++i) {
        const StepKind kind = script_[i].kind;
        if (kind == StepKind::kBarrier || kind == StepKind::kBarrierAtWait) after_last_barrier_ = i + 1;
    }
}

void Follower::settle(Cursor& cursor, bool keeps_others) {
    while (cursor.at < script_.size()) {
        const Step& step = script_[cursor.at];
        if (step.kind == StepKind::kLoop) {
            cursor.open[cursor.depth++] = {cursor.at, step.repetitions};
            ++cursor.at;
        } else if (step.kind == StepKind::kEndLoop) {
            OpenLoop& loop = cursor.open[cursor.depth - 1];
            Cursor again = cursor;
            again.at = loop.begin + 1;
            Cursor after = cursor;
            ++after.at;
            --after.depth;
            const bool repeats = loop.left > 1;
            if (repeats) --again.open[again.depth - 1].left;
            cursor = repeats ? again : after;
            if (keeps_others && step.has_barriers && other_count_ < others_.size()) {
                others_[other_count_++] = repeats ? after : again;
            }
        } else {
            return;
        }
    }
}

std::optional<int> Follower::pass(Cursor& cursor, const Post& made, bool keeps_others) {
    int barriers = 0;
    for (;; ++barriers, ++cursor.at) {
        settle(cursor, keeps_others);
        if (cursor.at == script_.size()) return std::nullopt;
        const Step& step = script_[cursor.at];
        if (step.kind != StepKind::kPost) continue;
        if (!step.post.matches(made)) return std::nullopt;
        ++cursor.at;
        return barriers;
    }
}

std::optional<int> Follower::post(const Post& made) {
    Cursor next = cursor_;
    std::optional<int> barriers = pass(next, made, true);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < other_count_; ++k) {
        Cursor other = others_[k];
        const std::optional<int> found = pass(other, made, false);
        if (!found) continue;
        if (!barriers) {  // the run has another number of iterations
            barriers = found;
            next = other;
        } else if (*found == *barriers) {
            others_[kept++] = other;
        }
    }
    other_count_ = kept;
    if (!barriers) return std::nullopt;
    cursor_ = next;
    ++posts_;
    return barriers;
}

int Follower::take_barriers(StepKind last) {
    const auto take = [&](Cursor& cursor, bool keeps_others) {
        int count = 0;
        for (;; ++count, ++cursor.at) {
            settle(cursor, keeps_others);
            if (cursor.at == script_.size()) return count;
            const StepKind kind = script_[cursor.at].kind;
            if (kind != StepKind::kBarrierAtWait && !(kind == StepKind::kBarrier && last == StepKind::kBarrier)) {
                return count;
            }
        }
    };
    const int barriers = take(cursor_, true);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < other_count_; ++k) {
        Cursor other = others_[k];
        if (take(other, false) == barriers) others_[kept++] = other;
    }
    other_count_ = kept;
    return barriers;
}

std::optional<int> Follower::end() {
    const auto barriers_to_end = [&](Cursor cursor, bool keeps_others) -> std::optional<int> {
        for (int count = 0;; ++count, ++cursor.at) {
            settle(cursor, keeps_others);
            if (cursor.at == script_.size()) return count;
            if (script_[cursor.at].kind == StepKind::kPost) return std::nullopt;
        }
    };
    std::optional<int> barriers = barriers_to_end(cursor_, true);
    for (std::size_t k = 0; k < other_count_ && !barriers; ++k) barriers = barriers_to_end(others_[k], false);
    return barriers;
}

bool Follower::has_barriers_left() const {
    if (cursor_.at < after_last_barrier_) return true;
    for (std::size_t d = 0; d < cursor_.depth; ++d) {
        const OpenLoop& loop = cursor_.open[d];
        if (script_[loop.begin].has_barriers && loop.left > 1) return true;
    }
    return false;
}

std::string Follower::expected() {
    Cursor cursor = cursor_;
    for (;; ++cursor.at) {
        settle(cursor, false);
        if (cursor.at == script_.size()) return "the end of the calls";
        if (script_[cursor.at].kind == StepKind::kPost) return post_text(script_[cursor.at].post);
    }
}

}  // namespace haichi::barriers
