#pragma once

#include <cstdint>
#include <string>

#include "base/log.h"
#include "base/text_stream.h"

namespace haichi {

/// Tells the log how far the reading of a long trace or workload is: by bytes, so that equal files log equal lines.
/// Says nothing of short ones.
class ReadProgress {
  public:
    static constexpr std::uint64_t kLeastStepBytes = std::uint64_t{16} << 20;

    /// `name` is that of the whole in entries. It must outlive the streams that it opens.
    ReadProgress(const Log& log, std::string name) : log_(log), name_(std::move(name)) {}
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    /// The file will be read so many times. Returns its bytes; what is not a regular file has none that are known.
    std::uint64_t expect(const std::string& file, int times = 1);
    /// TextStream::open(), counted.
    [[nodiscard]] TextStream open(const std::string& file);
    void add(std::uint64_t bytes);

  private:
    Log log_;
    std::string name_;
    std::uint64_t all_bytes_ = 0;  ///< that are expected
    std::uint64_t bytes_ = 0;
    std::uint64_t next_bytes_ = kLeastStepBytes;  ///< the next entry
};

}  // namespace haichi
