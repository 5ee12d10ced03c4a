#include "cli/output/source_lines.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/errors.h"
#include "base/regular_file.h"
#include "cli/output/console.h"
#include "cli/output/log_words.h"

#if defined(HAICHI_HAS_LIBDW)
#include <elfutils/libdwfl.h>
#endif

namespace haichi::cli {

#if defined(HAICHI_HAS_LIBDW)

namespace {

const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address,
                                   nullptr};
/// The callbacks for a file that a log names. Another user may own the file, so its links to debug files are not
/// followed. Only the system's directory is searched, by build ID, and nothing is requested from a server.
const Dwfl_Callbacks kCallbacksOfLogs = {dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                                         dwfl_offline_section_address, nullptr};

/// Whether a file refers to another file with shared debug information. libdw would open that file in any directory.
bool has_alternate_file(Dwfl_Module* module) {
    GElf_Addr bias = 0;
    Elf* const elf = dwfl_module_getelf(module, &bias);
    std::size_t names = 0;
    if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return false;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr) continue;
        const char* const name = elf_strptr(elf, names, header.sh_name);
        if (name != nullptr && std::string_view(name) == ".gnu_debugaltlink") return true;
    }
    return false;
}

std::string digits_of(const unsigned char* bytes, int count) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
    }
    return text;
}

std::string demangled(const char* name) {
    int status = 0;
    char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = status == 0 && readable != nullptr ? readable : name;
    std::free(readable);
    return text;
}

}  // namespace

/// A file with its own libdw session, because the addresses of all files begin at 0.
struct SourceLines::File {
    Dwfl* session = nullptr;
    Dwfl_Module* module = nullptr;

    ~File() {
        if (session != nullptr) dwfl_end(session);
    }
    /// Opens the file. Returns an empty text, or the reason why the file cannot be read.
    std::string open(const Module& wanted, const OpenedNames* log) {
        if (wanted.path.empty()) return "the log does not name the file of a call site";
        std::string path = wanted.path;
        try {
            if (log != nullptr) {
                path = log->path_of(wanted.path, 0);
            } else {
                check_regular_file(path);
            }
        } catch (const Error& error) {
            return as_typed(error.what() + (error.hint().empty() ? "" : "; " + error.hint()));
        }
        session = dwfl_begin(log == nullptr ? &kCallbacks : &kCallbacksOfLogs);
        if (session == nullptr) return dwfl_errmsg(-1);
        dwfl_report_begin(session);
        module = dwfl_report_elf(session, path.c_str(), path.c_str(), -1, 0, true);
        const std::string why = module == nullptr ? dwfl_errmsg(-1) : "";
        dwfl_report_end(session, nullptr, nullptr);
        if (module == nullptr) return wanted.path + ": " + why;
        if (log == nullptr && wanted.build_id == kAnyBuild) return "";
        const unsigned char* bits = nullptr;
        GElf_Addr address = 0;
        const int size = dwfl_module_build_id(module, &bits, &address);
        const bool is_other = digits_of(bits, size > 0 ? size : 0) != wanted.build_id;
        if (!is_other && (log == nullptr || !has_alternate_file(module))) return "";
        module = nullptr;
        return wanted.path + (is_other ? ": the file was rebuilt after the run"
                                       : ": the debug information is in another file (.gnu_debugaltlink)");
    }
};

SourcePlace SourceLines::find(const Module& module, std::uint64_t offset) {
    Dwfl_Module* const of = file_of(module).module;
    if (of == nullptr || offset == 0) return {};
    // The return address is the one after the call.
    const GElf_Addr address = offset - 1;
    SourcePlace place;
    if (const char* const name = dwfl_module_addrname(of, address); name != nullptr) place.function = demangled(name);
    if (Dwfl_Line* const line = dwfl_module_getsrc(of, address); line != nullptr) {
        const char* const file = dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr);
        if (file != nullptr) place.file = file;
    }
    return place;
}

#else

struct SourceLines::File {
    static std::string open(const Module&, const OpenedNames*) {
        return "functions and lines are unknown: haichi was built without libdw (libdw-dev)";
    }
};

SourcePlace SourceLines::find(const Module& module, std::uint64_t) {
    file_of(module);
    return {};
}

#endif

SourceLines::SourceLines() = default;
SourceLines::SourceLines(OpenedNames log) : log_(std::move(log)) {}
SourceLines::~SourceLines() = default;

SourceLines::File& SourceLines::file_of(const Module& module) {
    std::unique_ptr<File>& file = files_[{module.path, module.build_id}];
    if (file == nullptr) {
        file = std::make_unique<File>();
        std::string problem = file->open(module, log_ ? &*log_ : nullptr);
        if (!problem.empty() && std::ranges::find(problems_, problem) == problems_.end()) {
            problems_.push_back(std::move(problem));
        }
    }
    return *file;
}

std::string place_text(const Module& module, std::uint64_t offset, const SourcePlace& place) {
    const auto name_of = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
    std::string where;
    if (!place.file.empty()) {
        where = name_of(place.file) + ":" + std::to_string(place.line);
    } else {
        std::array<char, 32> digits{};
        std::snprintf(digits.data(), digits.size(), "+0x%llx", static_cast<unsigned long long>(offset));
        where = (module.path.empty() ? "unknown" : name_of(module.path)) + digits.data();
    }
    return printable(place.function.empty() ? where : place.function + " (" + where + ")");
}

}  // namespace haichi::cli
