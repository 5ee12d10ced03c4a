// Payload of a message: arbitrary bytes, and bytes that need no memory.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "mgen/mpi/payload.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::mpi {
namespace {

const DatatypeRef& byte_type() { return Datatype::basic(BasicType::kByte); }

Buffer bytes_of(std::vector<std::byte>& bytes) { return {bytes.data(), std::ssize(bytes), byte_type().get()}; }

std::vector<std::byte> moved(std::vector<std::byte> from, std::size_t room, std::byte before) {
    std::vector<std::byte> to(room, before);
    Payload::pack(bytes_of(from)).unpack(bytes_of(to));
    return to;
}

/// The memory written by the process in the mapping that contains the address.
std::size_t anonymous_kb(const void* address) {
    std::ifstream maps("/proc/self/smaps");
    bool is_here = false;
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0;
        unsigned long end = 0;
        std::size_t kb = 0;
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) is_here = begin <= at && at < end;
        if (is_here && std::sscanf(line.c_str(), "Anonymous: %zu kB", &kb) == 1) return kb;
    }
    return 0;
}

TEST(Payload, gives_back_what_was_packed_whatever_it_is) {
    for (const std::size_t count : {1U, 2U, 16U, 17U, 4096U, 10'000U}) {
        std::vector<std::byte> bytes(count, std::byte{7});
        EXPECT_EQ(moved(bytes, count, std::byte{1}), bytes) << count << " equal bytes";
        EXPECT_EQ(moved(bytes, count, std::byte{7}), bytes) << count << " equal bytes over the same ones";
        bytes.assign(count, std::byte{0});
        EXPECT_EQ(moved(bytes, count, std::byte{1}), bytes) << count << " zeros";
        bytes.back() = std::byte{9};
        EXPECT_EQ(moved(bytes, count, std::byte{0}), bytes) << count << " bytes of which the last one differs";
        bytes.front() = std::byte{8};
        EXPECT_EQ(moved(bytes, count, std::byte{0}), bytes) << count << " bytes of which two differ";
    }
}

TEST(Payload, fills_no_more_than_there_is_room_for_or_was_sent) {
    const std::vector<std::byte> short_one = moved(std::vector<std::byte>(5000, std::byte{3}), 100, std::byte{1});
    EXPECT_EQ(short_one, std::vector<std::byte>(100, std::byte{3}));
    std::vector<std::byte> expected(5000, std::byte{1});
    std::fill_n(expected.begin(), 4500, std::byte{3});
    EXPECT_EQ(moved(std::vector<std::byte>(4500, std::byte{3}), 5000, std::byte{1}), expected);
}

TEST(Payload, of_equal_bytes_is_taken_by_types_with_gaps) {
    // 5,000 blocks of two bytes with a stride of three.
    const DatatypeRef gaps = make_vector(5000, 2, 3, byte_type());
    std::vector<std::byte> from(10'000, std::byte{5});
    std::vector<std::byte> to(15'000, std::byte{1});
    Payload::pack(bytes_of(from)).unpack({to.data(), 1, gaps.get()});
    for (std::size_t at = 0; at + 1 < to.size(); ++at) {
        ASSERT_EQ(to[at], at % 3 == 2 ? std::byte{1} : std::byte{5}) << at;
    }
    Payload::pack({to.data(), 1, gaps.get()}).unpack(bytes_of(from));
    EXPECT_EQ(from, std::vector<std::byte>(10'000, std::byte{5}));
}

TEST(Payload, of_zeros_leaves_memory_alone_that_was_never_touched) {
    constexpr std::size_t kPages = 64;
    constexpr std::size_t kPageBytes = 4096;
    constexpr std::size_t kBytes = kPages * kPageBytes;
    void* const memory = mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(madvise(memory, 2 * kBytes, MADV_NOHUGEPAGE), 0);
    auto* const from = static_cast<std::byte*>(memory);
    std::byte* const to = from + kBytes;
    to[3 * kPageBytes] = std::byte{1};
    const auto count = static_cast<std::int64_t>(kBytes);
    Payload::pack({from, count, byte_type().get()}).unpack({to, count, byte_type().get()});
    EXPECT_EQ(to[3 * kPageBytes], std::byte{0});
    // Pages that were only read map the kernel's zero page.
    EXPECT_EQ(anonymous_kb(to), kPageBytes / 1024);
    munmap(memory, 2 * kBytes);
}

}  // namespace
}  // namespace haichi::mpi
