#include "mgen/host/rank_heaps.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "mgen/host/address_space.h"

namespace haichi::host {
namespace {

constexpr RankId kFirst{0};
constexpr RankId kSecond{1};

RankHeaps heaps_of(std::int32_t ranks, bool keep = false) { return RankHeaps({.ranks = ranks, .keep = keep}); }

/// The resident memory of the process.
std::size_t resident_bytes() {
    std::size_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*s %zu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * page_bytes();
}

TEST(HeapArena, the_smallest_part_that_fits_is_taken_and_neighbours_become_one) {
    HeapArena arena(std::size_t{1} << 30);
    const std::size_t page = page_bytes();
    std::byte* const first = arena.take(4 * page).begin;
    std::byte* const second = arena.take(2 * page).begin;
    std::byte* const third = arena.take(page).begin;
    EXPECT_EQ(second, first + 4 * page);
    EXPECT_EQ(third, second + 2 * page);
    arena.give_back(first, 4 * page);
    EXPECT_EQ(arena.take(3 * page).begin, first);
    arena.give_back(first, 3 * page);
    arena.give_back(second, 2 * page);
    EXPECT_EQ(arena.take(6 * page).begin, first);
}

TEST(HeapArena, what_was_given_back_is_not_zero_until_the_kernel_has_taken_it) {
    HeapArena arena(std::size_t{1} << 30);
    const std::size_t bytes = HeapArena::kMostKeptBytes / 2;
    const HeapArena::Part part = arena.take(bytes);
    const HeapArena::Part last = arena.take(2 * bytes);
    EXPECT_TRUE(part.is_zero);
    part.begin[5] = std::byte{1};
    arena.give_back(part.begin, bytes);
    EXPECT_FALSE(arena.take(bytes).is_zero);
    arena.give_back(part.begin, bytes);
    arena.give_back(last.begin, 2 * bytes);
    const HeapArena::Part again = arena.take(bytes);
    EXPECT_TRUE(again.is_zero);
    EXPECT_EQ(again.begin[5], std::byte{0});
}

TEST(HeapArena, parts_are_aligned_and_extended_where_there_is_room) {
    HeapArena arena(std::size_t{1} << 30);
    const std::size_t page = page_bytes();
    (void)arena.take(page);
    std::byte* const aligned = arena.take(page, std::size_t{1} << 21).begin;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % (std::size_t{1} << 21), 0U);
    EXPECT_TRUE(arena.extend(aligned, page, page));
    std::byte* const behind = arena.take(page * 600).begin;  // more than fits before it
    EXPECT_EQ(behind, aligned + 2 * page);
    EXPECT_FALSE(arena.extend(aligned, 2 * page, page));
}

/// Blocks of any size keep their content when others are freed and resized in any order.
TEST(RankHeaps, blocks_never_overlap) {
    RankHeaps heaps = heaps_of(2);
    ASSERT_TRUE(heaps.exist());
    struct Block {
        std::size_t bytes;
        unsigned char mark;
        RankId rank;
    };
    std::map<unsigned char*, Block> blocks;
    std::mt19937 random(7);
    const auto holds = [](const unsigned char* at, const Block& block) {
        for (std::size_t i = 0; i < block.bytes; ++i) {
            if (at[i] != block.mark) return false;
        }
        return true;
    };
    for (int step = 0; step < 20000; ++step) {
        const auto mark = static_cast<unsigned char>(random() % 255 + 1);
        std::size_t bytes = random() % (std::size_t{1} << random() % 17);
        const std::size_t alignment = random() % 8 == 0 ? std::size_t{1} << (4 + random() % 10) : 16;
        const RankId rank = random() % 2 == 0 ? kFirst : kSecond;
        if (blocks.size() < 300 && random() % 3 != 0) {
            const bool zeros = random() % 4 == 0;
            auto* const at = static_cast<unsigned char*>(zeros ? heaps.allocate_zeros(rank, bytes)
                                                               : heaps.allocate(rank, bytes, alignment));
            ASSERT_NE(at, nullptr);
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % (zeros ? 16 : alignment), 0U);
            ASSERT_GE(heaps.bytes_of(at), bytes);
            if (zeros) {
                ASSERT_TRUE(holds(at, {bytes, 0, rank}));
            }
            std::memset(at, mark, bytes);
            blocks[at] = {bytes, mark, rank};
        } else if (!blocks.empty()) {
            auto chosen = std::next(blocks.begin(), static_cast<std::ptrdiff_t>(random() % blocks.size()));
            auto [at, block] = *chosen;
            ASSERT_TRUE(holds(at, block));
            blocks.erase(chosen);
            if (random() % 3 != 0) {
                ASSERT_TRUE(heaps.free(at));
                continue;
            }
            auto* const moved = static_cast<unsigned char*>(heaps.reallocate(at, bytes));
            ASSERT_NE(moved, nullptr);
            ASSERT_TRUE(holds(moved, {std::min(bytes, block.bytes), block.mark, rank}));
            std::memset(moved, mark, bytes);
            blocks[moved] = {bytes, mark, block.rank};
        }
    }
    for (const auto& [at, block] : blocks) {
        EXPECT_TRUE(holds(at, block));
        EXPECT_TRUE(heaps.free(at));
    }
    EXPECT_EQ(heaps.unfreed_bytes(kFirst), 0);
    EXPECT_EQ(heaps.unfreed_bytes(kSecond), 0);
}

