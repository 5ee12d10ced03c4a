#include "mgen/host/globals.h"

#include <getopt.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <vector>

#include "base/errors.h"
#include "mgen/host/address_space.h"
#include "mgen/host/fiber.h"
#include "mgen/host/remapped_globals.h"
#include "tests/mgen/host/host_test_library.h"

namespace haichi::host {
namespace {

int changing_variable = 5;
int zero_variable;
const int constant = 7;
thread_local int thread_variable = 9;

bool is_private(const ProgramImage& image, const void* address) {
    for (const ProgramModule& module : image.modules()) {
        for (const PrivateRange& range : module.variables) {
            const auto* const begin = range.bytes.data();
            if (address >= begin && address < begin + range.bytes.size()) return true;
        }
    }
    return false;
}

/// An address in a library shared by this program and "haichi".
const void* of_c_library() { return reinterpret_cast<const void*>(&std::puts); }

TEST(HostProgramImage, variables_are_private_and_constants_and_those_of_the_c_library_are_not) {
    const ProgramImage image = ProgramImage::of_process(of_c_library());
    changing_variable = 5;
    EXPECT_TRUE(is_private(image, &changing_variable));
    EXPECT_TRUE(is_private(image, &zero_variable));
    EXPECT_TRUE(is_private(image, &thread_variable));
    EXPECT_FALSE(is_private(image, &constant));
    EXPECT_FALSE(is_private(image, &optind));  // the linker moved it into the program
    EXPECT_FALSE(is_private(image, &stdout));
    EXPECT_FALSE(is_private(image, of_c_library()));
    ASSERT_NE(image.module_of(&changing_variable), nullptr);
    EXPECT_TRUE(image.module_of(&changing_variable)->is_program);
    EXPECT_NE(image.module_of(of_c_library())->path.find("libc.so"), std::string::npos);
    int on_stack = 0;
    EXPECT_EQ(image.module_of(&on_stack), nullptr);
}

TEST(HostProgramImage, a_library_of_the_program_begins_as_in_its_file_not_as_its_constructors_left_it) {
    EXPECT_EQ(*host_test_library_counter(), 42);  // 41 in the file, and the constructor added 1
    const ProgramImage image = ProgramImage::of_process(of_c_library());
    const ProgramModule* const library = image.module_of(host_test_library_counter());
    ASSERT_NE(library, nullptr);
    EXPECT_FALSE(library->is_program);
    ASSERT_TRUE(library->is_private);
    CopiedGlobals globals(library->variables, 2);
    globals.put_in_place(RankId(0));
    EXPECT_EQ(*host_test_library_counter(), 41);
    EXPECT_EQ(*host_test_library_pointer(), host_test_library_counter());  // relocated
    for (const auto initialise : library->initialisers) initialise(0, nullptr, nullptr);
    EXPECT_EQ(*host_test_library_counter(), 42);
    *host_test_library_counter() = 100;
    globals.put_in_place(RankId(1));
    EXPECT_EQ(*host_test_library_counter(), 41);
    for (const auto initialise : library->initialisers) initialise(0, nullptr, nullptr);
    EXPECT_EQ(*host_test_library_counter(), 42);
    globals.put_in_place(RankId(0));
    EXPECT_EQ(*host_test_library_counter(), 100);
}

TEST(HostProgramImage, what_haichi_needs_itself_is_shared) {
    const ProgramImage image = ProgramImage::of_process(reinterpret_cast<const void*>(&host_test_library_counter));
    // The address is in this program's function table or in the library itself: both are shared, or belong to the
    // program.
    const ProgramModule* const library = image.module_of(host_test_library_counter());
    ASSERT_NE(library, nullptr);
    EXPECT_FALSE(library->is_private);
}

struct Buffer {
    std::array<std::byte, 300> first{};
    std::array<std::byte, 5> second{};

