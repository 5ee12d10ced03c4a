#include "commlog/ccs/barrier_scripts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>

#include "base/errors.h"
#include "commlog/log/call_stream.h"
#include "commlog/log/fresh_memory.h"
#include "commlog/log/loop_finder.h"

namespace haichi {

namespace {

using barriers::BarrierFile;
using barriers::Post;

constexpr std::uint32_t kNoSet = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(const std::string& why) { throw UnsupportedError(why); }

[[noreturn]] void refuse_set(std::size_t set, const std::string& why) {
    refuse("set " + std::to_string(set + 1) + " " + why);
}

/// Positions of the barriers in one iteration of each rank.
class SetCuts {
  public:
    explicit SetCuts(const SetsOfLoop& loop) : loop_(&loop), set_of_send_(loop.windows->size()) {
        std::vector<std::vector<std::size_t>> sends(loop.windows->size());  // position of each post, by window
        std::unordered_map<std::int32_t, std::size_t> window_of;            // by rank
        for (std::size_t w = 0; w < loop.windows->size(); ++w) {
            set_of_send_[w].assign(length(w), kNoSet);
            window_of[loop.job->ranks[window(w).rank].rank] = w;
            for (std::size_t i = 0; i < length(w); ++i) {
                if (key(w, i).kind != CallKind::kSend || levels().posted[w][i] == 0) continue;
                const std::uint32_t post = levels().posts[w][i];
                if (post >= sends[w].size()) sends[w].resize(post + 1);
                sends[w][post] = i;
            }
        }
        for (std::size_t m = 0; m < levels().messages.size(); ++m) {
            const LevelledMessage& message = levels().messages[m];
            if (message.label != 0) continue;  // messages of collectives have a label
            const std::size_t w = window_of.at(message.message.source.value);
            set_of_send_[w][sends[w][message.post]] = loop.set_of_message[m];
        }
    }

    /// Returns, for each window, the position of the call directly after the barrier, counted from the window's cut.
    [[nodiscard]] std::vector<std::size_t> before(std::size_t set) const {
        const auto first = std::ranges::find(loop_->set_of_message, static_cast<std::uint32_t>(set));
        if (first == loop_->set_of_message.end()) refuse("no message belongs to set " + std::to_string(set + 1));
        const std::int64_t level =
            levels().messages[static_cast<std::size_t>(first - loop_->set_of_message.begin())].level;
        std::vector<std::size_t> cuts;
        for (std::size_t w = 0; w < loop_->windows->size(); ++w) cuts.push_back(latest(w, set, level));
        check(cuts, set, level);
        return cuts;
    }

  private:
    [[nodiscard]] const RankWindow& window(std::size_t w) const { return (*loop_->windows)[w]; }
    [[nodiscard]] const Levels& levels() const { return *loop_->levels; }
    [[nodiscard]] std::size_t length(std::size_t w) const { return window(w).events.size(); }
    [[nodiscard]] const EventKey& key(std::size_t w, std::size_t i) const {
        return window(w).events[(i + window(w).cut) % length(w)].event->key;
    }

    /// Returns the position of the first call that must follow the barrier.
    [[nodiscard]] std::size_t latest(std::size_t w, std::size_t set, std::int64_t level) const {
        for (std::size_t i = 0; i < length(w); ++i) {
            const bool is_send = key(w, i).kind == CallKind::kSend;
            const std::uint32_t of = set_of_send_[w][i];
            if (is_send ? of == kNoSet || of < set : levels().waited[w][i] < level) continue;
            return before_call(w, i);
        }
        return length(w);
    }

    /// Returns the first position of the MPI call to which the event at `at` belongs. MPI_Sendrecv is logged as a
    /// nonblocking receive, a nonblocking send and their completion, but without the parts for MPI_PROC_NULL. No
    /// barrier may come between these events.
    [[nodiscard]] std::size_t before_call(std::size_t w, std::size_t at) const {
        const auto starts = [&](std::size_t i, CallKind kind) {
            return key(w, i).kind == kind && (key(w, i).flags & kBlocking) == 0;
        };
        if (at > 0 && key(w, at).kind == CallKind::kComplete && completes_last(w, at) &&
            (starts(at - 1, CallKind::kSend) || starts(at - 1, CallKind::kReceive))) {
            --at;
        }
        return at > 0 && starts(at, CallKind::kSend) && starts(at - 1, CallKind::kReceive) ? at - 1 : at;
    }

    /// Returns true if a completion includes the most recent request before it.
    [[nodiscard]] bool completes_last(std::size_t w, std::size_t i) const {
        const LoggedEvent& event = *window(w).events[(i + window(w).cut) % length(w)].event;
        const CallSequence& calls = *(*loop_->loops)[window(w).log].calls();
        const auto list = std::span(calls.completions).subspan(event.first_completion, event.completions);
        return std::ranges::any_of(list, [](const Completion& completion) { return completion.distance == 1; });
    }

