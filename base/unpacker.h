#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/input_file.h"

namespace haichi {

/// Number of first bytes that show the compression of a file, and the method of a zip archive.
inline constexpr std::size_t kRecognisedBytes = 10;

/// Hint for messages that begin with "cannot unpack the file".
inline constexpr const char* kDamagedHint = "copy the file again, or compress the original again";

/// A compressed file as it is stored.
struct StoredInput {
    std::string path;
    std::string beginning;                                   ///< at least the kRecognisedBytes, unless it is shorter
    std::function<std::size_t(char* to, std::size_t)> read;  ///< reads on from the beginning, 0 at the end
};

/// Unpacks one layer of compression while it is read. A second layer is an error.
class Unpacker {
  public:
    /// Throws InputError if the input cannot be unpacked.
    Unpacker(const StoredInput& stored, const Compression& compression);
    ~Unpacker();
    Unpacker(const Unpacker&) = delete;
    Unpacker& operator=(const Unpacker&) = delete;

    /// Returns the number of bytes, 0 at the end, or -1 for an error that message() describes.
    ssize_t read(char* to, std::size_t size);
    [[nodiscard]] const std::string& message() const { return message_; }

  private:
    class Chunks;
    class Decoder;
    class ArchiveDecoder;
    class XzDecoder;

    ssize_t fail(std::string message);

    const Compression& compression_;
    std::unique_ptr<Chunks> chunks_;
    std::unique_ptr<Decoder> decoder_;
    std::string beginning_;  ///< the first unpacked bytes
    std::uint64_t bytes_ = 0;
    bool is_at_end_ = false;
    std::string message_;
};

}  // namespace haichi
