#include "mgen/host/image_plan.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "mgen/host/initial_image.h"

namespace haichi::host {

namespace {

std::string demangled(const char* name) {
    int failed = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &failed),
                                                           &std::free);
    return failed == 0 && text ? text.get() : name;
}

/// Variables that the C library sets only before main(), or that haichi sets for each rank itself.
bool is_settled(std::string_view name) {
    constexpr std::array<std::string_view, 9> kNames = {"stdin",
                                                        "stdout",
                                                        "stderr",
                                                        "optind",
                                                        "opterr",
                                                        "optopt",
                                                        "optarg",
                                                        "program_invocation_name",
                                                        "program_invocation_short_name"};
    return std::ranges::find(kNames, name) != kNames.end();
}

/// True for the loader's search functions. A search by name finds the program as it was loaded, not the rank's copy of
/// it. A search by an address in a copy finds nothing.
bool is_search(std::string_view name) {
    constexpr std::array<std::string_view, 8> kNames = {
        "dlsym", "dlvsym", "dlopen", "dlmopen", "dladdr", "dladdr1", "backtrace_symbols", "backtrace_symbols_fd"};
    return std::ranges::find(kNames, name) != kNames.end();
}

/// True if the memory no longer changes once the loader has finished with the module.
bool is_constant(const LoadedModule& module, std::uintptr_t address) {
    const auto lies_in = [&](const ElfW(Phdr) & segment) {
        const std::uintptr_t begin = module.base + segment.p_vaddr;
        return begin <= address && address - begin < segment.p_memsz;
    };
    return std::ranges::any_of(module.segments, [&](const ElfW(Phdr) & segment) {
        const bool never_changes =
            segment.p_type == PT_GNU_RELRO || (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0);
        return never_changes && lies_in(segment);
    });
}

