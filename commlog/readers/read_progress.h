#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/opened_names.h"
#include "base/reading.h"
#include "base/text_stream.h"

namespace haichi {

/// Tells the log how far the reading of a long trace or workload is: by bytes, so that equal files log equal lines.
/// Says nothing of short ones.
class ReadProgress {
  public:
    static constexpr std::uint64_t kLeastStepBytes = std::uint64_t{16} << 20;

    /// `what` of `path` is read: "log", "workload". It must outlive the streams that it opens.
    ReadProgress(Reading reading, const std::string& what, std::string path)
        : reading_(std::move(reading)), name_(what + " " + shown(path)), path_(std::move(path)) {}
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    [[nodiscard]] const Reading& reading() const { return reading_; }
    /// For a file of the trace that was found beside its first one. Throws what OpenedNames does.
    void found_file(const std::string& file);
    /// The path of a file of the trace that the first one names on a line, as OpenedNames::path_of().
    [[nodiscard]] std::string named_file(std::string_view name, std::size_t line);
    /// The file will be read so many times. Returns its bytes; what is not a regular file has none that are known.
    std::uint64_t expect(const std::string& file, int times = 1);
    /// TextStream::open(), counted.
    [[nodiscard]] TextStream open(const std::string& file);
    void add(std::uint64_t bytes);

  private:
    [[nodiscard]] const OpenedNames& names();

    Reading reading_;
    std::string name_;  ///< of the whole in entries
    std::string path_;
    std::optional<OpenedNames> names_;
    std::uint64_t all_bytes_ = 0;  ///< that are expected
    std::uint64_t bytes_ = 0;
    std::uint64_t next_bytes_ = kLeastStepBytes;  ///< the next entry
};

}  // namespace haichi
