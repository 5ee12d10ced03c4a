#include "mgen/host/globals.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/errors.h"
#include "base/quantity.h"
#include "mgen/host/address_space.h"
#include "mgen/host/image_globals.h"
#include "mgen/host/remapped_globals.h"

namespace haichi::host {

Globals::Globals(const std::vector<PrivateRange>& ranges)
    : thread_(static_cast<const std::byte*>(__builtin_thread_pointer())) {
    for (const PrivateRange& range : ranges) variables_.push_back({range.bytes, range.is_of_thread});
}

std::ptrdiff_t Globals::thread_distance() const {
    return static_cast<const std::byte*>(__builtin_thread_pointer()) - thread_;
}

bool Globals::holds(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    const std::ptrdiff_t distance = thread_distance();
    return std::ranges::any_of(variables_, [&](const Variables& variables) {
        const std::byte* const begin = variables.bytes.data() + (variables.is_of_thread ? distance : 0);
        return begin <= at && at < begin + variables.bytes.size();
    });
}

CopiedGlobals::CopiedGlobals(std::vector<PrivateRange> ranges, std::int32_t ranks)
    : Globals(ranges),
      ranges_(std::move(ranges)),
      has_begun_(static_cast<std::size_t>(ranks)),
      has_ended_(static_cast<std::size_t>(ranks)) {
    for (const PrivateRange& range : ranges_) bytes_ += range.bytes.size();
    constexpr std::size_t kCacheLine = 64;
    stride_ = (bytes_ + kCacheLine - 1) / kCacheLine * kCacheLine;
    reserved_ = stride_ * static_cast<std::size_t>(ranks);
    if (reserved_ == 0) return;
    void* const reserved =
        ::mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        throw OptionError("no address space for the variables of " + std::to_string(ranks) + " ranks, " +
                              std::to_string(bytes_) + " bytes each",
                          "use fewer ranks, or §globals none if the ranks may share the variables");
    }
    begin_ = static_cast<std::byte*>(reserved);
}

CopiedGlobals::~CopiedGlobals() {
    if (begin_ != nullptr) ::munmap(begin_, reserved_);
}

void CopiedGlobals::keep(RankId rank) const {
    std::byte* to = kept(rank);
    for (const PrivateRange& range : ranges_) {
        std::memcpy(to, place(range), range.bytes.size());
        to += range.bytes.size();
    }
}

void CopiedGlobals::put_in_place(RankId rank) {
    if (rank == in_place_) return;
    if (in_place_.valid() && !has_ended_[in_place_.index()]) keep(in_place_);
    in_place_ = rank;
    distance_ = thread_distance();
    if (!has_begun_[rank.index()]) {
        has_begun_[rank.index()] = true;
        for (const PrivateRange& range : ranges_) {
            std::memcpy(place(range), range.initial.data(), range.bytes.size());
        }
        return;
    }
    const std::byte* from = kept(rank);
    for (const PrivateRange& range : ranges_) {
        std::memcpy(place(range), from, range.bytes.size());
        from += range.bytes.size();
    }
}

void CopiedGlobals::has_ended(RankId rank, std::int64_t /*now_ps*/) {
    has_ended_[rank.index()] = true;
    const std::size_t page = page_bytes();
    const auto begin = reinterpret_cast<std::uintptr_t>(kept(rank));
    const std::uintptr_t first = (begin + page - 1) / page * page;  // only pages that no other rank uses
    const std::uintptr_t last = (begin + stride_) / page * page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

namespace {

/// For variables of this size, copying takes as much CPU time per switch as moving their pages. This was measured with
/// 64 and with 1,024 ranks.
constexpr std::size_t kCopiedBytes = std::size_t{128} << 10U;

/// Copies of the program make switches between ranks free. Moving pages costs more time than many programs compute:
/// class W of NPB takes 1.4 to 3 times the CPU time. But copies take half a megabyte per rank for pages that hold
/// addresses.
bool is_image_best(const ProgramImage& image, std::int32_t ranks) {
    constexpr std::int32_t kMostRanks = 1024;
    if (ranks > kMostRanks) return false;
    const bool has_many = std::ranges::any_of(image.modules(), [](const ProgramModule& module) {
        return std::ranges::any_of(module.variables, [](const PrivateRange& range) {
            return !range.is_of_thread && range.bytes.size() >= kCopiedBytes;
        });
    });
    if (!has_many) return false;
    const ImagePlan plan = ImagePlan::of(image);
    return plan.obstacle.empty() && plan.bytes_beside(image) < kCopiedBytes && ImageGlobals::is_possible();
}

}  // namespace

std::unique_ptr<Globals> make_globals(ProgramImage& image, GlobalsWay way, std::int32_t ranks,
                                      const std::vector<std::span<std::byte>>& addresses) {
    if (way == GlobalsWay::kNone) return nullptr;
    const bool is_empty = std::ranges::all_of(image.modules(), [](const ProgramModule& module) {
        return std::ranges::all_of(module.variables, [](const PrivateRange& range) { return range.bytes.empty(); });
    });
    if (is_empty) return nullptr;
    if (way == GlobalsWay::kImage || (way == GlobalsWay::kAuto && is_image_best(image, ranks))) {
        const ImagePlan plan = ImagePlan::of(image);
        if (!plan.obstacle.empty()) {
            throw UnsupportedError("§globals image: the program " + plan.obstacle,
                                   plan.hint.empty() ? "use §globals auto, which chooses another way" : plan.hint);
        }
        return std::make_unique<ImageGlobals>(image, plan, ranks, addresses);
    }
    std::vector<PrivateRange> ranges;
    for (const ProgramModule& module : image.modules()) {
        for (const PrivateRange& range : module.variables) {
            if (!range.bytes.empty()) ranges.push_back(range);
        }
    }
    if (way == GlobalsWay::kCopy) return std::make_unique<CopiedGlobals>(std::move(ranges), ranks);
    const std::size_t least_bytes = way == GlobalsWay::kAuto ? kCopiedBytes : 0;
    if (!RemappedGlobals::is_possible()) {
        if (way == GlobalsWay::kAuto) return std::make_unique<CopiedGlobals>(std::move(ranges), ranks);
        throw OptionError("§globals remap requires Linux 5.13 or later",
                          "use §globals copy, which works on every kernel");
    }
    if (RemappedGlobals::remapped(ranges, ranks, least_bytes) == 0) {
        return std::make_unique<CopiedGlobals>(std::move(ranges), ranks);
    }
    return std::make_unique<RemappedGlobals>(ranges, ranks, least_bytes);
}

}  // namespace haichi::host
