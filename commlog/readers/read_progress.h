#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/opened_names.h"
#include "base/reading.h"
#include "base/text_stream.h"

namespace haichi {

/// Logs the progress of reading a long trace or workload. Progress is measured in bytes, so that files with the same
/// contents produce the same log entries. There are no entries for short files.
class ReadProgress {
  public:
    static constexpr std::uint64_t kLeastStepBytes = std::uint64_t{16} << 20;

    /// `what` is the kind of file that `path` is: "log" or "workload". The object must outlive the streams that it
    /// opens.
    ReadProgress(Reading reading, const std::string& what, std::string path)
        : reading_(std::move(reading)), name_(what + " " + shown(path)), path_(std::move(path)) {}
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    [[nodiscard]] const Reading& reading() const { return reading_; }
    /// Reports another file of the trace, which was found in the directory of its first file. Throws the errors of
    /// OpenedNames.
    void found_file(const std::string& file);
    /// Returns the path of a file whose name is on a line of the trace's first file, like OpenedNames::path_of().
    [[nodiscard]] std::string named_file(std::string_view name, std::size_t line);
    /// Announces that the file will be read `times` times. Returns the file's size, or 0 if it is not a regular file.
    std::uint64_t expect(const std::string& file, int times = 1);
    /// Opens a file like TextStream::open(), and counts the bytes that are read.
    [[nodiscard]] TextStream open(const std::string& file);
    void add(std::uint64_t bytes);

  private:
    [[nodiscard]] const OpenedNames& names();

    Reading reading_;
    std::string name_;  ///< name of the trace or workload in log entries
    std::string path_;
    std::optional<OpenedNames> names_;
    std::uint64_t all_bytes_ = 0;  ///< total number of bytes to read
    std::uint64_t bytes_ = 0;
    std::uint64_t next_bytes_ = kLeastStepBytes;  ///< number of bytes at which the next entry is logged
};

}  // namespace haichi
