#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commlog/readers/trace_lines.h"

namespace haichi {

/// The fields of an MPI_Status in a DUMPI trace.
struct DumpiStatus {
    std::int64_t bytes = 0, cancelled = 0, source = 0, tag = 0;
};

/// One call as printed by dumpi2ascii: "MPI_Send entering at walltime ...", one line for each argument, and "MPI_Send
/// returning ...". Times are in nanoseconds.
class DumpiCall {
  public:
    /// Reads the next call, and skips any other text. Returns false at the end of the text. Throws InputError for a
    /// malformed call.
    [[nodiscard]] bool read(TraceLines& lines);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint64_t entered() const { return entered_; }
    [[nodiscard]] std::uint64_t returned() const { return returned_; }

    [[nodiscard]] bool has(std::string_view argument) const { return find(argument) != nullptr; }
    /// Returns the number of an argument: 5 for "int count=5" and for "5 (MPI_INT)". Throws InputError if the argument
    /// or its number is missing.
    [[nodiscard]] std::int64_t whole(std::string_view argument, std::int64_t least = INT32_MIN,
                                     std::int64_t largest = INT32_MAX) const;
    /// Returns the numbers of an argument such as "[1, 2]". The result is empty for "<IGNORED>" and for a missing
    /// argument.
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
