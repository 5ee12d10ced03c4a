#include "commlog/ccs/levels.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "collectives/recorded_rounds.h"
#include "commlog/ccs/window_transfers.h"
#include "commlog/log/logged_collective.h"
#include "commlog/log/logged_events.h"

namespace haichi {

namespace {

constexpr std::int64_t kUnknown = -1;
constexpr std::size_t kNone = WindowTransfers::kNone;

/// A message or a collective operation, for which ranks wait. Each has a step.
struct Transfer {
    std::int64_t level = kUnknown;      ///< for a collective: step of its first round
    std::int64_t end_level = kUnknown;  ///< for a collective: step of its last round
    std::int64_t base = 0;              ///< highest step that the posting ranks had completed before they posted it
    std::int32_t missing_posts = 0;     ///< number of posts that must happen before the step is known
    std::size_t first_waiting = kNone, last_waiting = kNone;  ///< list of waiting windows, linked by next_waiting_
    std::size_t collective = kNone;                           ///< index in collectives_
};

/// The progress of one rank through its events, which begin at the cut.
struct RankProgress {
    std::size_t at = 0;        ///< number of completed events
    std::uint32_t inside = 0;  ///< number of completed parts of the current event
    bool posted = false;       ///< the current part has been posted and the rank waits for it
    std::int64_t level = 0;    ///< highest completed step
    /// Number of sends and collectives posted so far, which determines the order of messages.
    std::uint32_t posts = 0;
};

class LevelAssignment {
  public:
    LevelAssignment(const JobLog& job, const std::vector<RankLoops>& loops, const std::vector<RankWindow>& windows,
                    const InFlight& in_flight, const LevelOptions& options)
        : job_(&job),
          loops_(&loops),
          windows_(&windows),
          in_flight_(&in_flight),
          options_(&options),
          recorder_(selection_for(job, options.algorithms)),
          states_(windows.size()),
          transfers_of_(windows.size()),
          post_of_(windows.size()),
          next_waiting_(windows.size(), kNone),
          computing_(windows.size()),
          collective_numbers_(job.communicators.size()) {
        levels_.labels.emplace_back();
    }

    Levels run() {
        for (std::size_t w = 0; w < windows_->size(); ++w) prepare(w);
        match();
        for (std::size_t w = 0; w < windows_->size(); ++w) runnable_.push_back(w);
        while (true) {
            while (!runnable_.empty()) {
                const std::size_t w = runnable_.front();
                runnable_.pop_front();
                advance(w);
            }
            if (!break_circle()) break;
        }
        collect();
        return std::move(levels_);
    }

  private:
    /// A send or receive of a window that has not been matched yet.
    struct End {
        std::size_t window;
        std::size_t event;       ///< position of the post after the cut, at which the transfer is recorded
        std::int64_t order;      ///< position of the post; negative if it is in the preceding iteration
        std::uint32_t part = 0;  ///< index of the part of a kReceiveAny event
        const LoggedEvent* logged = nullptr;
        /// Position of the event that completes the request; kNone if this is the posting event.
        std::size_t completion = kNone;
        std::uint32_t completion_part = 0;
    };
    struct Ends {
        std::vector<End> sends, receives;
    };
    struct SendOf {
        std::size_t transfer, window, event;
        std::int32_t destination;
        std::int64_t bytes;
        std::uint32_t post = 0;
    };
    struct CollectiveOf {
        std::size_t transfer;
        std::uint32_t communicator;
        CollectiveOperation operation = CollectiveOperation::kOther;
        collectives::SizedCall call{};  ///< the call with the largest sizes of any member
    };

    [[nodiscard]] const RankWindow& window(std::size_t w) const { return (*windows_)[w]; }
    [[nodiscard]] std::size_t length(std::size_t w) const { return window(w).events.size(); }
    /// Returns the index in RankWindow::events of the event at position `i` after the cut.
    [[nodiscard]] std::size_t index(std::size_t w, std::size_t i) const {
        const std::size_t event = i + window(w).cut;
        return event < length(w) ? event : event - length(w);
    }
    [[nodiscard]] std::size_t position(std::size_t w, std::size_t event) const {
        return event < window(w).cut ? event + length(w) - window(w).cut : event - window(w).cut;
    }

    std::size_t new_transfer(std::int32_t missing_posts) {
        transfers_.push_back({});
        transfers_.back().missing_posts = missing_posts;
        return transfers_.size() - 1;
    }

