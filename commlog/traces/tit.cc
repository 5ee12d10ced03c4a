// Reads SimGrid's time-independent traces, which smpirun -trace-ti writes and smpi_replay reads.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

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

/// Reads a trace that consists of one or more files, each with one or more ranks.
class TitReader {
  public:
    explicit TitReader(const std::string& file) : file_(file), job_("tit", file) {}

    /// Reads a file that has all ranks. Only some actions depend on the number of ranks. For the first of them, the
    /// file is read from `open_to_count` as well.
    template <class Open>
    void read_all(const Open& open, std::function<TextStream()> open_to_count) {
        open_to_count_ = std::move(open_to_count);
        read(open);
    }
    /// Reads a file; open() opens it for each pass. No other file contains data of the same ranks, so these are
    /// complete after this call.
    template <class Open>
    void read(const Open& open) {
        RanksOfFile<TitRank> ranks;
        do {
            read_pass(open(), ranks);
        } while (ranks.end_pass([&](TitRank& rank) { finish(rank); }));
    }
    void set_rank_count(std::size_t ranks) {
        ranks_ = ranks;
        job_.set_rank_count(static_cast<std::int64_t>(ranks));
    }

    JobLog take() {
        job_.warn("the trace gives computation in flop; haichi assumes 1 Gflop/s per rank");
        job_.warn("the trace has no communicators; haichi treats all ranks as ranks in MPI_COMM_WORLD");
        if (untyped_ != 0) {
            job_.warn(std::to_string(untyped_) +
                      " sizes are counts of derived datatypes whose size is not in the trace; haichi uses the counts "
                      "as bytes");
        }
        if (guessed_null_ != 0) {
            job_.warn(std::to_string(guessed_null_) +
                      " irecv from rank -333 with a tag are taken as receives from MPI_PROC_NULL, but receives from "
                      "MPI_ANY_SOURCE look the same");
        }
        if (left_open_ != 0) job_.warn(std::to_string(left_open_) + " requests have no MPI_Wait");
        return job_.finish(true);
    }

  private:
    /// Returns the rank at the beginning of a line; -1 if the line has no action.
    static std::int32_t rank_in(std::string_view& rest, const TraceLines& lines) {
        std::string_view number = next_field(rest);
        if (number.empty() || number.front() == '#') return -1;
        if (number.front() == 'p' && number.size() > 1) number.remove_prefix(1);  // old traces write "p0" for rank 0
        return static_cast<std::int32_t>(lines.whole(number, "rank", 0, kMostTracedRanks - 1));
    }
    std::size_t rank_count() {
        if (ranks_ == 0) ranks_ = ranks_in(open_to_count_());
        return ranks_;
    }
    /// Returns the number of ranks of a file that has all of them.
    static std::size_t ranks_in(TextStream stream) {
        TraceLines lines(&stream);
        std::int32_t highest = -1;
        while (lines.next()) {
            std::string_view rest = lines.line();
            highest = std::max(highest, rank_in(rest, lines));
        }
        return static_cast<std::size_t>(highest + 1);
    }
    void read_pass(TextStream stream, RanksOfFile<TitRank>& ranks) {
        TraceLines lines(&stream);
        std::int32_t last_number = -1;
        TitRank* last = nullptr;
        while (lines.next()) {
            std::string_view rest = lines.line();
            const std::int32_t rank = rank_in(rest, lines);
            if (rank < 0) continue;
            if (rank != last_number) last = rank_of(rank, ranks);
            last_number = rank;
            if (last != nullptr) last->read(next_field(rest), rest, lines);
        }
    }
    TitRank* rank_of(std::int32_t number, RanksOfFile<TitRank>& ranks) {
        if (!ranks.contains(number)) {
            if (job_.has_rank(number)) {
                throw InputError(file_ + ": rank " + std::to_string(number) + " is in two files");
            }
            if (ranks.count() == kMostRanksOfFile) {
                throw InputError(file_ + ": more than 2^14 ranks in one file",
                                 "write one file for each rank, and an index");
            }
        }
        return ranks.find(number, [&] {
            return std::make_unique<TitRank>(
                number, [this] { return rank_count(); }, &job_);
        });
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
    std::size_t ranks_ = 0;  ///< number in the whole trace; 0 means that it is not known yet
    std::function<TextStream()> open_to_count_;
    std::uint64_t untyped_ = 0, guessed_null_ = 0, left_open_ = 0;
};

/// Reads a trace from `file`, which has all ranks.
JobLog read_whole(const std::string& path, const std::string& file, ReadProgress& progress) {
    progress.expect(file);
    TitReader reader(path);
    reader.read_all([&] { return progress.open(file); },
                    [&] {
                        progress.expect(file);
                        return progress.open(file);
                    });
    return reader.take();
}

JobLog read_index(const std::string& path, ReadProgress& progress) {
    TextStream stream = TextStream::open(path);
    TraceLines lines(&stream);
    std::vector<std::string> files;
    while (lines.next()) {
        const std::string_view name = trimmed(lines.line());
        if (name.empty() || name.front() == '#') continue;
        if (files.size() == static_cast<std::size_t>(kMostTracedRanks)) lines.fail("more than 2^20 files");
        // smpirun writes file names relative to its working directory, which usually contains the index, too.
        files.push_back(progress.named_file(name, lines.place().line));
    }
    if (files.size() == 1) return read_whole(path, files.front(), progress);
    for (const std::string& file : files) progress.expect(file);
    TitReader reader(path);
    reader.set_rank_count(files.size());
    for (const std::string& file : files) reader.read([&] { return progress.open(file); });
    return reader.take();
}

}  // namespace

JobLog read_tit(const std::string& path, ReadProgress& progress) {
    if (is_tit_index(TextStream::open(path).prefix())) return read_index(path, progress);
    return read_whole(path, path, progress);
}

JobLog parse_tit(std::string_view text, const std::string& file) {
    const auto open = [&] { return TextStream(text, file); };
    TitReader reader(file);
    reader.read_all(open, open);
    return reader.take();
}

}  // namespace haichi
