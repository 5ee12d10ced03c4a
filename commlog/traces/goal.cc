// Reads GOAL schedules in the text form that Schedgen writes and that LogGOPSim's txt2bin reads.
#include <algorithm>
#include <charconv>
#include <queue>
#include <unordered_map>

#include "base/errors.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

constexpr std::size_t kMostOperations = std::size_t{1} << 24;    ///< maximum number of operations per rank
constexpr std::size_t kMostDependencies = std::size_t{1} << 26;  ///< maximum number of dependencies per rank
constexpr std::size_t kLongestWord = 256;
constexpr double kNanosecondsPerSecond = 1e9;  ///< "calc" operations are in nanoseconds

struct Token {
    enum class Kind { kEnd, kWord, kNumber, kSign } kind = Kind::kEnd;
    std::string text;
};

class GoalTokens {
  public:
    explicit GoalTokens(TextStream* stream) : stream_(stream) { advance(); }

    [[nodiscard]] const Token& current() const { return token_; }
    [[nodiscard]] bool is(std::string_view text) const { return token_.text == text; }
    void advance() {
        skip();
        token_.text.clear();
        stream_->note_progress();
        if (stream_->at_end()) {
            token_.kind = Token::Kind::kEnd;
            return;
        }
        const char c = stream_->current();
        if (is_letter(c)) {
            token_.kind = Token::Kind::kWord;
            take_while([](char x) { return is_letter(x) || is_digit(x) || x == '_'; });
        } else if (is_digit(c) || c == '-') {
            token_.kind = Token::Kind::kNumber;
            take();
            take_while(is_digit);
        } else {
            token_.kind = Token::Kind::kSign;
            take();
        }
    }
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const {
        throw InputError(stream_->place(), what, std::move(hint));
    }
    [[nodiscard]] std::string found() const {
        return token_.kind == Token::Kind::kEnd ? "the end of the file" : shown(token_.text);
    }
    void expect(std::string_view text) {
        if (!is(text)) fail("expected \"" + std::string(text) + "\", found " + found());
        advance();
    }
    std::int64_t number(const std::string& what, std::int64_t least, std::int64_t largest) {
        std::int64_t value = 0;
        const char* const end = token_.text.data() + token_.text.size();
        const auto [at, error] = std::from_chars(token_.text.data(), end, value);
        if (token_.kind != Token::Kind::kNumber || error == std::errc::invalid_argument || at != end) {
            fail("expected the " + what + ", found " + found());
        }
        if (error != std::errc() || value < least || value > largest) {
            fail("the " + what + " " + shown(token_.text) + " is outside " + std::to_string(least) + ".." +
                 std::to_string(largest));
        }
        advance();
        return value;
    }

  private:
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    void take() {
        token_.text.push_back(stream_->current());
        stream_->advance();
        if (token_.text.size() > kLongestWord) fail("a word of more than " + std::to_string(kLongestWord) + " letters");
    }
    template <class Test>
    void take_while(Test&& test) {
        while (!stream_->at_end() && test(stream_->current())) take();
    }
    void skip_line() {
        while (!stream_->at_end() && stream_->current() != '\n') stream_->advance();
    }
    void skip_comment() {
        for (char last = 0; !stream_->at_end();) {
            const char c = stream_->current();
            stream_->advance();
            if (last == '*' && c == '/') return;
            last = c;
        }
        fail("expected the end of a comment, found the end of the file");
    }
    /// Skips blanks, semicolons and comments.
    void skip() {
        while (!stream_->at_end()) {
            const char c = stream_->current();
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';') {
                if (c == '\n') stream_->note_progress();
                stream_->advance();
            } else if (c == '/') {
                stream_->advance();
                if (!stream_->at_end() && stream_->current() == '/') {
                    skip_line();
                } else if (!stream_->at_end() && stream_->current() == '*') {
                    stream_->advance();
                    skip_comment();
                } else {
                    fail("expected // or /*, found a single \"/\"", "begin comments with // or /*");
                }
            } else {
                return;
            }
        }
    }

    TextStream* stream_;
    Token token_;
};

/// The operations and dependencies of one rank, which run() puts into an order in which a program could execute them.
/// An operation is posted as soon as all operations that it depends on are complete. Ties are broken by the order in
/// the file. Requests are waited for only when no operation can be posted.
class GoalRank {
  public:
    std::uint32_t add(const ScheduledOperation& operation) {
        operations_.push_back(operation);
        return static_cast<std::uint32_t>(operations_.size() - 1);
    }
    [[nodiscard]] std::size_t size() const { return operations_.size(); }
    [[nodiscard]] std::size_t dependency_count() const { return dependencies_.size(); }
    /// States that `later` may start when `earlier` is complete or, if `started` is true, when `earlier` has started.
    void require(std::uint32_t later, std::uint32_t earlier, bool started) {
        dependencies_.push_back({earlier, later, started});
    }

