// Reads reports of IPM: the XML file of versions 0.98 and 2, or the banner that IPM prints at the end of a run.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "base/errors.h"
#include "commlog/log/rank_record.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_formats.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

constexpr std::string_view kBannerBegins = "##IPMv";

/// A function in the table of a rank or in the banner.
struct IpmFunction {
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;
    MessageCounters sent{}, received{};

    void add_times(std::uint64_t count, double total, double min, double max) {
        seconds_min = calls == 0 ? min : std::min(seconds_min, min);
        seconds_max = std::max(seconds_max, max);
        seconds_total += total;
        calls += count;
    }
};
void add_messages(MessageCounters& counters, std::uint64_t count, std::uint64_t bytes) {
    if (count == 0) return;
    if (counters.count == 0 || bytes < counters.bytes_min) counters.bytes_min = bytes;
    counters.bytes_max = std::max(counters.bytes_max, bytes);
    counters.count += count;
    counters.bytes_total += count * bytes;
    if (bytes == 0) counters.empty += count;
    counters.classes[size_class(bytes)] += count;
}

struct IpmRank {
    std::string host, program, library;
    double wall_seconds = 0, mpi_seconds = 0;
    bool has_hash = false;
    std::map<std::string, IpmFunction> functions;
    std::map<std::int32_t, PeerCounters> peers;
    std::uint64_t lost_messages = 0, lost_bytes = 0;  ///< received from MPI_ANY_SOURCE
};

void add_to_job(TracedJob& job, std::int32_t number, const IpmRank& rank) {
    RankLog log;
    log.rank = number;
    log.host = rank.host;
    log.program = rank.program;
    log.library = rank.library;
    log.profile.wall_seconds = rank.wall_seconds;
    log.profile.mpi_seconds = rank.mpi_seconds;
    log.profile.lost_messages = rank.lost_messages;
    log.profile.lost_bytes = rank.lost_bytes;
    for (const auto& [name, f] : rank.functions) {
        log.profile.functions.push_back({name, f.calls, f.seconds_total, f.seconds_min, f.seconds_max,
                                         statistics_of(f.sent), statistics_of(f.received)});
    }
    for (const auto& [peer, traffic] : rank.peers) log.profile.peers.push_back({peer, traffic});
    job.add_rank(std::move(log));
}

/// Reads the tags of a report and the text after each tag. IPM does not write well-formed XML and does not close some
/// tags, so this class supports only the features in such files.
class IpmTags {
  public:
    explicit IpmTags(TextStream* stream) : stream_(stream) {}

    /// Reads the next tag and the text after it.
    [[nodiscard]] bool next() {
        while (!stream_->at_end() && stream_->current() != '<') stream_->advance();
        if (stream_->at_end()) return false;
        stream_->note_progress();
        stream_->advance();
        line_ = stream_->line();
        read_until('>', tag_);
        if (!stream_->at_end()) stream_->advance();
        read_until('<', text_);
        return true;
    }
    [[nodiscard]] std::string_view name() const {
        return std::string_view(tag_).substr(0, tag_.find_first_of(" \t\r\n"));
    }
    [[nodiscard]] std::string_view text() const { return trimmed(text_); }
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view wanted) const {
        std::string_view rest = tag_;
        for (;;) {
            const std::size_t equals = rest.find("=\"");
            if (equals == std::string_view::npos) return std::nullopt;
            const std::size_t end = rest.find('"', equals + 2);
            if (end == std::string_view::npos) return std::nullopt;
            std::string_view key = trimmed(rest.substr(0, equals));
            if (const std::size_t blank = key.find_last_of(" \t\n"); blank != std::string_view::npos) {
                key.remove_prefix(blank + 1);
            }
            if (key == wanted) return rest.substr(equals + 2, end - equals - 2);
            rest.remove_prefix(end + 1);
        }
    }
    [[nodiscard]] SourcePlace place() const { return {stream_->place().file, line_}; }
    [[noreturn]] void fail(const std::string& what, std::string hint = {}) const {
        throw InputError(place(), what, std::move(hint));
    }

    [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t least, std::int64_t largest) const {
        const auto value = attribute(key);
        if (!value) fail("<" + std::string(name()) + "> has no " + std::string(key));
        std::int64_t number = 0;
        const auto [at, error] = std::from_chars(value->data(), value->data() + value->size(), number);
        if (error != std::errc() || at != value->data() + value->size() || number < least || number > largest) {
            fail("the " + std::string(key) + " " + shown(*value) + " is outside " + std::to_string(least) + ".." +
                 std::to_string(largest));
        }
        return number;
    }
    /// Returns the attribute `key` as a time; 0 if the tag lacks it, or if the number cannot be a time.
    [[nodiscard]] double seconds(std::string_view key) const {
        const auto field = attribute(key);
        if (!field) return 0;
        constexpr double kMost = 1e15;
        const char* const end = field->data() + field->size();
        double value = 0;
        const auto [at, error] = std::from_chars(field->data(), end, value);
        if (error != std::errc() || at != end || !(value >= 0 && value <= kMost)) {
            fail("the " + std::string(key) + " must be a time in seconds, found " + shown(*field));
        }
        return value;
    }
    static double real(std::string_view field) {
        double value = 0;
        const auto [at, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        return error == std::errc() && value > 0 && value < 1e18 ? value : 0;
    }

  private:
    void read_until(char end, std::string& into) {
        constexpr std::size_t kLongest = std::size_t{1} << 20;
        into.clear();
        while (!stream_->at_end() && stream_->current() != end) {
            if (into.size() == kLongest) fail("a tag or text of more than 1 MiB");
            into.push_back(stream_->current());
            stream_->advance();
        }
    }

    TextStream* stream_;
    std::size_t line_ = 0;
    std::string tag_, text_;
};