    void check(const std::vector<std::size_t>& cuts, std::size_t set, std::int64_t level) const {
        for (std::size_t m = 0; m < levels().messages.size(); ++m) {
            const LevelledMessage& message = levels().messages[m];
            if (message.label != 0 && message.level == level && loop_->set_of_message[m] < set) {
                refuse_set(set, "begins inside a collective");
            }
        }
        for (std::size_t w = 0; w < cuts.size(); ++w) {
            for (std::size_t i = 0; i < length(w); ++i) {
                if (key(w, i).kind == CallKind::kCollective) {
                    const std::int64_t last = levels().waited[w][i];
                    if (levels().posted[w][i] < level && level <= last) refuse_set(set, "begins inside a collective");
                    if ((i < cuts[w]) != (last < level)) refuse_set(set, "has no cut that all ranks share");
                }
                const std::uint32_t of = set_of_send_[w][i];
                if (of != kNoSet && of < set && i >= cuts[w]) refuse_set(set, "has no cut that all ranks share");
            }
        }
        for (const MessageEnds& ends : levels().ends) {
            if (set_of_send_[ends.source_window][ends.sent_at] >= set) continue;
            if (ends.received_at < static_cast<std::int64_t>(cuts[ends.destination_window])) continue;
            refuse_set(set, "has no cut that all ranks share");
        }
    }

    const SetsOfLoop* loop_;
    std::vector<std::vector<std::uint32_t>> set_of_send_;  ///< by window and position; kNoSet if there is no send
};

/// All events of a rank, unrolled, and the positions at which an iteration begins.
struct WholeRank {
    const RankLoops* loops = nullptr;
    std::vector<Symbol> events;
    std::vector<std::size_t> begins;
};

void unroll(const CallSequence& calls, Symbol symbol, std::vector<Symbol>& events, std::int64_t& budget) {
    if (symbol < kLoopSymbol) {
        if (--budget < 0) refuse("the log has too many calls");
        events.push_back(symbol);
        return;
    }
    const Loop& loop = calls.loops[symbol - kLoopSymbol];
    const LoopBody& body = calls.bodies[loop.body];
    for (std::uint64_t r = 0; r < loop.repetitions; ++r) {
        for (std::uint32_t i = 0; i < body.length; ++i) unroll(calls, calls.body[body.first + i], events, budget);
    }
}

/// Returns all positions of `pattern` in `text` in ascending order (algorithm of Knuth, Morris and Pratt).
std::vector<std::size_t> positions_of(const std::vector<Symbol>& pattern, const std::vector<Symbol>& text) {
    std::vector<std::size_t> border(pattern.size() + 1, 0);
    for (std::size_t i = 1, k = 0; i < pattern.size(); ++i) {
        while (k > 0 && pattern[i] != pattern[k]) k = border[k];
        if (pattern[i] == pattern[k]) ++k;
        border[i + 1] = k;
    }
    std::vector<std::size_t> found;
    for (std::size_t i = 0, k = 0; i < text.size(); ++i) {
        while (k > 0 && (k == pattern.size() || text[i] != pattern[k])) k = border[k];
        if (text[i] == pattern[k]) ++k;
        if (k == pattern.size()) found.push_back(i + 1 - k);
    }
    return found;
}

/// The points at which all ranks begin an iteration. Before such a point, each channel has equally many sends and
/// completed receives, and all members of a communicator have equally many collectives.
class Iterations {
  public:
    explicit Iterations(const std::vector<WholeRank>& ranks) : ranks_(&ranks) {
        EndsByChannel ends;
        EndsByChannel received;
        for (std::size_t r = 0; r < ranks.size(); ++r) add_rank(ranks[r], r, ends, received);
        for (auto& [channel, by_rank] : ends) {
            std::vector<End> agreement;
            for (auto& [r, positions] : by_rank) agreement.push_back({r, std::move(positions)});
            for (auto& [r, positions] : received[channel]) agreement.push_back({r, std::move(positions)});
            if (agreement.size() > 1) agreements_.push_back(std::move(agreement));
        }
    }

    /// Returns the positions at which iterations begin, by iteration and rank.
    [[nodiscard]] std::vector<std::vector<std::size_t>> find(const std::vector<RankWindow>& windows) const {
        std::vector<std::vector<std::size_t>> all;
        std::vector<std::size_t> next(ranks_->size(), 0);  // indices in WholeRank::begins
        while (settle(next)) {
            std::vector<std::size_t>& positions = all.emplace_back();
            for (std::size_t r = 0; r < next.size(); ++r) {
                const std::vector<std::size_t>& begins = (*ranks_)[r].begins;
                positions.push_back(begins[next[r]]);
                const std::size_t end = positions.back() + windows[r].events.size();
                while (next[r] < begins.size() && begins[next[r]] < end) ++next[r];
            }
        }
        return all;
    }

