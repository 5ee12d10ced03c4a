#include "mgen/host/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "base/elf_bytes.h"
#include "base/errors.h"
#include "base/mapped_file.h"

namespace haichi::host {

namespace {

constexpr const char* kBuildHint = "build it with mpicc (mpicxx, mpif90) of MPICH or Open MPI";

/// Contents of the dynamic section. Addresses refer to the loaded program.
struct Dynamic {
    std::vector<std::uint64_t> needed;
    std::optional<std::uint64_t> soname, strings, symbols, hash;
};

class Parser {
  public:
    Parser(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes, path), file_{.path = path} {}

    ElfFile parse() {
        header_ = bytes_.header();
        if (header_.e_type != ET_EXEC && header_.e_type != ET_DYN) {
            throw InputError(file_.path + ": an ELF file, but not a program", "link the object file first");
        }
        file_.is_position_independent = header_.e_type == ET_DYN;
        if (header_.e_phentsize != sizeof(Elf64_Phdr)) bytes_.refuse("the program headers have an unknown size");
        std::optional<Elf64_Phdr> dynamic;
        for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
            const auto segment = bytes_.entry<Elf64_Phdr>(header_.e_phoff, i, "a program header");
            if (segment.p_type == PT_LOAD) loads_.push_back(segment);
            if (segment.p_type == PT_DYNAMIC) dynamic = segment;
            if (segment.p_type == PT_INTERP) file_.interpreter = bytes_.text(segment.p_offset, "the interpreter");
        }
        if (dynamic) take(read_dynamic(*dynamic));
        std::ranges::sort(file_.undefined);
        std::ranges::sort(file_.defined);
        return std::move(file_);
    }

  private:
    /// The file offset of an address in the loaded program.
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address, const char* what) const {
        for (const Elf64_Phdr& load : loads_) {
            if (address < load.p_vaddr || address - load.p_vaddr >= load.p_filesz) continue;
            const std::uint64_t offset = address - load.p_vaddr + load.p_offset;
            if (offset < load.p_offset) break;
            return offset;
        }
        bytes_.refuse("the address of " + std::string(what) + " is outside of the segments");
    }

    [[nodiscard]] Dynamic read_dynamic(const Elf64_Phdr& segment) const {
        Dynamic dynamic;
        for (std::uint64_t i = 0; i < segment.p_filesz / sizeof(Elf64_Dyn); ++i) {
            const auto entry = bytes_.entry<Elf64_Dyn>(segment.p_offset, i, "the dynamic section");
            switch (entry.d_tag) {
                case DT_NULL:
                    return dynamic;
                case DT_NEEDED:
                    dynamic.needed.push_back(entry.d_un.d_val);
                    break;
                case DT_SONAME:
                    dynamic.soname = entry.d_un.d_val;
                    break;
                case DT_STRTAB:
                    dynamic.strings = entry.d_un.d_ptr;
                    break;
                case DT_SYMTAB:
                    dynamic.symbols = entry.d_un.d_ptr;
                    break;
                case DT_HASH:
                    dynamic.hash = entry.d_un.d_ptr;
                    break;
                default:
                    break;
            }
        }
        return dynamic;
    }

    void take(const Dynamic& dynamic) {
        if (!dynamic.strings) {
            if (dynamic.needed.empty() && !dynamic.symbols) return;
            bytes_.refuse("the dynamic section has no strings");
        }
        const std::uint64_t strings = offset_of(*dynamic.strings, "the strings");
        const auto text = [&](std::uint64_t at, const char* what) {
            if (at > bytes_.size()) bytes_.refuse("the offset of " + std::string(what) + " is outside of the file");
            return bytes_.text(strings + at, what);
        };
        for (const std::uint64_t name : dynamic.needed) file_.needed.push_back(text(name, "the name of a library"));
        if (dynamic.soname) file_.soname = text(*dynamic.soname, "its own name");
        if (!dynamic.symbols) return;
        const std::uint64_t symbols = offset_of(*dynamic.symbols, "the symbols");
        const std::uint64_t count = symbol_count(dynamic, symbols, strings);
        for (std::uint64_t i = 1; i < count; ++i) {
            const auto symbol = bytes_.entry<Elf64_Sym>(symbols, i, "a symbol");
            const unsigned bind = ELF64_ST_BIND(symbol.st_info);
            if (symbol.st_name == 0 || (bind != STB_GLOBAL && bind != STB_WEAK)) continue;
            (symbol.st_shndx == SHN_UNDEF ? file_.undefined : file_.defined)
                .push_back(text(symbol.st_name, "the name of a symbol"));
        }
    }