    [[nodiscard]] std::vector<PrivateRange> ranges() {
        return {{first, {first.begin(), first.end()}}, {second, {second.begin(), second.end()}}};
    }
};

TEST(HostCopiedGlobals, each_rank_finds_what_it_left_and_begins_with_what_there_was) {
    constexpr std::int32_t kRanks = 50;
    Buffer buffer;
    buffer.second[2] = std::byte{77};
    CopiedGlobals globals(buffer.ranges(), kRanks);
    EXPECT_EQ(globals.bytes_per_rank(), 305U);
    std::vector<int> turns(kRanks);
    std::iota(turns.begin(), turns.end(), 0);
    for (int round = 0; round < 3; ++round) {
        for (const int rank : turns) {
            globals.put_in_place(RankId(rank));
            EXPECT_EQ(buffer.second[2], std::byte{77});
            EXPECT_EQ(buffer.first[299], static_cast<std::byte>(round == 0 ? 0 : rank + round - 1));
            buffer.first[299] = static_cast<std::byte>(rank + round);
        }
        std::ranges::reverse(turns);
    }
}

TEST(HostCopiedGlobals, a_rank_that_has_ended_is_not_kept) {
    Buffer buffer;
    CopiedGlobals globals(buffer.ranges(), 3);
    globals.put_in_place(RankId(0));
    globals.put_in_place(RankId(1));
    buffer.first[0] = std::byte{1};
    globals.has_ended(RankId(1), 0);
    globals.put_in_place(RankId(2));
    EXPECT_EQ(buffer.first[0], std::byte{0});
    buffer.first[0] = std::byte{2};
    globals.put_in_place(RankId(0));
    globals.put_in_place(RankId(2));
    EXPECT_EQ(buffer.first[0], std::byte{2});
}

/// Five whole pages, and parts of two others.
struct Memory {
    static constexpr std::size_t kPages = 7;
    std::size_t page = page_bytes();
    std::byte* begin = static_cast<std::byte*>(
        ::mmap(nullptr, kPages* page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ~Memory() { ::munmap(begin, kPages * page); }

    [[nodiscard]] std::vector<PrivateRange> ranges() {
        const std::span<std::byte> all(begin + 8, (kPages - 1) * page);
        return {{all, {all.begin(), all.end()}}};
    }
    [[nodiscard]] std::byte& at(std::size_t number_of_page, std::size_t offset = 0) {
        return begin[number_of_page * page + offset];
    }
};

TEST(HostRemappedGlobals, each_rank_finds_what_it_left_and_begins_with_what_there_was) {
    constexpr std::int32_t kRanks = 50;
    Memory memory;
    memory.at(0) = std::byte{3};
    memory.at(0, 100) = std::byte{5};
    memory.at(3, 9) = std::byte{77};
    ASSERT_TRUE(RemappedGlobals::is_possible());
    RemappedGlobals globals(memory.ranges(), kRanks, 0);
    EXPECT_EQ(globals.bytes_per_rank(), 6 * memory.page);
    std::vector<int> turns(kRanks);
    std::iota(turns.begin(), turns.end(), 0);
    for (int round = 0; round < 3; ++round) {
        for (const int rank : turns) {
            globals.put_in_place(RankId(rank));
            EXPECT_EQ(memory.at(0), std::byte{3});  // outside of the range
            EXPECT_EQ(memory.at(3, 9), std::byte{77});
            const auto before = static_cast<std::byte>(round == 0 ? 0 : rank + round - 1);
            EXPECT_EQ(memory.at(2), before);
            EXPECT_EQ(memory.at(0, 100), round == 0 ? std::byte{5} : before);
            memory.at(2) = memory.at(0, 100) = static_cast<std::byte>(rank + round);
        }
        std::ranges::reverse(turns);
    }
}

TEST(HostRemappedGlobals, a_rank_that_has_ended_is_not_kept) {
    Memory memory;
    RemappedGlobals globals(memory.ranges(), 3, 0);
    globals.put_in_place(RankId(0));
    memory.at(2) = std::byte{9};
    globals.put_in_place(RankId(1));
    memory.at(2) = std::byte{1};
    globals.has_ended(RankId(1), 0);
    globals.put_in_place(RankId(2));
    EXPECT_EQ(memory.at(2), std::byte{0});
    memory.at(2) = std::byte{2};
    globals.put_in_place(RankId(0));
    EXPECT_EQ(memory.at(2), std::byte{9});
    globals.put_in_place(RankId(2));
    EXPECT_EQ(memory.at(2), std::byte{2});
}

TEST(HostStacks, have_guard_pages_if_half_of_the_mappings_suffice) {
    EXPECT_EQ(StackArena::mappings(3), 6U);
    EXPECT_EQ(StackArena::mappings(most_mappings() / 4 + 1), 0U);
    EXPECT_EQ(StackArena::mappings_left(3) + 6, StackArena::mappings_left(most_mappings()));
}

TEST(HostRemappedGlobals, few_bytes_and_too_many_mappings_are_copied) {
    Memory memory;
    const std::vector<PrivateRange> ranges = memory.ranges();
    EXPECT_EQ(RemappedGlobals::remapped(ranges, 2, 0), 1U);
    EXPECT_EQ(RemappedGlobals::remapped(ranges, 2, 5 * memory.page), 1U);
    EXPECT_EQ(RemappedGlobals::remapped(ranges, 2, 5 * memory.page + 1), 0U);
    EXPECT_EQ(RemappedGlobals::remapped(ranges, static_cast<std::int32_t>(most_mappings()), 0), 0U);
    RemappedGlobals globals(ranges, 2, 6 * memory.page);
    globals.put_in_place(RankId(0));
    memory.at(2) = std::byte{9};
    globals.put_in_place(RankId(1));
    EXPECT_EQ(memory.at(2), std::byte{0});
    globals.put_in_place(RankId(0));
    EXPECT_EQ(memory.at(2), std::byte{9});
}

TEST(HostGlobals, ways_make_the_globals_that_a_program_needs) {
    ProgramImage image = ProgramImage::of_process(of_c_library());
    EXPECT_EQ(make_globals(image, GlobalsWay::kNone, 2), nullptr);
    const auto globals = make_globals(image, GlobalsWay::kAuto, 2);
    ASSERT_NE(globals, nullptr);
    EXPECT_EQ(globals->bytes_per_rank(), image.private_bytes());
}

}  // namespace
}  // namespace haichi::host
