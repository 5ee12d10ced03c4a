#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "mgen/host/heap_arena.h"
#include "mgen/host/host.h"

namespace haichi::host {

/// A heap for each rank, which is released as a whole when the rank has ended. An untouched large block takes no
/// memory; an untouched small block takes the memory of its header.
///
/// The code that requests memory determines the owner. Memory requested by the program or a private library belongs to
/// the rank. Memory requested by a shared library may outlive the rank, so the C library provides it. Examples are
/// haichi itself, stream buffers, and strings of the C library.
///
/// Any rank can free a block. Not thread-safe, because only one rank runs at a time.
class RankHeaps final : public RankMemory {
  public:
    /// An address range of code whose memory requests belong to ranks.
    using Code = std::span<const std::byte>;
    struct Setup {
        std::int32_t ranks = 0;
        std::vector<Code> code{};
        bool keep = false;  ///< keep the heaps of ended ranks, because other ranks use their memory, too
    };
    explicit RankHeaps(Setup setup);
    ~RankHeaps() override;

    /// True if there is address space for the heaps.
    [[nodiscard]] bool exist() const { return arena_.bytes() > 0; }
    [[nodiscard]] bool is_of_ranks(const void* code) const {
        for (const Code& part : setup_.code) {
            if (static_cast<std::size_t>(static_cast<const std::byte*>(code) - part.data()) < part.size()) return true;
        }
        return false;
    }
    /// True if the address is in one of the heaps.
    [[nodiscard]] bool contains(const void* address) const { return arena_.contains(address); }

    static constexpr std::size_t kAlignment = 16;
    /// Returns null if there is not enough space. `alignment` must be a power of two.
    [[nodiscard]] void* allocate(RankId rank, std::size_t bytes, std::size_t alignment = kAlignment);
    [[nodiscard]] void* allocate_zeros(RankId rank, std::size_t bytes);
    /// Returns null if there is not enough space; the old block then stays valid.
    [[nodiscard]] void* reallocate(void* block, std::size_t bytes);
    /// Returns false if the address has no block, or if the block has already been freed.
    [[nodiscard]] bool free(void* block);
    /// Returns the size of the block, or 0 if the address has no block.
    [[nodiscard]] std::size_t bytes_of(const void* block) const;

    /// Bytes that the rank has allocated and not freed; for an ended rank, its leak.
    [[nodiscard]] std::int64_t unfreed_bytes(RankId rank) const { return unfreed_[rank.index()]; }

    // Called by Host.
    void put_in_place(RankId /*rank*/) override {}
    void has_ended(RankId rank, std::int64_t now_ps) override;

  private:
    struct Header;
    /// A block with its own part of the arena.
    struct Large {
        std::size_t bytes = 0;
        RankId rank;
        std::size_t place = 0;  ///< index in Heap::large
    };
    static constexpr std::size_t kClasses = 55;
    /// The memory of a rank: small blocks of kClasses sizes, in chunks, and large blocks.
    struct Heap {
        struct Chunk {
            std::byte* begin;
            std::size_t bytes;
        };
        std::array<std::byte*, kClasses> free{};  ///< free blocks by size class, as linked lists
        std::byte* next = nullptr;                ///< beginning of the unused rest of the last chunk
        std::byte* end = nullptr;
        bool is_zero = false;  ///< this rest is zero
        std::vector<Chunk> chunks;
        std::size_t bytes = 0;  ///< total size of the chunks
        std::vector<std::byte*> large;
    };
    struct Block {
        std::byte* begin = nullptr;
        bool is_zero = false;
    };

    [[nodiscard]] Heap& heap_of(RankId rank);
    [[nodiscard]] Block add_block(RankId rank, std::size_t bytes, std::size_t alignment);
    [[nodiscard]] Block add_small(RankId rank, std::size_t bytes);
    [[nodiscard]] Block add_large(RankId rank, std::size_t bytes, std::size_t alignment);
    [[nodiscard]] bool add_chunk(Heap& heap, std::size_t least_bytes);
    static void free_rest(Heap& heap);
    [[nodiscard]] const Large* large_at(const void* block) const;
    [[nodiscard]] static Header* header_of(const void* block);
    /// The beginning of a small block before alignment, or null if there is no block.
    [[nodiscard]] static std::byte* begin_of(const void* block);
    [[nodiscard]] bool resize_large(std::byte* block, std::size_t bytes);

    Setup setup_;
    HeapArena arena_;
    std::vector<std::unique_ptr<Heap>> heaps_;  ///< null if the rank has allocated nothing
    std::unordered_map<const void*, Large> large_;
    std::vector<std::int64_t> unfreed_;
};

}  // namespace haichi::host
