// Reads the files of Open MPI's monitoring components, which each rank writes in MPI_Finalize
// (pml_monitoring_enable_output 3).
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/errors.h"
#include "base/input_file.h"
#include "commlog/log/rank_record.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

namespace {

struct MonitoredRank {
    std::map<std::int32_t, PeerCounters> peers;
    std::map<std::string, FunctionCounters> functions;
};

/// Counts only sent messages; the messages that a rank received are those that others sent to it.
class MonitoringReader {
  public:
    explicit MonitoringReader(const std::string& file) : job_("open-mpi-monitoring", file) {}

    void read(TextStream stream) {
        TraceLines lines(&stream);
        while (lines.next()) read_line(lines);
    }

    JobLog take() {
        std::map<std::int32_t, std::map<std::int32_t, PeerCounters>> received;
        for (const auto& [from, rank] : ranks_) {
            for (const auto& [to, traffic] : rank.peers) {
                PeerCounters& counters = received[to][from];
                counters.received_messages += traffic.sent_messages;
                counters.received_bytes += traffic.sent_bytes;
            }
        }
        for (auto& [number, rank] : ranks_) {
            for (const auto& [from, traffic] : received[number]) {
                rank.peers[from].received_messages = traffic.received_messages;
                rank.peers[from].received_bytes = traffic.received_bytes;
            }
            RankLog log;
            log.rank = number;
            log.library = "Open MPI";
            for (const auto& [peer, traffic] : rank.peers) log.profile.peers.push_back({peer, traffic});
            for (const auto& [name, counters] : rank.functions) {
                log.profile.functions.push_back(
                    {name, counters.calls, 0, 0, 0, statistics_of(counters.sent), statistics_of(counters.received)});
            }
            job_.add_rank(std::move(log));
        }
        job_.set_rank_count(std::max<std::int64_t>(highest_ + 1, 0));
        job_.warn(kWithoutOrder);
        if (!internal_seen_) {
            job_.warn(
                "messages of collective operations may be among the point-to-point messages; set "
                "pml_monitoring_enable to 2 to separate them");
        }
        return job_.finish(false);
    }

  private:
    void read_line(const TraceLines& lines) {
        std::string_view rest = lines.line();
        const std::string_view kind = next_field(rest);
        if (kind.empty() || kind.front() == '#') return;
        if (kind == "E" || kind == "I" || kind == "S" || kind == "R" || kind == "C") {
            read_pair(kind, rest, lines);
        } else if (kind == "O2A" || kind == "A2O" || kind == "A2A") {
            const std::int32_t rank = rank_in(next_field(rest), lines);
            read_counts(rest, lines,
                        kind == "A2A"   ? "all-to-all operations"
                        : kind == "O2A" ? "one-to-all operations"
                                        : "all-to-one operations",
                        rank);
        } else if (kind == "D") {
            // A line "D <name> procs: 0,1,2" describes the communicator of the following lines, which are summed by
            // kind of function.
        } else {
            lines.fail("unknown line " + shown(lines.line()),
                       "check that the file is from Open MPI's monitoring, whose lines begin with E, I, S, R or C");
        }
    }

    std::int32_t rank_in(std::string_view field, const TraceLines& lines) {
        const auto rank = static_cast<std::int32_t>(lines.whole(field, "rank", 0, kMostTracedRanks - 1));
        highest_ = std::max(highest_, rank);
        return rank;
    }

    struct Counts {
        std::uint64_t bytes = 0, messages = 0;
    };
    Counts counts(std::string_view& rest, const TraceLines& lines) {
        constexpr std::int64_t kMost = std::int64_t{1} << 60;
        const auto bytes = static_cast<std::uint64_t>(lines.whole(next_field(rest), "number of bytes", 0, kMost));
        if (next_field(rest) != "bytes") lines.fail("\"bytes\" is missing after the number of bytes");
        const auto messages = static_cast<std::uint64_t>(lines.whole(next_field(rest), "number of messages", 0, kMost));
        if (next_field(rest) != "msgs" || next_field(rest) != "sent")
            lines.fail("\"msgs sent\" is missing after the number of messages");
        return {bytes, messages};
    }

