// Reads Paraver traces (.prv) that Extrae has written.
#include <algorithm>
#include <map>
#include <queue>

#include "base/errors.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/paraver_calls.h"
#include "commlog/traces/ranks_of_file.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

constexpr std::int64_t kLastTime = std::int64_t{1} << 60;
/// Maximum number of entries that wait until all earlier ones have been read.
constexpr std::size_t kMostWaiting = std::size_t{1} << 23;

constexpr std::int64_t kPointToPointCalls = 50000001, kCollectiveCalls = 50000002, kFileCalls = 50000005;
constexpr std::int64_t kOneSidedBytes = 50001000, kTarget = 50001001;
constexpr std::int64_t kSendSize = 50100001, kReceiveSize = 50100002, kIsRoot = 50100003, kCommunicator = 50100004;

struct KnownCommunicator {
    std::uint32_t index = 0;  ///< index in JobLog::communicators
    std::int64_t size = 0;
};
using KnownCommunicators = std::map<std::int64_t, KnownCommunicator>;

/// An event or message of a rank at a point in time. At the same time, entries that begin or end a call come first;
/// ties follow the order in the file.
struct Happening {
    enum class Kind : std::uint8_t { kEvent, kSend, kReceive, kReceived };
    std::int64_t time = 0;
    std::uint64_t order = 0;
    std::int64_t type = 0, value = 0;  ///< type and value of an event, or size and number of a message
    std::int32_t rank = 0, peer = kNobody, tag = 0;
    Kind kind = Kind::kEvent;

    friend bool operator>(const Happening& a, const Happening& b) {
        if (a.time != b.time) return a.time > b.time;
        return a.kind != b.kind ? a.kind > b.kind : a.order > b.order;
    }
};

/// Processes the entries of one rank in order of time.
class ParaverRank {
  public:
    /// `task_count` is the size of MPI_COMM_WORLD.
    ParaverRank(std::int32_t rank, double ticks_per_second, std::int64_t task_count)
        : rank_(rank), task_count_(task_count), traced_(rank, ticks_per_second) {
        traced_.in_function(traced_.function("unknown"));
    }

    /// Processes one entry; returns false if too many requests are open.
    [[nodiscard]] bool happens(const Happening& h, const KnownCommunicators& communicators) {
        if (first_ < 0) first_ = h.time;
        last_ = std::max(last_, h.time);
        const auto bytes = static_cast<std::uint64_t>(h.type);
        const auto number = static_cast<std::uint64_t>(h.value);
        switch (h.kind) {
            case Happening::Kind::kEvent:
                return event(h, communicators);
            case Happening::Kind::kSend:
                return send({h.peer, h.tag, 0, bytes}, number * 2 + 1);
            case Happening::Kind::kReceive:
                return receive({h.peer, h.tag, 0, bytes}, number * 2);
            case Happening::Kind::kReceived:
                traced_.complete(number * 2);
                return true;
        }
        return true;
    }
    RankLog finish(const std::string& place) {
        traced_.set_wall_ticks(first_ < 0 ? 0 : static_cast<std::uint64_t>(last_ - first_));
        return traced_.finish(place);
    }
    [[nodiscard]] bool has_calls() const { return ended_ >= 0 || begun_ >= 0; }
    /// Number of calls, by name, that move data in a way that the trace does not state.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }

