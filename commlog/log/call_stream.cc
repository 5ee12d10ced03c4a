#include "commlog/log/call_stream.h"

namespace haichi {

/// Advances the second cursor until the fate of request `post` is known.
void CallStream::look_ahead(std::uint64_t post) {
    while (!ahead_has_ended_ && (posts_ahead_ < post || between_.front().fate == RequestFate::kNotSeen) &&
           posts_ahead_ - post + 1 <= kMostAhead) {
        const LoggedEvent* event = ahead_.next();
        if (event == nullptr) {
            ahead_has_ended_ = true;
            return;
        }
        if (is_request(event->key)) {
            ++posts_ahead_;
            between_.emplace_back();
        }
        if (event->key.kind != CallKind::kComplete) continue;
        for (const Completion& completion : completions_of(*event)) {
            if (completion.distance == 0 || completion.distance > posts_ahead_) continue;
            const std::uint64_t number = posts_ahead_ - completion.distance + 1;
            if (number < post) continue;
            between_[number - post] = {RequestFate::kCompleted, completion};
        }
    }
}

StreamedCall CallStream::next() {
    StreamedCall call{.event = here_.next()};
    if (call.event == nullptr) return call;
    const EventKey& key = call.event->key;
    if (key.kind == CallKind::kComplete || key.kind == CallKind::kReceiveAny) {
        call.completions = completions_of(*call.event);
    }
    if (!is_request(key)) return call;
    call.post = ++posts_;
    look_ahead(call.post);
    const Ahead& found = between_.front();
    call.fate = found.fate;
    call.came = found.came;
    if (ahead_has_ended_ && call.fate == RequestFate::kNotSeen) call.fate = RequestFate::kNever;
    between_.pop_front();
    return call;
}

}  // namespace haichi
