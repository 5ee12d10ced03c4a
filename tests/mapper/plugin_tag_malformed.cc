#include "mapper/job/plugin_tag.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/mapped_file.h"
#include "base/random.h"

namespace haichi {
namespace {

using Bytes = std::vector<std::byte>;

/// The plug-in of examples/.
Bytes library() {
    const MappedFile file(HAICHI_TEST_PLUGIN);
    return {file.bytes().begin(), file.bytes().end()};
}

template <class T>
T& at(Bytes& bytes, std::size_t offset) {
    return *reinterpret_cast<T*>(bytes.data() + offset);
}
Elf64_Ehdr& header(Bytes& bytes) { return at<Elf64_Ehdr>(bytes, 0); }
/// The first program header of notes.
Elf64_Phdr& notes(Bytes& bytes) {
    for (std::size_t i = 0; i < header(bytes).e_phnum; ++i) {
        auto& segment = at<Elf64_Phdr>(bytes, header(bytes).e_phoff + i * sizeof(Elf64_Phdr));
        if (segment.p_type == PT_NOTE) return segment;
    }
    throw InternalError("the plug-in has no notes");
}

/// Returns the error message of plugin_tag().
std::string refusal(const Bytes& bytes) {
    try {
        const auto tag = plugin_tag(bytes, "lib.so");
        return "not refused: " + tag.value_or("no tag");
    } catch (const Error& error) {
        EXPECT_FALSE(error.hint().empty());
        EXPECT_TRUE(std::string(error.what()).starts_with("lib.so: ")) << error.what();
        return error.what();
    }
}

TEST(PluginTag, the_tag_of_a_plug_in_is_read_from_its_file) {
    EXPECT_TRUE(plugin_tag(library(), "lib.so").value().starts_with("haichi-plugin/4 "));
    Bytes other = library();
    notes(other).p_type = PT_NULL;
    EXPECT_EQ(plugin_tag(other, "lib.so"), std::nullopt);
}

TEST(PluginTag, other_files_are_refused_by_name) {
    EXPECT_EQ(refusal({}), "lib.so: not a program or library: no ELF header");
    EXPECT_EQ(refusal(Bytes(100, std::byte{'#'})), "lib.so: not a program or library: no ELF header");
    Bytes narrow = library();
    narrow[EI_CLASS] = std::byte{ELFCLASS32};
    EXPECT_EQ(refusal(narrow), "lib.so: not a 64-bit file for this processor");
    Bytes swapped = library();
    swapped[EI_DATA] = std::byte{ELFDATA2MSB};
    EXPECT_EQ(refusal(swapped), "lib.so: not a 64-bit file for this processor");
    Bytes foreign = library();
    header(foreign).e_machine = EM_S390;
    EXPECT_NE(refusal(foreign).find("built for another processor (ELF machine 22"), std::string::npos);
    Bytes object = library();
    header(object).e_type = ET_REL;
    EXPECT_EQ(refusal(object), "lib.so: not a shared library: ELF type 1");
}

TEST(PluginTag, offsets_and_sizes_outside_of_the_file_are_refused) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint64_t value : {kMost, kMost - 7, kMost / 2, std::uint64_t{1} << 40}) {
        Bytes headers = library();
        header(headers).e_phoff = value;
        EXPECT_NE(refusal(headers).find("damaged ELF file"), std::string::npos);
        Bytes offset = library();
        notes(offset).p_offset = value;
        EXPECT_NE(refusal(offset).find("damaged ELF file"), std::string::npos);
        Bytes size = library();
        notes(size).p_filesz = value;
        EXPECT_NE(refusal(size).find("damaged ELF file"), std::string::npos);
    }
    for (const std::size_t member : {offsetof(Elf64_Nhdr, n_namesz), offsetof(Elf64_Nhdr, n_descsz)}) {
        Bytes note = library();
        at<std::uint32_t>(note, notes(note).p_offset + member) = 0xfffffffd;
        EXPECT_NE(refusal(note).find("damaged ELF file"), std::string::npos);
    }
}

TEST(PluginTag, an_incomplete_copy_is_refused) {
    Bytes bytes = library();
    for (std::size_t i = 0; i < header(bytes).e_phnum; ++i) {
        auto& segment = at<Elf64_Phdr>(bytes, header(bytes).e_phoff + i * sizeof(Elf64_Phdr));
        if (segment.p_type == PT_LOAD) segment.p_filesz = bytes.size() - segment.p_offset + 1;
    }
    EXPECT_NE(refusal(bytes).find("bytes of a segment"), std::string::npos);
}

TEST(PluginTag, every_shorter_file_and_random_damage_end_in_a_tag_or_an_error) {
    const Bytes whole = library();
    for (std::size_t size = 0; size < 2048; ++size) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        try {
            (void)plugin_tag(cut, "lib.so");
        } catch (const Error&) {
        }
    }
    Random random(1, 1);
    for (int round = 0; round < 5'000; ++round) {
        Bytes damaged(whole.begin(), whole.begin() + 2048);
        for (std::uint32_t k = random.below(8) + 1; k > 0; --k) {
            damaged[random.below(2048)] = static_cast<std::byte>(random.below(256));
        }
        try {
            (void)plugin_tag(damaged, "lib.so");
        } catch (const Error&) {
        }
    }
}

}  // namespace
}  // namespace haichi
