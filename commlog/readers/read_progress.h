#pragma once

#include <cstdint>
#include <string>

#include "base/reading.h"
#include "base/text_stream.h"

namespace haichi {

/// Tells the log how far the reading of a long trace or workload is: by bytes, so that equal files log equal lines.
/// Says nothing of short ones.
class ReadProgress {
  public:
    static constexpr std::uint64_t kLeastStepBytes = std::uint64_t{16} << 20;

    /// `name` is that of the whole in entries. It must outlive the streams that it opens.
    ReadProgress(Reading reading, std::string name) : reading_(std::move(reading)), name_(std::move(name)) {}
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;

    [[nodiscard]] const Reading& reading() const { return reading_; }
    /// For a file of the trace that no user has named: it must be a regular one. Throws InputError.
    void found_file(const std::string& file) const;
    /// The file will be read so many times. Returns its bytes; what is not a regular file has none that are known.
    std::uint64_t expect(const std::string& file, int times = 1);
    /// TextStream::open(), counted.
    [[nodiscard]] TextStream open(const std::string& file);
    void add(std::uint64_t bytes);

  private:
    Reading reading_;
    std::string name_;
    std::uint64_t all_bytes_ = 0;  ///< that are expected
    std::uint64_t bytes_ = 0;
    std::uint64_t next_bytes_ = kLeastStepBytes;  ///< the next entry
};

}  // namespace haichi