enum class Direction { kNone, kSend, kReceive };

Direction direction_of(std::string_view function) {
    constexpr auto kSends =
        std::to_array<std::string_view>({"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Isend", "MPI_Issend",
                                         "MPI_Ibsend", "MPI_Irsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"});
    if (std::ranges::find(kSends, function) != kSends.end()) return Direction::kSend;
    return function == "MPI_Recv" || function == "MPI_Irecv" ? Direction::kReceive : Direction::kNone;
}

class IpmXmlReader {
  public:
    IpmXmlReader(TextStream* stream, const std::string& file) : tags_(stream), job_("ipm", file) {}

    JobLog read() {
        while (tags_.next()) read_tag();
        end_task();
        if (ranks_stated_ > 0) job_.set_rank_count(ranks_stated_);
        const bool has_matrix = peers_seen_;
        if (has_matrix) {
            job_.warn(kWithoutOrder);
            job_.warn("sizes of received messages are the sizes of the receive buffers");
        } else {
            job_.warn(
                "the report does not state the receivers of messages (IPM_LOG=full adds them) and their times, so "
                "haichi cannot compute objectives from it");
        }
        if (copies_ != 0) {
            job_.warn(std::to_string(copies_) +
                      " ranks are missing because IPM left them out as copies of others (clustering)");
        }
        return job_.finish(false);
    }

  private:
    void read_tag() {
        const std::string_view name = tags_.name();
        if (name == "task") {
            begin_task();
        } else if (name == "/task") {
            end_task();
        } else if (name == "taskcopy") {
            ++copies_;
        } else if (!in_task_) {
            return;
        } else if (name == "host") {
            rank_.host = std::string(tags_.text().substr(0, 256));
        } else if (name == "cmdline") {
            const std::string_view text = tags_.text();
            rank_.program = std::string(text.substr(0, std::min<std::size_t>(text.find(' '), 256)));
        } else if (name == "perf") {
            rank_.wall_seconds = tags_.seconds("wtime");
            rank_.mpi_seconds = tags_.seconds("mtime");
        } else if (name == "region") {
            ++depth_;
        } else if (name == "/region") {
            depth_ = std::max(depth_ - 1, 0);
        } else if (name == "func" && depth_ == 1) {
            read_function();
        } else if (name == "hent") {
            read_entry();
        }
    }

    void begin_task() {
        end_task();
        in_task_ = true;
        rank_ = {};
        depth_ = 0;
        number_ = static_cast<std::int32_t>(tags_.whole("mpi_rank", 0, kMostTracedRanks - 1));
        const std::int64_t size = tags_.whole("mpi_size", 1, kMostTracedRanks);
        if (ranks_stated_ != 0 && size != ranks_stated_) {
            tags_.fail("expected a job of " + std::to_string(ranks_stated_) + " ranks, found " + std::to_string(size));
        }
        ranks_stated_ = size;
        if (number_ >= size)
            tags_.fail("invalid rank: " + std::to_string(number_) + " (the job has " + std::to_string(size) +
                       " ranks)");
        if (job_.has_rank(number_)) tags_.fail("duplicate rank " + std::to_string(number_));
        rank_.library = "IPM " + std::string(tags_.attribute("ipm_version").value_or("").substr(0, 32));
    }
    void end_task() {
        if (!in_task_) return;
        in_task_ = false;
        add_to_job(job_, number_, rank_);
    }

    IpmFunction& function(std::string_view name) {
        std::string key(name.substr(0, 64));
        if (rank_.functions.size() >= kMostFunctions && !rank_.functions.contains(key)) key = "others";
        return rank_.functions[key];
    }