  private:
    bool event(const Happening& h, const KnownCommunicators& communicators) {
        if (h.type == kSendSize) operation_.bytes = static_cast<std::uint64_t>(h.value);
        if (h.type == kReceiveSize) operation_.received_bytes = static_cast<std::uint64_t>(h.value);
        if (h.type == kIsRoot && h.value == 1) operation_.root = rank_;
        if (h.type == kCommunicator) {
            const auto found = communicators.find(h.value);
            operation_.communicator = found == communicators.end() ? 0 : found->second.index;
            members_ = found == communicators.end() ? task_count_ : found->second.size;
        }
        if (h.type == kOneSidedBytes && begun_ >= 0) one_sided_bytes_ = static_cast<std::uint64_t>(h.value);
        if (h.type == kTarget && begun_ >= 0) target_ = h.value;
        if (h.type < kPointToPointCalls || h.type > kFileCalls) return true;
        if (h.value != 0) return begin(h);
        return begun_ < 0 || end(h.time);
    }
    bool begin(const Happening& h) {
        if (begun_ >= 0 && !end(h.time)) return false;  // the end of the active call is missing
        if (ended_ >= 0 && h.time > ended_) traced_.compute(static_cast<std::uint64_t>(h.time - ended_));
        begun_ = h.time;
        call_ = paraver_call(h.value);
        const std::string name = call_ != nullptr ? call_->name : "MPI call " + std::to_string(h.value);
        if (call_ == nullptr) ++left_out_[name];
        function_ = traced_.function(name);
        traced_.in_function(function_);
        // The size of an operation may come before or after its start at the same time stamp.
        if (!is_collective(type()) || operation_time_ != h.time) clear_operation();
        operation_time_ = h.time;
        is_collective_event_ = h.type == kCollectiveCalls;
        return true;
    }
    bool end(std::int64_t time) {
        traced_.in_function(function_);
        traced_.count_call(static_cast<std::uint64_t>(time - begun_));
        bool has_place = true;
        if (is_collective_event_ || is_collective(type())) has_place = collective();
        if (type() == ParaverCallType::kPut || type() == ParaverCallType::kGet) one_sided();
        if (type() == ParaverCallType::kWait || type() == ParaverCallType::kBoth) complete_sends();
        begun_ = -1;
        ended_ = time;
        clear_operation();
        call_ = nullptr;
        return has_place;
    }
    [[nodiscard]] ParaverCallType type() const { return call_ == nullptr ? ParaverCallType::kNone : call_->type; }
    static bool is_collective(ParaverCallType type) {
        return type == ParaverCallType::kCollective || type == ParaverCallType::kStartCollective;
    }
    void clear_operation() {
        operation_ = {};
        members_ = task_count_;
        one_sided_bytes_ = 0;
        target_ = -1;
    }
    bool collective() {
        operation_.operation = call_ == nullptr ? CollectiveOperation::kOther : call_->operation;
        // For an all-to-all, Extrae states the block for one member as the number of bytes sent.
        operation_.block_sizes = operation_.operation == CollectiveOperation::kAlltoall && members_ > 1 &&
                                 operation_.bytes <= operation_.received_bytes / static_cast<std::uint64_t>(members_) &&
                                 operation_.bytes * static_cast<std::uint64_t>(members_) == operation_.received_bytes;
        if (type() != ParaverCallType::kStartCollective) {
            traced_.collective(operation_);
            return true;
        }
        // The highest bit distinguishes it from numbers of messages, which are smaller.
        const std::uint64_t request = (std::uint64_t{1} << 63) + collectives_++;
        sends_.push_back(request);
        return traced_.start_collective(request, operation_);
    }
    void one_sided() {
        if (target_ < 0 || target_ >= task_count_) {
            ++left_out_[call_->name];
            return;
        }
        traced_.one_sided(static_cast<std::int32_t>(target_), type() == ParaverCallType::kGet, one_sided_bytes_);
    }
    /// The trace does not state which call completes a send or nonblocking collective. The next waiting call is assumed
    /// to complete it.
    void complete_sends() {
        for (const std::uint64_t request : sends_) traced_.complete(request);
        sends_.clear();
    }
    bool send(const TracedMessage& message, std::uint64_t request) {
        if (type() == ParaverCallType::kSend || (type() == ParaverCallType::kNone && !has_calls())) {
            const bool synchronous = call_ != nullptr && call_->name == std::string_view("MPI_Ssend");
            traced_.send(message, synchronous ? std::uint8_t{kSynchronous} : std::uint8_t{0});
            return true;
        }
        sends_.push_back(request);
        return traced_.start_send(request, message);
    }
    bool receive(const TracedMessage& message, std::uint64_t request) {
        if (type() == ParaverCallType::kReceive || (type() == ParaverCallType::kNone && !has_calls())) {
            traced_.receive(message);
            return true;
        }
        return traced_.start_receive(request, message);
    }

