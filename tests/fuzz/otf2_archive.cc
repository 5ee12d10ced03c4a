// Archives of several files. An input is a sequence of files. Each starts with one byte for the name and two for the
// length (low byte first), followed by the content. corpus/log_otf2 holds valid archives.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "commlog/readers/log_readers.h"
#include "tests/fuzz/readers.h"

/// The OTF2 library leaks memory for archives that it rejects.
extern "C" const char* __lsan_default_suppressions() { return "leak:libopen-trace-format2\n"; }

namespace haichi {
namespace {

constexpr std::array<const char*, 8> kFiles = {"t.otf2",  "t.def",   "t/0.def", "t/0.evt",
                                               "t/1.def", "t/1.evt", "t/2.def", "t/2.evt"};

/// One directory per process, in memory if possible.
const std::filesystem::path& folder() {
    static const std::filesystem::path kFolder = [] {
        std::error_code ignored;
        const bool shared = std::filesystem::exists("/dev/shm", ignored);
        const std::string name = (shared ? std::string("/dev/shm") : std::filesystem::temp_directory_path().string());
        std::filesystem::path path = name + "/haichi_fuzz_" + std::to_string(::getpid());
        std::atexit([] {
            std::error_code error;
            std::filesystem::remove_all(folder(), error);
        });
        return path;
    }();
    return kFolder;
}

}  // namespace

void fuzz_otf2_archive(std::string_view bytes) {
    std::error_code ignored;
    std::filesystem::remove_all(folder(), ignored);
    std::filesystem::create_directories(folder() / "t");
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    while (bytes.size() >= 3) {
        const char* const name = kFiles[byte(0) % kFiles.size()];
        const std::string_view content = bytes.substr(3, byte(1) + 256U * byte(2));
        std::ofstream(folder() / name, std::ios::binary) << content;
        bytes.remove_prefix(3 + content.size());
    }
    if (std::filesystem::exists(folder() / "t.otf2")) (void)read_log(folder() / "t.otf2", "otf2");
}

}  // namespace haichi
