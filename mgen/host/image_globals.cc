#include "mgen/host/image_globals.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/errors.h"
#include "mgen/host/address_space.h"

namespace haichi::host {

namespace {

/// Returns the variables of private modules that are outside of the copies. First makes the modules private of which
/// each rank gets a copy.
std::vector<PrivateRange> ranges_beside(ProgramImage& image, const ImagePlan& plan,
                                        const std::vector<std::span<std::byte>>& addresses) {
    for (const std::size_t module : plan.modules) {
        if (!image.modules()[module].is_private) image.make_private(module);
    }
    std::vector<PrivateRange> ranges;
    for (const std::span<std::byte> words : addresses) ranges.push_back({words, {words.begin(), words.end()}});
    for (std::size_t i = 0; i < image.modules().size(); ++i) {
        for (const PrivateRange& range : image.modules()[i].variables) {
            if (!range.bytes.empty() && (!plan.has_copy(i) || range.is_of_thread)) ranges.push_back(range);
        }
    }
    return ranges;
}

[[noreturn]] void fail_to_map() {
    throw OptionError(std::string("§globals image: cannot map the program again: ") + std::strerror(errno),
                      "use §globals copy, which needs no memory mappings");
}

}  // namespace

bool ImageGlobals::is_possible() {
    const int file = ::memfd_create("haichi-program", MFD_CLOEXEC);
    if (file < 0) return false;
    const auto page = page_bytes();
    void* const mapped = ::ftruncate(file, static_cast<off_t>(page)) != 0
                             ? MAP_FAILED
                             : ::mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    ::close(file);
    if (mapped == MAP_FAILED) return false;
    ::munmap(mapped, page);
    return true;
}

ImageGlobals::ImageGlobals(ProgramImage& image, const ImagePlan& plan, std::int32_t ranks,
                           const std::vector<std::span<std::byte>>& addresses)
    : ImageGlobals(image, plan, ranks, ranges_beside(image, plan, addresses)) {}

ImageGlobals::ImageGlobals(ProgramImage& image, const ImagePlan& plan, std::int32_t ranks,
                           std::vector<PrivateRange> beside)
    : Globals(beside),
      template_(image, plan),
      copied_(std::move(beside), ranks),
      ranks_(static_cast<std::size_t>(ranks)),
      has_begun_(ranks_) {
    for (const ImagePlan::MovedObject& object : plan.moved) {
        if (object.is_shared) shared_.push_back(object);
    }
    for (const std::size_t module : plan.modules) {
        const LoadedModule& loaded = image.loaded()[module];
        for (const ElfW(Phdr) & segment : loaded.segments) {
            if (segment.p_type != PT_TLS || loaded.thread_variables == nullptr) continue;
            thread_variables_.push_back({.place = static_cast<std::byte*>(loaded.thread_variables),
                                         .offset = template_.offset_of(loaded.base + segment.p_vaddr),
                                         .bytes = segment.p_filesz});
        }
    }
    const std::size_t alignment = template_.alignment();
    stride_ = (template_.bytes() + alignment - 1) / alignment * alignment;
    const std::size_t mappings = StackArena::mappings_left(ranks_);
    // If the kernel has too few mappings to separate writable from executable parts, each copy is a single mapping.
    is_protected_ = template_.parts().size() * ranks_ <= mappings;
    reserved_bytes_ = stride_ * ranks_ + alignment;
    void* const reserved = ranks_ > mappings ? MAP_FAILED
                                             : ::mmap(nullptr, reserved_bytes_, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        throw OptionError("§globals image: no address space for " + std::to_string(ranks) + " copies of the program, " +
                              std::to_string(stride_) + " bytes each",
                          "use §globals copy, which needs no memory mappings");
    }
    reserved_ = static_cast<std::byte*>(reserved);
    const std::size_t over = reinterpret_cast<std::uintptr_t>(reserved) % alignment;
    begin_ = reserved_ + (over == 0 ? 0 : alignment - over);
}

ImageGlobals::~ImageGlobals() {
    if (reserved_ != nullptr) ::munmap(reserved_, reserved_bytes_);
}

void ImageGlobals::make_copy(RankId rank) const {
    const auto map = [&](std::size_t offset, std::size_t bytes, int protection) {
        if (::mmap(copy(rank) + offset, bytes, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, template_.file(),
                   static_cast<off_t>(offset)) == MAP_FAILED) {
            fail_to_map();
        }
    };
    if (is_protected_) {
        for (const ImageTemplate::Part& part : template_.parts()) {
            if (!part.is_zero) {
                map(part.offset, part.bytes, PROT_READ | (part.is_writable ? PROT_WRITE : PROT_EXEC));
            }
        }
    } else {
        map(0, template_.bytes(), PROT_READ | PROT_WRITE | PROT_EXEC);
    }
    template_.relocate(copy(rank));
}

void ImageGlobals::put_in_place(RankId rank) {
    copied_.put_in_place(rank);
    if (has_begun_[rank.index()]) return;
    has_begun_[rank.index()] = true;
    make_copy(rank);
    begin_thread_variables(rank);
}

/// Thread-local variables may hold addresses within the copy.
void ImageGlobals::begin_thread_variables(RankId rank) const {
    for (const ThreadVariables& variables : thread_variables_) {
        std::memcpy(variables.place + thread_distance(), copy(rank) + variables.offset, variables.bytes);
    }
}

void ImageGlobals::begin(RankId rank) {
    for (const ImagePlan::MovedObject& object : shared_) {
        const auto* const from = reinterpret_cast<const void*>(object.place);
        std::memcpy(const_cast<void*>(own_address(rank, from)), from, object.bytes);
    }
}

void ImageGlobals::has_ended(RankId rank, std::int64_t now_ps) {
    copied_.has_ended(rank, now_ps);
    ::madvise(copy(rank), stride_, MADV_DONTNEED);
}

std::size_t ImageGlobals::bytes_per_rank() const { return template_.writable_bytes() + copied_.bytes_per_rank(); }

const void* ImageGlobals::own_address(RankId rank, const void* address) const {
    const std::size_t offset = template_.offset_of(reinterpret_cast<std::uintptr_t>(address));
    return offset == template_.bytes() ? address : copy(rank) + offset;
}

const void* ImageGlobals::original(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    if (at < begin_ || at >= begin_ + stride_ * ranks_) return address;
    const std::uintptr_t found = template_.original(static_cast<std::size_t>(at - begin_) % stride_);
    return found == 0 ? address : reinterpret_cast<const void*>(found);
}

}  // namespace haichi::host
