#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace haichi {

/// Reads values of an ELF file. Every offset and size in the file is checked. `path` is for messages.
class ElfBytes {
  public:
    ElfBytes(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(&path) {}

    /// Throws InputError, which states that the file is damaged.
    [[noreturn]] void refuse(const std::string& what) const;
    /// Reads the header. Throws InputError if the file has none, and UnsupportedError if it was built for another
    /// processor.
    [[nodiscard]] Elf64_Ehdr header() const;
    [[nodiscard]] std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size, const char* what) const;
    template <class T>
    [[nodiscard]] T at(std::uint64_t offset, const char* what) const {
        T value;
        std::memcpy(&value, part(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }
    /// Entry `index` of the table of T that begins at `offset`.
    template <class T>
    [[nodiscard]] T entry(std::uint64_t offset, std::uint64_t index, const char* what) const {
        if (index > bytes_.size() / sizeof(T) || offset > bytes_.size())
            refuse("the offset of " + std::string(what) + " is outside of the file");
        return at<T>(offset + index * sizeof(T), what);  // the sum cannot overflow
    }
    /// The text up to the next zero byte.
    [[nodiscard]] std::string text(std::uint64_t offset, const char* what) const;
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  private:
    std::span<const std::byte> bytes_;
    const std::string* path_;
};

}  // namespace haichi