    /// Valid only after run().
    [[nodiscard]] std::shared_ptr<const RankSchedule> schedule() const { return schedule_; }

    /// Returns false if the dependencies have a cycle. No operations may be added after this call.
    [[nodiscard]] bool run(TracedRank& rank) {
        prepare();
        for (std::uint32_t i = 0; i < state_.size(); ++i) enqueue(i);
        std::size_t posted = 0;
        for (;;) {
            std::uint32_t next = 0;
            if (!ready_.empty()) {
                next = ready_.top();
                ready_.pop();
            } else if (!waiting_.empty()) {
                next = waiting_.top();
                waiting_.pop();
                if (state_[next].queued_as_ready) continue;
                complete_required(next, rank);
                continue;
            } else {
                break;
            }
            start(next, rank);
            ++posted;
        }
        for (std::uint32_t i = 0; i < state_.size(); ++i) complete(i, rank);
        return posted == state_.size();
    }

  private:
    using Dependency = RankSchedule::Dependency;
    struct State {
        std::uint32_t unstarted = 0;    ///< number of operations it depends on that have not started
        std::uint32_t uncompleted = 0;  ///< number of operations it requires that are not complete
        bool started = false, completed = false, queued = false, queued_as_ready = false;
    };
    using Queue = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

    void prepare() {
        state_.assign(operations_.size(), {});
        // The dependencies are stored a second time: the schedule has them by earlier operation, these arrays by later
        // operation.
        first_earlier_.assign(operations_.size() + 1, 0);
        for (const Dependency& d : dependencies_) {
            ++state_[d.later].unstarted;
            if (!d.started_is_enough) ++state_[d.later].uncompleted;
            ++first_earlier_[d.later + 1];
        }
        for (std::size_t i = 1; i < first_earlier_.size(); ++i) first_earlier_[i] += first_earlier_[i - 1];
        by_later_.resize(dependencies_.size());
        auto earlier = first_earlier_;
        for (std::uint32_t d = 0; d < dependencies_.size(); ++d) by_later_[earlier[dependencies_[d].later]++] = d;
        schedule_ = std::make_shared<const RankSchedule>(std::move(operations_), dependencies_, kNanosecondsPerSecond);
    }
    void enqueue(std::uint32_t i) {
        State& s = state_[i];
        if (s.started || s.unstarted != 0) return;
        if (s.uncompleted == 0 && !s.queued_as_ready) {
            s.queued_as_ready = true;
            ready_.push(i);
        } else if (s.uncompleted != 0 && !s.queued) {
            s.queued = true;
            waiting_.push(i);
        }
    }
    void start(std::uint32_t i, TracedRank& rank) {
        const ScheduledOperation& o = schedule_->operations()[i];
        state_[i].started = true;
        const TracedMessage envelope{o.peer, o.tag, 0, o.amount};
        switch (o.kind) {
            case ScheduledOperation::Kind::kCompute:
                rank.compute(o.amount);
                break;
            case ScheduledOperation::Kind::kSend:
                rank.in_function(rank.function("send"));
                rank.count_call();
                (void)rank.start_send(i, envelope, o.flags);
                break;
            case ScheduledOperation::Kind::kReceive:
                rank.in_function(rank.function("recv"));
                rank.count_call();
                (void)rank.start_receive(i, envelope, o.flags);
                break;
        }
        for (const RankSchedule::Later& later : schedule_->later_than(i)) {
            --state_[later.operation].unstarted;
            enqueue(later.operation);
        }
        if (o.kind == ScheduledOperation::Kind::kCompute) complete(i, rank);
    }
    void complete_required(std::uint32_t i, TracedRank& rank) {
        for (std::uint32_t d = first_earlier_[i]; d < first_earlier_[i + 1]; ++d) {
            const Dependency& dependency = dependencies_[by_later_[d]];
            if (!dependency.started_is_enough) complete(dependency.earlier, rank);
        }
    }
    void complete(std::uint32_t i, TracedRank& rank) {
        if (state_[i].completed || !state_[i].started) return;
        state_[i].completed = true;
        rank.complete(i);  // has no effect for a computation
        for (const RankSchedule::Later& later : schedule_->later_than(i)) {
            if (later.started_is_enough != 0) continue;
            --state_[later.operation].uncompleted;
            enqueue(later.operation);
        }
    }

    std::vector<ScheduledOperation> operations_;
    std::vector<Dependency> dependencies_;
    std::vector<State> state_;
    std::vector<std::uint32_t> first_earlier_, by_later_;  ///< dependencies on earlier operations, by later operation
    std::shared_ptr<const RankSchedule> schedule_;         ///< set by run(), which moves the operations to it
    Queue ready_, waiting_;
};

class GoalReader {
  public:
    GoalReader(TextStream* stream, const std::string& file) : file_(file), tokens_(stream), job_("goal", file) {}

