#include "mgen/host/image_template.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <span>
#include <string>

#include "base/errors.h"
#include "mgen/host/address_space.h"
#include "mgen/host/initial_image.h"

namespace haichi::host {

namespace {

/// Runs of at least this many zero bytes are left out of the file. A rank that writes to such a page takes memory only
/// for that page.
constexpr std::size_t kLeastZeroBytes = 64 << 10;

std::size_t up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }
std::size_t down(std::size_t bytes, std::size_t unit) { return bytes / unit * unit; }

[[noreturn]] void fail_to_make_template(const char* what) {
    throw InputError(std::string("cannot create a file in memory for the copies of the program: ") + what + ": " +
                     std::strerror(errno));
}

/// Copies the bytes except for pages of zeros, which the file already contains without using memory.
void write(std::span<const std::byte> bytes, std::byte* to) {
    const std::size_t page = page_bytes();
    while (!bytes.empty()) {
        const auto one = bytes.first(std::min(bytes.size(), page - reinterpret_cast<std::uintptr_t>(to) % page));
        if (std::ranges::any_of(one, [](std::byte byte) { return byte != std::byte{}; })) {
            std::memcpy(to, one.data(), one.size());
        }
        bytes = bytes.subspan(one.size());
        to += one.size();
    }
}

}  // namespace

ImageTemplate::ImageTemplate(const ProgramImage& image, const ImagePlan& plan) : alignment_(page_bytes()) {
    place_modules(image, plan);
    file_ = ::memfd_create("haichi-program", MFD_CLOEXEC);
    if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(bytes_)) != 0) fail_to_make_template("memfd_create");
    void* const mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) fail_to_make_template("mmap");
    for (const Module& module : modules_) {
        add(image, module, module.number == 0 ? plan.moved : std::vector<ImagePlan::MovedObject>{},
            static_cast<std::byte*>(mapped));
    }
    ::munmap(mapped, bytes_);
}

ImageTemplate::~ImageTemplate() {
    if (file_ >= 0) ::close(file_);
}

void ImageTemplate::place_modules(const ProgramImage& image, const ImagePlan& plan) {
    for (const std::size_t number : plan.modules) {
        const LoadedModule& loaded = image.loaded()[number];
        std::size_t alignment = page_bytes();
        for (const ElfW(Phdr) & segment : loaded.segments) {
            if (segment.p_type == PT_LOAD) alignment = std::max<std::size_t>(alignment, segment.p_align);
        }
        alignment_ = std::max(alignment_, alignment);
        // The base of a module is its beginning, at a multiple of its alignment.
        const std::uintptr_t begin = down(loaded.begin, page_bytes());
        const std::size_t offset = up(bytes_, alignment);
        modules_.push_back({.number = number, .begin = begin, .end = loaded.end, .offset = offset});
        bytes_ = offset + up(loaded.end - begin, page_bytes());
    }
}

void ImageTemplate::add_part(const Part& part) {
    if (part.bytes == 0) return;
    if (!parts_.empty()) {
        Part& last = parts_.back();
        const bool is_next = last.offset + last.bytes == part.offset;
        if (is_next && last.is_writable == part.is_writable && last.is_zero == part.is_zero) {
            last.bytes += part.bytes;
            return;
        }
    }
    parts_.push_back(part);
}

void ImageTemplate::add(const ProgramImage& image, const Module& module,
                        const std::vector<ImagePlan::MovedObject>& moved, std::byte* file) {
    const InitialImage initial(image.loaded()[module.number], InitialImage::Segments::kAll);
    const std::size_t page = page_bytes();
    std::size_t behind = module.offset;  // end of the parts added so far
    for (const InitialImage::Segment& segment : initial.segments()) {
        const std::size_t begin = module.offset + (segment.begin - module.begin);
        write(segment.bytes, file + begin);
        const std::size_t first = std::max(down(begin, page), behind);
        // Gaps between segments contain no data. A gap is mapped together with the preceding part.
        add_part({.offset = behind, .bytes = first - behind, .is_writable = false, .is_zero = false});
        const std::size_t end = up(begin + segment.memory_bytes, page);
        std::size_t zero = up(begin + segment.bytes.size(), page);
        // The linker places moved objects in the zero-initialised part.
        for (const ImagePlan::MovedObject& object : moved) {
            const std::size_t object_end = module.offset + (object.place + object.bytes - module.begin);
            if (begin <= object_end && object_end <= end) zero = std::max(zero, up(object_end, page));
        }
        if (!segment.is_writable || end < zero + kLeastZeroBytes) zero = end;
        add_part({.offset = first, .bytes = zero - first, .is_writable = segment.is_writable, .is_zero = false});
        add_part({.offset = zero, .bytes = end - zero, .is_writable = true, .is_zero = true});
        behind = end;
    }
    const auto add_word = [&](std::uintptr_t place, std::uintptr_t value, std::uintptr_t symbol) {
        const bool is_own_end = symbol == image.loaded()[module.number].end;
        const std::size_t to = is_own_end ? module.offset + (symbol - module.begin) : offset_of(symbol);
        if (to == bytes_ && !is_own_end) return;  // the address is outside of the copies and does not change
        const std::size_t at = module.offset + (place - module.begin);
        const std::uintptr_t in_copy = to + (value - symbol);
        std::memcpy(file + at, &in_copy, sizeof(in_copy));
        words_.push_back(at);
    };
    for (const InitialImage::Word& word : initial.words()) add_word(word.place, word.value, word.symbol);
    std::map<std::size_t, InitialImage> libraries;
    for (const ImagePlan::MovedObject& object : moved) {
        const std::size_t at = module.offset + (object.place - module.begin);
        if (object.is_shared) {
            std::memcpy(file + at, reinterpret_cast<const void*>(object.place), object.bytes);
            continue;
        }
        const auto library =
            libraries.try_emplace(object.library, image.loaded()[object.library], InitialImage::Segments::kAll).first;
        write(library->second.of(object.in_library, object.in_library + object.bytes), file + at);
        for (const InitialImage::Word& word : library->second.words()) {
            if (word.place < object.in_library || word.place - object.in_library >= object.bytes) continue;
            add_word(object.place + (word.place - object.in_library), word.value, word.symbol);
        }
    }
}

std::size_t ImageTemplate::writable_bytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes += part.is_writable ? part.bytes : 0;
    return bytes;
}

void ImageTemplate::relocate(std::byte* copy) const {
    const auto address = reinterpret_cast<std::uintptr_t>(copy);
    for (const std::size_t word : words_) {
        std::uintptr_t value = 0;
        std::memcpy(&value, copy + word, sizeof(value));
        value += address;
        std::memcpy(copy + word, &value, sizeof(value));
    }
}

std::size_t ImageTemplate::offset_of(std::uintptr_t address) const {
    for (const Module& module : modules_) {
        if (module.begin <= address && address < module.end) return module.offset + (address - module.begin);
    }
    return bytes_;
}

std::uintptr_t ImageTemplate::original(std::size_t offset) const {
    for (const Module& module : modules_) {
        if (module.offset <= offset && offset - module.offset < module.end - module.begin) {
            return module.begin + (offset - module.offset);
        }
    }
    return 0;
}

}  // namespace haichi::host
