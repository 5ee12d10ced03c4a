// Reads SimGrid's time-independent traces, as smpirun -trace-ti writes them and smpi_replay reads them.
#include <algorithm>
#include <memory>

#include "base/errors.h"
#include "commlog/readers/read_progress.h"
#include "commlog/readers/tit_actions.h"
#include "commlog/readers/trace_formats.h"
#include "commlog/readers/trace_lines.h"
#include "commlog/traces/ranks_of_file.h"
#include "commlog/traces/tit_rank.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

namespace {

/// Reads one file or several, each with one rank or several.
class TitReader {
  public:
    explicit TitReader(const std::string& file) : file_(file), job_("tit", file) {}

    /// Reads a file, which open() opens for each pass. No other file has data on its ranks.
    template <class Open>
    void read(const Open& open) {
        RanksOfFile<TitRank> ranks;
        do {
            read_pass(open(), ranks);
        } while (ranks.end_pass([&](TitRank& rank) { finish(rank); }));
    }
    void set_rank_count(std::size_t ranks) { job_.set_rank_count(static_cast<std::int64_t>(ranks)); }

    JobLog take() {
        job_.warn("computing is given in flop; it is taken for the time of a processor of 1 Gflop/s");
        job_.warn("communicators are not in such traces: all ranks are taken for those of MPI_COMM_WORLD");
        if (untyped_ != 0) {
            job_.warn(
                std::to_string(untyped_) +
                " sizes are counts of datatypes the program made, whose size is not in the trace: taken for bytes");
        }
        if (guessed_null_ != 0) {
            job_.warn(std::to_string(guessed_null_) +
                      " irecv of rank -333 with a tag are taken for MPI_PROC_NULL; from MPI_ANY_SOURCE they look the "
                      "same");
        }
        if (left_open_ != 0) job_.warn(std::to_string(left_open_) + " requests are never waited for");
        return job_.finish(true);
    }

  private:
    void read_pass(TextStream stream, RanksOfFile<TitRank>& ranks) {
        TraceLines lines(&stream);
        std::int32_t last_number = -1;
        TitRank* last = nullptr;
        while (lines.next()) {
            std::string_view rest = lines.line();
            std::string_view number = next_field(rest);
            if (number.empty() || number.front() == '#') continue;
            if (number.front() == 'p' && number.size() > 1) number.remove_prefix(1);  // old traces: "p0"
            const auto rank = static_cast<std::int32_t>(lines.whole(number, "rank", 0, kMostTracedRanks - 1));
            if (rank != last_number) last = rank_of(rank, ranks);
            last_number = rank;
            if (last != nullptr) last->read(next_field(rest), rest, lines);
        }
    }
    TitRank* rank_of(std::int32_t number, RanksOfFile<TitRank>& ranks) {
        if (!ranks.contains(number)) {
            if (job_.has_rank(number)) {
                throw InputError(file_ + ": the rank " + std::to_string(number) + " is in two files");
            }
            if (ranks.count() == kMostRanksOfFile) {
                throw InputError(file_ + ": more than 2^14 ranks are in one file",
                                 "give each rank a file, and an index");
            }
        }
        return ranks.find(number, [&] { return std::make_unique<TitRank>(number, &job_); });
    }
    void finish(TitRank& rank) {
        RankLog log = rank.finish(file_);
        untyped_ += rank.untyped();
        guessed_null_ += rank.guessed_null();
        left_open_ += rank.left_open();
        job_.add_rank(std::move(log));
    }

    std::string file_;
    TracedJob job_;
    std::uint64_t untyped_ = 0, guessed_null_ = 0, left_open_ = 0;
};

JobLog read_index(const std::string& path, ReadProgress& progress) {
    TextStream stream = TextStream::open(path);
    TraceLines lines(&stream);
    std::vector<std::string> files;
    while (lines.next()) {
        const std::string_view name = trimmed(lines.line());
        if (name.empty() || name.front() == '#') continue;
        if (files.size() == static_cast<std::size_t>(kMostTracedRanks)) lines.fail("more than 2^20 files");
        // smpirun writes names relative to its working directory, which usually contains the index.
        files.push_back(progress.named_file(name, lines.place().line));
    }
    for (const std::string& file : files) progress.expect(file);
    TitReader reader(path);
    if (files.size() > 1) reader.set_rank_count(files.size());
    for (const std::string& file : files) reader.read([&] { return progress.open(file); });
    return reader.take();
}

}  // namespace

JobLog read_tit(const std::string& path, ReadProgress& progress) {
    if (is_tit_index(TextStream::open(path).prefix())) return read_index(path, progress);
    progress.expect(path);
    TitReader reader(path);
    reader.read([&] { return progress.open(path); });
    return reader.take();
}

JobLog parse_tit(std::string_view text, const std::string& file) {
    TitReader reader(file);
    reader.read([&] { return TextStream(text, file); });
    return reader.take();
}

}  // namespace haichi