    std::int32_t rank_;
    std::int64_t task_count_;
    TracedRank traced_;
    std::int64_t first_ = -1, last_ = 0;
    std::int64_t begun_ = -1, ended_ = -1;  ///< start of the active call, end of the last call
    const ParaverCall* call_ = nullptr;
    std::size_t function_ = 0;
    bool is_collective_event_ = false;
    TracedOperation operation_;
    std::int64_t operation_time_ = -1;
    std::int64_t members_ = 0;  ///< number of ranks in the operation's communicator
    std::uint64_t one_sided_bytes_ = 0;
    std::int64_t target_ = -1;
    std::vector<std::uint64_t> sends_;  ///< sends and nonblocking collectives that are still open
    std::uint64_t collectives_ = 0;     ///< number of nonblocking collectives so far
    std::map<std::string, std::uint64_t> left_out_;
};

/// The records of a trace are sorted by start time. Messages are sorted by the time of the send, which tools define
/// differently, and the receiver may act earlier than that. The first pass finds the largest such time difference, by
/// which the second pass delays records.
class ParaverReader {
  public:
    explicit ParaverReader(const std::string& file) : file_(file), job_("paraver", file) {}

    void first(TextStream stream) {
        TraceLines lines(&stream);
        read_header(lines);
        while (lines.next()) {
            const std::string_view line = lines.line();
            if (line.starts_with("c:")) {
                read_communicator(lines);
            } else if (line.starts_with("3:")) {
                const Communication c = communication(lines);
                look_back_ =
                    std::max(look_back_, std::max(last_time_, c.sent) - std::min({c.sent, c.posted, c.received}));
                last_time_ = std::max(last_time_, c.sent);
            } else if (line.starts_with("2:")) {
                std::string_view rest = line.substr(2);
                (void)rank_in(rest, lines);
                const std::int64_t time = number(rest, "time", 0, kLastTime, lines);
                look_back_ = std::max(look_back_, last_time_ - time);
                last_time_ = std::max(last_time_, time);
            } else if (!line.empty() && line.front() != '#' && !line.starts_with("1:") && !line.starts_with("4:")) {
                lines.fail("unknown record " + shown(line));
            }
        }
    }

    /// Performs one of the remaining passes. Returns true if another pass is needed.
    [[nodiscard]] bool second(TextStream stream) {
        TraceLines lines(&stream);
        last_time_ = 0;
        messages_ = 0;
        next_ = 0;
        while (lines.next()) {
            const std::string_view line = lines.line();
            if (line.starts_with("2:")) {
                read_event(lines);
            } else if (line.starts_with("3:")) {
                read_communication(lines);
            }
        }
        drain(lines, INT64_MAX);
        return ranks_.end_pass([this](ParaverRank& rank) {
            has_calls_ = has_calls_ || rank.has_calls();
            for (const auto& [call, count] : rank.left_out()) job_.leave_out(call, count);
            job_.add_rank(rank.finish(file_));
        });
    }

    JobLog take() {
        job_.set_rank_count(task_count_);
        if (applications_ > 1) {
            job_.warn("the trace has " + std::to_string(applications_) +
                      " applications; haichi numbers their ranks one application after the other");
        }
        if (!has_calls_) job_.warn("the trace has messages, but no MPI calls (events 50000001 to 50000005)");
        job_.warn(has_calls_
                      ? "haichi assumes that the next MPI_Wait or MPI_Test completes all pending sends and nonblocking "
                        "collectives, and that all messages use MPI_COMM_WORLD"
                      : "haichi assumes that all messages use MPI_COMM_WORLD");
        return job_.finish(true);
    }

  private:
    struct Communication {
        std::int32_t sender = 0, receiver = 0, tag = 0;
        std::int64_t sent = 0, posted = 0, received = 0;
        std::uint64_t bytes = 0;
    };

