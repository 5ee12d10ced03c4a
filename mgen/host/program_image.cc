#include "mgen/host/program_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <string_view>

#include "base/errors.h"

namespace haichi::host {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kRelative = R_X86_64_RELATIVE;
constexpr std::uint32_t kCopy = R_X86_64_COPY;
#elif defined(__aarch64__)
constexpr std::uint32_t kRelative = R_AARCH64_RELATIVE;
constexpr std::uint32_t kCopy = R_AARCH64_COPY;
#else
#error "live programs: this processor is not known"
#endif

/// The dynamic section of a loaded module, with the addresses that it names. The loader has checked it.
struct Loaded {
    std::string path;
    std::uintptr_t base = 0;
    std::span<const ElfW(Phdr)> segments;
    void* thread_variables = nullptr;
    std::vector<const char*> needed;
    const char* soname = "";
    const ElfW(Rela) * relocations = nullptr;
    std::size_t relocation_count = 0;
    const ElfW(Addr) * relative = nullptr;  ///< the packed form, DT_RELR
    std::size_t relative_count = 0;
    const ElfW(Sym) * symbols = nullptr;
    const char* strings = nullptr;
    std::uintptr_t jump_slots = 0;
    std::size_t jump_slot_bytes = 0;
    ProgramModule::Initialiser init = nullptr;
    ProgramModule::Finaliser fini = nullptr;
    std::span<const ProgramModule::Initialiser> preinit_array, init_array;
    std::span<const ProgramModule::Finaliser> fini_array;

    [[nodiscard]] bool has_name(std::string_view name) const {
        return name == soname || path.ends_with("/" + std::string(name));
    }
};

template <class T>
T* pointer(std::uintptr_t address) {
    return reinterpret_cast<T*>(address);
}

void read_dynamic(Loaded& loaded, const ElfW(Dyn) * dynamic) {
    // glibc relocates these pointers in place (not in the kernel's own module).
    const auto address = [&](const ElfW(Dyn) & entry) {
        return entry.d_un.d_ptr < loaded.base ? entry.d_un.d_ptr + loaded.base : entry.d_un.d_ptr;
    };
    // What glibc leaves as it is in the file.
    const auto offset = [&](const ElfW(Dyn) & entry) { return loaded.base + entry.d_un.d_ptr; };
    std::uintptr_t preinit = 0, init = 0, fini = 0;
    std::size_t preinit_bytes = 0, init_bytes = 0, fini_bytes = 0;
    std::vector<std::size_t> needed;
    std::size_t soname = 0;
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
        const ElfW(Dyn)& entry = *dynamic;
        switch (entry.d_tag) {
            case DT_NEEDED:
                needed.push_back(entry.d_un.d_val);
                break;
            case DT_SONAME:
                soname = entry.d_un.d_val;
                break;
            case DT_STRTAB:
                loaded.strings = pointer<const char>(address(entry));
                break;
            case DT_SYMTAB:
                loaded.symbols = pointer<const ElfW(Sym)>(address(entry));
                break;
            case DT_RELA:
                loaded.relocations = pointer<const ElfW(Rela)>(address(entry));
                break;
            case DT_RELASZ:
                loaded.relocation_count = entry.d_un.d_val / sizeof(ElfW(Rela));
                break;
            case DT_RELR:
                loaded.relative = pointer<const ElfW(Addr)>(offset(entry));
                break;
            case DT_RELRSZ:
                loaded.relative_count = entry.d_un.d_val / sizeof(ElfW(Addr));
                break;
            case DT_PLTGOT:
                loaded.jump_slots = address(entry);
                break;
            case DT_PLTRELSZ: {
                constexpr std::size_t kReserved = 3;
                loaded.jump_slot_bytes = (kReserved + entry.d_un.d_val / sizeof(ElfW(Rela))) * sizeof(void*);
                break;
            }
            case DT_INIT:
                loaded.init = reinterpret_cast<ProgramModule::Initialiser>(offset(entry));
                break;
            case DT_FINI:
                loaded.fini = reinterpret_cast<ProgramModule::Finaliser>(offset(entry));
                break;
            case DT_PREINIT_ARRAY:
                preinit = offset(entry);
                break;
            case DT_PREINIT_ARRAYSZ:
                preinit_bytes = entry.d_un.d_val;
                break;
            case DT_INIT_ARRAY:
                init = offset(entry);
                break;
            case DT_INIT_ARRAYSZ:
                init_bytes = entry.d_un.d_val;
                break;
            case DT_FINI_ARRAY:
                fini = offset(entry);
                break;
            case DT_FINI_ARRAYSZ:
                fini_bytes = entry.d_un.d_val;
                break;
            default:
                break;
        }
    }
    using Initialiser = ProgramModule::Initialiser;
    using Finaliser = ProgramModule::Finaliser;
    loaded.preinit_array = {pointer<const Initialiser>(preinit), preinit_bytes / sizeof(Initialiser)};
    loaded.init_array = {pointer<const Initialiser>(init), init_bytes / sizeof(Initialiser)};
    loaded.fini_array = {pointer<const Finaliser>(fini), fini_bytes / sizeof(Finaliser)};
    if (loaded.strings == nullptr) return;
    for (const std::size_t name : needed) loaded.needed.push_back(loaded.strings + name);
    if (soname != 0) loaded.soname = loaded.strings + soname;
}

