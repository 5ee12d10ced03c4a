#include "mgen/host/remapped_globals.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/errors.h"
#include "mgen/host/address_space.h"

namespace haichi::host {

namespace {

/// The kernel moves a whole page table at once if both ends have the same offset from a multiple of this size.
constexpr std::size_t kTableBytes = std::size_t{2} << 20U;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// The whole pages within the bytes; the result may be empty.
std::span<std::byte> whole_pages(std::span<std::byte> bytes) {
    const std::size_t page = page_bytes();
    const std::uintptr_t begin = (number(bytes.data()) + page - 1) / page * page;
    const std::uintptr_t end = (number(bytes.data()) + bytes.size()) / page * page;
    if (end <= begin) return {};
    return bytes.subspan(begin - number(bytes.data()), end - begin);
}

PrivateRange part(const PrivateRange& range, std::size_t begin, std::size_t end) {
    const auto from = range.initial.begin();
    return {range.bytes.subspan(begin, end - begin),
            {from + static_cast<std::ptrdiff_t>(begin), from + static_cast<std::ptrdiff_t>(end)}};
}

/// MREMAP_DONTUNMAP of Linux 5.7, which the C library's headers define since glibc 2.32.
constexpr int kKeepMapped = 4;

/// Moves the pages and keeps their old addresses mapped to the initial contents, so that nothing else can use them.
bool move(std::byte* from, std::size_t bytes, std::byte* to) {
    return ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | kKeepMapped, to) == to;
}

[[noreturn]] void fail_to_remap(const char* what) {
    throw InputError(std::string("cannot remap the variables of ranks: ") + what + ": " + std::strerror(errno),
                     "use §globals copy, which needs no memory mappings");
}

int new_file(std::size_t bytes) {
    const int file = ::memfd_create("haichi-globals", MFD_CLOEXEC);
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
    const int error = errno;
    if (file >= 0) ::close(file);
    throw InputError(std::string("cannot create a file in memory for the variables of ranks: ") + std::strerror(error));
}

void write_pages(int file, std::span<const std::byte> bytes, std::size_t offset) {
    const std::size_t page = page_bytes();
    for (std::size_t at = 0; at < bytes.size(); at += page) {
        const auto one = bytes.subspan(at, page);
        // A page of zeros remains a hole in the file.
        if (std::ranges::all_of(one, [](std::byte byte) { return byte == std::byte{}; })) continue;
        if (::pwrite(file, one.data(), one.size(), static_cast<off_t>(offset + at)) != static_cast<ssize_t>(page)) {
            fail_to_remap("pwrite");
        }
    }
}

}  // namespace

bool RemappedGlobals::is_possible() {
    const std::size_t bytes = page_bytes();
    const int file = ::memfd_create("haichi-globals", MFD_CLOEXEC);
    if (file < 0) return false;
    bool can = ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
    void* const place = ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    auto* const begin = static_cast<std::byte*>(place);
    can = can && place != MAP_FAILED && move(begin, bytes, begin + bytes);
    if (place != MAP_FAILED) ::munmap(place, 2 * bytes);
    ::close(file);
    return can;
}

RemappedGlobals::Split RemappedGlobals::split(const std::vector<PrivateRange>& ranges, std::int32_t ranks,
                                              std::size_t least_bytes) {
    const auto rank_count = static_cast<std::size_t>(ranks);
    const std::size_t most = StackArena::mappings_left(rank_count) / std::max<std::size_t>(rank_count, 1);
    std::vector<const PrivateRange*> by_size;
    for (const PrivateRange& range : ranges) {
        if (range.is_of_thread) continue;
        if (whole_pages(range.bytes).size() >= std::max(least_bytes, page_bytes())) by_size.push_back(&range);
    }
    std::ranges::stable_sort(by_size, std::ranges::greater(), [](const PrivateRange* r) { return r->bytes.size(); });
    if (by_size.size() > most) by_size.resize(most);
    Split split;
    for (const PrivateRange& range : ranges) {
        if (std::ranges::find(by_size, &range) == by_size.end()) {
            split.copied.push_back(range);
            continue;
        }
        const std::span<std::byte> whole = whole_pages(range.bytes);
        const auto begin = static_cast<std::size_t>(whole.data() - range.bytes.data());
        const std::size_t end = begin + whole.size();
        split.pages.push_back(part(range, begin, end));
        if (begin > 0) split.copied.push_back(part(range, 0, begin));
        if (end < range.bytes.size()) split.copied.push_back(part(range, end, range.bytes.size()));
    }
    return split;
}

