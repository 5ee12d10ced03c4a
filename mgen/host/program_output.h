#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "mgen/host/host.h"
#include "mgen/host/rank_descriptors.h"

namespace haichi::host {

/// The output lines of all ranks, in the order in which they go to the one standard output. Lines are ordered by the
/// simulated time at which they ended, then by rank, then as the rank wrote them.
class OutputLines {
  public:
    explicit OutputLines(std::int32_t ranks) : partial_(static_cast<std::size_t>(ranks)) {}

    /// Adds text that the rank has written by this time. Text after the last line end is kept until the next line end.
    void add(RankId rank, std::int64_t now_ps, std::string_view text);
    /// Ends the output of the rank. The text of an unfinished line becomes a line.
    void end(RankId rank, std::int64_t now_ps);
    /// Returns and removes the lines from before this time. No earlier text may be added afterwards.
    [[nodiscard]] std::string take_before(std::int64_t time_ps);
    /// Returns and removes all lines, and the unfinished lines of ranks that have not ended.
    [[nodiscard]] std::string take_all();
    [[nodiscard]] bool empty() const { return lines_.empty(); }
    /// Calls visit(text) for all text, and neither removes the text nor allocates memory.
    template <class Visit>
    void for_each(const Visit& visit) noexcept {
        sort();
        for (const Line& line : lines_) visit(std::string_view(line.text));
        for (const std::string& partial : partial_) {
            if (partial.empty()) continue;
            visit(std::string_view(partial));
            visit(std::string_view("\n"));
        }
    }

  private:
    struct Line {
        std::int64_t time_ps;
        RankId rank;
        std::uint64_t number;  ///< number in the order of arrival
        std::string text;      ///< one or more lines

        [[nodiscard]] bool operator<(const Line& other) const {
            return std::tie(time_ps, rank, number) < std::tie(other.time_ps, other.rank, other.number);
        }
    };
    std::string take(std::vector<Line>::iterator end);
    void sort() noexcept;

    std::vector<std::string> partial_;  ///< by rank
    std::vector<Line> lines_;
    bool is_sorted_ = true;
    std::uint64_t number_ = 0;
};

/// The standard output and input of the ranks. While this object exists, descriptor 1 is an in-memory file. All text
/// written there while a rank runs (by printf(), write(), std::cout, a Fortran print) belongs to the rank. Standard
/// input belongs to rank 0; the other ranks read an empty file. A rank can replace its standard descriptors and streams
/// without an effect on other ranks. Only one object may exist at a time. Not thread-safe.
class ProgramOutput : public RankMemory {
  public:
    /// Receives whole lines of output. Its exceptions end the run and reach the caller.
    using Sink = std::function<void(std::string_view)>;

    /// Throws InputError when descriptor 1 cannot be replaced.
    ProgramOutput(std::int32_t ranks, Sink sink);
    /// Restores descriptor 1. Call flush() first, because unwritten text is lost.
    ~ProgramOutput() override;
    ProgramOutput(const ProgramOutput&) = delete;
    ProgramOutput& operator=(const ProgramOutput&) = delete;

    void put_in_place(RankId rank) override;
    void will_run(RankId rank) override { descriptors_->enter(rank); }
    void has_stopped(RankId rank, std::int64_t now_ps) override;
    void has_ended(RankId rank, std::int64_t now_ps) override;
    /// Sends the lines from before this time to the sink, because no rank will write anything earlier.
    void advance(std::int64_t time_ps);
    /// Sends everything to the sink at the end of the run.
    void flush();
    /// Records that the running rank has replaced or closed one of the descriptors 0 to 2. Text that the rank wrote
    /// before still goes to standard output.
    void has_replaced(RankId rank, int descriptor);
    /// Makes `file` the standard input of the running rank.
    void replace_input(RankId rank, std::FILE* file);
    /// True if the rank has replaced this standard descriptor.
    [[nodiscard]] bool owns(RankId rank, int descriptor) const { return descriptors_->owns(rank, descriptor); }
    /// haichi's standard error, even if a rank has replaced its own.
    [[nodiscard]] int standard_error() const { return descriptors_->shared(STDERR_FILENO); }
    /// The real standard output.
    [[nodiscard]] int standard_output() const { return real_; }
    /// Writes all lines, and text that was written since, directly to the real standard output. It is for a process
    /// that is about to end by a signal. Afterwards, standard error is haichi's.
    void write_rest() noexcept;

  private:
    /// The text that the rank has written to descriptor 1 since the last call.
    std::string_view written(RankId rank);

    Sink sink_;
    OutputLines lines_;
    int real_ = -1;
    int memory_ = -1;
    std::optional<RankDescriptors> descriptors_;
    std::unordered_map<std::int32_t, std::FILE*> own_input_;  ///< by rank
    std::FILE* input_ = nullptr;                              ///< standard input of rank 0
    std::FILE* no_input_ = nullptr;                           ///< standard input of the other ranks
    std::string buffer_;
};

}  // namespace haichi::host