TEST(RankHeaps, what_is_no_block_cannot_be_freed) {
    RankHeaps heaps = heaps_of(1);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{100000}}) {
        auto* const block = static_cast<std::byte*>(heaps.allocate(kFirst, bytes));
        EXPECT_TRUE(heaps.contains(block));
        EXPECT_FALSE(heaps.free(block + 16));
        EXPECT_TRUE(heaps.free(block));
        EXPECT_FALSE(heaps.free(block));
        EXPECT_EQ(heaps.bytes_of(block), 0U);
    }
    void* const aligned = heaps.allocate(kFirst, 100, 1024);
    EXPECT_TRUE(heaps.free(aligned));
    EXPECT_FALSE(heaps.free(aligned));
    int elsewhere = 0;
    EXPECT_FALSE(heaps.contains(&elsewhere));
}

TEST(RankHeaps, the_heap_of_a_rank_goes_with_it_and_that_of_others_stays) {
    RankHeaps heaps = heaps_of(2);
    void* const small = heaps.allocate(kFirst, 100);
    void* const large = heaps.allocate(kFirst, 100000);
    auto* const other = static_cast<char*>(heaps.allocate(kSecond, 100));
    std::strcpy(other, "stays");
    EXPECT_GE(heaps.unfreed_bytes(kFirst), 100100);
    heaps.has_ended(kFirst, 0);
    EXPECT_EQ(heaps.bytes_of(large), 0U);
    // The next rank gets the memory of the ended rank.
    EXPECT_EQ(heaps.allocate(kSecond, 100000), large);
    EXPECT_STREQ(other, "stays");
    EXPECT_TRUE(heaps.free(other));
    EXPECT_GE(heaps.unfreed_bytes(kFirst), 100100);
    (void)small;

    RankHeaps kept = heaps_of(1, true);
    void* const block = kept.allocate(kFirst, 10);
    kept.has_ended(kFirst, 0);
    EXPECT_GE(kept.bytes_of(block), 10U);
}

TEST(RankHeaps, memory_that_is_not_touched_or_whose_rank_has_ended_takes_none) {
    constexpr std::int32_t kRanks = 2000;
    constexpr std::size_t kBytes = 1 << 20;
    RankHeaps heaps = heaps_of(kRanks);
    const std::size_t before = resident_bytes();
    for (std::int32_t r = 0; r < kRanks; ++r) (void)heaps.allocate_zeros(RankId(r), kBytes);
    EXPECT_LT(resident_bytes() - before, std::size_t{16} << 20);
    for (std::int32_t r = 0; r < kRanks; ++r) {
        std::memset(heaps.allocate(RankId(r), kBytes), 1, kBytes);
        heaps.has_ended(RankId(r), 0);
    }
    EXPECT_LT(resident_bytes() - before, HeapArena::kMostKeptBytes + (std::size_t{32} << 20));
}

TEST(RankHeaps, small_blocks_of_many_ranks_share_pages) {
    constexpr std::int32_t kRanks = 20000;
    RankHeaps heaps = heaps_of(kRanks);
    const std::size_t before = resident_bytes();
    for (std::int32_t r = 0; r < kRanks; ++r) std::memset(heaps.allocate(RankId(r), 200), 1, 200);
    EXPECT_LT(resident_bytes() - before, kRanks * std::size_t{2048});
}

TEST(RankHeaps, code_says_whose_memory_it_asks_for) {
    const std::vector<std::byte> program(100);
    const RankHeaps heaps({.ranks = 1, .code = {RankHeaps::Code(program)}});
    EXPECT_TRUE(heaps.is_of_ranks(program.data()));
    EXPECT_TRUE(heaps.is_of_ranks(program.data() + 99));
    EXPECT_FALSE(heaps.is_of_ranks(program.data() + 100));
}

}  // namespace
}  // namespace haichi::host
