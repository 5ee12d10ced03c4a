#include "mgen/host/rank_heaps.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "mgen/host/address_space.h"

namespace haichi::host {

namespace {

constexpr std::size_t kMostArenaBytes = std::size_t{16} << 40;
/// Blocks of at least this size get a part of the arena for themselves.
constexpr std::size_t kLeastLargeBytes = 8 << 10;
/// Blocks of at least this size get whole pages.
constexpr std::size_t kLeastPagesBytes = 64 << 10;
constexpr std::size_t kMostChunkBytes = 256 << 10;
/// With at least this many ranks, few of them use as much memory as a huge page holds.
constexpr std::int32_t kManyRanks = 256;

// Small blocks have sizes of 32, 48, ... 128 bytes, then eight sizes up to each power of two, including headers. A
// block for a page and its header takes 4,608 bytes.
constexpr std::size_t kLeastBytes = 32;
constexpr std::size_t kFineBytes = 128;
constexpr std::size_t kFineClasses = 7;
constexpr std::size_t kClassesOfPower = 8;

std::size_t class_of(std::size_t bytes) {
    if (bytes <= kFineBytes) return (std::max(bytes, kLeastBytes) + 15) / 16 - 2;
    const auto power = static_cast<std::size_t>(std::bit_width(bytes - 1));  // 8 for 129 to 256 bytes
    const std::size_t below = std::size_t{1} << (power - 1);
    return kFineClasses + (power - 8) * kClassesOfPower + (bytes - 1 - below) / (below / kClassesOfPower);
}

std::size_t bytes_of_class(std::size_t number) {
    if (number < kFineClasses) return 16 * (number + 2);
    const std::size_t below = kFineBytes << ((number - kFineClasses) / kClassesOfPower);
    return below + below / kClassesOfPower * ((number - kFineClasses) % kClassesOfPower + 1);
}

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }
std::size_t in_units(std::size_t bytes) { return rounded(std::max<std::size_t>(bytes, 1), HeapArena::kUnitBytes); }

std::size_t bytes_of_large(std::size_t bytes) {
    return bytes < kLeastPagesBytes ? in_units(bytes) : rounded(bytes, page_bytes());
}

}  // namespace

/// The header before each small block. Programs overrun blocks and free them twice, so any other value of `state` means
/// that the address has no block.
struct RankHeaps::Header {
    static constexpr std::uint16_t kUsed = 0xa11c;
    static constexpr std::uint16_t kFree = 0xf4ee;
    /// The block begins `rank` bytes before this address.
    static constexpr std::uint16_t kMoved = 0xa116;

    std::uint32_t rank;
    std::uint16_t size_class;
    std::uint16_t state;

    [[nodiscard]] RankId rank_id() const { return RankId(static_cast<std::int32_t>(rank)); }
};

namespace {

constexpr std::size_t kHeaderBytes = 8;

}  // namespace

RankHeaps::RankHeaps(Setup setup)
    : setup_(std::move(setup)),
      arena_(kMostArenaBytes),
      heaps_(static_cast<std::size_t>(setup_.ranks)),
      unfreed_(static_cast<std::size_t>(setup_.ranks)) {
    static_assert(sizeof(Header) == kHeaderBytes);
    if (setup_.ranks >= kManyRanks) arena_.avoid_huge_pages();
}

RankHeaps::~RankHeaps() = default;

RankHeaps::Header* RankHeaps::header_of(const void* block) {
    return reinterpret_cast<Header*>(static_cast<std::byte*>(const_cast<void*>(block)) - kHeaderBytes);
}

RankHeaps::Heap& RankHeaps::heap_of(RankId rank) {
    std::unique_ptr<Heap>& heap = heaps_[rank.index()];
    if (!heap) heap = std::make_unique<Heap>();
    return *heap;
}

const RankHeaps::Large* RankHeaps::large_at(const void* block) const {
    if (reinterpret_cast<std::uintptr_t>(block) % HeapArena::kUnitBytes != 0) return nullptr;
    const auto found = large_.find(block);
    return found == large_.end() ? nullptr : &found->second;
}

