#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mgen/host/host.h"

namespace haichi::host {

/// The lines that ranks have written, in the order in which they go to one standard output: that of the simulated time
/// at which they were ended, then of ranks, then as a rank has written them.
class OutputLines {
  public:
    explicit OutputLines(std::int32_t ranks) : partial_(static_cast<std::size_t>(ranks)) {}

    /// What the rank has written at this time; text behind the last line end waits for the next one.
    void add(RankId rank, std::int64_t now_ps, std::string_view text);
    /// The rank writes no more: what waits is a line, too.
    void end(RankId rank, std::int64_t now_ps);
    /// Takes the lines from before this time; nothing will be added that belongs before it.
    [[nodiscard]] std::string take_before(std::int64_t time_ps);
    /// Takes all that there are, and of ranks that have not ended what waits, too.
    [[nodiscard]] std::string take_all();
    [[nodiscard]] bool empty() const { return lines_.empty(); }
    /// visit(text) for all that there is, without taking memory, and takes nothing.
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
        std::uint64_t number;  ///< as they came
        std::string text;      ///< of one or more lines

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

/// Standard output and input of the ranks. While it exists, descriptor 1 is a file in memory, and what is written there
/// while a rank runs (by printf(), write(), std::cout, a Fortran print) is the rank's. Standard input is that of rank
/// 0; the others find it at its end. At most one at a time; not for several threads.
class ProgramOutput : public RankMemory {
  public:
    /// Gets whole lines; what it throws comes out of the run.
    using Sink = std::function<void(std::string_view)>;

    /// Throws InputError when descriptor 1 cannot be replaced.
    ProgramOutput(std::int32_t ranks, Sink sink);
    /// Descriptor 1 is again what it was. What was not written is lost: flush() comes before.
    ~ProgramOutput() override;
    ProgramOutput(const ProgramOutput&) = delete;
    ProgramOutput& operator=(const ProgramOutput&) = delete;

    void put_in_place(RankId rank) override;
    void has_stopped(RankId rank, std::int64_t now_ps) override;
    void has_ended(RankId rank, std::int64_t now_ps) override;
    /// No rank will write anything that belongs before this time: what there is from before goes to the sink.
    void advance(std::int64_t time_ps);
    /// Everything goes to the sink: the run has ended.
    void flush();
    /// The real standard output.
    [[nodiscard]] int standard_output() const { return real_; }
    /// All lines, and what was written since, straight to the real standard output: for a process that is about to end
    /// by a signal.
    void write_rest() noexcept;

  private:
    /// What was written to descriptor 1 since the last time.
    std::string_view written();

    Sink sink_;
    OutputLines lines_;
    int real_ = -1;
    int memory_ = -1;
    std::FILE* input_ = nullptr;     ///< of rank 0
    std::FILE* no_input_ = nullptr;  ///< of the others
    std::string buffer_;
};

}  // namespace haichi::host