    /// Reads a function of a top-level region, whose values include nested regions. The table of functions, if it
    /// exists, already contains this information.
    void read_function() {
        if (rank_.has_hash) return;
        const auto count = static_cast<std::uint64_t>(tags_.whole("count", 0, std::int64_t{1} << 56));
        IpmFunction& f = function(tags_.attribute("name").value_or("unknown"));
        const double seconds = IpmTags::real(tags_.text());
        f.add_times(count, seconds, 0, 0);
        const bool receives = direction_of(tags_.attribute("name").value_or("")) == Direction::kReceive;
        MessageCounters& messages = receives ? f.received : f.sent;
        messages.count += count;
        messages.bytes_total += static_cast<std::uint64_t>(IpmTags::real(tags_.attribute("bytes").value_or("")));
    }

    /// The partner and the size of an entry. For entries of IPM 2, these come from the entry's key, because the
    /// attributes lack special ranks and sizes of 2 GiB and more.
    struct Resource {
        enum class Partner { kRank, kAny, kNone } partner = Partner::kNone;
        std::int64_t rank = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] Resource resource() const {
        const std::string_view key = tags_.attribute("key").value_or("");
        std::uint64_t context = 0, value = 0;
        if (key.size() == 32 && hex(key.substr(0, 16), context) && hex(key.substr(16), value)) {
            constexpr std::uint64_t kNull = 0x3FFFFFFF, kAll = kNull - 1, kAny = kNull - 2;
            if ((context & 0xF) != 0) return {};  // the context is a pointer
            const std::uint64_t rank = value & kNull;
            const auto partner = rank == kAny                    ? Resource::Partner::kAny
                                 : rank == kNull || rank == kAll ? Resource::Partner::kNone
                                                                 : Resource::Partner::kRank;
            return {partner, static_cast<std::int64_t>(rank), value >> 32};
        }
        const std::int64_t rank = tags_.whole("orank", INT32_MIN, INT32_MAX);
        return {rank < 0 ? Resource::Partner::kNone : Resource::Partner::kRank, rank,
                static_cast<std::uint64_t>(tags_.whole("bytes", 0, kLargestMessageBytes))};
    }
    static bool hex(std::string_view text, std::uint64_t& value) {
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
        return error == std::errc() && at == text.data() + text.size();
    }

    void read_entry() {
        if (!rank_.has_hash) rank_.functions.clear();
        rank_.has_hash = true;
        const auto call = tags_.attribute("call");
        if (!call) tags_.fail("<hent> has no call");
        const auto count = static_cast<std::uint64_t>(tags_.whole("count", 0, std::int64_t{1} << 40));
        const Resource r = resource();
        std::string_view times = tags_.text();
        const double total = IpmTags::real(next_field(times));
        const double min = IpmTags::real(next_field(times));
        const double max = IpmTags::real(next_field(times));
        IpmFunction& f = function(*call);
        f.add_times(count, total, min, max);
        const Direction direction = direction_of(*call);
        add_messages(direction == Direction::kReceive ? f.received : f.sent, count, r.bytes);
        if (direction == Direction::kNone || r.partner == Resource::Partner::kNone) return;
        if (r.partner == Resource::Partner::kAny) {
            rank_.lost_messages += count;
            rank_.lost_bytes += count * r.bytes;
            return;
        }
        if (r.rank >= ranks_stated_) {
            tags_.fail("invalid partner: " + std::to_string(r.rank) + " (the job has " + std::to_string(ranks_stated_) +
                       " ranks)");
        }
        peers_seen_ = true;
        PeerCounters& traffic = rank_.peers[static_cast<std::int32_t>(r.rank)];
        (direction == Direction::kSend ? traffic.sent_messages : traffic.received_messages) += count;
        (direction == Direction::kSend ? traffic.sent_bytes : traffic.received_bytes) += count * r.bytes;
    }

    IpmTags tags_;
    TracedJob job_;
    bool in_task_ = false, peers_seen_ = false;
    std::int32_t number_ = 0;
    std::int64_t ranks_stated_ = 0;
    std::uint64_t copies_ = 0;
    int depth_ = 0;  ///< nesting depth of regions
    IpmRank rank_;
};

/// Reads the printed banner, whose numbers are totals over all ranks.
class IpmBannerReader {
  public:
    IpmBannerReader(TextStream* stream, const std::string& file) : lines_(stream), job_("ipm", file) {}

    JobLog read() {
        while (lines_.next()) {
            const std::string_view line = lines_.line();
            if (!begun_) {
                begun_ = line.starts_with(kBannerBegins);
                if (begun_) all_.library = "IPM " + std::string(line.substr(6, line.find('#', 6) - 6).substr(0, 32));
            } else if (line.starts_with("###") && !all_.functions.empty()) {
                break;  // the remaining lines describe regions
            } else if (line.starts_with('#')) {
                read_line(line.substr(1));
            }
        }
        if (ranks_ == 0)
            lines_.fail("the banner has no number of ranks",
                        "check that the banner has a line such as \"# mpi_tasks : N on M nodes\"");
        return take();
    }

