#include "mgen/host/program_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string_view>

#include "mgen/host/initial_image.h"

namespace haichi::host {

namespace {

bool is_mpi_itself(std::string_view soname) {
    constexpr std::array<std::string_view, 14> kBeginnings = {
        "libmpich.so",   "libmpichfort.so", "libmpichf90.so",  "libmpichcxx.so",   "libmpi.so",
        "libmpifort.so", "libmpicxx.so",    "libmpi_cray.so",  "libmpi_mpifh.so",  "libmpi_usempi",
        "libmpi_cxx.so", "libopen-pal.so",  "libhaichi-mpich", "libhaichi-openmpi"};
    return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return soname.starts_with(beginning); });
}

/// True if the library belongs to the C or C++ runtime, whose state haichi separates in other ways.
bool is_runtime(std::string_view soname) {
    constexpr std::array<std::string_view, 13> kBeginnings = {
        "libc.so", "libm.so",    "libmvec.so", "libpthread.so", "libdl.so",     "librt.so",    "libutil.so",
        "libnss_", "libresolv.", "ld-linux",   "libgcc_s.so",   "libstdc++.so", "libc++abi.so"};
    return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return soname.starts_with(beginning); });
}

/// Indices of the modules in `first` and of all modules that they need, directly or indirectly. MPI's own modules, and
/// the modules that they need, are included only if `through_mpi` is set.
std::set<std::size_t> needed_by(const std::vector<std::size_t>& first, const std::deque<LoadedModule>& all,
                                bool through_mpi) {
    std::set<std::size_t> found(first.begin(), first.end());
    std::vector<std::size_t> open = first;
    while (!open.empty()) {
        const LoadedModule& from = all[open.back()];
        open.pop_back();
        for (const char* const name : from.needed) {
            if (!through_mpi && is_mpi_itself(name)) continue;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (all[i].has_name(name) && found.insert(i).second) open.push_back(i);
            }
        }
    }
    return found;
}

/// The program, and the modules that no other module needs: these are preloaded libraries.
std::vector<std::size_t> roots_of(const std::deque<LoadedModule>& all) {
    std::vector<std::size_t> roots = {0};
    for (std::size_t i = 1; i < all.size(); ++i) {
        const bool is_needed = std::ranges::any_of(all, [&](const LoadedModule& other) {
            return std::ranges::any_of(other.needed, [&](const char* name) { return all[i].has_name(name); });
        });
        if (!is_needed) roots.push_back(i);
    }
    return roots;
}

struct Interval {
    std::uintptr_t begin, end;
};

/// Returns the parts of `from` that are not in `hole`.
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

std::vector<Interval> variables_of(const LoadedModule& loaded) {
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
    // All ranks share the slots of functions that the loader binds at their first call, so these are excluded.
    if (loaded.jump_slots != 0) {
        parts = without(parts, {loaded.jump_slots, loaded.jump_slots + loaded.jump_slot_bytes});
    }
    // All ranks share C library variables that the linker has moved into the program (stdout, environ, optind).
    void* const libc = ::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (const ElfW(Rela) & relocation : loaded.relocations) {
        if (ELF64_R_TYPE(relocation.r_info) != RelocationTypes::kCopy) continue;
        const ElfW(Sym)& symbol = loaded.symbols[ELF64_R_SYM(relocation.r_info)];
        const char* const name = loaded.name_of(symbol);
        if (libc == nullptr || ::dlsym(libc, name) == nullptr) continue;
        const std::uintptr_t begin = loaded.base + relocation.r_offset;
        parts = without(parts, {begin, begin + symbol.st_size});
    }
    if (libc != nullptr) ::dlclose(libc);
    return parts;
}