/// True for functions that compilers emit wherever they are used (templates, inline functions).
bool is_weak_function(std::uintptr_t address) {
    Dl_info where{};
    void* entry = nullptr;
    if (::dladdr1(reinterpret_cast<const void*>(address), &where, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) {
        return false;
    }
    const auto* const symbol = static_cast<const ElfW(Sym)*>(entry);
    return ELF64_ST_BIND(symbol->st_info) == STB_WEAK && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

class Planner {
  public:
    explicit Planner(const ProgramImage& image) : image_(&image), has_copy_(image.modules().size()) {}

    ImagePlan plan() {
        has_copy_[0] = true;
        for (std::size_t i = 1; i < has_copy_.size(); ++i) {
            // A library that searches for names (such as a profiler) stays at its address; only its variables are
            // copied.
            has_copy_[i] = image_->modules()[i].is_private && !searches(loaded(i));
        }
        take_moved_objects();
        add_bound_libraries();
        for (std::size_t i = 0; i < has_copy_.size() && plan_.obstacle.empty(); ++i) {
            if (!has_copy_[i]) continue;
            check(loaded(i));
            plan_.modules.push_back(i);
        }
        if (plan_.obstacle.empty()) check_moved_objects();
        return std::move(plan_);
    }

  private:
    [[nodiscard]] const LoadedModule& loaded(std::size_t module) const { return image_->loaded()[module]; }
    [[nodiscard]] std::optional<std::size_t> module_with(std::uintptr_t address) const {
        for (std::size_t i = 0; i < has_copy_.size(); ++i) {
            if (loaded(i).begin <= address && address < loaded(i).end) return i;
        }
        return std::nullopt;
    }
    static bool searches(const LoadedModule& module) {
        const auto names_one = [&](const ElfW(Rela) & relocation) {
            const std::size_t symbol = ELF64_R_SYM(relocation.r_info);
            return symbol != 0 && is_search(module.name_of(module.symbols[symbol]));
        };
        return std::ranges::any_of(module.relocations, names_one) ||
               std::ranges::any_of(module.jump_relocations, names_one);
    }
    void refuse(std::string obstacle, const char* hint = "") {
        if (!plan_.obstacle.empty()) return;
        plan_.obstacle = std::move(obstacle);
        plan_.hint = hint;
    }

    void take_moved_objects() {
        const LoadedModule& program = loaded(0);
        for (const ElfW(Rela) & relocation : program.relocations) {
            if (ELF64_R_TYPE(relocation.r_info) != RelocationTypes::kCopy) continue;
            const ElfW(Sym)& symbol = program.symbols[ELF64_R_SYM(relocation.r_info)];
            ImagePlan::MovedObject object{.place = program.base + relocation.r_offset,
                                          .bytes = symbol.st_size,
                                          .in_library = 0,
                                          .library = 0,
                                          .is_shared = true};
            find_definition(program.name_of(symbol), object);
            names_.emplace_back(program.name_of(symbol));
            plan_.moved.push_back(object);
        }
    }
    /// Finds the first library that defines the name.
    void find_definition(const char* name, ImagePlan::MovedObject& object) const {
        for (std::size_t i = 1; i < has_copy_.size(); ++i) {
            const std::uintptr_t found = loaded(i).definition_of(name);
            if (found == 0) continue;
            object.in_library = found;
            object.library = i;
            return;
        }
    }
    /// True if the linker has moved the variable at this address into the program from a library that haichi needs.
    [[nodiscard]] bool is_moved_from_haichi(std::uintptr_t address) const {
        return std::ranges::any_of(plan_.moved, [&](const ImagePlan::MovedObject& object) {
            return object.place <= address && address - object.place < object.bytes &&
                   image_->modules()[object.library].is_of_haichi;
        });
    }

    /// A module that uses a variable or a function of a copied module must be copied, too. Otherwise it would use the
    /// original, which belongs to none of the ranks.
    void add_bound_libraries() {
        for (bool is_found = true; is_found && plan_.obstacle.empty();) {
            is_found = false;
            for (std::size_t i = 1; i < has_copy_.size(); ++i) {
                if (has_copy_[i] || !is_bound(i)) continue;
                is_found = has_copy_[i] = true;
                if (searches(loaded(i))) {
                    refuse("needs " + loaded(i).name() + ", which uses symbols of the program and searches for " +
                           "names (dlsym)");
                }
            }
        }
    }

    /// True if a relocation binds the module to a module with copies.
    bool is_bound(std::size_t module) {
        const LoadedModule& from = loaded(module);
        const auto is_bound_by = [&](const ElfW(Rela) & relocation) {
            const std::size_t number = ELF64_R_SYM(relocation.r_info);
            if (number == 0) return false;
            const ElfW(Sym)& symbol = from.symbols[number];
            std::uintptr_t found = 0;
            switch (ELF64_R_TYPE(relocation.r_info)) {
                case RelocationTypes::kJumpSlot:
                    found = found_function(from, relocation);
                    break;
                case RelocationTypes::kTableEntry:
                case RelocationTypes::kAddress:
                    found = *reinterpret_cast<const std::uintptr_t*>(from.base + relocation.r_offset) -
                            static_cast<std::uintptr_t>(relocation.r_addend);
                    break;
                default:
                    return false;
            }
            const std::optional<std::size_t> to = module_with(found);
            if (!to || *to == module || !has_copy_[*to] || is_weak_function(found)) return false;
            if (is_moved_from_haichi(found)) return false;
            if (image_->modules()[module].is_of_haichi) {
                refuse("defines '" + demangled(from.name_of(symbol)) + "', which " + from.name() +
                       " shares between all ranks");
                return false;
            }
            return true;
        };
        return std::ranges::any_of(from.relocations, is_bound_by) ||
               std::ranges::any_of(from.jump_relocations, is_bound_by);
    }

    void check(const LoadedModule& module) {
        const bool is_program = module.path.empty();
        const std::string whose = is_program ? "" : "needs " + module.name() + ", which ";
        if (module.base == 0) {
            refuse(whose + "is not position independent", "compile it with -fPIE and link it with -pie");
        }
        if (module.has_text_relocations) {
            refuse(whose + "has relocations in its code", "compile it with -fPIE, or -fPIC for a library");
        }
        if (is_program && searches(module)) refuse("searches for names while it runs (dlsym, dlopen, dladdr)");
        const auto check_type = [&](const ElfW(Rela) & relocation) {
            const std::uint32_t type = ELF64_R_TYPE(relocation.r_info);
            if (!InitialImage::knows(type)) {
                refuse(whose + "has a relocation of the unknown type " + std::to_string(type));
            }
        };
        std::ranges::for_each(module.relocations, check_type);
        std::ranges::for_each(module.jump_relocations, check_type);
    }

    void check_moved_objects() {
        for (std::size_t i = 0; i < plan_.moved.size(); ++i) {
            ImagePlan::MovedObject& object = plan_.moved[i];
            object.is_shared = object.library == 0 || !has_copy_[object.library];
            if (!object.is_shared || is_settled(names_[i])) continue;
            if (object.library != 0 && is_constant(loaded(object.library), object.in_library)) continue;
            const std::string library = object.library == 0 ? "a library" : loaded(object.library).name();
            refuse("contains '" + demangled(names_[i].c_str()) + "' of " + library + " (a COPY relocation)",
                   "compile it with -fPIC");
        }
    }

    const ProgramImage* image_;
    std::vector<bool> has_copy_;
    std::vector<std::string> names_;  ///< names of the moved objects
    ImagePlan plan_;
};

}  // namespace

ImagePlan ImagePlan::of(const ProgramImage& image) { return Planner(image).plan(); }

std::size_t ImagePlan::bytes_beside(const ProgramImage& image) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < image.modules().size(); ++i) {
        for (const PrivateRange& range : image.modules()[i].variables) {
            if (!has_copy(i) || range.is_of_thread) bytes += range.bytes.size();
        }
    }
    return bytes;
}

}  // namespace haichi::host
