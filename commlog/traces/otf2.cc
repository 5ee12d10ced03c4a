// Reads OTF2 archives by means of the OTF2 library.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/errors.h"
#include "base/input_file.h"
#include "commlog/readers/read_progress.h"
#include "commlog/traces/otf2_archive.h"
#include "commlog/traces/otf2_location.h"
#include "commlog/traces/trace_readers.h"

namespace haichi {

namespace {

/// Adds the calls of one more thread to its rank.
void add_thread(RankLog& rank, RankLog thread) {
    rank.communicators = std::move(thread.communicators);
    for (CallSequence& calls : thread.threads) rank.threads.push_back(std::move(calls));
    RankProfile& profile = rank.profile;
    for (FunctionProfile& f : thread.profile.functions) {
        const auto found = std::ranges::find(profile.functions, f.name, &FunctionProfile::name);
        if (found == profile.functions.end()) {
            profile.functions.push_back(std::move(f));
            continue;
        }
        const auto add = [](MessageStatistics& to, const MessageStatistics& from) {
            if (from.count == 0) return;
            to.bytes_min = to.count == 0 ? from.bytes_min : std::min(to.bytes_min, from.bytes_min);
            to.bytes_max = std::max(to.bytes_max, from.bytes_max);
            to.count += from.count;
            to.bytes_total += from.bytes_total;
            to.empty += from.empty;
            for (std::size_t k = 0; k < to.classes.size(); ++k) to.classes[k] += from.classes[k];
        };
        found->seconds_min = found->calls == 0 ? f.seconds_min
                             : f.calls == 0    ? found->seconds_min
                                               : std::min(found->seconds_min, f.seconds_min);
        found->seconds_max = std::max(found->seconds_max, f.seconds_max);
        found->seconds_total += f.seconds_total;
        found->calls += f.calls;
        add(found->sent, f.sent);
        add(found->received, f.received);
    }
    std::ranges::sort(profile.functions, {}, &FunctionProfile::name);
    for (const PeerTraffic& p : thread.profile.peers) {
        const auto found = std::ranges::find(profile.peers, p.peer, &PeerTraffic::peer);
        if (found == profile.peers.end()) {
            profile.peers.push_back(p);
            continue;
        }
        found->traffic.sent_messages += p.traffic.sent_messages;
        found->traffic.sent_bytes += p.traffic.sent_bytes;
        found->traffic.received_messages += p.traffic.received_messages;
        found->traffic.received_bytes += p.traffic.received_bytes;
    }
    std::ranges::sort(profile.peers, {}, &PeerTraffic::peer);
    for (const OneSidedTraffic& t : thread.profile.targets) {
        const auto found = std::ranges::find(profile.targets, t.target, &OneSidedTraffic::target);
        if (found == profile.targets.end()) {
            profile.targets.push_back(t);
            continue;
        }
        found->traffic.put_operations += t.traffic.put_operations;
        found->traffic.put_bytes += t.traffic.put_bytes;
        found->traffic.got_operations += t.traffic.got_operations;
        found->traffic.got_bytes += t.traffic.got_bytes;
    }
    std::ranges::sort(profile.targets, {}, &OneSidedTraffic::target);
    profile.wall_seconds = std::max(profile.wall_seconds, thread.profile.wall_seconds);
    profile.mpi_seconds += thread.profile.mpi_seconds;
    profile.lost_messages += thread.profile.lost_messages;
    profile.lost_bytes += thread.profile.lost_bytes;
}

/// Returns the number of event bytes of each location, and announces these bytes to `progress`.
std::vector<std::uint64_t> expected_bytes(const Otf2Archive& archive, ReadProgress& progress) {
    const auto folder = std::filesystem::path(archive.path()).replace_extension();
    std::vector<std::uint64_t> bytes;
    for (const Otf2Archive::Location& location : archive.locations()) {
        bytes.push_back(progress.expect((folder / (std::to_string(location.id) + ".evt")).string()));
    }
    return bytes;
}

JobLog read_archive(const std::string& path, ReadProgress& progress, Otf2Archive::Opening opening) {
    TracedJob job("otf2", path);
    Otf2Archive archive(path, &job, opening);
    job.set_rank_count(archive.rank_count());
    const auto& locations = archive.locations();
    for (const Otf2Archive::Location& location : locations) {
        archive.check(OTF2_Reader_SelectLocation(archive.reader(), location.id), "read");
    }
    // An archive of a single location may lack local definitions, because it needs no mapping.
    (void)OTF2_Reader_OpenDefFiles(archive.reader());
    archive.check(OTF2_Reader_OpenEvtFiles(archive.reader()), "read the events");
    std::uint64_t unknown = 0, outside = 0, guessed = 0;
    std::optional<RankLog> rank;
    const std::vector<std::uint64_t> bytes = expected_bytes(archive, progress);
    for (std::size_t i = 0; i < locations.size(); ++i) {
        Otf2Location events(&archive, &job, locations[i], rank ? rank->communicators : std::vector<std::uint32_t>());
        events.read();
        progress.add(bytes[i]);
        unknown += events.unknown();
        outside += events.outside();
        guessed += events.guesses_completion() ? 1 : 0;
        if (!rank) {
            rank = events.finish();
        } else if (events.has_messages()) {
            add_thread(*rank, events.finish());
        }
        if (i + 1 == locations.size() || locations[i + 1].rank != locations[i].rank) {
            job.add_rank(std::move(*rank));
            rank.reset();
        }
    }
    if (unknown != 0) {
        job.warn("the trace does not contain the result of " + std::to_string(unknown) +
                 " requests; haichi takes such receives as receives from any rank");
    }
    if (outside != 0) {
        job.warn("the partners of " + std::to_string(outside) +
                 " messages are outside of their communicators as the trace defines them");
    }
    if (guessed != 0) {
        job.warn("the trace has no completed requests for " + std::to_string(guessed) +
                 " threads (EZTrace writes none); haichi assumes that each MPI_Wait or MPI_Test completes all open "
                 "requests");
    }
    return job.finish(true);
}

constexpr int kHasError = 1;  ///< exit code of a child that wrote an error to its parent

/// Reads the archive, discards the result, and ends this child process. For InputError, writes the message, a zero byte
/// and the hint to `to_parent`.
[[noreturn]] void try_as_child(const std::string& path, int to_parent) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);  // if a signal ends the parent, the child must end, too
    // The library prints messages when it aborts, which are not meant for users.
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) (void)::dup2(nothing, 2);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) (void)std::signal(signal, SIG_DFL);
    try {
        ReadProgress nobody_asks({}, "log", path);
        (void)read_archive(path, nobody_asks, Otf2Archive::Opening::kLimited);
    } catch (const InputError& error) {
        const std::string text = error.what() + std::string(1, '\0') + error.hint();
        if (::write(to_parent, text.data(), text.size()) == static_cast<::ssize_t>(text.size())) ::_exit(kHasError);
    } catch (...) {
        // The parent will meet the same error and report it.
    }
    ::_exit(0);
}