    /// Collects the sends, receives and collectives of a window by channel, in posting order.
    void prepare(std::size_t w) {
        const RankWindow& own = window(w);
        const RankLoops& loops = (*loops_)[own.log];
        const std::int32_t rank = job_->ranks[own.rank].rank;
        WindowTransfers& transfers = transfers_of_[w];
        transfers.reserve(length(w));
        post_of_[w].resize(length(w));
        collective_count_.clear();
        for (std::size_t i = 0; i < length(w); ++i) {
            const WindowEvent& event = own.events[index(w, i)];
            const EventKey& key = event.event->key;
            const std::uint32_t communicator = loops.communicator(key.communicator);
            const auto order = static_cast<std::int64_t>(i);
            switch (key.kind) {
                case CallKind::kSend:
                    transfers.add(1);
                    if (key.peer == kOutside) ++levels_.outside;
                    if (key.peer == rank) ++levels_.to_oneself;
                    if (key.peer >= 0 && key.peer != rank) {
                        ends_[loops.channel_to(key.peer, key)].sends.push_back({w, i, order, 0, event.event});
                    }
                    break;
                case CallKind::kReceive:
                    transfers.add(1);
                    if ((key.flags & kBlocking) != 0 && key.peer >= 0 && key.peer != rank) {
                        ends_[loops.channel_from(key.peer, key, 0)].receives.push_back({w, i, order, 0, event.event});
                    }
                    break;
                case CallKind::kReceiveAny:
                    transfers.add(event.event->completions);
                    for (std::uint32_t c = 0; c < event.event->completions; ++c) {
                        const Completion& came = loops.calls()->completions[event.event->first_completion + c];
                        if (came.source < 0 || came.source == rank) continue;
                        ends_[loops.channel_from(came.source, key, came.tag)].receives.push_back(
                            {w, i, order, c, event.event});
                    }
                    break;
                case CallKind::kComplete:
                    transfers.add(event.requests);
                    for (std::uint32_t c = 0; c < event.requests; ++c) prepare_request(w, i, c);
                    break;
                case CallKind::kCollective:
                    transfers.add(1);
                    if (job_->communicators[communicator].members.size() >= 2) {
                        note_collective(w, i, communicator, key);
                    }
                    break;
                default:  // the event that represents those without space in the log
                    transfers.add(0);
            }
        }
    }

    /// Records a receive on its channel when it completes; other requests were recorded when they were posted.
    void prepare_request(std::size_t w, std::size_t i, std::uint32_t c) {
        const RankWindow& own = window(w);
        const WindowEvent& event = own.events[index(w, i)];
        const WindowRequest& request = own.requests[event.first_request + c];
        if (!own.repeats && request.iterations_ago > 0) return;
        const WindowEvent& post = own.events[request.post];
        // Distances in events do not depend on the cut.
        const std::int64_t back =
            static_cast<std::int64_t>(index(w, i)) - static_cast<std::int64_t>(request.post) +
            static_cast<std::int64_t>(request.iterations_ago) * static_cast<std::int64_t>(length(w));
        const std::int64_t order = static_cast<std::int64_t>(i) - back;
        requests_.push_back({w, i, c, order, position(w, request.post)});
        const EventKey& key = post.event->key;
        if (key.kind != CallKind::kReceive) return;
        const bool open = (key.flags & (kAnySource | kAnyTag)) != 0;
        const std::int32_t source = open ? request.source : key.peer;
        if (source < 0 || source == job_->ranks[own.rank].rank) return;
        ends_[(*loops_)[own.log].channel_from(source, key, request.tag)].receives.push_back(
            {w, position(w, request.post), order, 0, post.event, i, c});
    }

    void note_collective(std::size_t w, std::size_t i, std::uint32_t communicator, const EventKey& key) {
        const std::size_t number = collective_count_[communicator]++;
        std::vector<std::size_t>& numbers = collective_numbers_[communicator];
        if (number == numbers.size()) {
            numbers.push_back(collectives_.size());
            CollectiveOf collective{new_transfer(0), communicator};
            collective.operation = static_cast<CollectiveOperation>(key.operation);
            transfers_[collective.transfer].collective = collectives_.size();
            collectives_.push_back(collective);
        }
        CollectiveOf& collective = collectives_[numbers[number]];
        ++transfers_[collective.transfer].missing_posts;
        const LoggedEvent& event = *window(w).events[index(w, i)].event;
        const auto& members = job_->communicators[communicator].members;
        const collectives::SizedCall before = collective.call;
        collective.call = sized_call(event, members.size());
        collective.call.root = before.root;
        collective.call.sent = std::max(collective.call.sent, before.sent);
        collective.call.received = std::max(collective.call.received, before.received);
        if (key.peer >= 0) {
            const auto root = std::ranges::find(members, key.peer) - members.begin();
            if (root < std::ssize(members)) collective.call.root = static_cast<int>(root);
        }
        transfers_of_[w].of(i)[0] = collective.transfer;
    }