    JobLog read() {
        tokens_.expect("num_ranks");
        ranks_ = tokens_.number("number of ranks", 1, kMostTracedRanks);
        job_.set_rank_count(ranks_);
        while (tokens_.current().kind != Token::Kind::kEnd) {
            tokens_.expect("rank");
            read_rank(static_cast<std::int32_t>(tokens_.number("rank", 0, ranks_ - 1)));
        }
        return job_.finish(true);
    }

  private:
    void read_rank(std::int32_t number) {
        if (job_.has_rank(number)) tokens_.fail("duplicate rank " + std::to_string(number));
        rank_ = {};
        labels_.clear();
        tokens_.expect("{");
        while (!tokens_.is("}")) read_statement();
        TracedRank traced(number, kNanosecondsPerSecond);
        if (!rank_.run(traced)) {
            tokens_.fail("the operations of rank " + std::to_string(number) + " require each other in a cycle");
        }
        tokens_.advance();
        RankLog log = traced.finish(file_);
        log.schedule = rank_.schedule();
        job_.add_rank(std::move(log));
    }

    void read_statement() {
        const Token first = tokens_.current();
        if (first.kind != Token::Kind::kWord) {
            tokens_.fail("expected an operation, a label or \"}\", found " + tokens_.found());
        }
        if (first.text == "send" || first.text == "recv" || first.text == "calc") {
            read_operation();
            return;
        }
        tokens_.advance();
        if (tokens_.is(":")) {
            const auto [at, is_new] = labels_.try_emplace(first.text, static_cast<std::uint32_t>(rank_.size()));
            if (!is_new) tokens_.fail("duplicate label " + shown(first.text));
            tokens_.advance();
            (void)read_operation();
            return;
        }
        const bool started = tokens_.is("irequires");
        if (!started && !tokens_.is("requires")) {
            tokens_.fail("expected \":\", \"requires\" or \"irequires\" after the label " + shown(first.text) +
                         ", found " + tokens_.found());
        }
        tokens_.advance();
        const std::uint32_t later = operation_of(first.text);
        const std::uint32_t earlier = operation_of(tokens_.current().text);
        if (rank_.dependency_count() == kMostDependencies) tokens_.fail("more than 2^26 dependencies of one rank");
        rank_.require(later, earlier, started);
        tokens_.advance();
    }

    std::uint32_t operation_of(const std::string& label) const {
        const auto found = labels_.find(label);
        if (found == labels_.end()) tokens_.fail("unknown label " + shown(label));
        return found->second;
    }

    std::uint32_t read_operation() {
        ScheduledOperation operation;
        const bool sends = tokens_.is("send");
        if (tokens_.is("calc")) {
            tokens_.advance();
            operation.amount = static_cast<std::uint64_t>(tokens_.number("time", 0, std::int64_t{1} << 60));
        } else if (sends || tokens_.is("recv")) {
            tokens_.advance();
            operation.kind = sends ? ScheduledOperation::Kind::kSend : ScheduledOperation::Kind::kReceive;
            operation.amount = static_cast<std::uint64_t>(tokens_.number("size", 0, kLargestMessageBytes));
            tokens_.expect("b");
            tokens_.expect(sends ? "to" : "from");
            operation.peer = static_cast<std::int32_t>(tokens_.number("rank", sends ? 0 : -1, ranks_ - 1));
            if (operation.peer < 0) operation.flags |= kAnySource;
        } else {
            tokens_.fail("expected send, recv or calc, found " + tokens_.found());
        }
        for (;;) {
            if (tokens_.is("tag")) {
                tokens_.advance();
                const std::int64_t tag = tokens_.number("tag", -1, UINT32_MAX);
                if (tag < 0) operation.flags |= kAnyTag;
                operation.tag = tag < 0 ? 0 : static_cast<std::int32_t>(static_cast<std::uint32_t>(tag));
            } else if (tokens_.is("nic")) {
                tokens_.advance();
                operation.nic = static_cast<std::int16_t>(tokens_.number("number", 0, INT16_MAX));
            } else if (tokens_.is("cpu")) {
                tokens_.advance();
                (void)tokens_.number("number", 0, INT32_MAX);
            } else {
                break;
            }
        }
        if (rank_.size() == kMostOperations) tokens_.fail("more than 2^24 operations of one rank");
        return rank_.add(operation);
    }

    std::string file_;
    GoalTokens tokens_;
    TracedJob job_;
    std::int64_t ranks_ = 0;
    GoalRank rank_;
    std::unordered_map<std::string, std::uint32_t> labels_;
};

JobLog read_goal_stream(TextStream stream, const std::string& file) { return GoalReader(&stream, file).read(); }

}  // namespace

JobLog read_goal(const std::string& path, ReadProgress& progress) {
    progress.expect(path);
    return read_goal_stream(progress.open(path), path);
}

JobLog parse_goal(std::string_view text, const std::string& file) {
    return read_goal_stream(TextStream(text, file), file);
}

}  // namespace haichi