std::size_t RemappedGlobals::remapped(const std::vector<PrivateRange>& ranges, std::int32_t ranks,
                                      std::size_t least_bytes) {
    return split(ranges, ranks, least_bytes).pages.size();
}

RemappedGlobals::RemappedGlobals(const std::vector<PrivateRange>& ranges, std::int32_t ranks, std::size_t least_bytes)
    : Globals(ranges),
      ranks_(ranks),
      copied_(split(ranges, ranks, least_bytes).copied, ranks),
      has_begun_(static_cast<std::size_t>(ranks)),
      has_ended_(static_cast<std::size_t>(ranks)) {
    const Split parts = split(ranges, ranks, least_bytes);
    std::size_t in_file = 0;
    for (const PrivateRange& range : parts.pages) in_file += range.bytes.size();
    bytes_ = in_file + copied_.bytes_per_rank();
    file_ = new_file(in_file);
    in_file = 0;
    for (const PrivateRange& range : parts.pages) {
        Pages pages{.place = range.bytes.data(),
                    .bytes = range.bytes.size(),
                    .in_file = in_file,
                    .kept = nullptr,
                    .stride = range.bytes.size()};
        write_pages(file_, range.initial, in_file);
        in_file += pages.bytes;
        std::size_t behind = 0;
        if (pages.bytes >= kTableBytes) {
            pages.stride = (pages.bytes + kTableBytes - 1) / kTableBytes * kTableBytes;
            behind = kTableBytes;
        }
        const std::size_t reserved = pages.stride * static_cast<std::size_t>(ranks) + behind;
        void* const kept = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (kept == MAP_FAILED) {
            throw OptionError("no address space for the variables of " + std::to_string(ranks) + " ranks, " +
                                  std::to_string(pages.bytes) + " bytes each",
                              "use fewer ranks, or §globals none if the ranks may share the variables");
        }
        pages.kept = static_cast<std::byte*>(kept);
        if (behind > 0) pages.kept += (number(pages.place) - number(kept)) % kTableBytes;
        pages_.push_back(pages);
        begin_with_file(pages);
    }
}

RemappedGlobals::~RemappedGlobals() {
    // The pages that are in place are not unmapped, because the process is about to end.
    for (const Pages& pages : pages_) ::munmap(pages.kept, pages.stride * static_cast<std::size_t>(ranks_));
    ::close(file_);
}

void RemappedGlobals::begin_with_file(const Pages& pages) const {
    constexpr int kPrivate = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    if (::mmap(pages.place, pages.bytes, PROT_READ | PROT_WRITE, kPrivate, file_, static_cast<off_t>(pages.in_file)) ==
        MAP_FAILED) {
        fail_to_remap("mmap");
    }
}

void RemappedGlobals::reserve(const Pages& pages, RankId rank) const {
    ::mmap(pages.kept + rank.index() * pages.stride, pages.bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void RemappedGlobals::put_in_place(RankId rank) {
    if (rank == in_place_) return;
    copied_.put_in_place(rank);
    for (const Pages& pages : pages_) {
        if (in_place_.valid()) {
            if (has_ended_[in_place_.index()]) {
                begin_with_file(pages);
            } else if (!move(pages.place, pages.bytes, pages.kept + in_place_.index() * pages.stride)) {
                fail_to_remap("mremap");
            }
        }
        // If the rank has not begun, the pages already have the initial contents.
        if (has_begun_[rank.index()] && !move(pages.kept + rank.index() * pages.stride, pages.bytes, pages.place)) {
            fail_to_remap("mremap");
        }
    }
    has_begun_[rank.index()] = true;
    in_place_ = rank;
}

void RemappedGlobals::has_ended(RankId rank, std::int64_t now_ps) {
    has_ended_[rank.index()] = true;
    copied_.has_ended(rank, now_ps);
    for (const Pages& pages : pages_) reserve(pages, rank);
}

}  // namespace haichi::host
