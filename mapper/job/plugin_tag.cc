#include "mapper/job/plugin_tag.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/elf_bytes.h"
#include "base/errors.h"

namespace haichi {

namespace {

constexpr std::string_view kOwner{"haichi\0", 7};  // with the final zero byte, which ELF notes include

std::uint64_t rounded_up(std::uint64_t size) { return (size + 3) / 4 * 4; }

/// The text of haichi's note, if the segment of notes contains it.
std::optional<std::string> tag_in(std::span<const std::byte> notes, const std::string& path) {
    const ElfBytes file(notes, path);
    std::uint64_t at = 0;
    while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
        const auto note = file.at<Elf64_Nhdr>(at, "a note");
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
    const ElfBytes file(bytes, path);
    const Elf64_Ehdr header = file.header();
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
        throw InputError(SourcePlace{path, 0}, "not a shared library: ELF type " + std::to_string(header.e_type),
                         "link it with -shared");
    }
    std::optional<std::string> tag;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = file.entry<Elf64_Phdr>(header.e_phoff, i, "a program header");
        if (segment.p_type == PT_LOAD) {
            // Checks that the segment lies in the file. The loader maps the whole segment, and pages beyond the end of
            // the file cannot be read.
            static_cast<void>(file.part(segment.p_offset, segment.p_filesz, "a segment"));
        }
        if (segment.p_type != PT_NOTE || tag) continue;
        tag = tag_in(file.part(segment.p_offset, segment.p_filesz, "the notes"), path);
    }
    return tag;
}

}  // namespace haichi