int take(dl_phdr_info* info, std::size_t /*size*/, void* to) {
    auto& all = *static_cast<std::deque<Loaded>*>(to);
    Loaded loaded;
    loaded.path = info->dlpi_name;
    loaded.base = info->dlpi_addr;
    loaded.segments = {info->dlpi_phdr, info->dlpi_phnum};
    loaded.thread_variables = info->dlpi_tls_data;
    const bool is_kernels = loaded.path.starts_with("linux-vdso") || loaded.path.starts_with("linux-gate");
    if (is_kernels) return 0;
    for (const ElfW(Phdr) & segment : loaded.segments) {
        if (segment.p_type == PT_DYNAMIC) {
            read_dynamic(loaded, pointer<const ElfW(Dyn)>(loaded.base + segment.p_vaddr));
        }
    }
    all.push_back(std::move(loaded));
    return 0;
}

bool contains(const Loaded& loaded, std::uintptr_t address) {
    return std::ranges::any_of(loaded.segments, [&](const ElfW(Phdr) & segment) {
        const std::uintptr_t begin = loaded.base + segment.p_vaddr;
        return segment.p_type == PT_LOAD && begin <= address && address - begin < segment.p_memsz;
    });
}

/// What haichi needs, itself included: by index.
std::set<std::size_t> needed_by(std::size_t first, const std::deque<Loaded>& all) {
    std::set<std::size_t> found = {first};
    std::vector<std::size_t> open = {first};
    while (!open.empty()) {
        const Loaded& from = all[open.back()];
        open.pop_back();
        for (const char* const name : from.needed) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (all[i].has_name(name) && found.insert(i).second) open.push_back(i);
            }
        }
    }
    return found;
}

bool is_mpi_itself(std::string_view soname) {
    constexpr std::array<std::string_view, 9> kBeginnings = {"libmpich.so",    "libmpichfort.so", "libmpichf90.so",
                                                             "libmpichcxx.so", "libmpi.so",       "libmpifort.so",
                                                             "libmpicxx.so",   "libmpi_cray.so",  "libhaichi-mpich"};
    return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return soname.starts_with(beginning); });
}

bool is_private_library(const Loaded& library) {
    const std::string_view soname = library.soname;
    if (is_mpi_itself(soname)) return false;
    if (soname.starts_with("libgfortran.so") || soname.starts_with("libhaichi-")) return true;
    if (std::ranges::any_of(library.needed, [](const char* name) { return is_mpi_itself(name); })) return true;
    constexpr std::array<std::string_view, 4> kSystem = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
    return std::ranges::none_of(kSystem, [&](std::string_view folder) { return library.path.starts_with(folder); });
}

struct Interval {
    std::uintptr_t begin, end;
};

/// `from` without `hole`.
std::vector<Interval> without(const std::vector<Interval>& from, Interval hole) {
    std::vector<Interval> rest;
    for (const Interval& part : from) {
        if (hole.end <= part.begin || part.end <= hole.begin) {
            rest.push_back(part);
            continue;
        }
        if (part.begin < hole.begin) rest.push_back({part.begin, hole.begin});
        if (hole.end < part.end) rest.push_back({hole.end, part.end});
    }
    return rest;
}