    void read_pair(std::string_view kind, std::string_view rest, const TraceLines& lines) {
        const std::int32_t from = rank_in(next_field(rest), lines);
        const std::int32_t to = rank_in(next_field(rest), lines);
        const Counts c = counts(rest, lines);
        internal_seen_ = internal_seen_ || kind == "I";
        FunctionCounters& f = function(from, kind == "E"   ? "point-to-point"
                                             : kind == "I" ? "internal"
                                             : kind == "C" ? "collective"
                                             : kind == "S" ? "one-sided (put)"
                                                           : "one-sided (get)");
        f.calls += c.messages;
        f.sent.count += c.messages;
        f.sent.bytes_total += c.bytes;
        if (kind == "E" || kind == "I") add_sizes(function(from, "point-to-point and internal"), c.bytes, rest, lines);
        if (kind != "E") return;
        PeerCounters& traffic = ranks_[from].peers[to];
        if (traffic.sent_messages + c.messages < c.messages || traffic.sent_bytes + c.bytes < c.bytes) {
            lines.fail("more than 2^64 messages or bytes");
        }
        traffic.sent_messages += c.messages;
        traffic.sent_bytes += c.bytes;
    }

    /// Adds a histogram: the number of messages of 0 bytes, and then of each class [2^k, 2^(k+1)). Only one of the two
    /// lines of a pair has the histogram, which counts the messages of both lines.
    static void add_sizes(FunctionCounters& all, std::uint64_t bytes, std::string_view rest, const TraceLines& lines) {
        all.sent.bytes_total += bytes;
        std::string_view histogram = next_field(rest);
        for (int k = -1; !histogram.empty() && k < 128; ++k) {
            const auto count = static_cast<std::uint64_t>(
                lines.whole(next_part(histogram, ','), "count of the histogram", 0, std::int64_t{1} << 56));
            if (k < 0) all.sent.empty += count;
            all.sent.classes[std::clamp(k, 0, kSizeClasses - 1)] += count;
            all.sent.count += count;
            all.calls += count;
        }
    }

    void read_counts(std::string_view rest, const TraceLines& lines, const char* name, std::int32_t rank) {
        const Counts c = counts(rest, lines);
        FunctionCounters& f = function(rank, name);
        f.calls += c.messages;
        f.sent.count += c.messages;
        f.sent.bytes_total += c.bytes;
    }
    FunctionCounters& function(std::int32_t rank, const char* name) { return ranks_[rank].functions[name]; }

    TracedJob job_;
    std::map<std::int32_t, MonitoredRank> ranks_;
    std::int32_t highest_ = -1;
    bool internal_seen_ = false;
};

/// Returns NAME.RANK.prof and all other files with the same NAME.
std::vector<std::string> profiles_of_ranks(const std::string& path) {
    const std::filesystem::path file(path);
    const std::string name = file.filename().string();
    const std::string compression = name.substr(without_compression_ending(name).size());
    const auto rank_at = [&compression](std::string n) -> std::size_t {
        if (!n.ends_with(compression)) return std::string::npos;
        n.resize(n.size() - compression.size());
        if (!n.ends_with(".prof") || n.size() < 8) return std::string::npos;
        const std::size_t dot = n.rfind('.', n.size() - 6);
        if (dot == std::string::npos || dot + 6 >= n.size()) return std::string::npos;
        const bool number = std::all_of(n.begin() + static_cast<std::ptrdiff_t>(dot) + 1, n.end() - 5,
                                        [](char c) { return c >= '0' && c <= '9'; });
        return number ? dot : std::string::npos;
    };
    const std::size_t dot = rank_at(name);
    if (dot == std::string::npos) return {path};
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string other = entry.path().filename().string();
        if (rank_at(other) == dot && other.compare(0, dot, name, 0, dot) == 0) files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    if (files.empty()) files.push_back(path);
    return files;
}

}  // namespace

JobLog read_monitoring(const std::string& path, ReadProgress& progress) {
    MonitoringReader reader(path);
    for (const std::string& file : profiles_of_ranks(path)) {
        progress.found_file(file);
        reader.read(progress.open(file));
    }
    return reader.take();
}

JobLog parse_monitoring(std::string_view text, const std::string& file) {
    MonitoringReader reader(file);
    reader.read(TextStream(text, file));
    return reader.take();
}

}  // namespace haichi