std::byte* RankHeaps::begin_of(const void* block) {
    auto* begin = static_cast<std::byte*>(const_cast<void*>(block));
    if (reinterpret_cast<std::uintptr_t>(block) % kAlignment != 0) return nullptr;
    if (const Header& moved = *header_of(begin); moved.state == Header::kMoved) {
        if (moved.rank >= kLeastLargeBytes) return nullptr;
        begin -= moved.rank;
    }
    const Header& header = *header_of(begin);
    return header.state == Header::kUsed && header.size_class < kClasses ? begin : nullptr;
}

/// Turns the unused rest of the last chunk into free blocks.
void RankHeaps::free_rest(Heap& heap) {
    while (static_cast<std::size_t>(heap.end - heap.next) >= kLeastBytes) {
        const auto rest = static_cast<std::size_t>(heap.end - heap.next);
        std::size_t size_class = std::min(class_of(rest), kClasses - 1);
        if (bytes_of_class(size_class) > rest) --size_class;
        std::byte* const block = heap.next + kHeaderBytes;
        *header_of(block) = {.rank = 0, .size_class = static_cast<std::uint16_t>(size_class), .state = Header::kFree};
        std::memcpy(block, &heap.free[size_class], sizeof(std::byte*));
        heap.free[size_class] = block;
        heap.next += bytes_of_class(size_class);
    }
}

bool RankHeaps::add_chunk(Heap& heap, std::size_t least_bytes) {
    // Block addresses are multiples of 16, and the header is before the block.
    least_bytes += kAlignment;
    // Each chunk is as large as all previous chunks together.
    const std::size_t bytes = in_units(std::max(least_bytes, std::min(heap.bytes, kMostChunkBytes)));
    const HeapArena::Part part = arena_.take(bytes);
    if (part.begin == nullptr) return false;
    free_rest(heap);
    heap.chunks.push_back({part.begin, bytes});
    heap.bytes += bytes;
    heap.next = part.begin + kAlignment - kHeaderBytes;
    heap.end = part.begin + bytes;
    heap.is_zero = part.is_zero;
    return true;
}

RankHeaps::Block RankHeaps::add_small(RankId rank, std::size_t bytes) {
    Heap& heap = heap_of(rank);
    const std::size_t size_class = class_of(bytes + kHeaderBytes);
    const std::size_t whole_bytes = bytes_of_class(size_class);
    Block block;
    if (heap.free[size_class] != nullptr) {
        block.begin = heap.free[size_class];
        std::memcpy(&heap.free[size_class], block.begin, sizeof(std::byte*));
    } else {
        if (static_cast<std::size_t>(heap.end - heap.next) < whole_bytes && !add_chunk(heap, whole_bytes)) return {};
        block = {.begin = heap.next + kHeaderBytes, .is_zero = heap.is_zero};
        heap.next += whole_bytes;
    }
    *header_of(block.begin) = {.rank = static_cast<std::uint32_t>(rank.value),
                               .size_class = static_cast<std::uint16_t>(size_class),
                               .state = Header::kUsed};
    unfreed_[rank.index()] += static_cast<std::int64_t>(whole_bytes - kHeaderBytes);
    return block;
}

RankHeaps::Block RankHeaps::add_large(RankId rank, std::size_t bytes, std::size_t alignment) {
    if (bytes >= kLeastPagesBytes) alignment = std::max(alignment, page_bytes());
    bytes = bytes_of_large(bytes);
    const HeapArena::Part part = arena_.take(bytes, alignment);
    if (part.begin == nullptr) return {};
    Heap& heap = heap_of(rank);
    large_[part.begin] = {.bytes = bytes, .rank = rank, .place = heap.large.size()};
    heap.large.push_back(part.begin);
    unfreed_[rank.index()] += static_cast<std::int64_t>(bytes);
    return {part.begin, part.is_zero};
}

