#include "commlog/ccs/cut.h"

#include <algorithm>
#include <deque>
#include <map>

namespace haichi {

namespace {

/// Number of iterations within which a cut is searched for.
constexpr std::int64_t kMostIterations = 8;

}  // namespace

class CommonCuts::Search {
    /// Events of one kind on one channel in one rank: their positions within an iteration, and their number before the
    /// first iteration.
    struct Positions {
        std::size_t window = 0;
        std::vector<std::size_t> at;  ///< ascending; one event may have several entries
        std::int64_t before = 0;

        /// Returns the number of such events before position `x`, counted from the beginning of the first iteration.
        [[nodiscard]] std::int64_t count(std::int64_t x, std::int64_t length) const {
            const auto in_last = std::ranges::lower_bound(at, static_cast<std::size_t>(x % length)) - at.begin();
            return before + x / length * static_cast<std::int64_t>(at.size()) + in_last;
        }
        /// Returns the first position with at least `wanted` such events before it. `wanted` must be larger than the
        /// number of events before position 0.
        [[nodiscard]] std::int64_t reach(std::int64_t wanted, std::int64_t length) const {
            const std::int64_t index = wanted - before - 1;
            const auto size = static_cast<std::int64_t>(at.size());
            return index / size * length + static_cast<std::int64_t>(at[static_cast<std::size_t>(index % size)]) + 1;
        }
    };

    /// The ends of a channel that must have equal counts: sender and receiver, or the members of a communicator.
    struct Agreement {
        Channel channel;
        std::vector<Positions> ends;
    };

  public:
    Search(const JobLog& job, const std::vector<RankLoops>& loops, std::vector<RankWindow>& windows)
        : job_(&job), loops_(&loops), windows_(&windows), at_(windows.size(), 0), agreements_of_(windows.size()) {
        for (std::size_t w = 0; w < windows.size(); ++w) {
            add_positions(w);
            // Positions are counted from a whole number of iterations before the first loop.
            if (early(w) > 0) at_[w] = early_iterations(w) * length(w) - early(w);
        }
        for (const auto& [channel, ends] : ends_) add_agreement(channel, ends);
    }

    bool first() {
        start_ = at_;
        if (!settle()) return false;
        first_ = at_;
        set_cuts();
        return true;
    }

    bool behind(const std::vector<std::int64_t>& events) {
        for (std::size_t w = 0; w < at_.size(); ++w) at_[w] = first_[w] + events[w];
        if (!settle()) return false;
        set_cuts();
        return true;
    }

    [[nodiscard]] bool is_where_loops_begin() const {
        return first_ == start_ &&
               std::ranges::all_of(*windows_, [](const RankWindow& window) { return window.early_events == 0; });
    }

  private:
    /// Moves each rank forward to the earliest common cut. Returns false if there is no common cut within
    /// kMostIterations.
    bool settle() {
        std::deque<std::size_t> to_check;
        std::vector<bool> queued(agreements_.size(), true);
        for (std::size_t a = 0; a < agreements_.size(); ++a) to_check.push_back(a);
        while (!to_check.empty()) {
            const std::size_t a = to_check.front();
            to_check.pop_front();
            queued[a] = false;
            std::int64_t wanted = 0;
            for (const Positions& end : agreements_[a].ends)
                wanted = std::max(wanted, end.count(at_[end.window], length(end)));
            for (const Positions& end : agreements_[a].ends) {
                if (end.count(at_[end.window], length(end)) >= wanted) continue;
                at_[end.window] = end.reach(wanted, length(end));
                if (at_[end.window] > (early_iterations(end.window) + kMostIterations) * length(end)) return false;
                for (const std::size_t other : agreements_of_[end.window]) {
                    if (!queued[other]) to_check.push_back(other);
                    queued[other] = true;
                }
                if (!queued[a]) to_check.push_back(a);  // a window may have several ends of this agreement
                queued[a] = true;
            }
        }
        return true;
    }

    void set_cuts() {
        for (std::size_t w = 0; w < windows_->size(); ++w) {
            RankWindow& window = (*windows_)[w];
            if (!window.events.empty()) window.cut = static_cast<std::size_t>(at_[w]) % window.events.size();
        }
    }

  public:
    /// Returns the messages in flight at the beginning of the loops.
    [[nodiscard]] InFlight in_flight() const {
        InFlight found;
        for (const Agreement& agreement : agreements_) {
            if (agreement.channel.source == kNobody) continue;
            const std::int64_t count = agreement.ends.front().before - agreement.ends.back().before;
            if (count != 0) found[agreement.channel] = count;
        }
        return found;
    }

  private:
    struct Ends {
        std::map<std::size_t, Positions> sends, receives, collectives;  ///< by window
    };

