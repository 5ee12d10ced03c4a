#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace haichi {

/// A file that is mapped into memory, for readers that need only parts of it. Pages that are not read take no memory.
class MappedFile {
  public:
    /// Throws InputError naming the file if it is unreadable or not a regular file.
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