    /// Matches the k-th send on each channel with its k-th receive. If messages are in flight, the matching receive is
    /// a later one, or is in the next iteration.
    void match() {
        for (auto& [channel, ends] : ends_) {
            std::ranges::stable_sort(ends.receives, {}, &End::order);
            if (channel.tag == kAllTags && ends.sends.size() > 1) ++levels_.matched_by_order;
            const auto flying = in_flight_->find(channel);
            const std::int64_t shift = flying == in_flight_->end() ? 0 : flying->second;
            const auto receives = static_cast<std::int64_t>(ends.receives.size());
            for (std::int64_t k = 0; k < static_cast<std::int64_t>(ends.sends.size()); ++k) {
                const End& send = ends.sends[static_cast<std::size_t>(k)];
                const std::int64_t k_received = k + shift;
                const End* receive = k_received >= 0 && k_received < receives
                                         ? &ends.receives[static_cast<std::size_t>(k_received)]
                                         : nullptr;
                add_message(channel, send, receive);
            }
        }
        // A request waits for the transfer of its post if the post is in this iteration.
        for (const RequestOf& request : requests_) {
            if (request.order < 0) continue;
            WindowTransfers& transfers = transfers_of_[request.window];
            transfers.of(request.event)[request.part] = transfers.of(request.post)[0];
        }
        ends_.clear();
    }

    void add_message(const Channel& channel, const End& send, const End* receive) {
        const std::int64_t bytes = mean_bytes(*send.logged);
        const bool receive_is_inside = receive != nullptr && receive->order >= 0;
        const bool synchronous = (send.logged->key.flags & kSynchronous) != 0;
        const bool waits = receive_is_inside && (bytes > options_->eager_limit_bytes || synchronous);
        const std::size_t transfer = new_transfer(waits ? 2 : 1);
        transfers_of_[send.window].of(send.event)[0] = transfer;
        if (receive_is_inside) {
            transfers_of_[receive->window].of(receive->event)[receive->part] = transfer;
            if (!waits) eager_receives_.push_back({receive->window, receive->event, receive->part});
        } else if (receive != nullptr) {
            // The receive was posted in the preceding iteration and completes in this one.
            transfers_of_[receive->window].of(receive->completion)[receive->completion_part] = transfer;
        }
        sends_.push_back({transfer, send.window, send.event, channel.destination, bytes});
        if (receive == nullptr) return;
        levels_.ends.push_back({static_cast<std::uint32_t>(send.window), static_cast<std::uint32_t>(send.event),
                                static_cast<std::uint32_t>(receive->window),
                                static_cast<std::int32_t>(std::max<std::int64_t>(receive->order, -1))});
    }

    /// Advances a rank until it has to wait.
    void advance(std::size_t w) {
        RankProgress& state = states_[w];
        for (; state.at < length(w); ++state.at, state.inside = 0) {
            const WindowEvent& event = window(w).events[index(w, state.at)];
            const EventKey& key = event.event->key;
            if (state.inside == 0 && !state.posted) note_computing(w, event.gap_seconds);
            const std::span<const std::size_t> parts = transfers_of_[w].of(state.at);
            for (; state.inside < parts.size(); ++state.inside) {
                const std::size_t transfer = parts[state.inside];
                if (transfer == kNone) continue;
                const bool posts = key.kind != CallKind::kComplete;
                if (posts && !state.posted) post(w, key, transfer);
                const bool waits = !posts || (key.flags & kBlocking) != 0 || key.kind == CallKind::kReceiveAny;
                if (!waits) continue;
                state.posted = true;
                Transfer& of = transfers_[transfer];
                if (of.level == kUnknown) {
                    std::size_t& last = of.last_waiting == kNone ? of.first_waiting : next_waiting_[of.last_waiting];
                    last = of.last_waiting = w;
                    return;
                }
                state.posted = false;
                state.level = std::max(state.level, of.end_level);
            }
        }
    }

