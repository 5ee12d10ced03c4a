#include "mgen/host/loaded_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <limits>

namespace haichi::host {

namespace {

/// DT_RELR and DT_RELRSZ, which the C library's headers define since glibc 2.36.
constexpr std::int64_t kPackedRelocations = 36, kPackedRelocationBytes = 35;

/// The entries of a dynamic section, by tag.
class DynamicSection {
  public:
    DynamicSection(std::uintptr_t base, const ElfW(Dyn) * first) : base_(base), first_(first) {}

    /// The value of the last entry with the tag, or 0 if there is none.
    [[nodiscard]] std::uint64_t value(std::int64_t tag) const {
        std::uint64_t value = 0;
        for_all(tag, [&](std::uint64_t one) { value = one; });
        return value;
    }
    /// The address in an entry that glibc relocates in place, except in the kernel's own module.
    [[nodiscard]] std::uintptr_t address(std::int64_t tag) const {
        const std::uintptr_t at = value(tag);
        return at != 0 && at < base_ ? at + base_ : at;
    }
    /// The address in an entry that glibc leaves unrelocated.
    [[nodiscard]] std::uintptr_t offset(std::int64_t tag) const {
        const std::uintptr_t at = value(tag);
        return at == 0 ? 0 : base_ + at;
    }
    /// Returns the table at an address. The entry with the tag `bytes` states the table's size.
    template <class T>
    [[nodiscard]] std::span<const T> table(std::uintptr_t at, std::int64_t bytes) const {
        return {pointer<const T>(at), at == 0 ? 0 : value(bytes) / sizeof(T)};
    }
    template <class Visit>
    void for_all(std::int64_t tag, const Visit& visit) const {
        for (const ElfW(Dyn)* entry = first_; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == tag) visit(entry->d_un.d_val);
        }
    }

  private:
    std::uintptr_t base_;
    const ElfW(Dyn) * first_;
};

void read_dynamic(LoadedModule& loaded, const ElfW(Dyn) * first) {
    using Initialiser = LoadedModule::Initialiser;
    using Finaliser = LoadedModule::Finaliser;
    const DynamicSection section(loaded.base, first);
    loaded.strings = pointer<const char>(section.address(DT_STRTAB));
    loaded.symbols = pointer<const ElfW(Sym)>(section.address(DT_SYMTAB));
    loaded.symbol_versions = pointer<const ElfW(Half)>(section.address(DT_VERSYM));
    loaded.needed_versions = section.offset(DT_VERNEED);
    loaded.needed_version_count = section.value(DT_VERNEEDNUM);
    loaded.has_text_relocations = (section.value(DT_FLAGS) & DF_TEXTREL) != 0;
    section.for_all(DT_TEXTREL, [&](std::uint64_t) { loaded.has_text_relocations = true; });
    loaded.init = reinterpret_cast<Initialiser>(section.offset(DT_INIT));
    loaded.fini = reinterpret_cast<Finaliser>(section.offset(DT_FINI));
    loaded.preinit_array = section.table<Initialiser>(section.offset(DT_PREINIT_ARRAY), DT_PREINIT_ARRAYSZ);
    loaded.init_array = section.table<Initialiser>(section.offset(DT_INIT_ARRAY), DT_INIT_ARRAYSZ);
    loaded.fini_array = section.table<Finaliser>(section.offset(DT_FINI_ARRAY), DT_FINI_ARRAYSZ);
    loaded.relocations = section.table<ElfW(Rela)>(section.address(DT_RELA), DT_RELASZ);
    loaded.jump_relocations = section.table<ElfW(Rela)>(section.address(DT_JMPREL), DT_PLTRELSZ);
    loaded.relative = section.table<ElfW(Addr)>(section.address(kPackedRelocations), kPackedRelocationBytes);
    loaded.jump_slots = section.address(DT_PLTGOT);
    constexpr std::size_t kReserved = 3;
    if (section.value(DT_PLTRELSZ) > 0) {
        loaded.jump_slot_bytes = (kReserved + loaded.jump_relocations.size()) * sizeof(void*);
    }
    if (loaded.strings == nullptr) return;
    section.for_all(DT_NEEDED, [&](std::uint64_t name) { loaded.needed.push_back(loaded.strings + name); });
    if (const std::uint64_t soname = section.value(DT_SONAME); soname != 0) loaded.soname = loaded.strings + soname;
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
    return contains(found) ? found : 0;  // 0: another library defines the symbol
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
