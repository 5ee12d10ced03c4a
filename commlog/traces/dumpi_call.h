#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commlog/readers/trace_lines.h"

namespace haichi {

/// What DUMPI has of MPI_Status.
struct DumpiStatus {
    std::int64_t bytes = 0, cancelled = 0, source = 0, tag = 0;
};

/// One call in the text of dumpi2ascii: "MPI_Send entering at walltime ...", a line per argument, "MPI_Send returning
/// ...". Times are nanoseconds.
class DumpiCall {
  public:
    /// Reads the next call, past what is none; false at the end. Throws InputError.
    [[nodiscard]] bool read(TraceLines& lines);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint64_t entered() const { return entered_; }
    [[nodiscard]] std::uint64_t returned() const { return returned_; }

    [[nodiscard]] bool has(std::string_view argument) const { return find(argument) != nullptr; }
    /// "5" of "int count=5" and "5 (MPI_INT)". Throws InputError when there is no such argument or no such number.
    [[nodiscard]] std::int64_t whole(std::string_view argument, std::int64_t least = INT32_MIN,
                                     std::int64_t largest = INT32_MAX) const;
    /// "[1, 2]"; empty for "<IGNORED>", and for an argument that is not there.
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view argument) const;
    [[nodiscard]] std::vector<DumpiStatus> statuses(std::string_view argument) const;
    [[noreturn]] void fail(const std::string& what) const { lines_->fail(name_ + ": " + what); }

  private:
    [[nodiscard]] const std::string* find(std::string_view argument) const;
    std::uint64_t time_in(std::string_view line) const;

    const TraceLines* lines_ = nullptr;
    std::string name_;
    std::uint64_t entered_ = 0, returned_ = 0;
    std::vector<std::pair<std::string, std::string>> arguments_;
};

}  // namespace haichi