    void post(std::size_t w, const EventKey& key, std::size_t transfer) {
        RankProgress& state = states_[w];
        if (key.kind == CallKind::kSend || key.kind == CallKind::kCollective) {
            post_of_[w][state.at] = state.posts++;
        }
        // The step of an eager message is independent of the time when its receive is posted.
        const bool receives = key.kind == CallKind::kReceive || key.kind == CallKind::kReceiveAny;
        if (receives && is_eager(w, state.at, state.inside)) return;
        Transfer& of = transfers_[transfer];
        of.base = std::max(of.base, state.level);
        if (--of.missing_posts == 0) settle(transfer);
    }

    [[nodiscard]] bool is_eager(std::size_t w, std::size_t event, std::uint32_t part) {
        if (!eager_sorted_) std::ranges::sort(eager_receives_);
        eager_sorted_ = true;
        return std::ranges::binary_search(eager_receives_, EagerReceive{w, event, part});
    }

    /// Computes the step of a transfer, and lets the ranks that wait for it continue.
    void settle(std::size_t transfer) {
        Transfer& of = transfers_[transfer];
        of.level = of.end_level = of.base + 1;
        if (of.collective != kNone) of.end_level = add_rounds(collectives_[of.collective]);
        for (std::size_t w = of.first_waiting; w != kNone; w = std::exchange(next_waiting_[w], kNone)) {
            runnable_.push_back(w);
        }
        of.first_waiting = of.last_waiting = kNone;
    }

    /// Adds the messages of a collective, and returns the step of its last round.
    std::int64_t add_rounds(const CollectiveOf& collective) {
        const std::int64_t first = transfers_[collective.transfer].level;
        if (!is_expanded(*job_, collective.communicator, options_->collectives)) {
            ++levels_.collectives_left;
            return first;
        }
        if (collective.operation == CollectiveOperation::kNeighbor) ++levels_.neighborhood;
        if (collective.call.collective == collectives::CollectiveKind::kBarrier) return first;
        const auto& members = job_->communicators[collective.communicator].members;
        const auto& recorded = recorder_.record(collective.call, static_cast<int>(members.size()));
        std::int64_t level = first - 1;
        for (const collectives::Round& round : recorded.rounds) {
            ++level;
            const std::uint32_t label = label_number(recorded.label + ' ' + std::to_string(level - first + 1));
            for (const auto& [from, to, bytes] : round) {
                const Message message{RankId(members[static_cast<std::size_t>(from)]),
                                      RankId(members[static_cast<std::size_t>(to)]), bytes};
                levels_.messages.push_back({message, level, kBehindPosts + collective.communicator, label});
            }
        }
        return std::max(level, first);
    }

    std::uint32_t label_number(const std::string& text) {
        const auto number = static_cast<std::uint32_t>(levels_.labels.size());
        const auto [label, is_new] = label_numbers_.try_emplace(text, number);
        if (is_new) levels_.labels.push_back(text);
        return label->second;
    }

    /// Releases the sends that wait for their receives, when all ranks wait for each other. The library must have
    /// buffered these sends, because the program would not have ended otherwise. Returns false if no rank waits.
    bool break_circle() {
        bool any = false;
        bool send_waits = false;
        for (std::size_t w = 0; w < states_.size(); ++w) {
            const RankProgress& state = states_[w];
            if (state.at == length(w)) continue;
            any = true;
            const EventKey& key = window(w).events[index(w, state.at)].event->key;
            const std::size_t transfer = transfers_of_[w].of(state.at)[state.inside];
            send_waits |= key.kind == CallKind::kSend || is_own_send(w, transfer);
        }
        if (!any) return false;
        // If no send waits, a part of the log must be missing.
        for (std::size_t w = 0; w < states_.size(); ++w) {
            const RankProgress& state = states_[w];
            if (state.at == length(w)) continue;
            const EventKey& key = window(w).events[index(w, state.at)].event->key;
            const std::size_t transfer = transfers_of_[w].of(state.at)[state.inside];
            if (transfers_[transfer].level != kUnknown) continue;
            if (send_waits && key.kind != CallKind::kSend && !is_own_send(w, transfer)) continue;
            ++levels_.relying_on_buffers;
            transfers_[transfer].missing_posts = 0;
            settle(transfer);
        }
        return true;
    }

    [[nodiscard]] bool is_own_send(std::size_t w, std::size_t transfer) {
        if (sender_of_.empty()) {
            sender_of_.assign(transfers_.size(), kNone);
            for (const SendOf& send : sends_) sender_of_[send.transfer] = send.window;
        }
        return sender_of_[transfer] == w;
    }

    void note_computing(std::size_t w, double seconds) {
        if (seconds <= 0) return;
        auto& by_level = computing_[w];
        const std::int64_t level = states_[w].level + 1;  // the rank's next step, which never decreases
        if (by_level.empty() || by_level.back().first != level) by_level.emplace_back(level, 0);
        by_level.back().second += seconds;
    }

