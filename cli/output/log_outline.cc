#include "cli/output/log_outline.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "cli/output/log_words.h"
#include "cli/output/tables.h"

namespace haichi::cli {

namespace {

constexpr int kMostLines = 60;
constexpr int kDeepest = 8;
constexpr std::size_t kMostOfABody = 24;
// A longer sequence is reduced to its first symbols and its largest loops.
constexpr std::size_t kFirst = 6;
constexpr std::size_t kMostLoops = 6;

std::string operation_name(std::uint16_t operation) {
    constexpr std::array<const char*, static_cast<std::size_t>(CollectiveOperation::kCount)> kNames = {
        "Barrier",
        "Bcast",
        "Reduce",
        "Allreduce",
        "Gather",
        "Allgather",
        "Scatter",
        "Alltoall",
        "Reduce_scatter",
        "Scan",
        "neighbourhood collective",
        "another collective",
        "Gatherv",
        "Scatterv",
        "Allgatherv",
        "Alltoallv",
        "Alltoallw",
        "Reduce_scatter_block",
        "Exscan"};
    return operation < kNames.size() ? kNames[operation] : "unknown collective";
}

std::string rank_name(std::int32_t peer) {
    if (peer == kOutside) return "a process outside the job";
    return peer == kNobody ? "nobody" : "rank " + std::to_string(peer);
}

class OutlineWriter {
  public:
    OutlineWriter(const JobLog& log, const RankLog& rank, const CallSequence& calls)
        : log_(&log), rank_(&rank), calls_(&calls) {}

    std::string write() {
        top();
        return std::move(text_);
    }

  private:
    /// Writes a line. Returns false if the maximum number of lines is reached.
    bool line(const std::string& words, int depth) {
        if (lines_ == kMostLines) text_ += "  ...\n";
        if (++lines_ > kMostLines) return false;
        text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + words + "\n";
        return true;
    }

    /// The number of events in all iterations of each loop. A loop contains only loops that precede it in the list.
    [[nodiscard]] std::vector<double> loop_events() const {
        std::vector<double> events;
        for (const Loop& loop : calls_->loops) {
            const LoopBody& body = calls_->bodies[loop.body];
            double once = 0;
            for (const Symbol symbol : std::span(calls_->body).subspan(body.first, body.length)) {
                const bool is_loop = symbol >= kLoopSymbol && symbol - kLoopSymbol < events.size();
                once += is_loop ? events[symbol - kLoopSymbol] : 1;
            }
            events.push_back(once * static_cast<double>(loop.repetitions));
        }
        return events;
    }

    void skip(std::size_t symbols) {
        std::string words = counted_text(symbols, "symbol");
        words.insert(words.begin(), '(');
        line(words.append(")"), 1);
    }

    /// Writes the sequence. For a long sequence, writes its beginning, and then the loops with the most events in their
    /// order.
    void top() {
        const std::vector<Symbol>& list = calls_->sequence;
        if (list.size() <= kMostOfABody) {
            symbols(list, 1);
            return;
        }
        const std::vector<double> events = loop_events();
        std::vector<std::size_t> loops;
        for (std::size_t i = kFirst; i < list.size(); ++i) {
            if (list[i] >= kLoopSymbol) loops.push_back(i);
        }
        std::ranges::stable_sort(loops, std::ranges::greater{},
                                 [&](std::size_t i) { return events[list[i] - kLoopSymbol]; });
        if (loops.size() > kMostLoops) loops.resize(kMostLoops);
        std::ranges::sort(loops);
        symbols(std::span(list).first(kFirst), 1);
        std::size_t next = kFirst;
        for (const std::size_t i : loops) {
            if (i > next) skip(i - next);
            if (!symbol(list[i], 1)) return;
            next = i + 1;
        }
        if (list.size() > next) skip(list.size() - next);
    }

    /// Writes a list of symbols. Loops are not unrolled and the number of lines is limited, so that hostile logs cost
    /// little.
    bool symbols(std::span<const Symbol> list, int depth) {
        if (depth > kDeepest) return line("...", depth);
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i == kMostOfABody && list.size() > kMostOfABody + 1) {
                return line("and " + whole_text(list.size() - i) + " more", depth);
            }
            if (!symbol(list[i], depth)) return false;
        }
        return true;
    }

