#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/opened_names.h"
#include "base/reading.h"
#include "base/text_stream.h"

namespace haichi {

/// Reports the progress of reading a long trace or workload to the log. It counts bytes, so that equal files log equal
/// lines. Short files are not reported.
class ReadProgress {
  public:
    static constexpr std::uint64_t kLeastStepBytes = std::uint64_t{16} << 20;

    /// `what` names the kind of `path`: "log" or "workload". The object must outlive the streams that it opens.
    ReadProgress(Reading reading, const std::string& what, std::string path)
        : reading_(std::move(reading)), name_(what + " " + shown(path)), path_(std::move(path)) {}
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    [[nodiscard]] const Reading& reading() const { return reading_; }
    /// Reports a file of the trace that was found beside its first file. Throws the errors of OpenedNames.
    void found_file(const std::string& file);
    /// Returns the path of a file that the trace's first file names on a line, like OpenedNames::path_of().
    [[nodiscard]] std::string named_file(std::string_view name, std::size_t line);
    /// Announces that the file will be read `times` times. Returns its size, or 0 if it is not a regular file.
    std::uint64_t expect(const std::string& file, int times = 1);
    /// Opens a file like TextStream::open() and counts its bytes.
    [[nodiscard]] TextStream open(const std::string& file);
    void add(std::uint64_t bytes);

  private:
    [[nodiscard]] const OpenedNames& names();

    Reading reading_;
    std::string name_;  ///< name of the whole in log entries
    std::string path_;
    std::optional<OpenedNames> names_;
    std::uint64_t all_bytes_ = 0;  ///< expected bytes
    std::uint64_t bytes_ = 0;
    std::uint64_t next_bytes_ = kLeastStepBytes;  ///< bytes at the next log entry
};

}  // namespace haichi
