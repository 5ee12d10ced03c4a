#include "commlog/ccs/rank_window.h"

#include <algorithm>
#include <span>

#include "base/errors.h"

namespace haichi {

namespace {

/// Expands a sequence of symbols into single events.
class Unrolling {
  public:
    Unrolling(const CallSequence& calls, RankWindow& window) : calls_(&calls), window_(&window) {}

    void add(Symbol symbol) {
        if (symbol >= kLoopSymbol) {
            const Loop& loop = calls_->loops[symbol - kLoopSymbol];
            for (std::uint64_t r = 0; r < loop.repetitions; ++r) add_body(loop.body);
            return;
        }
        const LoggedEvent& event = calls_->events[symbol];
        WindowEvent unrolled{&event, 0, 0, 0};
        if (event.count > 0) {
            unrolled.gap_seconds =
                static_cast<double>(event.gap_total) / static_cast<double>(event.count) / calls_->ticks_per_second;
        }
        if (event.key.kind == CallKind::kComplete) {
            unrolled.first_request = static_cast<std::uint32_t>(window_->requests.size());
            unrolled.requests = event.completions;
            for (std::uint32_t i = 0; i < event.completions; ++i) {
                const Completion& completion = calls_->completions[event.first_completion + i];
                // Until all posts are known, `post` holds the distance to the post, which may be in an earlier
                // iteration.
                window_->requests.push_back({completion.distance, 0, completion.source, completion.tag});
                numbers_.push_back(static_cast<std::int64_t>(posts_.size()) - completion.distance);
            }
        } else if (is_post(event.key)) {
            posts_.push_back(static_cast<std::uint32_t>(window_->events.size()));
        }
        window_->events.push_back(unrolled);
    }

    void add_body(std::uint32_t body) {
        const LoopBody& of = calls_->bodies[body];
        for (std::uint32_t i = 0; i < of.length; ++i) add(calls_->body[of.first + i]);
    }

    /// Finds the event that posted each completed request.
    void resolve_requests() {
        const auto posts = static_cast<std::int64_t>(posts_.size());
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            WindowRequest& request = window_->requests[i];
            std::int64_t number = numbers_[i];
            request.iterations_ago = 0;
            if (number < 0 && (posts == 0 || !window_->repeats)) {
                request.iterations_ago = kBeforeAll;
                continue;
            }
            if (number < 0) {
                const std::int64_t ago = (-number + posts - 1) / posts;
                request.iterations_ago = static_cast<std::uint32_t>(ago);
                number += ago * posts;
            }
            request.post = posts_[static_cast<std::size_t>(number)];
        }
    }

  private:
    static bool is_post(const EventKey& key) {
        return (key.flags & kBlocking) == 0 &&
               (key.kind == CallKind::kSend || key.kind == CallKind::kReceive || key.kind == CallKind::kCollective);
    }

    static constexpr std::uint32_t kBeforeAll = 1;

    const CallSequence* calls_;
    RankWindow* window_;
    std::vector<std::uint32_t> posts_;   ///< index of the event of each post
    std::vector<std::int64_t> numbers_;  ///< by request: the number of the post that made it
};

/// Counts the rank's traffic before the first loop over `body`, or in all `symbols` if there is no such loop. Returns
/// true if there is such a loop.
bool note_before(const RankLoops& loops, std::size_t body, const std::vector<bool>& around,
                 std::span<const Symbol> symbols, RankWindow& window) {
    const CallSequence& calls = *loops.calls();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const Symbol symbol = symbols[i];
        if (symbol >= kLoopSymbol) {
            const Loop& loop = calls.loops[symbol - kLoopSymbol];
            if (loop.body == body) {
                window.early_events = static_cast<std::size_t>(loops.events_before(symbols, i));
                return true;
            }
            const LoopBody& outer = calls.bodies[loop.body];
            if (around[loop.body]) {
                return note_before(loops, body, around, std::span(calls.body).subspan(outer.first, outer.length),
                                   window);
            }
        }
        loops.add_symbol(window.before, symbol, 1);
    }
    return false;
}

[[noreturn]] void refuse(std::int64_t events, std::int64_t most_events) {
    throw UnsupportedError("one iteration has " + std::to_string(events) + " or more events; at most " +
                               std::to_string(most_events) + " are supported",
                           "choose another loop: haichi ccs LOG --main-loop N -o sets.json");
}

}  // namespace

std::vector<RankWindow> unroll(const std::vector<RankLoops>& loops, const MainLoop& main_loop,
                               std::int64_t most_events) {
    std::int64_t events = 0;
    for (const MainLoop::Part& part : main_loop.parts) {
        const RankLoops& own = loops[part.log];
        const std::int64_t more = saturated_product(own.traffic(part.body).events, part.executions);
        if (more > most_events - events) refuse(more, most_events);
        events += more;
    }
    std::vector<RankWindow> windows;
    windows.reserve(main_loop.parts.size());
    for (const MainLoop::Part& part : main_loop.parts) {
        RankWindow window;
        window.log = part.log;
        const RankLoops& own = loops[window.log];
        window.rank = own.index();
        Unrolling unrolling(*own.calls(), window);
        for (std::int64_t i = 0; i < part.executions; ++i) unrolling.add_body(static_cast<std::uint32_t>(part.body));
        unrolling.resolve_requests();
        note_before(own, part.body, own.bodies_around(part.body), own.calls()->sequence, window);
        windows.push_back(std::move(window));
    }
    return windows;
}

std::vector<RankWindow> unroll_all(const std::vector<RankLoops>& loops, std::int64_t most_events) {
    std::vector<RankWindow> windows;
    std::int64_t events = 0;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        const CallSequence* calls = loops[l].calls();
        BodyTraffic all;
        for (const Symbol symbol : calls->sequence) loops[l].add_symbol(all, symbol, 1);
        if (all.events > most_events - events) refuse(all.events, most_events);
        events += all.events;
        RankWindow window;
        window.log = l;
        window.rank = loops[l].index();
        window.repeats = false;
        Unrolling unrolling(*calls, window);
        for (const Symbol symbol : calls->sequence) unrolling.add(symbol);
        unrolling.resolve_requests();
        windows.push_back(std::move(window));
    }
    return windows;
}

}  // namespace haichi