    bool symbol(Symbol symbol, int depth) {
        if (symbol < kLoopSymbol) {
            if (symbol >= calls_->events.size()) return line("an event that did not fit into the log", depth);
            return line(event_text(calls_->events[symbol]), depth);
        }
        const Loop& loop = calls_->loops[symbol - kLoopSymbol];
        const LoopBody& body = calls_->bodies[loop.body];
        if (!line(counted_text(loop.repetitions, "time"), depth)) return false;
        return symbols(std::span(calls_->body).subspan(body.first, body.length), depth + 1);
    }

    [[nodiscard]] std::string size_text(const LoggedEvent& event) const {
        if ((event.key.flags & kVariableSize) == 0) return counted_text(event.key.bytes, "byte");
        return whole_text(event.bytes_min) + " to " + counted_text(event.bytes_max, "byte");
    }

    [[nodiscard]] std::string communicator_text(const EventKey& key) const {
        if (key.communicator == 0) return "";
        if (key.communicator >= rank_->communicators.size()) return ", unknown communicator";
        const std::uint32_t index = rank_->communicators[key.communicator];
        if (index == 0 || index >= log_->communicators.size()) return "";
        return ", communicator " + std::to_string(index) + " of " +
               counted_text(log_->communicators[index].members.size(), "rank");
    }

    /// The ranks from which receives from any source got messages, as in "1, 2, 3".
    [[nodiscard]] std::string sources_text(const LoggedEvent& event) const {
        constexpr std::uint32_t kMostSources = 6;
        std::string text;
        for (std::uint32_t i = 0; i < event.completions; ++i) {
            if (i == kMostSources) return text + ", ...";
            text += (i == 0 ? " " : ", ") + std::to_string(calls_->completions[event.first_completion + i].source);
        }
        return text;
    }

    [[nodiscard]] std::string call_text(const LoggedEvent& event) const {
        const EventKey& key = event.key;
        const std::string posted = (key.flags & kBlocking) != 0 ? "" : "post ";
        const std::string tag = (key.flags & kAnyTag) != 0 ? ", any tag" : ", tag " + std::to_string(key.tag);
        switch (key.kind) {
            case CallKind::kSend:
                return posted + ((key.flags & kSynchronous) != 0 ? "synchronous send of " : "send of ") +
                       size_text(event) + " to " + rank_name(key.peer) + tag;
            case CallKind::kReceive:
                return posted + "receive from " +
                       ((key.flags & kAnySource) != 0 ? std::string("any source") : rank_name(key.peer)) + tag;
            case CallKind::kComplete:
                return "complete " + counted_text(event.completions, "request");
            case CallKind::kCollective:
                return posted + operation_name(key.operation) +
                       (key.bytes > 0 || (key.flags & kVariableSize) != 0 ? " of " + size_text(event) : "") +
                       (key.peer >= 0 ? ", root " + std::to_string(key.peer) : "");
            case CallKind::kReceiveAny:
                return counted_text(event.completions, "receive") + " from any source:" + sources_text(event) + tag;
        }
        return "unknown event";
    }

    [[nodiscard]] std::string event_text(const LoggedEvent& event) const {
        std::string text = call_text(event);
        if (event.key.kind != CallKind::kComplete) text += communicator_text(event.key);
        if (event.count > 0 && event.gap_total > 0 && calls_->ticks_per_second > 0) {
            text += "  (after " +
                    seconds_text(static_cast<double>(event.gap_total) / static_cast<double>(event.count) /
                                 calls_->ticks_per_second) +
                    ")";
        }
        return text;
    }

    const JobLog* log_;
    const RankLog* rank_;
    const CallSequence* calls_;
    int lines_ = 0;
    std::string text_;
};

}  // namespace

std::string outline_text(const JobLog& log, const RankLog& rank) {
    std::string text;
    for (std::size_t t = 0; t < rank.threads.size(); ++t) {
        const CallSequence& calls = rank.threads[t];
        std::uint64_t events = 0;
        for (const LoggedEvent& event : calls.events) events += event.count;
        text += "calls of rank " + std::to_string(rank.rank) +
                (rank.threads.size() > 1 ? ", thread " + std::to_string(t) : "") + ": " +
                counted_text(events, "event") + ", compressed to " + counted_text(calls.sequence.size(), "symbol") +
                "\n";
        text += OutlineWriter(log, rank, calls).write();
        if (calls.lost_symbols + calls.lost_events + calls.lost_completions > 0) {
            text += "  incomplete: " + counted_text(calls.lost_events, "event") + ", " +
                    counted_text(calls.lost_symbols, "symbol") + " and " +
                    counted_text(calls.lost_completions, "completion") + " did not fit into the log\n";
        }
    }
    return text;
}

}  // namespace haichi::cli
