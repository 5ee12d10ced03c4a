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
            if (keeps_others && step.has_barriers && other_count_ < others_.size()) {
                others_[other_count_++] = cursor;
                others_[other_count_ - 1].at = step.other + 1;
            }
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

void Follower::begin_call() {
    cursor_.passed = 0;
    for (std::size_t k = 0; k < other_count_; ++k) others_[k].passed = 0;
}

bool Follower::pass(Cursor& cursor, const Post& made, bool keeps_others) {
    for (;; ++cursor.passed, ++cursor.at) {
        settle(cursor, keeps_others);
        if (cursor.at == script_.size()) return false;
        const Step& step = script_[cursor.at];
        if (step.kind != StepKind::kPost) continue;
        ++cursor.at;
        return step.post.matches(made);
    }
}

std::optional<int> Follower::post(const Post& made) {
    begin_call();
    Cursor next = cursor_;
    bool is_found = pass(next, made, true);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < other_count_; ++k) {
        Cursor other = others_[k];
        if (!pass(other, made, false)) continue;
        if (!is_found) {  // the run has a different number of iterations than the script
            is_found = true;
            next = other;
        } else if (other.passed == next.passed) {
            others_[kept++] = other;
        }
    }
    other_count_ = kept;
    if (!is_found) return std::nullopt;
    cursor_ = next;
    ++posts_;
    return cursor_.passed;
}

int Follower::take_barriers(StepKind last) {
    begin_call();
    const auto take = [&](Cursor& cursor, bool keeps_others) {
        for (;; ++cursor.passed, ++cursor.at) {
            settle(cursor, keeps_others);
            if (cursor.at == script_.size()) return;
            const StepKind kind = script_[cursor.at].kind;
            if (kind != StepKind::kBarrierAtWait && !(kind == StepKind::kBarrier && last == StepKind::kBarrier)) return;
        }
    };
    take(cursor_, true);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < other_count_; ++k) {
        Cursor other = others_[k];
        take(other, false);
        if (other.passed == cursor_.passed) others_[kept++] = other;
    }
    other_count_ = kept;
    return cursor_.passed;
}

std::optional<int> Follower::end() {
    begin_call();
    const auto barriers_to_end = [&](Cursor cursor, bool keeps_others) -> std::optional<int> {
        for (;; ++cursor.passed, ++cursor.at) {
            settle(cursor, keeps_others);
            if (cursor.at == script_.size()) return cursor.passed;
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
