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

/// A heap for each rank, of what its code allocates: when the rank has ended, it goes as a whole. A block that was
/// never touched takes no memory if it is large, its header's if it is not.
///
/// Whose memory it is that somebody asks for says the code that asks: what the program and those libraries ask for that
/// ranks have for themselves is the rank's. What libraries ask for that all ranks share (haichi; buffers of streams,
/// texts of the C library) may outlive the rank, and is the C library's affair.
///
/// A block can be freed by any rank. Not for several threads: the code of one rank runs at a time.
class RankHeaps final : public RankMemory {
  public:
    /// The code that asks for memory of ranks.
    using Code = std::span<const std::byte>;
    struct Setup {
        std::int32_t ranks = 0;
        std::vector<Code> code{};
        bool keep = false;  ///< heaps of ranks that have ended, since the others use them as well
    };
    explicit RankHeaps(Setup setup);
    ~RankHeaps() override;

    /// There is address space for them.
    [[nodiscard]] bool exist() const { return arena_.bytes() > 0; }
    [[nodiscard]] bool is_of_ranks(const void* code) const {
        for (const Code& part : setup_.code) {
            if (static_cast<std::size_t>(static_cast<const std::byte*>(code) - part.data()) < part.size()) return true;
        }
        return false;
    }
    /// The address lies in a heap.
    [[nodiscard]] bool contains(const void* address) const { return arena_.contains(address); }

    static constexpr std::size_t kAlignment = 16;
    /// Null: there is no room. `alignment`: a power of two.
    [[nodiscard]] void* allocate(RankId rank, std::size_t bytes, std::size_t alignment = kAlignment);
    [[nodiscard]] void* allocate_zeros(RankId rank, std::size_t bytes);
    /// Null: there is no room, and the block stays.
    [[nodiscard]] void* reallocate(void* block, std::size_t bytes);
    /// False: there is no block at this address, or it has been freed.
    [[nodiscard]] bool free(void* block);
    /// How long the block is; 0: there is none.
    [[nodiscard]] std::size_t bytes_of(const void* block) const;

    /// Of a rank that has ended: how much of its memory it has not freed. Else: how much it has.
    [[nodiscard]] std::int64_t unfreed_bytes(RankId rank) const { return unfreed_[rank.index()]; }

    // For Host.
    void put_in_place(RankId /*rank*/) override {}
    void has_ended(RankId rank, std::int64_t now_ps) override;

  private:
    struct Header;
    /// A block that is a part of the arena.
    struct Large {
        std::size_t bytes = 0;
        RankId rank;
        std::size_t place = 0;  ///< among those of the rank
    };
    static constexpr std::size_t kClasses = 55;
    /// What the rank has, besides large blocks: blocks of so many sizes, in chunks of memory.
    struct Heap {
        struct Chunk {
            std::byte* begin;
            std::size_t bytes;
        };
        std::array<std::byte*, kClasses> free{};  ///< blocks by size; each leads to the next
        std::byte* next = nullptr;                ///< what has not been a block yet, in the last chunk
        std::byte* end = nullptr;
        bool is_zero = false;  ///< that
        std::vector<Chunk> chunks;
        std::size_t bytes = 0;  ///< of the chunks
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
    /// Of a small block: what it begins as, before it was aligned; null: there is no block.
    [[nodiscard]] static std::byte* begin_of(const void* block);
    [[nodiscard]] bool resize_large(std::byte* block, std::size_t bytes);

    Setup setup_;
    HeapArena arena_;
    std::vector<std::unique_ptr<Heap>> heaps_;  ///< null: the rank has allocated nothing
    std::unordered_map<const void*, Large> large_;
    std::vector<std::int64_t> unfreed_;
};

}  // namespace haichi::host
