// Archives of several files. An input is files one after the other, each a byte for its name, two for its length (the
// low one first), and its bytes. corpus/log_otf2 holds sound ones.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "commlog/readers/log_readers.h"
#include "tests/fuzz/reader_input.h"

namespace {

constexpr std::array<const char*, 8> kFiles = {"t.otf2",  "t.def",   "t/0.def", "t/0.evt",
                                               "t/1.def", "t/1.evt", "t/2.def", "t/2.evt"};

/// One folder per process, in memory where there is such a place.
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

/// The library forgets memory of archives that it refuses.
extern "C" const char* __lsan_default_suppressions() { return "leak:libopen-trace-format2\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::error_code ignored;
    std::filesystem::remove_all(folder(), ignored);
    std::filesystem::create_directories(folder() / "t");
    for (std::size_t at = 0; at + 3 <= size;) {
        const char* const name = kFiles[data[at] % kFiles.size()];
        const std::size_t length = data[at + 1] + 256U * data[at + 2];
        at += 3;
        const std::size_t end = at + std::min(length, size - at);
        std::ofstream(folder() / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(data + at), static_cast<std::streamsize>(end - at));
        at = end;
    }
    return haichi::read_hostile_input(data, size, [](std::string_view) {
        if (std::filesystem::exists(folder() / "t.otf2")) (void)haichi::read_log(folder() / "t.otf2", "otf2");
    });
}