    /// Number of symbols. No field of the dynamic section has it, because the dynamic linker does not need it. It
    /// follows from the section table, from the old hash table, or from the distance between the symbols and their
    /// names. Linkers put the names after the symbols.
    [[nodiscard]] std::uint64_t symbol_count(const Dynamic& dynamic, std::uint64_t symbols,
                                             std::uint64_t strings) const {
        if (header_.e_shoff != 0 && header_.e_shentsize == sizeof(Elf64_Shdr)) {
            for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
                const auto section = bytes_.entry<Elf64_Shdr>(header_.e_shoff, i, "a section header");
                if (section.sh_type == SHT_DYNSYM && section.sh_offset == symbols) {
                    return section.sh_size / sizeof(Elf64_Sym);
                }
            }
        }
        if (dynamic.hash)
            return bytes_.at<Elf64_Word>(offset_of(*dynamic.hash, "the hash table") + 4, "the hash table");
        return strings > symbols ? (strings - symbols) / sizeof(Elf64_Sym) : 0;
    }

    ElfBytes bytes_;
    ElfFile file_;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Phdr> loads_;
};

/// The name of an MPI function in lower case; empty for other symbols. The C symbols MPI_Send and PMPI_Send become
/// "mpi_send". The Fortran symbols mpi_send_, mpi_send_f08_ and mpi_send_f08ts_ become "mpi_send", too.
std::string lower_case_name(std::string_view symbol) {
    if (symbol.starts_with('P') || symbol.starts_with('p')) symbol.remove_prefix(1);
    if (!symbol.starts_with("MPI_") && !symbol.starts_with("mpi_")) return "";
    if (symbol.starts_with("mpi_")) {
        for (const std::string_view ending : {"_f08ts_", "_f08_", "__", "_"}) {
            if (!symbol.ends_with(ending)) continue;
            symbol.remove_suffix(ending.size());
            break;
        }
    }
    std::string name;
    for (const char c : symbol) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

/// "mpi_comm_rank" becomes "MPI_Comm_rank".
std::string as_in_c(const std::string& lower_case) {
    std::string name = "MPI_" + lower_case.substr(4);
    if (name.size() > 4) name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[4])));
    return name;
}

}  // namespace

ElfFile ElfFile::of(std::span<const std::byte> bytes, const std::string& path) {
    constexpr std::size_t kLongestLine = 80;
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLongestLine));
    if (start.starts_with("#!")) {
        throw UnsupportedError(
            path + ": a script (" + std::string(start.substr(0, start.find('\n'))) + "), not a compiled program",
            "name the program that it starts");
    }
    return Parser(bytes, path).parse();
}

ElfFile ElfFile::read(const std::string& path) {
    const MappedFile file(path);
    return of(file.bytes(), path);
}

std::optional<Abi> needed_abi(const std::vector<std::string>& libraries) {
    const auto is_mpich = [](const std::string& name) {
        constexpr std::array<std::string_view, 5> kNames = {"libmpi.so.12", "libmpifort.so.12", "libmpicxx.so.12",
                                                            "libmpi_cray.so.12", "libmpi_gnu.so.12"};
        return name.find("mpich") != std::string::npos || std::ranges::find(kNames, name) != kNames.end();
    };
    const auto is_open_mpi = [](const std::string& name) {
        constexpr std::array<std::string_view, 4> kBeginnings = {"libmpi.so.40", "libmpi_mpifh.so.40",
                                                                 "libmpi_cxx.so.40", "libmpi_usempi"};
        return std::ranges::any_of(kBeginnings,
                                   [&](std::string_view beginning) { return name.starts_with(beginning); });
    };
    if (std::ranges::any_of(libraries, is_mpich)) return Abi::kMpich;
    if (std::ranges::any_of(libraries, is_open_mpi)) return Abi::kOpenMpi;
    return std::nullopt;
}

Abi abi_of_program(const ElfFile& program, const std::vector<std::string>& libraries) {
    if (program.interpreter.empty()) {
        if (program.needed.empty()) {
            throw UnsupportedError(program.path + ": linked statically, but live programs require a shared MPI library",
                                   std::string(kBuildHint) + ", without -static");
        }
        throw UnsupportedError(program.path + ": a library, not a program");
    }
    if (const std::optional<Abi> abi = needed_abi(libraries)) return *abi;
    throw UnsupportedError(
        program.path + ": not an MPI program: neither it nor its libraries need libmpich.so.12 or libmpi.so.40",
        std::string(kBuildHint) + "; an interpreter that loads MPI later cannot be run");
}

std::vector<std::string> missing_mpi_functions(const ElfFile& program, const ElfFile& library) {
    std::set<std::string> known;
    for (const std::string& symbol : library.defined) known.insert(lower_case_name(symbol));
    std::vector<std::string> missing;
    for (const std::string& symbol : program.undefined) {
        const std::string name = lower_case_name(symbol);
        // Predefined functions for attributes and conversions (MPI_COMM_DUP_FN) and names that only Fortran has belong
        // to libmpichfort itself.
        if (name.empty() || name.find("_fn") != std::string::npos || name.starts_with("mpi_sizeof")) continue;
        if (known.contains(name)) continue;
        missing.push_back(symbol.starts_with("MPI_") ? symbol : as_in_c(name));
    }
    std::ranges::sort(missing);
    missing.erase(std::ranges::unique(missing).begin(), missing.end());
    return missing;
}

}  // namespace haichi::host