std::vector<Interval> variables_of(const Loaded& loaded) {
    std::vector<Interval> parts;
    for (const ElfW(Phdr) & segment : loaded.segments) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
        const std::uintptr_t begin = loaded.base + segment.p_vaddr;
        parts.push_back({begin, begin + segment.p_memsz});
    }
    for (const ElfW(Phdr) & segment : loaded.segments) {
        if (segment.p_type != PT_GNU_RELRO) continue;
        const std::uintptr_t begin = loaded.base + segment.p_vaddr;
        parts = without(parts, {begin, begin + segment.p_memsz});
    }
    // Functions that the loader looks up when they are first called: for all ranks.
    if (loaded.jump_slots != 0) {
        parts = without(parts, {loaded.jump_slots, loaded.jump_slots + loaded.jump_slot_bytes});
    }
    // Variables of the C library that the linker has moved into the program (stdout, environ, optind).
    void* const libc = ::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (std::size_t i = 0; i < loaded.relocation_count; ++i) {
        const ElfW(Rela)& relocation = loaded.relocations[i];
        if (ELF64_R_TYPE(relocation.r_info) != kCopy) continue;
        const ElfW(Sym)& symbol = loaded.symbols[ELF64_R_SYM(relocation.r_info)];
        const char* const name = loaded.strings + symbol.st_name;
        if (libc == nullptr || ::dlsym(libc, name) == nullptr) continue;
        const std::uintptr_t begin = loaded.base + relocation.r_offset;
        parts = without(parts, {begin, begin + symbol.st_size});
    }
    if (libc != nullptr) ::dlclose(libc);
    return parts;
}

/// A file that a library was loaded from, open while it exists.
class LibraryFile {
  public:
    explicit LibraryFile(const std::string& path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (file_ < 0) throw InputError(path + ": cannot be read: " + std::strerror(errno));
    }
    ~LibraryFile() { ::close(file_); }
    LibraryFile(const LibraryFile&) = delete;
    LibraryFile& operator=(const LibraryFile&) = delete;

    void read(std::byte* to, std::size_t bytes, std::size_t offset) const {
        while (bytes > 0) {
            const ssize_t count = ::pread(file_, to, bytes, static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) throw InputError(path_ + ": cannot be read any more");
            to += count;
            offset += static_cast<std::size_t>(count);
            bytes -= static_cast<std::size_t>(count);
        }
    }

  private:
    std::string path_;
    int file_;
};

/// What the loader made of the writable segments of a library before its initialisers changed them.
class InitialImage {
  public:
    explicit InitialImage(const Loaded& loaded) : loaded_(&loaded) {
        const LibraryFile file(loaded.path);
        for (const ElfW(Phdr) & segment : loaded.segments) {
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
            Part part{.begin = loaded.base + segment.p_vaddr, .bytes = std::vector<std::byte>(segment.p_memsz)};
            file.read(part.bytes.data(), segment.p_filesz, segment.p_offset);
            parts_.push_back(std::move(part));
        }
        relocate();
    }

    [[nodiscard]] std::vector<std::byte> of(const Interval& range) {
        for (const Part& part : parts_) {
            if (range.begin < part.begin || range.end > part.begin + part.bytes.size()) continue;
            const auto from = part.bytes.begin() + static_cast<std::ptrdiff_t>(range.begin - part.begin);
            return {from, from + static_cast<std::ptrdiff_t>(range.end - range.begin)};
        }
        throw InternalError("a range outside of its library");
    }

  private:
    struct Part {
        std::uintptr_t begin;
        std::vector<std::byte> bytes;
    };

    /// Null: not in a writable segment.
    std::byte* at(std::uintptr_t address) {
        for (Part& part : parts_) {
            if (address < part.begin || address - part.begin + sizeof(address) > part.bytes.size()) continue;
            return part.bytes.data() + (address - part.begin);
        }
        return nullptr;
    }