    [[nodiscard]] std::int64_t length(std::size_t w) const {
        return static_cast<std::int64_t>((*windows_)[w].events.size());
    }
    [[nodiscard]] std::int64_t length(const Positions& end) const { return length(end.window); }
    [[nodiscard]] std::int64_t early(std::size_t w) const {
        return static_cast<std::int64_t>((*windows_)[w].early_events);
    }
    [[nodiscard]] std::int64_t early_iterations(std::size_t w) const {
        return length(w) == 0 ? 0 : (early(w) + length(w) - 1) / length(w);
    }

    static void note(std::map<std::size_t, Positions>& ends, std::size_t w, std::size_t at, const ChannelCounts& before,
                     const Channel& channel) {
        Positions& positions = ends[w];
        if (positions.at.empty()) {
            positions.window = w;
            const auto found = before.find(channel);
            positions.before = found == before.end() ? 0 : found->second;
        }
        positions.at.push_back(at);
    }

    void add_positions(std::size_t w) {
        const RankWindow& window = (*windows_)[w];
        const RankLoops& loops = (*loops_)[window.log];
        const auto received = [&](std::size_t at, std::int32_t source, const EventKey& post, std::int32_t tag,
                                  std::int64_t posted_before = 0) {
            if (source < 0) return;
            const Channel channel = loops.channel_from(source, post, tag);
            note(ends_[channel].receives, w, at, window.before.receives, channel);
            // In `before`, receives with a known source are counted when they are posted. Here, receives are counted
            // when they complete.
            ends_[channel].receives[w].before -= posted_before;
        };
        for (std::size_t i = 0; i < window.events.size(); ++i) {
            const LoggedEvent& event = *window.events[i].event;
            const EventKey& key = event.key;
            if (key.kind == CallKind::kSend && key.peer >= 0) {
                const Channel channel = loops.channel_to(key.peer, key);
                note(ends_[channel].sends, w, i, window.before.sends, channel);
            } else if (key.kind == CallKind::kReceive && (key.flags & kBlocking) != 0) {
                received(i, key.peer, key, 0);
            } else if (key.kind == CallKind::kReceiveAny) {
                for (std::uint32_t c = 0; c < event.completions; ++c) {
                    const Completion& came = loops.calls()->completions[event.first_completion + c];
                    received(i, came.source, key, came.tag);
                }
            } else if (key.kind == CallKind::kComplete) {
                for (std::uint32_t c = 0; c < window.events[i].requests; ++c) {
                    const WindowRequest& request = window.requests[window.events[i].first_request + c];
                    const EventKey& post = window.events[request.post].event->key;
                    if (post.kind != CallKind::kReceive) continue;
                    const bool open = (post.flags & (kAnySource | kAnyTag)) != 0;
                    received(i, open ? request.source : post.peer, post, request.tag,
                             open ? 0 : request.iterations_ago);
                }
            } else if (key.kind == CallKind::kCollective) {
                const std::uint32_t of = loops.communicator(key.communicator);
                if (job_->communicators[of].members.size() < 2) continue;
                const Channel channel{kNobody, kNobody, of, 0};
                note(ends_[channel].collectives, w, i, window.before.collectives, channel);
            }
        }
    }

    void add_agreement(const Channel& channel, const Ends& ends) {
        Agreement agreement{channel, {}};
        for (const auto* side : {&ends.sends, &ends.receives, &ends.collectives}) {
            for (const auto& [w, positions] : *side) agreement.ends.push_back(positions);
        }
        if (agreement.ends.size() < 2) return;
        for (Positions& end : agreement.ends) {
            end.before -= early_iterations(end.window) * static_cast<std::int64_t>(end.at.size());
            agreements_of_[end.window].push_back(agreements_.size());
        }
        agreements_.push_back(std::move(agreement));
    }

    const JobLog* job_;
    const std::vector<RankLoops>* loops_;
    std::vector<RankWindow>* windows_;
    std::map<Channel, Ends> ends_;
    std::vector<Agreement> agreements_;
    std::vector<std::int64_t> start_, first_;
    std::vector<std::int64_t> at_;  ///< by window, in events since the beginning of the window's first iteration
    std::vector<std::vector<std::size_t>> agreements_of_;
};

CommonCuts::CommonCuts(const JobLog& job, const std::vector<RankLoops>& loops, std::vector<RankWindow>& windows)
    : search_(std::make_unique<Search>(job, loops, windows)) {}
CommonCuts::~CommonCuts() = default;
bool CommonCuts::first() { return search_->first(); }
bool CommonCuts::is_where_loops_begin() const { return search_->is_where_loops_begin(); }
bool CommonCuts::behind(const std::vector<std::int64_t>& events) { return search_->behind(events); }
InFlight CommonCuts::in_flight() const { return search_->in_flight(); }

}  // namespace haichi
