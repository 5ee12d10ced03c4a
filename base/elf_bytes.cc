#include "base/elf_bytes.h"

#include <bit>
#include <string_view>

#include "base/errors.h"

namespace haichi {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kThisProcessor = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kThisProcessor = EM_AARCH64;
#else
constexpr std::uint16_t kThisProcessor = EM_NONE;
#endif
constexpr unsigned char kThisOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
constexpr const char* kHint = "build it on this computer";

}  // namespace

void ElfBytes::refuse(const std::string& what) const {
    throw InputError(SourcePlace{*path_, 0}, "damaged ELF file: " + what, "build the file again, or copy it again");
}

std::span<const std::byte> ElfBytes::part(std::uint64_t offset, std::uint64_t size, const char* what) const {
    const std::uint64_t found = offset < bytes_.size() ? bytes_.size() - offset : 0;
    if (offset > bytes_.size() || size > found) {
        refuse("expected " + std::to_string(size) + " bytes of " + what + " at offset " + std::to_string(offset) +
               ", found " + std::to_string(found));
    }
    return bytes_.subspan(offset, size);
}

std::string ElfBytes::text(std::uint64_t offset, const char* what) const {
    if (offset >= bytes_.size()) refuse("the offset of " + std::string(what) + " is outside of the file");
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + offset, bytes_.size() - offset);
    const std::size_t size = rest.find('\0');
    if (size == std::string_view::npos) refuse(std::string(what) + " has no end");
    return std::string(rest.substr(0, size));
}

Elf64_Ehdr ElfBytes::header() const {
    const std::string_view start(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    if (!start.starts_with(ELFMAG)) {
        throw InputError(SourcePlace{*path_, 0}, "not a program or library: no ELF header",
                         "name a compiled program, or the .so file of a plug-in");
    }
    const auto identity = part(0, EI_NIDENT, "the header");
    if (identity[EI_CLASS] != std::byte{ELFCLASS64} || identity[EI_DATA] != std::byte{kThisOrder})
        throw UnsupportedError(*path_ + ": not a 64-bit file for this processor", kHint);
    const auto header = at<Elf64_Ehdr>(0, "the header");
    if (header.e_machine != kThisProcessor) {
        throw UnsupportedError(*path_ + ": built for another processor (ELF machine " +
                                   std::to_string(header.e_machine) + ", this computer has " +
                                   std::to_string(kThisProcessor) + ")",
                               kHint);
    }
    return header;
}

}  // namespace haichi
