#include "commlog/profiler/modules.h"

#include <link.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace haichi::profiler {

namespace {

ProfileMemory* memory = nullptr;
std::mutex entering;

std::uint16_t known_module(std::uint64_t address) {
    const std::uint32_t count = std::atomic_ref(memory->header.module_count).load(std::memory_order_acquire);
    for (std::uint32_t m = 0; m < count; ++m) {
        const ModuleEntry& module = memory->modules[m];
        if (address >= module.begin && address < module.end) return static_cast<std::uint16_t>(m);
    }
    return kNoModule;
}

struct Search {
    std::uint64_t address;
    ModuleEntry found;
};

/// Reads the note in which the linker stores the build ID.
void read_build_id(const ElfW(Phdr) & header, ElfW(Addr) bias, ModuleEntry& module) {
    const auto* at = reinterpret_cast<const unsigned char*>(bias + header.p_vaddr);
    const auto* const end = at + header.p_memsz;
    const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof(note));
        const auto* const name = at + sizeof(note);
        const std::size_t rest = static_cast<std::size_t>(end - name);
        if (padded(note.n_namesz) > rest || note.n_descsz > rest - padded(note.n_namesz)) return;
        const auto* const content = name + padded(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0 &&
            note.n_descsz <= sizeof(module.build_id)) {
            std::memcpy(module.build_id, content, note.n_descsz);
            module.build_id_size = note.n_descsz;
            return;
        }
        if (padded(note.n_descsz) >= static_cast<std::size_t>(end - content)) return;
        at = content + padded(note.n_descsz);
    }
}

int look_at(dl_phdr_info* info, std::size_t, void* given) {
    auto& search = *static_cast<Search*>(given);
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    for (int p = 0; p < info->dlpi_phnum; ++p) {
        const ElfW(Phdr)& header = info->dlpi_phdr[p];
        if (header.p_type != PT_LOAD) continue;
        const std::uint64_t from = info->dlpi_addr + header.p_vaddr;
        if (from < begin) begin = from;
        if (from + header.p_memsz > end) end = from + header.p_memsz;
    }
    if (search.address < begin || search.address >= end) return 0;
    ModuleEntry& module = search.found;
    module.begin = begin;
    module.end = end;
    module.bias = info->dlpi_addr;
    for (int p = 0; p < info->dlpi_phnum; ++p) {
        if (info->dlpi_phdr[p].p_type == PT_NOTE && module.build_id_size == 0) {
            read_build_id(info->dlpi_phdr[p], info->dlpi_addr, module);
        }
    }
    // The main program has an empty name in this list.
    const bool is_program = info->dlpi_name == nullptr || *info->dlpi_name == '\0';
    const char* const path = is_program ? memory->header.program : info->dlpi_name;
    const int length = std::snprintf(module.path, sizeof(module.path), "%s", path);
    // A truncated path would be useless.
    if (length >= static_cast<int>(sizeof(module.path))) module.path[0] = '\0';
    return 1;
}

}  // namespace

void start_modules(ProfileMemory* part) { memory = part; }

std::uint16_t module_of(std::uint64_t address) {
    if (address == 0) return kNoModule;
    if (const std::uint16_t known = known_module(address); known != kNoModule) return known;
    const std::lock_guard lock(entering);
    if (const std::uint16_t known = known_module(address); known != kNoModule) return known;
    ProfileHeader& h = memory->header;
    if (h.module_count == kMostModules) return kNoModule;
    Search search{address, {}};
    if (dl_iterate_phdr(look_at, &search) == 0) return kNoModule;
    memory->modules[h.module_count] = search.found;
    const auto number = static_cast<std::uint16_t>(h.module_count);
    std::atomic_ref(h.module_count).store(h.module_count + 1, std::memory_order_release);
    return number;
}

}  // namespace haichi::profiler
