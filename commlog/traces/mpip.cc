// Reads reports of mpiP version 3.
#include <algorithm>
#include <map>

#include "base/errors.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

namespace {

/// The totals of one call site in a rank, or of all call sites of a function.
struct SiteTotals {
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;
    MessageStatistics sent;
};

class MpipReader {
  public:
    explicit MpipReader(const std::string& file) : job_("mpip", file) {}

    JobLog read(TextStream stream) {
        TraceLines lines(&stream);
        while (lines.next()) {
            const std::string_view line = trimmed(lines.line());
            if (line.starts_with("@---")) {
                section_ = section_of(line);
            } else if (line.starts_with('@')) {
                read_header(line, lines);
            } else if (!line.empty() && !line.starts_with("---")) {
                read_row(line, lines);
            }
        }
        return take();
    }

  private:
    enum class Section { kOther, kMpiTime, kSiteTime, kSiteSent };

    struct Rank {
        std::string host;
        double app_seconds = 0, mpi_seconds = 0;
        std::map<std::string, SiteTotals> functions;
    };

    static Section section_of(std::string_view line) {
        if (line.starts_with("@--- MPI Time (seconds)") || line.starts_with("@--- Task Time (seconds)")) {
            return Section::kMpiTime;
        }
        if (line.starts_with("@--- Callsite Time statistics")) return Section::kSiteTime;
        if (line.starts_with("@--- Callsite Message Sent statistics")) return Section::kSiteSent;
        return Section::kOther;
    }

    std::int32_t rank_in(std::string_view field, const TraceLines& lines) {
        return static_cast<std::int32_t>(lines.whole(field, "rank", 0, kMostTracedRanks - 1));
    }

    void read_header(std::string_view line, const TraceLines& lines) {
        line.remove_prefix(1);
        std::string_view rest = line;
        const std::string_view key = trimmed(next_part(rest, ':'));
        rest = trimmed(rest);
        if (key == "Command") {
            program_ = std::string(rest.substr(0, rest.find(' ')));
        } else if (key == "Version") {
            library_ = "mpiP " + std::string(rest.substr(0, 32));
        } else if (key == "MPI Task Assignment") {
            const std::int32_t rank = rank_in(next_field(rest), lines);
            ranks_[rank].host = std::string(trimmed(rest).substr(0, 256));
        }
    }

    void read_row(std::string_view line, const TraceLines& lines) {
        std::string_view rest = line;
        const std::string_view first = next_field(rest);
        switch (section_) {
            case Section::kOther:
                return;
            case Section::kMpiTime: {
                if (first == "Task" || first == "*") return;
                Rank& rank = ranks_[rank_in(first, lines)];
                rank.app_seconds = lines.real(next_field(rest), "time", 1e12);
                rank.mpi_seconds = lines.real(next_field(rest), "time", 1e12);
                return;
            }
            case Section::kSiteTime:
            case Section::kSiteSent:
                break;
        }
        if (first == "Name") return;
        (void)lines.whole(next_field(rest), "call site", 0, INT32_MAX);
        const std::string_view task = next_field(rest);
        if (task == "*") return;
        SiteTotals& totals = function(rank_in(task, lines), first);
        const auto count = static_cast<std::uint64_t>(lines.whole(next_field(rest), "count", 0, std::int64_t{1} << 56));
        if (count == 0) return;
        const double largest = section_ == Section::kSiteTime ? 1e15 : 1e18;
        const double max = lines.real(next_field(rest), "maximum", largest);
        const double mean = lines.real(next_field(rest), "mean", largest);
        const double min = lines.real(next_field(rest), "minimum", largest);
        if (section_ == Section::kSiteTime) {
            // The report has times in milliseconds.
            totals.seconds_min = totals.calls == 0 ? min / 1e3 : std::min(totals.seconds_min, min / 1e3);
            totals.seconds_max = std::max(totals.seconds_max, max / 1e3);
            totals.seconds_total += mean / 1e3 * static_cast<double>(count);
            totals.calls += count;
        } else {
            add_sent(totals.sent, count, max, min, lines.real(next_field(rest), "sum", largest));
        }
    }

    SiteTotals& function(std::int32_t rank, std::string_view name) {
        auto& functions = ranks_[rank].functions;
        std::string key = "MPI_" + std::string(name.substr(0, 64));
        if (functions.size() >= kMostFunctions && !functions.contains(key)) key = "others";
        return functions[key];
    }

    static void add_sent(MessageStatistics& sent, std::uint64_t count, double max, double min, double sum) {
        const auto least = static_cast<std::uint64_t>(min);
        sent.bytes_min = sent.count == 0 ? least : std::min(sent.bytes_min, least);
        sent.bytes_max = std::max(sent.bytes_max, static_cast<std::uint64_t>(max));
        sent.bytes_total += static_cast<std::uint64_t>(sum);
        sent.count += count;
    }

    JobLog take() {
        for (auto& [number, rank] : ranks_) {
            RankLog log;
            log.rank = number;
            log.host = rank.host;
            log.program = program_;
            log.library = library_;
            log.profile.wall_seconds = rank.app_seconds;
            log.profile.mpi_seconds = rank.mpi_seconds;
            for (auto& [name, t] : rank.functions) {
                log.profile.functions.push_back(
                    {name, t.calls, t.seconds_total, t.seconds_min, t.seconds_max, t.sent, {}});
            }
            job_.add_rank(std::move(log));
        }
        job_.warn(
            "the report does not state the receivers and times of messages; use it to compare runs and to find "
            "expensive functions, but not for objectives");
        return job_.finish(false);
    }

    TracedJob job_;
    Section section_ = Section::kOther;
    std::string program_, library_;
    std::map<std::int32_t, Rank> ranks_;
};

}  // namespace

JobLog read_mpip(const std::string& path, ReadProgress& progress) {
    progress.expect(path);
    return MpipReader(path).read(progress.open(path));
}

JobLog parse_mpip(std::string_view text, const std::string& file) {
    return MpipReader(file).read(TextStream(text, file));
}

}  // namespace haichi