void add_variables(const LoadedModule& loaded, ProgramModule& module) {
    const std::vector<Interval> ranges = variables_of(loaded);
    if (module.is_program) {  // its initialisers have not run, so memory has the initial contents
        for (const Interval& range : ranges) {
            const auto* const begin = pointer<const std::byte>(range.begin);
            const std::size_t bytes = range.end - range.begin;
            module.variables.push_back({{pointer<std::byte>(range.begin), bytes}, {begin, begin + bytes}});
        }
    } else if (!ranges.empty()) {
        const InitialImage initial(loaded, InitialImage::Segments::kWritable);
        for (const Interval& range : ranges) {
            module.variables.push_back(
                {{pointer<std::byte>(range.begin), range.end - range.begin}, initial.of(range.begin, range.end)});
        }
    }
    if (loaded.thread_variables == nullptr) return;
    // Thread-local variables are private because a thread runs many ranks.
    for (const ElfW(Phdr) & segment : loaded.segments) {
        if (segment.p_type != PT_TLS) continue;
        const auto* const begin = pointer<const std::byte>(loaded.base + segment.p_vaddr);
        std::vector<std::byte> initial(begin, begin + segment.p_filesz);
        initial.resize(segment.p_memsz);
        module.variables.push_back(
            {{static_cast<std::byte*>(loaded.thread_variables), segment.p_memsz}, std::move(initial), true});
    }
}

ProgramModule module_of(const LoadedModule& loaded, bool is_program) {
    ProgramModule module;
    module.path = is_program ? "/proc/self/exe" : loaded.path;
    module.base = loaded.base;
    module.begin = loaded.begin;
    module.end = loaded.end;
    module.is_program = is_program;
    const auto add = [](auto& to, const auto& functions) {
        for (const auto function : functions) {
            constexpr std::intptr_t kUnused = -1;  // some linkers put this value at both ends of the list
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
    ProgramImage image;
    image.loaded_ = loaded_modules();
    const std::deque<LoadedModule>& all = image.loaded_;
    const auto of_own = std::ranges::find_if(
        all, [&](const LoadedModule& l) { return l.contains(reinterpret_cast<std::uintptr_t>(own)); });
    const std::set<std::size_t> ours =
        needed_by({of_own == all.end() ? 0 : static_cast<std::size_t>(of_own - all.begin())}, all, true);
    // Libraries that only MPI needs never run, because haichi replaces MPI.
    const std::set<std::size_t> of_program = needed_by(roots_of(all), all, false);
    // A preloaded allocator serves the whole process.
    const auto allocator = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "malloc"));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_program = i == 0;
        image.modules_.push_back(host::module_of(all[i], is_program));
        image.modules_[i].is_of_haichi = !is_program && (ours.contains(i) || all[i].contains(allocator));
        image.modules_[i].is_of_mpi =
            static_cast<std::ptrdiff_t>(i) != of_own - all.begin() && is_mpi_itself(all[i].soname);
        const bool is_separate = of_program.contains(i) && !image.modules_[i].is_of_haichi &&
                                 !is_mpi_itself(all[i].soname) && !is_runtime(all[i].soname);
        if (is_program || is_separate) image.make_private(i);
    }
    return image;
}

std::vector<std::string> ProgramImage::loaded_since() const {
    std::vector<std::string> files;
    for (const LoadedModule& now : loaded_modules()) {
        if (is_mpi_itself(now.soname) || is_runtime(now.soname)) continue;
        const bool was_there =
            std::ranges::any_of(loaded_, [&](const LoadedModule& l) { return l.begin == now.begin; });
        if (!was_there) files.push_back(now.path);
    }
    return files;
}

void ProgramImage::make_private(std::size_t module) {
    modules_[module].is_private = true;
    add_variables(loaded_[module], modules_[module]);
    if (module != 0) begin_moved_variables(loaded_[module]);
}

/// Restores the initial values of the library's variables that the linker has moved into the program.
void ProgramImage::begin_moved_variables(const LoadedModule& library) {
    const LoadedModule& program = loaded_.front();
    std::optional<InitialImage> initial;
    for (const ElfW(Rela) & relocation : program.relocations) {
        if (ELF64_R_TYPE(relocation.r_info) != RelocationTypes::kCopy) continue;
        const ElfW(Sym)& symbol = program.symbols[ELF64_R_SYM(relocation.r_info)];
        const std::uintptr_t in_library = library.definition_of(program.name_of(symbol));
        if (!library.contains(in_library, PF_W)) continue;
        if (!initial) initial.emplace(library, InitialImage::Segments::kWritable);
        const auto* const place = pointer<std::byte>(program.base + relocation.r_offset);
        for (PrivateRange& range : modules_.front().variables) {
            if (place < range.bytes.data() || place >= range.bytes.data() + range.bytes.size()) continue;
            const std::vector<std::byte> bytes = initial->of(in_library, in_library + symbol.st_size);
            std::ranges::copy(bytes, range.initial.begin() + (place - range.bytes.data()));
        }
    }
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