    void relocate() {
        for (std::size_t i = 0; i < loaded_->relocation_count; ++i) {
            const ElfW(Rela)& relocation = loaded_->relocations[i];
            const std::uintptr_t address = loaded_->base + relocation.r_offset;
            std::byte* const word = at(address);
            if (word == nullptr) continue;
            if (ELF64_R_TYPE(relocation.r_info) == kRelative) {
                const std::uintptr_t value = loaded_->base + static_cast<std::uintptr_t>(relocation.r_addend);
                std::memcpy(word, &value, sizeof(value));
            } else {  // the address of a symbol: as the loader has found it
                std::memcpy(word, pointer<const std::byte>(address), sizeof(address));
            }
        }
        // DT_RELR: an even word is an address, an odd one says which of the 63 words behind it are to be relocated.
        constexpr unsigned kWordsOfBits = 63;
        std::uintptr_t next = 0;
        for (std::size_t i = 0; i < loaded_->relative_count; ++i) {
            const std::uintptr_t entry = loaded_->relative[i];
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

    void add_base(std::uintptr_t address) {
        std::byte* const word = at(address);
        if (word == nullptr) return;
        std::uintptr_t value = 0;
        std::memcpy(&value, word, sizeof(value));
        value += loaded_->base;
        std::memcpy(word, &value, sizeof(value));
    }

    const Loaded* loaded_;
    std::vector<Part> parts_;
};

void add_variables(const Loaded& loaded, ProgramModule& module) {
    const std::vector<Interval> ranges = variables_of(loaded);
    if (module.is_program) {  // its initialisers have not run: memory is what it begins with
        for (const Interval& range : ranges) {
            const auto* const begin = pointer<const std::byte>(range.begin);
            const std::size_t bytes = range.end - range.begin;
            module.variables.push_back({{pointer<std::byte>(range.begin), bytes}, {begin, begin + bytes}});
        }
    } else if (!ranges.empty()) {
        InitialImage initial(loaded);
        for (const Interval& range : ranges) {
            module.variables.push_back({{pointer<std::byte>(range.begin), range.end - range.begin}, initial.of(range)});
        }
    }
    if (loaded.thread_variables == nullptr) return;
    for (const ElfW(Phdr) & segment : loaded.segments) {  // a thread has many ranks
        if (segment.p_type != PT_TLS) continue;
        const auto* const begin = pointer<const std::byte>(loaded.base + segment.p_vaddr);
        std::vector<std::byte> initial(begin, begin + segment.p_filesz);
        initial.resize(segment.p_memsz);
        module.variables.push_back(
            {{static_cast<std::byte*>(loaded.thread_variables), segment.p_memsz}, std::move(initial), true});
    }
}

ProgramModule module_of(const Loaded& loaded, bool is_program, bool is_private) {
    ProgramModule module;
    module.path = is_program ? "/proc/self/exe" : loaded.path;
    module.base = loaded.base;
    module.begin = UINTPTR_MAX;
    module.is_program = is_program;
    module.is_private = is_private;
    for (const ElfW(Phdr) & segment : loaded.segments) {
        if (segment.p_type != PT_LOAD) continue;
        module.begin = std::min(module.begin, loaded.base + segment.p_vaddr);
        module.end = std::max(module.end, loaded.base + segment.p_vaddr + segment.p_memsz);
    }
    if (!is_private) return module;
    add_variables(loaded, module);
    const auto add = [](auto& to, const auto& functions) {
        for (const auto function : functions) {
            constexpr std::intptr_t kUnused = -1;  // some linkers begin and end the list so
            if (function != nullptr && reinterpret_cast<std::intptr_t>(function) != kUnused) to.push_back(function);
        }
    };
    add(module.initialisers, loaded.preinit_array);
    if (loaded.init != nullptr) module.initialisers.push_back(loaded.init);
    add(module.initialisers, loaded.init_array);
    const std::vector<ProgramModule::Finaliser> backwards(loaded.fini_array.rbegin(), loaded.fini_array.rend());
    add(module.finalisers, backwards);
    if (loaded.fini != nullptr) module.finalisers.push_back(loaded.fini);
    return module;
}

}  // namespace

ProgramImage ProgramImage::of_process(const void* own) {
    std::deque<Loaded> all;
    ::dl_iterate_phdr(take, &all);
    const auto of_own =
        std::ranges::find_if(all, [&](const Loaded& l) { return contains(l, reinterpret_cast<std::uintptr_t>(own)); });
    const std::set<std::size_t> ours =
        needed_by(of_own == all.end() ? 0 : static_cast<std::size_t>(of_own - all.begin()), all);
    // Another allocator, preloaded, is the one of the whole process.
    const auto allocator = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "malloc"));
    ProgramImage image;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_program = i == 0;
        const bool is_private =
            is_program || (!ours.contains(i) && !contains(all[i], allocator) && is_private_library(all[i]));
        image.modules_.push_back(host::module_of(all[i], is_program, is_private));
    }
    return image;
}

std::vector<const ProgramModule*> ProgramImage::private_modules() const {
    std::vector<const ProgramModule*> modules;
    for (auto module = modules_.rbegin(); module != modules_.rend(); ++module) {
        if (module->is_private) modules.push_back(&*module);
    }
    return modules;
}

std::size_t ProgramImage::private_bytes() const {
    std::size_t bytes = 0;
    for (const ProgramModule& module : modules_) {
        for (const PrivateRange& range : module.variables) bytes += range.bytes.size();
    }
    return bytes;
}

const ProgramModule* ProgramImage::module_of(const void* address) const {
    const auto module = std::ranges::find_if(modules_, [&](const ProgramModule& m) { return m.has(address); });
    return module == modules_.end() ? nullptr : &*module;
}

}  // namespace haichi::host