RankHeaps::Block RankHeaps::add_block(RankId rank, std::size_t bytes, std::size_t alignment) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) return {};
    if (bytes + kHeaderBytes > kLeastLargeBytes || alignment >= kLeastLargeBytes)
        return add_large(rank, bytes, alignment);
    if (alignment <= kAlignment) return add_small(rank, bytes);
    if (bytes + alignment + kHeaderBytes > kLeastLargeBytes) return add_large(rank, bytes, alignment);
    Block block = add_small(rank, bytes + alignment);
    if (block.begin == nullptr) return {};
    const std::size_t over = reinterpret_cast<std::uintptr_t>(block.begin) % alignment;
    if (over == 0) return block;
    const std::size_t shift = alignment - over;
    block.begin += shift;
    block.is_zero = false;
    *header_of(block.begin) = {.rank = static_cast<std::uint32_t>(shift), .size_class = 0, .state = Header::kMoved};
    return block;
}

void* RankHeaps::allocate(RankId rank, std::size_t bytes, std::size_t alignment) {
    return add_block(rank, bytes, alignment).begin;
}

void* RankHeaps::allocate_zeros(RankId rank, std::size_t bytes) {
    const Block block = add_block(rank, bytes, kAlignment);
    if (block.begin != nullptr && !block.is_zero) std::memset(block.begin, 0, bytes);
    return block.begin;
}

std::size_t RankHeaps::bytes_of(const void* block) const {
    if (const Large* large = large_at(block)) return large->bytes;
    const std::byte* const begin = begin_of(block);
    if (begin == nullptr) return 0;
    return bytes_of_class(header_of(begin)->size_class) - kHeaderBytes -
           static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin);
}

bool RankHeaps::free(void* block) {
    if (const Large* large = large_at(block)) {
        const Large was = *large;
        Heap& heap = *heaps_[was.rank.index()];
        std::byte* const last = heap.large.back();
        heap.large[was.place] = last;
        large_[last].place = was.place;
        heap.large.pop_back();
        large_.erase(block);
        arena_.give_back(static_cast<std::byte*>(block), was.bytes);
        unfreed_[was.rank.index()] -= static_cast<std::int64_t>(was.bytes);
        return true;
    }
    std::byte* const begin = begin_of(block);
    if (begin == nullptr) return false;
    Header& header = *header_of(begin);
    if (header.rank >= heaps_.size() || !heaps_[header.rank]) return false;
    if (begin != block) header_of(block)->state = Header::kFree;
    header.state = Header::kFree;
    Heap& heap = *heaps_[header.rank];
    std::memcpy(begin, &heap.free[header.size_class], sizeof(std::byte*));
    heap.free[header.size_class] = begin;
    unfreed_[header.rank] -= static_cast<std::int64_t>(bytes_of_class(header.size_class) - kHeaderBytes);
    return true;
}

/// Returns false if the block has to move.
bool RankHeaps::resize_large(std::byte* block, std::size_t bytes) {
    if (bytes + kHeaderBytes <= kLeastLargeBytes) return false;
    Large& large = large_[block];
    bytes = bytes_of_large(bytes);
    if (bytes > large.bytes && !arena_.extend(block, large.bytes, bytes - large.bytes)) return false;
    if (bytes < large.bytes) arena_.give_back(block + bytes, large.bytes - bytes);
    unfreed_[large.rank.index()] += static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(large.bytes);
    large.bytes = bytes;
    return true;
}

void* RankHeaps::reallocate(void* block, std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) return nullptr;
    const Large* const large = large_at(block);
    const std::size_t had_bytes = bytes_of(block);
    if (large != nullptr) {
        if (resize_large(static_cast<std::byte*>(block), bytes)) return block;
    } else if (bytes <= had_bytes && bytes >= had_bytes / 2) {
        return block;
    }
    const RankId rank = large != nullptr ? large->rank : header_of(begin_of(block))->rank_id();
    void* const moved = allocate(rank, bytes);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, block, std::min(bytes, had_bytes));
    (void)free(block);
    return moved;
}

void RankHeaps::has_ended(RankId rank, std::int64_t /*now_ps*/) {
    if (setup_.keep || !heaps_[rank.index()]) return;
    const std::unique_ptr<Heap> heap = std::exchange(heaps_[rank.index()], nullptr);
    for (std::byte* const block : heap->large) {
        arena_.give_back(block, large_[block].bytes);
        large_.erase(block);
    }
    for (const Heap::Chunk& chunk : heap->chunks) arena_.give_back(chunk.begin, chunk.bytes);
}

}  // namespace haichi::host
