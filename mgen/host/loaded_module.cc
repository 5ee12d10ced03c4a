#include "mgen/host/loaded_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <limits>

namespace haichi::host {

namespace {

/// A table that the dynamic section gives by its address and its size, one after the other.
struct Table {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;

    template <class T>
    [[nodiscard]] std::span<const T> of() const {
        return {pointer<const T>(address), address == 0 ? 0 : bytes / sizeof(T)};
    }
};

void read_dynamic(LoadedModule& loaded, const ElfW(Dyn) * dynamic) {
    // glibc relocates these pointers in place (not in the kernel's own module).
    const auto address = [&](const ElfW(Dyn) & entry) {
        return entry.d_un.d_ptr < loaded.base ? entry.d_un.d_ptr + loaded.base : entry.d_un.d_ptr;
    };
    // What glibc leaves as it is in the file.
    const auto offset = [&](const ElfW(Dyn) & entry) { return loaded.base + entry.d_un.d_ptr; };
    Table preinit, init, fini, relocations, jumps, relative;
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
            case DT_VERSYM:
                loaded.symbol_versions = pointer<const ElfW(Half)>(address(entry));
                break;
            case DT_VERNEED:
                loaded.needed_versions = offset(entry);
                break;
            case DT_VERNEEDNUM:
                loaded.needed_version_count = entry.d_un.d_val;
                break;
            case DT_RELA:
                relocations.address = address(entry);
                break;
            case DT_RELASZ:
                relocations.bytes = entry.d_un.d_val;
                break;
            case DT_RELR:
                relative.address = address(entry);
                break;
            case DT_RELRSZ:
                relative.bytes = entry.d_un.d_val;
                break;
            case DT_JMPREL:
                jumps.address = address(entry);
                break;
            case DT_PLTGOT:
                loaded.jump_slots = address(entry);
                break;
            case DT_PLTRELSZ:
                jumps.bytes = entry.d_un.d_val;
                break;
            case DT_TEXTREL:
                loaded.has_text_relocations = true;
                break;
            case DT_FLAGS:
                if ((entry.d_un.d_val & DF_TEXTREL) != 0) loaded.has_text_relocations = true;
                break;
            case DT_INIT:
                loaded.init = reinterpret_cast<LoadedModule::Initialiser>(offset(entry));
                break;
            case DT_FINI:
                loaded.fini = reinterpret_cast<LoadedModule::Finaliser>(offset(entry));
                break;
            case DT_PREINIT_ARRAY:
                preinit.address = offset(entry);
                break;
            case DT_PREINIT_ARRAYSZ:
                preinit.bytes = entry.d_un.d_val;
                break;
            case DT_INIT_ARRAY:
                init.address = offset(entry);
                break;
            case DT_INIT_ARRAYSZ:
                init.bytes = entry.d_un.d_val;
                break;
            case DT_FINI_ARRAY:
                fini.address = offset(entry);
                break;
            case DT_FINI_ARRAYSZ:
                fini.bytes = entry.d_un.d_val;
                break;
            default:
                break;
        }
    }
    loaded.preinit_array = preinit.of<LoadedModule::Initialiser>();
    loaded.init_array = init.of<LoadedModule::Initialiser>();
    loaded.fini_array = fini.of<LoadedModule::Finaliser>();
    loaded.relocations = relocations.of<ElfW(Rela)>();
    loaded.jump_relocations = jumps.of<ElfW(Rela)>();
    loaded.relative = relative.of<ElfW(Addr)>();
    constexpr std::size_t kReserved = 3;
    if (jumps.bytes > 0) {
        loaded.jump_slot_bytes = (kReserved + loaded.jump_relocations.size()) * sizeof(void*);
    }
    if (loaded.strings == nullptr) return;
    for (const std::size_t name : needed) loaded.needed.push_back(loaded.strings + name);
    if (soname != 0) loaded.soname = loaded.strings + soname;
}

int take(dl_phdr_info* info, std::size_t /*size*/, void* to) {
    auto& all = *static_cast<std::deque<LoadedModule>*>(to);
    LoadedModule loaded;
    loaded.path = info->dlpi_name;
    loaded.base = info->dlpi_addr;
    loaded.segments = {info->dlpi_phdr, info->dlpi_phnum};
    loaded.thread_variables = info->dlpi_tls_data;
    const bool is_kernels = loaded.path.starts_with("linux-vdso") || loaded.path.starts_with("linux-gate");
    if (is_kernels) return 0;
    loaded.begin = std::numeric_limits<std::uintptr_t>::max();
    for (const ElfW(Phdr) & segment : loaded.segments) {
        const std::uintptr_t begin = loaded.base + segment.p_vaddr;
        if (segment.p_type == PT_LOAD) {
            loaded.begin = std::min(loaded.begin, begin);
            loaded.end = std::max(loaded.end, begin + segment.p_memsz);
        }
        if (segment.p_type == PT_DYNAMIC) read_dynamic(loaded, pointer<const ElfW(Dyn)>(begin));
    }
    all.push_back(std::move(loaded));
    return 0;
}

}  // namespace

bool LoadedModule::contains(std::uintptr_t address, std::uint32_t flags) const {
    return std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & flags) != flags) return false;
        const std::uintptr_t from = base + segment.p_vaddr;
        return from <= address && address - from < segment.p_memsz;
    });
}

const char* LoadedModule::wanted_version(std::size_t symbol) const {
    constexpr unsigned kHidden = 0x8000;
    constexpr unsigned kGlobal = 1;
    if (symbol_versions == nullptr || needed_versions == 0) return nullptr;
    const unsigned wanted = symbol_versions[symbol] & ~kHidden;
    if (wanted <= kGlobal) return nullptr;
    std::uintptr_t at = needed_versions;
    for (std::size_t i = 0; i < needed_version_count; ++i) {
        const auto* const file = pointer<const ElfW(Verneed)>(at);
        std::uintptr_t one = at + file->vn_aux;
        for (unsigned j = 0; j < file->vn_cnt; ++j) {
            const auto* const version = pointer<const ElfW(Vernaux)>(one);
            if (version->vna_other == wanted) return strings + version->vna_name;
            one += version->vna_next;
        }
        at += file->vn_next;
    }
    return nullptr;
}

std::uintptr_t LoadedModule::definition_of(const char* symbol) const {
    void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return 0;
    const auto found = reinterpret_cast<std::uintptr_t>(::dlsym(library, symbol));
    ::dlclose(library);
    return contains(found) ? found : 0;  // else of one that it needs
}

std::string LoadedModule::name() const {
    if (path.empty()) return "the program";
    return path.substr(path.rfind('/') + 1);
}

std::deque<LoadedModule> loaded_modules() {
    std::deque<LoadedModule> all;
    ::dl_iterate_phdr(take, &all);
    return all;
}

}  // namespace haichi::host
