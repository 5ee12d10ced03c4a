#include "mapper/job/plugin_tag.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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

constexpr std::string_view kOwner{"haichi\0", 7};  // with the zero byte that notes count
constexpr const char* kHint = "build the library again, or copy it again";

/// Reads parts of the file. Offsets and sizes in it are never trusted.
class File {
  public:
    File(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(&path) {}

    [[nodiscard]] std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size, const char* what) const {
        const std::uint64_t found = offset < bytes_.size() ? bytes_.size() - offset : 0;
        if (offset > bytes_.size() || size > found) {
            throw InputError(SourcePlace{*path_, 0},
                             "damaged ELF file: expected " + std::to_string(size) + " bytes of " + what +
                                 " at offset " + std::to_string(offset) + ", found " + std::to_string(found),
                             kHint);
        }
        return bytes_.subspan(offset, size);
    }
    template <class T>
    [[nodiscard]] T value(std::uint64_t offset, const char* what) const {
        T value;
        std::memcpy(&value, part(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }

  private:
    std::span<const std::byte> bytes_;
    const std::string* path_;
};

std::uint64_t rounded_up(std::uint64_t size) { return (size + 3) / 4 * 4; }

/// The text of haichi's note in a segment of notes.
std::optional<std::string> tag_in(std::span<const std::byte> notes, const std::string& path) {
    const File file(notes, path);
    std::uint64_t at = 0;
    while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
        const auto note = file.value<Elf64_Nhdr>(at, "a note");
        at += sizeof(Elf64_Nhdr);
        const auto name = file.part(at, note.n_namesz, "the name of a note");
        at += rounded_up(note.n_namesz);
        const auto text = file.part(at, note.n_descsz, "a note");
        if (std::string_view(reinterpret_cast<const char*>(name.data()), name.size()) == kOwner) {
            const std::string_view tag(reinterpret_cast<const char*>(text.data()), text.size());
            return std::string(tag.substr(0, tag.find('\0')));
        }
        at = std::min<std::uint64_t>(at + rounded_up(note.n_descsz), notes.size());
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> plugin_tag(std::span<const std::byte> bytes, const std::string& path) {
    const SourcePlace place{path, 0};
    const File file(bytes, path);
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!start.starts_with(ELFMAG)) {
        throw InputError(place, "not a shared library: it has no ELF header", "name the .so file of a plug-in");
    }
    const auto identity = file.part(0, EI_NIDENT, "the header");
    if (identity[EI_CLASS] != std::byte{ELFCLASS64} || identity[EI_DATA] != std::byte{kThisOrder}) {
        throw UnsupportedError(to_string(place) + ": not a 64-bit library for this processor",
                               "build it on this computer");
    }
    const auto header = file.value<Elf64_Ehdr>(0, "the header");
    if (header.e_machine != kThisProcessor) {
        throw UnsupportedError(to_string(place) + ": built for another processor (ELF machine " +
                                   std::to_string(header.e_machine) + ", this computer has " +
                                   std::to_string(kThisProcessor) + ")",
                               "build it on this computer");
    }
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
        throw InputError(place, "not a shared library: ELF type " + std::to_string(header.e_type),
                         "link it with -shared");
    }
    std::optional<std::string> tag;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        // The sum cannot overflow, because its first term is within the file.
        static_cast<void>(file.part(header.e_phoff, sizeof(Elf64_Phdr), "a program header"));
        const auto segment = file.value<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
        if (segment.p_type == PT_LOAD) {
            // The loader maps the segment. Beyond the end of the file, its pages cannot be read.
            static_cast<void>(file.part(segment.p_offset, segment.p_filesz, "a segment"));
        }
        if (segment.p_type != PT_NOTE || tag) continue;
        tag = tag_in(file.part(segment.p_offset, segment.p_filesz, "the notes"), path);
    }
    return tag;
}

}  // namespace haichi
