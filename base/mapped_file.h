#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace haichi {

/// A file as memory, for readers that need only parts of it: pages that nobody reads take none.
class MappedFile {
  public:
    /// Throws InputError naming a file that cannot be read, or is no regular file.
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

  private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace haichi
