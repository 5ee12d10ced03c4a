#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include <elf.h>

#include "base/errors.h"
#include "mgen/host/elf_file.h"

namespace haichi::host {
namespace {

std::vector<std::byte> bytes_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

std::string this_program() { return "/proc/self/exe"; }

std::string refusal(const ElfFile& program) {
    try {
        (void)abi_of_program(program, program.needed);
    } catch (const UnsupportedError& error) {
        return error.what() + std::string(" | ") + error.hint();
    }
    return "";
}

TEST(HostElfFile, this_program_needs_libstdcxx_and_has_an_interpreter) {
    const ElfFile file = ElfFile::read(this_program());
    EXPECT_TRUE(std::ranges::count(file.needed, "libstdc++.so.6") == 1);
    EXPECT_NE(file.interpreter.find("ld-linux"), std::string::npos) << file.interpreter;
    EXPECT_TRUE(std::ranges::binary_search(file.undefined, "__libc_start_main"));
    EXPECT_EQ(file.soname, "");
}

TEST(HostElfFile, what_is_no_program_is_said_by_kind) {
    const auto error_of = [](std::string_view text) -> std::string {
        const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
        try {
            (void)ElfFile::of({bytes, text.size()}, "app");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(error_of("#!/bin/sh\nexit 0\n"), "app: a script (#!/bin/sh), not a compiled program");
    EXPECT_EQ(error_of(""), "app: not a program or library: no ELF header");
    EXPECT_EQ(error_of("MZ..................."), "app: not a program or library: no ELF header");
    std::vector<std::byte> other = bytes_of_file(this_program());
    other[offsetof(Elf64_Ehdr, e_machine)] = std::byte{EM_RISCV};
    EXPECT_NE(error_of({reinterpret_cast<const char*>(other.data()), other.size()}).find("another processor"),
              std::string::npos);
}

TEST(HostElfFile, programs_that_cannot_run_live_are_refused_with_what_to_do) {
    ElfFile program{.path = "app", .interpreter = "/lib64/ld-linux-x86-64.so.2"};
    program.needed = {"libmpich.so.12", "libc.so.6"};
    EXPECT_EQ(refusal(program), "");
    program.needed = {"libmpi.so.12", "libc.so.6"};  // the original name in MPICH, also Intel MPI's
    EXPECT_EQ(refusal(program), "");
    EXPECT_EQ(abi_of_program(program, program.needed), Abi::kMpich);
    program.needed = {"libmpi.so.40", "libc.so.6"};
    EXPECT_EQ(abi_of_program(program, program.needed), Abi::kOpenMpi);
    program.needed = {"libc.so.6", "libmpi_mpifh.so.40"};
    EXPECT_EQ(abi_of_program(program, program.needed), Abi::kOpenMpi);
    program.needed = {"libmpi.so.20", "libc.so.6"};  // Open MPI 2, which has another binary interface
    EXPECT_NE(refusal(program).find("not an MPI program"), std::string::npos);
    EXPECT_NE(refusal(program).find("build it with mpicc"), std::string::npos);
    program.needed = {"libc.so.6"};
    EXPECT_NE(refusal(program).find("not an MPI program"), std::string::npos);
    program.interpreter = "";
    EXPECT_NE(refusal(program).find(": a library, not a program"), std::string::npos);
    program.needed = {};
    EXPECT_NE(refusal(program).find("linked statically"), std::string::npos);
}

TEST(HostElfFile, missing_functions_are_named_as_in_c_whatever_language_calls_them) {
    const ElfFile library{.path = "lib", .defined = {"MPI_Comm_rank", "MPI_Send", "PMPI_Send"}};
    const ElfFile program{.path = "app",
                          .undefined = {"MPI_Put", "MPI_Send", "PMPI_Win_create", "mpi_comm_dup_fn_", "mpi_comm_rank_",
                                        "mpi_file_open_", "mpi_send_f08ts_", "mpi_put_", "printf"}};
    const std::vector<std::string> expected = {"MPI_File_open", "MPI_Put", "MPI_Win_create"};
    EXPECT_EQ(missing_mpi_functions(program, library), expected);
}

/// A damaged file must cause an error or be read differently. Reads must stay within the file: the copy has its exact
/// size, so that AddressSanitizer detects reads past the end.
void read_damaged(const std::vector<std::byte>& bytes) {
    try {
        (void)ElfFile::of(bytes, "damaged");
    } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::kInternal) << error.what();
    }
}

TEST(HostElfFile, truncated_and_changed_files_are_errors_and_no_crashes) {
    const std::vector<std::byte> whole = bytes_of_file(this_program());
    ASSERT_GT(whole.size(), 4096U);
    std::mt19937 random(1);
    for (std::size_t size = 0; size < sizeof(Elf64_Ehdr) + 16 * sizeof(Elf64_Phdr); ++size) {
        read_damaged({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    // In a small file, the header and program headers are at the start, the dynamic section is at the end.
    std::vector<std::byte> head(whole.begin(), whole.begin() + 4096);
    for (int i = 0; i < 4000; ++i) {
        std::vector<std::byte> changed = head;
        for (int n = 0; n < 3; ++n) changed[random() % 1024] = static_cast<std::byte>(random());
        read_damaged(changed);
    }
    for (int i = 0; i < 20; ++i) {
        std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(random() % whole.size()));
        read_damaged(cut);
    }
}

/// A library with three symbols, small enough to damage every byte.
std::vector<std::byte> small_library() {
    struct Image {
        Elf64_Ehdr header{};
        Elf64_Phdr segments[2]{};
        Elf64_Dyn dynamic[6]{};
        Elf64_Word hash[4]{};
        Elf64_Sym symbols[3]{};
        char strings[48] = "\0libx.so\0liby.so\0MPI_Send\0printf";
    } image;
    std::memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_type = ET_DYN;
    image.header.e_machine = bytes_of_file("/proc/self/exe")[18] == std::byte{EM_X86_64} ? EM_X86_64 : EM_AARCH64;
    image.header.e_phoff = offsetof(Image, segments);
    image.header.e_phentsize = sizeof(Elf64_Phdr);
    image.header.e_phnum = 2;
    image.segments[0].p_type = PT_LOAD;
    image.segments[0].p_filesz = image.segments[0].p_memsz = sizeof(Image);
    image.segments[1].p_type = PT_DYNAMIC;
    image.segments[1].p_offset = offsetof(Image, dynamic);
    image.segments[1].p_filesz = sizeof(image.dynamic);
    image.dynamic[0] = {DT_NEEDED, {9}};
    image.dynamic[1] = {DT_SONAME, {1}};
    image.dynamic[2] = {DT_STRTAB, {offsetof(Image, strings)}};
    image.dynamic[3] = {DT_SYMTAB, {offsetof(Image, symbols)}};
    image.dynamic[4] = {DT_HASH, {offsetof(Image, hash)}};
    image.hash[1] = 3;
    image.symbols[1].st_name = 17;
    image.symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    image.symbols[1].st_shndx = 1;
    image.symbols[2].st_name = 26;
    image.symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    std::vector<std::byte> bytes(sizeof(image));
    std::memcpy(bytes.data(), &image, sizeof(image));
    return bytes;
}

TEST(HostElfFile, without_sections_symbols_are_counted_by_the_hash_table) {
    const ElfFile file = ElfFile::of(small_library(), "libx.so");
    EXPECT_EQ(file.soname, "libx.so");
    EXPECT_EQ(file.needed, std::vector<std::string>{"liby.so"});
    EXPECT_EQ(file.defined, std::vector<std::string>{"MPI_Send"});
    EXPECT_EQ(file.undefined, std::vector<std::string>{"printf"});
    EXPECT_TRUE(file.is_position_independent);
}

TEST(HostElfFile, every_byte_of_a_small_library_may_be_anything) {
    const std::vector<std::byte> whole = small_library();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            std::vector<std::byte> changed = whole;
            changed[at] = static_cast<std::byte>(value);
            read_damaged(changed);
        }
        read_damaged({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at)});
    }
}

}  // namespace
}  // namespace haichi::host