  private:
    void read_line(std::string_view line) {
        std::string_view rest = line;
        const std::string_view first = next_field(rest);
        if (const std::size_t at = line.find("mpi_tasks"); at != std::string_view::npos) {
            rest = line.substr(at + 9);
            (void)next_part(rest, ':');
            ranks_ = lines_.whole(next_field(rest), "number of ranks", 1, kMostSilentRanks);
        }
        if (const std::size_t at = line.rfind("wallclock :");
            at != std::string_view::npos && first != "wallclock" && wall_ == 0) {
            rest = line.substr(at + 11);
            wall_ = IpmTags::real(next_field(rest));
        }
        if (first == "wallclock" || first == "MPI" || first == "mpi") read_sum(rest, first == "wallclock");
        if (first == "command") {
            (void)next_part(rest, ':');
            all_.program = std::string(next_field(rest).substr(0, 256));
        } else if (first.starts_with("MPI_")) {
            // Each rank gets all functions, so their number is limited to keep ranks times functions, both from the
            // file, within the memory. The functions with the longest times come first in the banner.
            constexpr std::int64_t kMostProfiles = 1 << 19;
            const std::int64_t most =
                std::clamp<std::int64_t>(kMostProfiles / std::max<std::int64_t>(ranks_, 1), 1, 512);
            if (static_cast<std::int64_t>(all_.functions.size()) >= most) {
                left_out_ = true;
                return;
            }
            IpmFunction& f = all_.functions[std::string(first.substr(0, 64))];
            f.seconds_total = lines_.real(next_field(rest), "time", 1e15);
            f.calls = static_cast<std::uint64_t>(lines_.real(next_field(rest), "count", 1e15));
        }
    }

    /// Reads the total over all ranks, which precedes the mean, minimum and maximum. Rows with this name further down
    /// describe regions.
    void read_sum(std::string_view rest, bool is_wall) {
        std::string_view field = next_field(rest);
        if (field == ":") field = next_field(rest);  // present since version 2
        std::optional<double>& sum = is_wall ? wall_of_all_ : mpi_of_all_;
        if (!sum) sum = IpmTags::real(field);
    }

    JobLog take() {
        const auto n = static_cast<std::uint64_t>(ranks_);
        for (std::uint64_t r = 0; r < n; ++r) {
            IpmRank rank;
            rank.program = all_.program;
            rank.library = all_.library;
            rank.wall_seconds = wall_of_all_ ? *wall_of_all_ / static_cast<double>(n) : wall_;
            for (const auto& [name, f] : all_.functions) {
                IpmFunction& mean = rank.functions[name];
                mean.seconds_total = f.seconds_total / static_cast<double>(n);
                mean.calls = f.calls / n + (r < f.calls % n ? 1 : 0);
                rank.mpi_seconds += mean.seconds_total;
            }
            if (mpi_of_all_) rank.mpi_seconds = *mpi_of_all_ / static_cast<double>(n);
            add_to_job(job_, static_cast<std::int32_t>(r), rank);
        }
        job_.set_rank_count(ranks_);
        if (!wall_of_all_ && wall_ > 0) {
            job_.warn("the banner has only the wall-clock time of the slowest rank; haichi uses it for all ranks");
        }
        if (left_out_) job_.warn("the log has only the functions with the longest times because of its size");
        if (all_.functions.empty()) job_.warn("the banner has no functions; set IPM_REPORT=full to get them");
        job_.warn("the banner has only sums over all ranks, so every rank gets the mean");
        job_.warn(
            "the banner does not state the receivers and times of messages, so haichi cannot compute objectives from "
            "it");
        return job_.finish(false);
    }

    TraceLines lines_;
    TracedJob job_;
    bool begun_ = false, left_out_ = false;
    std::int64_t ranks_ = 0;
    double wall_ = 0;  ///< wall time in seconds of the slowest rank
    std::optional<double> wall_of_all_, mpi_of_all_;
    IpmRank all_;
};

JobLog read_ipm_stream(TextStream stream, const std::string& file) {
    if (is_ipm_xml(stream.prefix())) return IpmXmlReader(&stream, file).read();
    return IpmBannerReader(&stream, file).read();
}

}  // namespace

JobLog read_ipm(const std::string& path, ReadProgress& progress) {
    progress.expect(path);
    return read_ipm_stream(progress.open(path), path);
}

JobLog parse_ipm(std::string_view text, const std::string& file) {
    return read_ipm_stream(TextStream(text, file), file);
}

}  // namespace haichi
