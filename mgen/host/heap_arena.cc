#include "mgen/host/heap_arena.h"

#include <sys/mman.h>

#include <cstring>
#include <iterator>

#include "mgen/host/address_space.h"

namespace haichi::host {

HeapArena::HeapArena(std::size_t most_bytes) {
    constexpr std::size_t kLeastBytes = std::size_t{1} << 30;
    for (std::size_t bytes = most_bytes; bytes >= kLeastBytes; bytes /= 2) {
        void* const memory =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) continue;
        begin_ = static_cast<std::byte*>(memory);
        bytes_ = bytes;
        add_free(0, {.bytes = bytes, .is_zero = true});
        return;
    }
}

HeapArena::~HeapArena() {
    if (begin_ != nullptr) ::munmap(begin_, bytes_);
}

void HeapArena::avoid_huge_pages() {
    if (begin_ != nullptr) ::madvise(begin_, bytes_, MADV_NOHUGEPAGE);
}

HeapArena::FreeParts::iterator HeapArena::erase(FreeParts::iterator part) {
    by_size_.erase({part->second.bytes, part->first});
    if (!part->second.is_zero) kept_bytes_ -= part->second.bytes;
    return free_.erase(part);
}

void HeapArena::add_free(std::size_t offset, Free part) {
    if (part.bytes == 0) return;
    auto behind = free_.lower_bound(offset);
    if (behind != free_.end() && behind->first == offset + part.bytes && behind->second.is_zero == part.is_zero) {
        part.bytes += behind->second.bytes;
        behind = erase(behind);
    }
    if (behind != free_.begin()) {
        const auto before = std::prev(behind);
        if (before->first + before->second.bytes == offset && before->second.is_zero == part.is_zero) {
            offset = before->first;
            part.bytes += before->second.bytes;
            erase(before);
        }
    }
    free_.emplace(offset, part);
    by_size_.emplace(part.bytes, offset);
    if (!part.is_zero) kept_bytes_ += part.bytes;
}

HeapArena::Part HeapArena::take(std::size_t bytes, std::size_t alignment) {
    // Best fit: uses the smallest free part that has enough bytes after an aligned address.
    const auto addressed = [&](std::size_t offset) { return reinterpret_cast<std::uintptr_t>(at(offset)); };
    const auto shift = [&](std::size_t offset) { return (alignment - addressed(offset) % alignment) % alignment; };
    for (auto found = by_size_.lower_bound({bytes, 0}); found != by_size_.end(); ++found) {
        const std::size_t before = shift(found->second);
        if (before + bytes > found->first) continue;
        const auto part = free_.find(found->second);
        const std::size_t offset = part->first;
        const Free whole = part->second;
        erase(part);
        add_free(offset, {.bytes = before, .is_zero = whole.is_zero});
        add_free(offset + before + bytes, {.bytes = whole.bytes - before - bytes, .is_zero = whole.is_zero});
        return {.begin = at(offset + before), .is_zero = whole.is_zero};
    }
    return {};
}

bool HeapArena::extend(std::byte* begin, std::size_t bytes, std::size_t by_bytes) {
    const std::size_t end = static_cast<std::size_t>(begin - begin_) + bytes;
    const auto behind = free_.find(end);
    if (behind == free_.end() || behind->second.bytes < by_bytes) return false;
    const Free whole = behind->second;
    erase(behind);
    add_free(end + by_bytes, {.bytes = whole.bytes - by_bytes, .is_zero = whole.is_zero});
    return true;
}

void HeapArena::give_back(std::byte* begin, std::size_t bytes) {
    add_free(static_cast<std::size_t>(begin - begin_), {.bytes = bytes, .is_zero = false});
    if (kept_bytes_ > kMostKeptBytes) give_to_kernel();
}

/// Each part costs a system call. The cost is negligible, because many bytes have been given back since the last time.
/// A page that contains bytes of another part is not released.
void HeapArena::give_to_kernel() {
    for (auto part = free_.begin(); part != free_.end();) {
        if (part->second.is_zero) {
            ++part;
            continue;
        }
        const std::size_t offset = part->first;
        const std::size_t bytes = part->second.bytes;
        erase(part);
        const std::size_t first = (offset + page_bytes() - 1) / page_bytes() * page_bytes();
        const std::size_t end = (offset + bytes) / page_bytes() * page_bytes();
        if (first < end) {
            std::memset(at(offset), 0, first - offset);
            std::memset(at(end), 0, offset + bytes - end);
            ::madvise(at(first), end - first, MADV_DONTNEED);
        } else {
            std::memset(at(offset), 0, bytes);
        }
        add_free(offset, {.bytes = bytes, .is_zero = true});
        part = free_.upper_bound(offset);
    }
}

}  // namespace haichi::host
