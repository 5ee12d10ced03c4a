#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haichi::host {

/// Relocation types, as numbered in the processor's supplement to the ELF standard.
struct RelocationTypes {
#if defined(__x86_64__)
    static constexpr std::uint32_t kNone = R_X86_64_NONE, kRelative = R_X86_64_RELATIVE, kCopy = R_X86_64_COPY,
                                   kAddress = R_X86_64_64, kTableEntry = R_X86_64_GLOB_DAT,
                                   kJumpSlot = R_X86_64_JUMP_SLOT, kIndirect = R_X86_64_IRELATIVE,
                                   kThreadModule = R_X86_64_DTPMOD64, kThreadOffset = R_X86_64_DTPOFF64,
                                   kThreadDistance = R_X86_64_TPOFF64, kThreadDescriptor = R_X86_64_TLSDESC;
#elif defined(__aarch64__)
    static constexpr std::uint32_t kNone = R_AARCH64_NONE, kRelative = R_AARCH64_RELATIVE, kCopy = R_AARCH64_COPY,
                                   kAddress = R_AARCH64_ABS64, kTableEntry = R_AARCH64_GLOB_DAT,
                                   kJumpSlot = R_AARCH64_JUMP_SLOT, kIndirect = R_AARCH64_IRELATIVE,
                                   kThreadModule = R_AARCH64_TLS_DTPMOD, kThreadOffset = R_AARCH64_TLS_DTPREL,
                                   kThreadDistance = R_AARCH64_TLS_TPREL, kThreadDescriptor = R_AARCH64_TLSDESC;
#else
#error "live programs: this processor is not known"
#endif
};

template <class T>
T* pointer(std::uintptr_t address) {
    return reinterpret_cast<T*>(address);
}

/// A module of this process, with the contents of its dynamic section, which the loader has validated.
struct LoadedModule {
    using Initialiser = void (*)(int argc, char** argv, char** environment);
    using Finaliser = void (*)();

    std::string path;  ///< empty for the program
    std::uintptr_t base = 0;
    std::uintptr_t begin = 0, end = 0;
    std::span<const ElfW(Phdr)> segments;
    void* thread_variables = nullptr;
    std::vector<const char*> needed;
    const char* soname = "";
    std::span<const ElfW(Rela)> relocations;       ///< relocations except jump slots
    std::span<const ElfW(Rela)> jump_relocations;  ///< jump slots of functions, which may be bound at their first call
    std::span<const ElfW(Addr)> relative;          ///< relative relocations in packed form (DT_RELR)
    const ElfW(Sym) * symbols = nullptr;
    const ElfW(Half) * symbol_versions = nullptr;
    std::uintptr_t needed_versions = 0;
    std::size_t needed_version_count = 0;
    const char* strings = nullptr;
    std::uintptr_t jump_slots = 0;
    std::size_t jump_slot_bytes = 0;
    bool has_text_relocations = false;
    Initialiser init = nullptr;
    Finaliser fini = nullptr;
    std::span<const Initialiser> preinit_array, init_array;
    std::span<const Finaliser> fini_array;

    /// True if a DT_NEEDED entry `name`, which may be a path, can mean this module.
    [[nodiscard]] bool has_name(std::string_view name) const {
        const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
        return name == soname || name == path || name == file;
    }
    /// True if the address is in a segment with these flags (such as PF_W).
    [[nodiscard]] bool contains(std::uintptr_t address, std::uint32_t flags = 0) const;
    [[nodiscard]] const char* name_of(const ElfW(Sym) & symbol) const { return strings + symbol.st_name; }
    /// The version of a symbol that this module requires, or null for any version.
    [[nodiscard]] const char* wanted_version(std::size_t symbol) const;
    /// The address at which this module itself defines the symbol, or 0 if it has no definition.
    [[nodiscard]] std::uintptr_t definition_of(const char* symbol) const;
    /// The module's name in error messages.
    [[nodiscard]] std::string name() const;
};

/// All modules of this process in the order of symbol lookup; the program is the first.
std::deque<LoadedModule> loaded_modules();

}  // namespace haichi::host
