// Follows the scripts and performs their barriers until MPI_Finalize. Each barrier is an MPI_Ibarrier of all processes
// on a communicator of the library. A process whose calls differ from its script stops, and notifies other processes,
// so that none of them waits for it. Barriers that were begun are completed in MPI_Finalize.

#include "commlog/barriers/following.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "base/errors.h"
#include "base/regular_file.h"
#include "commlog/barriers/follower.h"

const char* const haichi::preload::library_name = "haichi-barriers";

namespace haichi::barriers {

using namespace preload;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStopTag = 1;
/// In larger jobs, a stopping process notifies only the processes whose rank differs in one bit; these forward the
/// message.
constexpr int kMostStoppedDirectly = 512;
// After this time, a process in MPI_Finalize releases the processes that wait in a barrier.
constexpr double kSecondsAtEnd = 1;

/// The message that a stopping process sends.
struct Stop {
    int is_silent = 0;  ///< 1 if the process stops only because it has no barriers left
    char reason[252] = "";
};

/// Functions of the MPI library itself.
struct Own {
    decltype(&::PMPI_Test) test = OWN(PMPI_Test);
    decltype(&::PMPI_Request_get_status) get_status = OWN(PMPI_Request_get_status);
    decltype(&::PMPI_Isend) isend = OWN(PMPI_Isend);
    decltype(&::PMPI_Irecv) irecv = OWN(PMPI_Irecv);
    decltype(&::PMPI_Recv) recv = OWN(PMPI_Recv);
    decltype(&::PMPI_Wait) wait = OWN(PMPI_Wait);
    decltype(&::PMPI_Ibarrier) ibarrier = OWN(PMPI_Ibarrier);
    decltype(&::MPI_Ibarrier) next_ibarrier = NEXT(MPI_Ibarrier);
    decltype(&::MPI_Wait) next_wait = NEXT(MPI_Wait);
};

/// The state of a process between MPI_Init and MPI_Finalize.
struct Job {
    explicit Job(std::vector<Step> script) : follower(std::move(script)) {}