  private:
    struct End {
        std::size_t rank;
        std::vector<std::size_t> positions;
    };
    using EndsByChannel = std::map<Channel, std::map<std::size_t, std::vector<std::size_t>>>;  ///< positions by rank

    static void add_rank(const WholeRank& rank, std::size_t r, EndsByChannel& ends, EndsByChannel& received) {
        const RankLoops& loops = *rank.loops;
        const CallSequence& calls = *loops.calls();
        const std::vector<Symbol>& events = rank.events;
        std::vector<const EventKey*> requests;
        for (std::size_t i = 0; i < events.size(); ++i) {
            const LoggedEvent& event = calls.events[events[i]];
            const EventKey& key = event.key;
            if (is_request(key)) requests.push_back(&key);
            if (key.kind == CallKind::kSend && key.peer >= 0) {
                ends[loops.channel_to(key.peer, key)][r].push_back(i);
            } else if (key.kind == CallKind::kReceive && (key.flags & kBlocking) != 0 && key.peer >= 0) {
                received[loops.channel_from(key.peer, key, 0)][r].push_back(i);
            } else if (key.kind == CallKind::kCollective) {
                const std::uint32_t of = loops.communicator(key.communicator);
                ends[{kNobody, kNobody, of, 0}][r].push_back(i);
            } else if (key.kind == CallKind::kReceiveAny || key.kind == CallKind::kComplete) {
                for (std::uint32_t c = 0; c < event.completions; ++c) {
                    const Completion& came = calls.completions[event.first_completion + c];
                    const bool completes = key.kind == CallKind::kComplete;
                    if (completes && came.distance > requests.size()) continue;
                    const EventKey& post = completes ? *requests[requests.size() - came.distance] : key;
                    if (completes && post.kind != CallKind::kReceive) continue;
                    const bool is_open = (post.flags & (kAnySource | kAnyTag)) != 0;
                    const std::int32_t source = is_open ? came.source : post.peer;
                    if (source >= 0) received[loops.channel_from(source, post, came.tag)][r].push_back(i);
                }
            }
        }
    }

    /// Moves ranks forward to the next common beginning of an iteration. Returns false if there is no further one.
    [[nodiscard]] bool settle(std::vector<std::size_t>& next) const {
        const auto is_at_end = [&](std::size_t r) { return next[r] == (*ranks_)[r].begins.size(); };
        for (std::size_t r = 0; r < next.size(); ++r) {
            if (is_at_end(r)) return false;
        }
        const auto count = [&](const End& end) {
            return std::ranges::lower_bound(end.positions, (*ranks_)[end.rank].begins[next[end.rank]]) -
                   end.positions.begin();
        };
        for (bool has_moved = true; has_moved;) {
            has_moved = false;
            for (const std::vector<End>& agreement : agreements_) {
                std::ptrdiff_t most = 0;
                for (const End& end : agreement) most = std::max(most, count(end));
                for (const End& end : agreement) {
                    while (count(end) < most) {
                        has_moved = true;
                        ++next[end.rank];
                        if (is_at_end(end.rank)) return false;
                    }
                }
            }
        }
        return true;
    }

    const std::vector<WholeRank>* ranks_;
    std::vector<std::vector<End>> agreements_;
};

/// Writes the calls of a rank, with barriers before some of its events.
class ScriptWriter {
  public:
    ScriptWriter(const JobLog& job, const RankLoops& loops) : job_(&job), loops_(&loops) {}

    std::string write(const std::vector<Symbol>& events, const std::vector<std::size_t>& barriers) {
        auto next = barriers.begin();
        for (std::size_t i = 0; i <= events.size(); ++i) {
            const bool waits = i < events.size() && loops_->calls()->events[events[i]].key.kind == CallKind::kComplete;
            for (; next != barriers.end() && *next == i; ++next) {
                push(std::string(waits ? barriers::kBarrierAtWaitWord : barriers::kBarrierWord));
            }
            if (i < events.size()) push_event(events[i]);
        }
        finder_.flush();
        if (memory_->lost_symbols > 0) refuse("the calls of rank " + std::to_string(loops_->rank()) + " do not repeat");
        std::string text;
        for (std::uint32_t i = 0; i < memory_->top_count; ++i) append(memory_->top[i], text);
        if (!text.empty()) text.pop_back();
        return text;
    }

  private:
    void push_event(Symbol event) {
        const LoggedEvent& of = loops_->calls()->events[event];
        if (of.key.kind == CallKind::kComplete) return;
        const auto [found, is_new] = word_of_event_.try_emplace(event);
        if (is_new) found->second = post_text(post_of(of));
        const std::uint32_t times = of.key.kind == CallKind::kReceiveAny ? of.completions : 1;
        for (std::uint32_t i = 0; i < times; ++i) push(found->second);
    }

