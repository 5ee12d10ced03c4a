#include "mgen/host/initial_image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/errors.h"

namespace haichi::host {

namespace {

/// The file that a module was loaded from; it is open during the lifetime of this object.
class ModuleFile {
  public:
    explicit ModuleFile(const std::string& path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (file_ < 0) throw InputError("cannot read " + path + ": " + std::strerror(errno));
    }
    ~ModuleFile() { ::close(file_); }
    ModuleFile(const ModuleFile&) = delete;
    ModuleFile& operator=(const ModuleFile&) = delete;

    void read(std::byte* to, std::size_t bytes, std::size_t offset) const {
        while (bytes > 0) {
            const ssize_t count = ::pread(file_, to, bytes, static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) throw InputError(path_ + ": cannot be read to its end");
            to += count;
            offset += static_cast<std::size_t>(count);
            bytes -= static_cast<std::size_t>(count);
        }
    }

  private:
    std::string path_;
    int file_;
};

std::uintptr_t word_at(std::uintptr_t place) {
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(place), sizeof(value));
    return value;
}

}  // namespace

std::uintptr_t found_function(const LoadedModule& loaded, const ElfW(Rela) & relocation) {
    const std::uintptr_t in_slot = word_at(loaded.base + relocation.r_offset);
    if (!loaded.contains(in_slot)) return in_slot;
    // The slot points into the module itself: to one of its functions, or to code that calls the loader's lookup.
    const std::size_t number = ELF64_R_SYM(relocation.r_info);
    const char* const name = loaded.name_of(loaded.symbols[number]);
    void* const first = ::dlsym(RTLD_DEFAULT, name);
    const char* const version = loaded.wanted_version(number);
    void* const versioned = version == nullptr ? nullptr : ::dlvsym(RTLD_DEFAULT, name, version);
    // A definition without a version satisfies any version if it comes first, but dlvsym() does not find it.
    Dl_info of_first{}, of_versioned{};
    const bool are_of_one_module = first != nullptr && versioned != nullptr && ::dladdr(first, &of_first) != 0 &&
                                   ::dladdr(versioned, &of_versioned) != 0 &&
                                   of_first.dli_fbase == of_versioned.dli_fbase;
    return reinterpret_cast<std::uintptr_t>(are_of_one_module || first == nullptr ? versioned : first);
}

InitialImage::InitialImage(const LoadedModule& loaded, Segments which) : loaded_(&loaded) {
    const ModuleFile file(loaded.path.empty() ? "/proc/self/exe" : loaded.path);
    for (const ElfW(Phdr) & segment : loaded.segments) {
        const bool is_writable = (segment.p_flags & PF_W) != 0;
        if (segment.p_type != PT_LOAD || !(is_writable || which == Segments::kAll)) continue;
        Segment part{.begin = loaded.base + segment.p_vaddr,
                     .memory_bytes = segment.p_memsz,
                     .is_writable = is_writable,
                     .bytes = std::vector<std::byte>(segment.p_filesz)};
        file.read(part.bytes.data(), segment.p_filesz, segment.p_offset);
        segments_.push_back(std::move(part));
    }
    for (const ElfW(Rela) & relocation : loaded.relocations) relocate(relocation);
    if (which == Segments::kAll) {
        for (const ElfW(Rela) & relocation : loaded.jump_relocations) relocate(relocation);
        // These words let the code call the loader for functions that cannot be found now.
        if (loaded.jump_slot_bytes > 0) keep_loaded(loaded.jump_slots + sizeof(void*), 2);
    }
    relocate_packed();
}

std::vector<std::byte> InitialImage::of(std::uintptr_t begin, std::uintptr_t end) const {
    for (const Segment& segment : segments_) {
        if (begin < segment.begin || end > segment.begin + segment.memory_bytes) continue;
        std::vector<std::byte> bytes(end - begin);
        const std::size_t offset = begin - segment.begin;
        if (offset < segment.bytes.size()) {
            const std::size_t in_file = std::min(bytes.size(), segment.bytes.size() - offset);
            std::memcpy(bytes.data(), segment.bytes.data() + offset, in_file);
        }
        return bytes;
    }
    throw InternalError("a range outside of its module");
}