    void read_header(TraceLines& lines) {
        if (!lines.next() || !lines.line().starts_with("#Paraver"))
            lines.fail("expected \"#Paraver\" at the beginning of the file");
        std::string_view rest = lines.line();
        const std::size_t date = rest.find("):");
        if (date == std::string_view::npos) lines.fail("the header has no date in parentheses");
        rest.remove_prefix(date + 2);
        const std::string_view duration = next_part(rest, ':');
        ticks_per_second_ = duration.ends_with("_ns") ? 1e9 : 1e6;
        // The number of nodes and their processors, such as "2(4,4)", or 0.
        const std::string_view nodes = next_part(rest, ':');
        (void)lines.whole(nodes.substr(0, nodes.find('(')), "number of nodes", 0, INT32_MAX);
        applications_ = lines.whole(next_part(rest, ':'), "number of applications", 1, 1 << 16);
        for (std::int64_t a = 0; a < applications_; ++a) {
            first_task_.push_back(task_count_);
            const std::size_t open = rest.find('(');
            if (open == std::string_view::npos) lines.fail("the header has no tasks of an application");
            const std::int64_t tasks = lines.whole(rest.substr(0, open), "number of tasks", 1, kMostTracedRanks);
            const std::size_t close = rest.find(')', open);
            if (close == std::string_view::npos)
                lines.fail("the list of tasks in the header has no closing parenthesis");
            task_count_ += tasks;
            if (task_count_ > kMostTracedRanks) lines.fail("more than 2^20 tasks");
            rest.remove_prefix(close + 1);
            (void)next_part(rest, ':');  // the number of communicators, or the comma before the next application
        }
        first_task_.push_back(task_count_);
        job_.set_rank_count(task_count_);
    }

    std::int64_t number(std::string_view& rest, const char* what, std::int64_t least, std::int64_t largest,
                        const TraceLines& lines) {
        return lines.whole(next_part(rest, ':'), what, least, largest);
    }
    /// Parses processor:application:task:thread and returns the rank.
    std::int32_t rank_in(std::string_view& rest, const TraceLines& lines) {
        (void)number(rest, "processor", 0, INT32_MAX, lines);
        const auto application = static_cast<std::size_t>(number(rest, "application", 1, applications_, lines));
        const std::int64_t tasks = first_task_[application] - first_task_[application - 1];
        const std::int64_t task = number(rest, "task", 1, tasks, lines);
        (void)number(rest, "thread", 1, INT32_MAX, lines);
        return static_cast<std::int32_t>(first_task_[application - 1] + task - 1);
    }

