#include "commlog/readers/read_progress.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace haichi {

const OpenedNames& ReadProgress::names() {
    if (!names_) names_.emplace(path_, reading_.files_below());
    return *names_;
}

void ReadProgress::found_file(const std::string& file) {
    names().check_found(file);
    reading_.found_file(file);
}

std::string ReadProgress::named_file(std::string_view name, std::size_t line) {
    // Tools write file names relative to their working directory.
    std::string path = names().path_of(name, line, OpenedNames::SeenFrom::kFileOrHere);
    reading_.found_file(path);
    return path;
}

std::uint64_t ReadProgress::expect(const std::string& file, int times) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return 0;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error) return 0;
    all_bytes_ += bytes * static_cast<std::uint64_t>(times);
    return bytes;
}

TextStream ReadProgress::open(const std::string& file) {
    if (!reading_.log().enabled(LogLevel::kInfo)) return TextStream::open(file);
    return TextStream::open(file, [this](std::size_t bytes) { add(bytes); });
}

void ReadProgress::add(std::uint64_t bytes) {
    constexpr std::uint64_t kMostEntries = 20;
    constexpr std::uint64_t kBytesPerMiB = std::uint64_t{1} << 20;
    bytes_ += bytes;
    if (bytes_ < next_bytes_) return;
    if (all_bytes_ >= bytes_) {
        reading_.log().info("{}: {} of {} MiB read", name_, bytes_ / kBytesPerMiB, all_bytes_ / kBytesPerMiB);
        next_bytes_ = bytes_ + std::max(kLeastStepBytes, all_bytes_ / kMostEntries);
    } else {
        reading_.log().info("{}: {} MiB read", name_, bytes_ / kBytesPerMiB);
        next_bytes_ = 2 * bytes_;
    }
}

}  // namespace haichi