/// Returns null if the address is not in the selected segments.
std::byte* InitialImage::at(std::uintptr_t place, std::size_t bytes) {
    for (Segment& segment : segments_) {
        if (place < segment.begin || place - segment.begin + bytes > segment.memory_bytes) continue;
        const std::size_t offset = place - segment.begin;
        if (segment.bytes.size() < offset + bytes) segment.bytes.resize(offset + bytes);
        return segment.bytes.data() + offset;
    }
    return nullptr;
}

void InitialImage::set(const Word& word) {
    std::byte* const to = at(word.place, sizeof(word.value));
    if (to == nullptr) return;
    std::memcpy(to, &word.value, sizeof(word.value));
    words_.push_back(word);
}

void InitialImage::keep_loaded(std::uintptr_t place, std::size_t words) {
    const std::size_t bytes = words * sizeof(std::uintptr_t);
    std::byte* const to = at(place, bytes);
    if (to != nullptr) std::memcpy(to, reinterpret_cast<const void*>(place), bytes);
}

void InitialImage::relocate(const ElfW(Rela) & relocation) {
    using Types = RelocationTypes;
    const std::uintptr_t place = loaded_->base + relocation.r_offset;
    const auto addend = static_cast<std::uintptr_t>(relocation.r_addend);
    switch (ELF64_R_TYPE(relocation.r_info)) {
        case Types::kNone:
        case Types::kCopy:  // occurs only in the program
            break;
        case Types::kRelative:
            set({.place = place, .value = loaded_->base + addend, .symbol = loaded_->base});
            break;
        case Types::kAddress:
        case Types::kTableEntry:  // keeps the value that the loader resolved
            set({.place = place, .value = word_at(place), .symbol = word_at(place) - addend});
            break;
        case Types::kIndirect:
            set({.place = place, .value = word_at(place), .symbol = word_at(place)});
            break;
        case Types::kJumpSlot: {
            std::uintptr_t function = found_function(*loaded_, relocation);
            if (function == 0) function = word_at(place);  // the loader reports the error when the function is called
            set({.place = place, .value = function, .symbol = function});
            break;
        }
        case Types::kThreadModule:
        case Types::kThreadOffset:
        case Types::kThreadDistance:
            keep_loaded(place, 1);
            break;
        case Types::kThreadDescriptor:
            keep_loaded(place, 2);
            break;
        default:
            keep_loaded(place, 1);
    }
}

bool InitialImage::knows(std::uint32_t relocation_type) {
    using Types = RelocationTypes;
    constexpr std::array<std::uint32_t, 11> kTypes = {
        Types::kNone,         Types::kCopy,           Types::kRelative,        Types::kAddress,
        Types::kTableEntry,   Types::kIndirect,       Types::kJumpSlot,        Types::kThreadModule,
        Types::kThreadOffset, Types::kThreadDistance, Types::kThreadDescriptor};
    return std::ranges::find(kTypes, relocation_type) != kTypes.end();
}

/// In DT_RELR, an even word is an address. An odd word is a bit mask that selects which of the next 63 words are
/// relocated.
void InitialImage::relocate_packed() {
    constexpr unsigned kWordsOfBits = 63;
    const auto add_base = [&](std::uintptr_t place) {
        const std::byte* const from = at(place, sizeof(std::uintptr_t));
        if (from == nullptr) return;
        std::uintptr_t value = 0;
        std::memcpy(&value, from, sizeof(value));
        set({.place = place, .value = value + loaded_->base, .symbol = loaded_->base});
    };
    std::uintptr_t next = 0;
    for (const std::uintptr_t entry : loaded_->relative) {
        if ((entry & 1U) == 0) {
            add_base(loaded_->base + entry);
            next = loaded_->base + entry + sizeof(entry);
            continue;
        }
        for (unsigned bit = 0; bit < kWordsOfBits; ++bit) {
            if (((entry >> (bit + 1)) & 1U) != 0) add_base(next + bit * sizeof(entry));
        }
        next += kWordsOfBits * sizeof(entry);
    }
}

}  // namespace haichi::host