    void read_communicator(const TraceLines& lines) {
        std::string_view rest = lines.line().substr(2);
        const auto application = static_cast<std::size_t>(number(rest, "application", 1, applications_, lines));
        const std::int64_t id = number(rest, "communicator", 0, INT32_MAX, lines);
        const std::int64_t tasks = first_task_[application] - first_task_[application - 1];
        const std::int64_t size = number(rest, "number of tasks", 0, tasks, lines);
        std::vector<std::int32_t> members;
        bool is_world = size == task_count_;
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t task = number(rest, "task", 1, tasks, lines);
            members.push_back(static_cast<std::int32_t>(first_task_[application - 1] + task - 1));
            is_world = is_world && members.back() == i;
        }
        communicators_[id] = {is_world ? 0 : job_.add_communicator(std::move(members)), size};
    }

    Communication communication(const TraceLines& lines) {
        std::string_view rest = lines.line().substr(2);
        Communication c;
        c.sender = rank_in(rest, lines);
        c.sent = number(rest, "time", 0, kLastTime, lines);
        (void)number(rest, "time", 0, kLastTime, lines);
        c.receiver = rank_in(rest, lines);
        c.posted = number(rest, "time", 0, kLastTime, lines);
        c.received = number(rest, "time", 0, kLastTime, lines);
        c.bytes = static_cast<std::uint64_t>(number(rest, "size", 0, kLargestMessageBytes, lines));
        c.tag = static_cast<std::int32_t>(number(rest, "tag", INT32_MIN, INT32_MAX, lines));
        return c;
    }

    void read_communication(const TraceLines& lines) {
        const Communication c = communication(lines);
        advance(lines, c.sent);
        const std::int64_t message = ++messages_;
        const auto bytes = static_cast<std::int64_t>(c.bytes);
        add(lines, {c.sent, next_++, bytes, message, c.sender, c.receiver, c.tag, Happening::Kind::kSend});
        add(lines, {c.posted, next_++, bytes, message, c.receiver, c.sender, c.tag, Happening::Kind::kReceive});
        // A receive must not complete before it is posted.
        add(lines, {std::max(c.posted, c.received), next_++, bytes, message, c.receiver, c.sender, c.tag,
                    Happening::Kind::kReceived});
    }

    void read_event(const TraceLines& lines) {
        std::string_view rest = lines.line().substr(2);
        const std::int32_t rank = rank_in(rest, lines);
        const std::int64_t time = number(rest, "time", 0, kLastTime, lines);
        advance(lines, time);
        while (!rest.empty()) {
            const std::int64_t type = number(rest, "event type", 0, INT64_MAX, lines);
            std::string_view value = next_part(rest, ':');
            const bool wanted = (type >= kPointToPointCalls && type <= kFileCalls) ||
                                (type >= kSendSize && type <= kCommunicator) || type == kOneSidedBytes ||
                                type == kTarget;
            if (!wanted) continue;
            add(lines, {time, next_++, type, lines.whole(value, "event value", 0, kLargestMessageBytes), rank, kNobody,
                        0, Happening::Kind::kEvent});
        }
    }

    /// Processes the waiting entries before `time` - look_back_, because no later record is earlier than that.
    void advance(const TraceLines& lines, std::int64_t time) {
        last_time_ = std::max(last_time_, time);
        drain(lines, last_time_ - look_back_);
    }
    void add(const TraceLines& lines, const Happening& happening) {
        if (waiting_.size() >= kMostWaiting) {
            lines.fail("more than 2^23 records lie between a receive and its message",
                       "cut the trace to a part with the tools of Paraver");
        }
        waiting_.push(happening);
    }
    void drain(const TraceLines& lines, std::int64_t end) {
        while (!waiting_.empty() && waiting_.top().time < end) {
            const Happening& h = waiting_.top();
            if (ranks_.count() == kMostRanksOfFile && !ranks_.contains(h.rank)) {
                lines.fail("more than 2^14 tasks communicate");
            }
            ParaverRank* const rank = ranks_.find(
                h.rank, [&] { return std::make_unique<ParaverRank>(h.rank, ticks_per_second_, task_count_); });
            if (rank != nullptr && !rank->happens(h, communicators_)) {
                lines.fail("more than " + std::to_string(kMostOpenRequests) + " requests of rank " +
                           std::to_string(h.rank) + " are open");
            }
            waiting_.pop();
        }
    }

    std::string file_;
    TracedJob job_;
    double ticks_per_second_ = 1e9;
    std::int64_t applications_ = 0, task_count_ = 0;
    std::vector<std::int64_t> first_task_;  ///< by application, number of its first task; the last entry is the total
    KnownCommunicators communicators_;
    std::int64_t look_back_ = 0, last_time_ = 0, messages_ = 0;
    std::uint64_t next_ = 0;
    std::priority_queue<Happening, std::vector<Happening>, std::greater<>> waiting_;
    RanksOfFile<ParaverRank> ranks_;
    bool has_calls_ = false;
};

}  // namespace

JobLog read_paraver(const std::string& path, ReadProgress& progress) {
    progress.expect(path, 2);
    ParaverReader reader(path);
    reader.first(progress.open(path));
    while (reader.second(progress.open(path))) {
    }
    return reader.take();
}

JobLog parse_paraver(std::string_view text, const std::string& file) {
    ParaverReader reader(file);
    reader.first(TextStream(text, file));
    while (reader.second(TextStream(text, file))) {
    }
    return reader.take();
}

}  // namespace haichi