    [[nodiscard]] Post post_of(const LoggedEvent& event) const {
        const EventKey& key = event.key;
        const LoggedCommunicator& communicator = job_->communicators[loops_->communicator(key.communicator)];
        if (communicator.is_intercommunicator()) refuse("the program uses an intercommunicator");
        if (key.peer == kOutside) refuse("the program sends messages to processes outside of MPI_COMM_WORLD");
        Post post;
        post.call = barriers::call_of(key.kind, key.flags, static_cast<CollectiveOperation>(key.operation));
        post.members = barriers::members_hash(communicator.members, job_->rank_count);
        post.peer = key.peer;
        if (key.kind == CallKind::kCollective) return post;
        if ((key.flags & kAnySource) != 0) post.peer = -1;
        if ((key.flags & kAnyTag) == 0) post.tag = key.tag;
        post.has_any_tag = (key.flags & kVariableTag) != 0;
        return post;
    }

    void push(const std::string& word) {
        const auto [found, is_new] = symbol_of_.try_emplace(word, static_cast<Symbol>(words_.size()));
        if (is_new) {
            if (words_.size() == kLostEvent) refuse("a rank has too many different calls");
            words_.push_back(word);
        }
        finder_.push(found->second);
    }

    void append(Symbol symbol, std::string& text) const {
        if (symbol < kLoopSymbol) {
            text += words_[symbol] + ' ';
            return;
        }
        const Loop& loop = memory_->loops[symbol - kLoopSymbol];
        const LoopBody& body = memory_->bodies[loop.body];
        text += std::to_string(loop.repetitions) + "( ";
        for (std::uint32_t i = 0; i < body.length; ++i) append(memory_->body[body.first + i], text);
        text += ") ";
    }

    const JobLog* job_;
    const RankLoops* loops_;
    FreshMemory memory_ = fresh_memory();
    LoopFinder finder_{memory_.get()};
    std::vector<std::string> words_;
    std::unordered_map<std::string, Symbol> symbol_of_;
    std::unordered_map<Symbol, std::string> word_of_event_;
};

void check_log(const SetsOfLoop& loop) {
    const JobLog& job = *loop.job;
    if (loop.in_flight > 0) refuse("the iterations of the main loop overlap");
    if (static_cast<std::int32_t>(loop.windows->size()) != job.rank_count ||
        loop.loops->size() != loop.windows->size()) {
        refuse("the main loop needs one communicating thread in each of the " + std::to_string(job.rank_count) +
               " ranks");
    }
    for (const RankLog& rank : job.ranks) {
        for (const CallSequence& calls : rank.threads) {
            if (calls.lost_events + calls.lost_symbols + calls.lost_completions > 0) refuse("the log lacks calls");
        }
    }
}

}  // namespace

BarrierFile barrier_scripts(const SetsOfLoop& loop, std::span<const std::size_t> before, std::int64_t most_events) {
    check_log(loop);
    const std::vector<RankWindow>& windows = *loop.windows;
    const SetCuts cuts(loop);
    std::vector<std::vector<std::size_t>> positions;  // by barrier of an iteration, then by rank
    for (const std::size_t set : before) positions.push_back(cuts.before(set));
    std::vector<WholeRank> ranks(windows.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        ranks[r].loops = &(*loop.loops)[windows[r].log];
        const CallSequence& calls = *ranks[r].loops->calls();
        for (const Symbol symbol : calls.sequence) unroll(calls, symbol, ranks[r].events, most_events);
        std::vector<Symbol> iteration;
        for (std::size_t i = 0; i < windows[r].events.size(); ++i) {
            const WindowEvent& event = windows[r].events[(i + windows[r].cut) % windows[r].events.size()];
            iteration.push_back(static_cast<Symbol>(event.event - calls.events.data()));
        }
        ranks[r].begins = positions_of(iteration, ranks[r].events);
    }
    const std::vector<std::vector<std::size_t>> iterations = Iterations(ranks).find(windows);
    if (iterations.empty()) refuse("the iterations have no beginning that all ranks share");
    BarrierFile file;
    file.ranks = loop.job->rank_count;
    file.sets.assign(before.begin(), before.end());
    file.barriers = static_cast<std::int64_t>(iterations.size() * before.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        std::vector<std::size_t> at;
        for (const std::vector<std::size_t>& begins : iterations) {
            for (const std::vector<std::size_t>& position : positions) at.push_back(begins[r] + position[r]);
        }
        file.scripts.push_back(ScriptWriter(*loop.job, *ranks[r].loops).write(ranks[r].events, at));
    }
    return file;
}

}  // namespace haichi