    void collect() {
        levels_.posted.resize(windows_->size());
        levels_.waited.resize(windows_->size());
        for (std::size_t w = 0; w < windows_->size(); ++w) {
            levels_.posted[w].assign(length(w), 0);
            levels_.waited[w].assign(length(w), 0);
            for (std::size_t i = 0; i < length(w); ++i) {
                const EventKey& key = window(w).events[index(w, i)].event->key;
                const bool posts = key.kind != CallKind::kComplete;
                const bool waits = !posts || (key.flags & kBlocking) != 0 || key.kind == CallKind::kReceiveAny ||
                                   key.kind == CallKind::kCollective;
                for (const std::size_t transfer : transfers_of_[w].of(i)) {
                    if (transfer == kNone) continue;
                    const Transfer& of = transfers_[transfer];
                    if (posts) levels_.posted[w][i] = std::max(levels_.posted[w][i], of.level);
                    if (waits) levels_.waited[w][i] = std::max(levels_.waited[w][i], of.end_level);
                }
            }
        }
        levels_.posts = std::move(post_of_);
        for (const SendOf& send : sends_) {
            const Transfer& of = transfers_[send.transfer];
            const RankId source(job_->ranks[window(send.window).rank].rank);
            levels_.messages.push_back(
                {{source, RankId(send.destination), send.bytes}, of.level, levels_.posts[send.window][send.event], 0});
        }
        std::ranges::stable_sort(levels_.messages, [](const LevelledMessage& a, const LevelledMessage& b) {
            if (a.level != b.level) return a.level < b.level;
            if (a.message.source != b.message.source) return a.message.source.value < b.message.source.value;
            return a.post < b.post;
        });
        for (const auto& by_level : computing_) {
            for (const auto& [level, seconds] : by_level) {
                if (levels_.compute_seconds.size() <= static_cast<std::size_t>(level)) {
                    levels_.compute_seconds.resize(static_cast<std::size_t>(level) + 1);
                }
                levels_.compute_seconds[static_cast<std::size_t>(level)] +=
                    seconds / static_cast<double>(windows_->size());
            }
        }
    }

    struct RequestOf {
        std::size_t window, event;
        std::uint32_t part;
        std::int64_t order;  ///< position of the post; negative if it is in an earlier iteration
        std::size_t post;    ///< position of the post within this iteration
    };
    struct EagerReceive {
        std::size_t window, event;
        std::uint32_t part;
        friend auto operator<=>(const EagerReceive&, const EagerReceive&) = default;
    };

    /// Puts messages of collectives after all messages that were posted individually.
    static constexpr std::uint32_t kBehindPosts = 1U << 31;

    const JobLog* job_;
    const std::vector<RankLoops>* loops_;
    const std::vector<RankWindow>* windows_;
    const InFlight* in_flight_;
    const LevelOptions* options_;
    collectives::CallRecorder recorder_;
    Levels levels_;
    std::vector<RankProgress> states_;
    std::vector<WindowTransfers> transfers_of_;        ///< by window
    std::vector<std::vector<std::uint32_t>> post_of_;  ///< post number, by window and position after the cut
    std::vector<std::size_t> next_waiting_;            ///< by window: next window with the same transfer, or kNone
    /// By window: pairs of step and seconds, in ascending order of steps.
    std::vector<std::vector<std::pair<std::int64_t, double>>> computing_;
    std::vector<Transfer> transfers_;
    std::vector<SendOf> sends_;
    std::vector<std::size_t> sender_of_;
    std::vector<RequestOf> requests_;
    std::vector<EagerReceive> eager_receives_;
    bool eager_sorted_ = false;
    std::map<Channel, Ends> ends_;
    std::vector<CollectiveOf> collectives_;
    /// Index in collectives_, by communicator and call number.
    std::vector<std::vector<std::size_t>> collective_numbers_;
    /// Number of calls in the current window, by communicator.
    std::map<std::uint32_t, std::size_t> collective_count_;
    std::map<std::string, std::uint32_t> label_numbers_;
    std::deque<std::size_t> runnable_;
};

}  // namespace

Levels assign_levels(const JobLog& job, const std::vector<RankLoops>& loops, const std::vector<RankWindow>& windows,
                     const InFlight& in_flight, const LevelOptions& options) {
    return LevelAssignment(job, loops, windows, in_flight, options).run();
}

}  // namespace haichi