    Own own;
    Handles handles{};
    int rank = 0, size = 1;
    MPI_Comm line{};  ///< communicator for the barriers
    MPI_Comm side{};  ///< communicator for stop messages and for the end of the job
    Follower follower;
    bool is_following = true;
    bool is_waiting = false;  ///< this process waits in a barrier
    bool has_warned = false;
    double longest_wait_seconds = 20;
    int barriers = 0;  ///< number of barriers begun
    int completed = 0;
    std::vector<MPI_Request> open_barriers;
    MPI_Request stop_request{};
    Stop received, sent;
    bool has_received = false, has_sent = false;
    std::vector<MPI_Request> sends;
    bool has_threads = false;
    std::thread::id thread;
    std::atomic<bool> other_thread_calls{false};
};

std::unique_ptr<Job> job;
std::vector<Members> communicators;

struct ReplacedFunctions {
    Replaced* first;
    int count;
};
std::vector<ReplacedFunctions>& replaced_functions() {
    static std::vector<ReplacedFunctions> functions;
    return functions;
}

/// Makes the MPI functions report their calls or jump to the next library.
void set_functions(bool reports) {
    for (const ReplacedFunctions& functions : replaced_functions()) {
        for (int i = 0; i < functions.count; ++i) {
            Replaced& function = functions.first[i];
            // Fortran functions without a next function belong to other interfaces.
            if (*function.next != nullptr) *function.slot = reports ? function.following : *function.next;
        }
    }
}

void find_next_functions() {
    for (const ReplacedFunctions& functions : replaced_functions()) {
        for (int i = 0; i < functions.count; ++i) {
            Replaced& function = functions.first[i];
            *function.next = find_next_or_null(function.name);
        }
    }
}

/// Calls `each` for the processes to which a stopping process sends messages. A process receives messages from equally
/// many processes.
template <class Each>
void for_neighbors(const Job& j, Each each) {
    if (j.size <= kMostStoppedDirectly) {
        for (int r = 0; r < j.size; ++r) {
            if (r != j.rank) each(r);
        }
        return;
    }
    for (int bit = 1; bit < j.size; bit *= 2) {
        if ((j.rank ^ bit) < j.size) each(j.rank ^ bit);
    }
}

void warn(Job& j, const Stop& stop) {
    if (j.rank != 0 || j.has_warned) return;
    j.has_warned = true;
    say("warning: no more barriers after " + std::to_string(j.completed) + ": " + stop.reason);
}

void stop(Job& j, const Stop& why) {
    if (j.has_sent) return;
    j.is_following = false;
    j.has_sent = true;
    j.sent = why;
    set_functions(false);
    if (why.is_silent == 0) warn(j, why);
    for_neighbors(j, [&](int other) {
        j.own.isend(&j.sent, sizeof(j.sent), j.handles.byte, other, kStopTag, j.side, &j.sends.emplace_back());
    });
}

/// Returns true if another process has stopped; receives its message if there is one.
bool hears_stop(Job& j) {
    if (j.has_received) return true;
    int has_come = 0;
    j.own.test(&j.stop_request, &has_come, MPI_STATUS_IGNORE);
    if (has_come == 0) return false;
    j.has_received = true;
    if (j.is_waiting) j.received.is_silent = 0;  // a barrier is missed, so the stop is reported
    stop(j, j.received);
    return true;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Lets other processes use the core if the wait takes long.
void relax(int& polls) {
    if (++polls > 200) sched_yield();
}

std::string rank_text(const Job& j) { return "rank " + std::to_string(j.rank); }

/// Waits until all processes have begun the barrier, or until one of them stops.
void barrier(Job& j) {
    MPI_Request request;
    j.own.next_ibarrier(j.line, &request);
    ++j.barriers;
    j.is_waiting = true;
    const Clock::time_point start = Clock::now();
    for (int polls = 0;; relax(polls)) {
        int is_done = 0;
        j.own.get_status(request, &is_done, MPI_STATUS_IGNORE);
        if (is_done != 0) {
            j.own.next_wait(&request, MPI_STATUS_IGNORE);
            ++j.completed;
            j.is_waiting = false;
            return;
        }
        if (hears_stop(j)) break;
        if (seconds_since(start) > j.longest_wait_seconds) {
            char seconds[32];
            std::snprintf(seconds, sizeof(seconds), "%g", j.longest_wait_seconds);
            stop_following(rank_text(j) + " has waited " + seconds + " s in a barrier");
            break;
        }
    }
    j.open_barriers.push_back(request);
    j.is_waiting = false;
}

void barriers_here(Job& j, int count) {
    for (; count > 0 && j.is_following; --count) barrier(j);
}

/// Returns true if the calls of this thread are compared with the script.
bool is_compared(Job& j) {
    if (!j.is_following) return false;
    if (!j.has_threads) return true;
    if (std::this_thread::get_id() != j.thread) {
        j.other_thread_calls = true;
        return false;
    }
    if (!j.other_thread_calls) return true;
    stop_following(rank_text(j) + " communicates in several threads");
    return false;
}

double longest_wait(bool is_speaker) {
    constexpr double kUsual = 20, kMost = 1e6;
    const std::string text = setting("HAICHI_BARRIERS_TIMEOUT");
    if (text.empty()) return kUsual;
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (*end == '\0' && seconds > 0 && seconds <= kMost) return seconds;
    if (is_speaker) say("warning: invalid HAICHI_BARRIERS_TIMEOUT '" + text + "': waiting at most 20 s in a barrier");
    return kUsual;
}

/// Reads the file, in process 0 only. Returns an empty text if no file is set, or after a warning that it is invalid.
std::string file_text(int size) {
    const std::string path = setting("HAICHI_BARRIERS");
    if (path.empty()) return "";
    try {
        check_regular_file(path);
        std::ifstream file(path, std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        if (!file) throw InputError(path + ": cannot be read", "set HAICHI_BARRIERS to a readable file");
        const BarrierFile parsed = parse_barrier_file(text.str(), path);
        for (std::size_t r = 0; r < parsed.scripts.size(); ++r) {
            const std::string place = path + ":" + std::to_string(r + 5);
            const std::uint64_t barriers = barrier_count(parse_script(parsed.scripts[r], place));
            if (barriers == static_cast<std::uint64_t>(parsed.barriers)) continue;
            throw InputError(place + ": rank " + std::to_string(r) + " has " + std::to_string(barriers) +
                                 " barriers instead of " + std::to_string(parsed.barriers),
                             "write the file with 'haichi advise barrier --write-barriers FILE'");
        }
        if (parsed.ranks == size) return text.str();
        throw InputError(
            path + ": the log has " + std::to_string(parsed.ranks) + " ranks, but the job has " + std::to_string(size),
            "profile a run with " + std::to_string(size) + " ranks");
    } catch (const Error& error) {
        say(std::string("warning: no barriers: ") + error.what());
    }
    return "";
}

/// Distributes the text of process 0 to all processes. Processes in which the variable is not set also take part.
std::string shared_text(const Handles& handles, int rank, int size) {
    std::string text = rank == 0 ? file_text(size) : "";
    int length = static_cast<int>(text.size());
    OWN(PMPI_Bcast)(&length, 1, handles.integer, 0, handles.world);
    if (length == 0) return "";
    text.resize(static_cast<std::size_t>(length));
    OWN(PMPI_Bcast)(text.data(), length, handles.byte, 0, handles.world);
    return text;
}

void listen(Job& j) {
    j.own.irecv(&j.received, sizeof(j.received), j.handles.byte, MPI_ANY_SOURCE, kStopTag, j.side, &j.stop_request);
}

/// Completes all barriers and messages that were begun, after all processes have entered MPI_Finalize. `most` is the
/// maximum number of barriers that any process has begun.
void settle(Job& j, int most) {
    stop(j, j.has_received ? j.received : Stop{1, ""});
    for (; j.barriers < most; ++j.barriers) j.own.ibarrier(j.line, &j.open_barriers.emplace_back());
    for (MPI_Request& request : j.open_barriers) j.own.wait(&request, MPI_STATUS_IGNORE);
    int expected = 0;
    for_neighbors(j, [&](int) { ++expected; });
    if (expected > 0 && !j.has_received) {
        j.own.wait(&j.stop_request, MPI_STATUS_IGNORE);
        j.has_received = true;
        if (j.received.is_silent == 0) warn(j, j.received);
    }
    for (int k = 1; k < expected; ++k) {
        Stop other;
        j.own.recv(&other, sizeof(other), j.handles.byte, MPI_ANY_SOURCE, kStopTag, j.side, MPI_STATUS_IGNORE);
        if (other.is_silent == 0) warn(j, other);
    }
    for (MPI_Request& request : j.sends) j.own.wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

void add_replaced(Replaced* functions, int count) { replaced_functions().push_back({functions, count}); }

void* take_next(Replaced& function) {
    if (*function.next == nullptr) *function.next = find_next(function.name);
    *function.slot = *function.next;
    return *function.next;
}

bool is_following() { return job != nullptr && job->is_following; }

void stop_following(const std::string& reason) {
    if (!is_following()) return;
    Stop why;
    std::snprintf(why.reason, sizeof(why.reason), "%s", reason.c_str());
    stop(*job, why);
}

void before_call(std::span<const Post> posts, const std::function<void(std::size_t)>& before_barrier) {
    Job& j = *job;
    if (posts.empty() || !is_compared(j)) return;
    for (std::size_t i = 0; i < posts.size() && j.is_following; ++i) {
        const std::optional<int> due = j.follower.post(posts[i]);
        if (!due || (*due > 0 && i > 0 && !before_barrier)) {
            stop_following("call " + std::to_string(j.follower.posts() + 1) + " of " + rank_text(j) + " is " +
                           post_text(posts[i]) +
                           (due ? ", and one MPI call starts it with messages before the barrier"
                                : ", but the log has " + j.follower.expected()));
            return;
        }
        if (*due > 0 && i > 0) before_barrier(i);
        barriers_here(j, *due);
    }
}

void wait() {
    if (is_compared(*job)) barriers_here(*job, job->follower.wait());
}
void probe() {
    if (is_compared(*job)) barriers_here(*job, job->follower.probe());
}

const Members& members_of(MPI_Comm comm) {
    static std::size_t last = 0;
    if (last < communicators.size() && communicators[last].comm == comm) return communicators[last];
    for (last = 0; last < communicators.size(); ++last) {
        if (communicators[last].comm == comm) return communicators[last];
    }
    Members& members = communicators.emplace_back();
    members.comm = comm;
    int is_inter = 0;
    OWN(PMPI_Comm_test_inter)(comm, &is_inter);
    if (is_inter != 0) return members;
    int size = 0;
    MPI_Group group;
    MPI_Group world;
    OWN(PMPI_Comm_size)(comm, &size);
    OWN(PMPI_Comm_group)(comm, &group);
    OWN(PMPI_Comm_group)(job->handles.world, &world);
    std::vector<int> own(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) own[static_cast<std::size_t>(i)] = i;
    members.ranks.resize(own.size());
    OWN(PMPI_Group_translate_ranks)(group, size, own.data(), world, members.ranks.data());
    OWN(PMPI_Group_free)(&group);
    OWN(PMPI_Group_free)(&world);
    members.hash = members_hash(members.ranks, job->size);
    members.is_known = true;
    return members;
}

void forget_members(MPI_Comm comm) {
    std::erase_if(communicators, [&](const Members& members) { return members.comm == comm; });
}

void begin_job() {
    static bool is_done = false;
    if (is_done) return;
    is_done = true;
    const bool is_on = !setting("HAICHI_BARRIERS").empty();
    Handles handles{};
    if (!find_handles(handles)) {
        if (is_on && launched_rank() == "0") {
            say("warning: no barriers: the program uses another MPI than the one that this library supports");
        }
        return;
    }
    int rank = 0;
    int size = 1;
    OWN(PMPI_Comm_rank)(handles.world, &rank);
    OWN(PMPI_Comm_size)(handles.world, &size);
    if (is_on && rank == 0 && !is_in_front("MPI_Send")) {
        say("warning: another library with MPI functions precedes libhaichi-barriers, which does not see all calls");
    }
    const std::string text = shared_text(handles, rank, size);
    if (text.empty()) return;
    BarrierFile file = parse_barrier_file(text, "HAICHI_BARRIERS");
    auto made = std::make_unique<Job>(parse_script(file.scripts[static_cast<std::size_t>(rank)], "HAICHI_BARRIERS"));
    made->handles = handles;
    made->rank = rank;
    made->size = size;
    made->longest_wait_seconds = longest_wait(rank == 0);
    // This calls the next library, because a profiler there has to know the communicator.
    NEXT(MPI_Comm_dup)(handles.world, &made->line);
    OWN(PMPI_Comm_dup)(handles.world, &made->side);
    int level = MPI_THREAD_SINGLE;
    OWN(PMPI_Query_thread)(&level);
    made->has_threads = level == MPI_THREAD_MULTIPLE;
    made->thread = std::this_thread::get_id();
    job = std::move(made);
    listen(*job);
    find_next_functions();
    set_functions(true);
}

void end_job() {
    static bool is_done = false;
    if (is_done || job == nullptr) return;
    is_done = true;
    Job& j = *job;
    if (j.is_following) {
        const std::optional<int> due = j.follower.end();
        if (due) barriers_here(j, *due);
        if (!due && j.follower.has_barriers_left()) {
            stop_following(rank_text(j) + " ends after " + std::to_string(j.follower.posts()) +
                           " calls, but the next call of the log is " + j.follower.expected());
        }
    }
    set_functions(false);
    // Until all processes have arrived, one of them may wait in a barrier that this process does not reach.
    MPI_Request all_here;
    j.own.ibarrier(j.side, &all_here);
    const Clock::time_point start = Clock::now();
    for (int polls = 0, is_over = 0; is_over == 0; relax(polls)) {
        j.own.test(&all_here, &is_over, MPI_STATUS_IGNORE);
        if (is_over != 0 || hears_stop(j) || seconds_since(start) < kSecondsAtEnd) continue;
        Stop why{1, ""};
        std::snprintf(why.reason, sizeof(why.reason), "%s is in MPI_Finalize", rank_text(j).c_str());
        stop(j, why);
    }
    j.is_following = false;
    const int own[2] = {j.barriers, j.has_sent ? 1 : 0};
    int most[2] = {0, 0};
    OWN(PMPI_Allreduce)(own, most, 2, j.handles.integer, j.handles.largest, j.side);
    if (most[1] != 0) settle(j, most[0]);
    if (!j.has_received) {
        // This process sends the message to itself, because no other process will complete its receive.
        OWN(PMPI_Send)(&j.sent, sizeof(j.sent), j.handles.byte, j.rank, kStopTag, j.side);
        j.own.wait(&j.stop_request, MPI_STATUS_IGNORE);
    }
    OWN(PMPI_Comm_free)(&j.line);
    OWN(PMPI_Comm_free)(&j.side);
    if (j.rank == 0 && setting("HAICHI_BARRIERS_QUIET").empty()) {
        say(std::to_string(j.completed) + (j.completed == 1 ? " barrier" : " barriers"));
    }
}

}  // namespace haichi::barriers