/// Reads the archive in a child process first, and discards the result. The library aborts or reads invalid memory for
/// some damaged archives. If the child survives, reading is also safe in this process. Throws the InputError that the
/// child reported.
void try_in_child(const std::string& path) {
    int ends[2];
    if (::pipe(ends) != 0) throw InputError("cannot read " + path + ": " + std::strerror(errno));
    const ::pid_t child = ::fork();
    if (child < 0) {
        const int why = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        throw InputError("cannot read " + path + " in another process: " + std::strerror(why));
    }
    if (child == 0) {
        ::close(ends[0]);
        try_as_child(path, ends[1]);
    }
    ::close(ends[1]);
    std::string said;
    char part[4096];
    for (;;) {
        const ::ssize_t got = ::read(ends[0], part, sizeof(part));
        if (got == 0 || (got < 0 && errno != EINTR)) break;
        if (got > 0) said.append(part, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (const auto end = said.find('\0');
        end != std::string::npos && WIFEXITED(status) && WEXITSTATUS(status) == kHasError) {
        throw InputError(said.substr(0, end), said.substr(end + 1));
    }
    const std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                : "exit code " + std::to_string(WEXITSTATUS(status));
    throw InputError(path + ": the OTF2 archive is damaged: the OTF2 library failed with " + how,
                     "check with otf2-print how much of the archive is readable");
}

/// Finds the files of an archive "NAME.otf2" that the library will open: NAME.def, NAME.marker, and the files in the
/// directory NAME.
void find_files_of_archive(const std::string& path, ReadProgress& progress) {
    std::filesystem::path name(path);
    name.replace_extension();
    std::error_code ignored;
    for (const char* const ending : {".def", ".marker"}) {
        const std::string beside = name.string() + ending;
        if (std::filesystem::exists(beside, ignored)) progress.found_file(beside);
    }
    for (const auto& entry : std::filesystem::directory_iterator(name, ignored)) {
        const std::string ending = entry.path().extension().string();
        if (ending == ".def" || ending == ".evt" || ending == ".snap") progress.found_file(entry.path().string());
    }
}

JobLog read_otf2(const std::string& path, ReadProgress& progress) {
    if (path == "-") {
        throw InputError("an OTF2 archive consists of several files, so it cannot be read from standard input",
                         "name the .otf2 file of the archive");
    }
    if (is_compressed(path)) {
        throw InputError(path + ": the files of an OTF2 archive must not be compressed",
                         "unpack the archive, and use its .otf2 file");
    }
    find_files_of_archive(path, progress);
    try_in_child(path);
    return read_archive(path, progress, Otf2Archive::Opening::kFree);
}

}  // namespace

LogReader otf2_reader() { return read_otf2; }

}  // namespace haichi
