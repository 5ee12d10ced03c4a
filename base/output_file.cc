#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/errors.h"
#include "base/new_file_mode.h"
#include "base/output_path.h"

namespace haichi {

namespace {

/// That of the file which is replaced, else what the process gives to new files.
mode_t mode_for(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
    return new_file_mode();
}

/// "FOLDER/.NAME.XXXXXX", for mkstemp; a name near the longest is cut.
std::string template_for(const std::string& path) {
    constexpr std::size_t kLongestName = 200;
    const std::filesystem::path whole(path);
    return (whole.parent_path() / ("." + whole.filename().string().substr(0, kLongestName) + ".XXXXXX")).string();
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {}

OutputFile::~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
    discard();
}

void OutputFile::open() {
    is_direct_ = !is_replaceable(path_);
    if (is_direct_) {
        file_ = std::fopen(path_.c_str(), "we");
        if (file_ == nullptr) throw OptionError("cannot open " + path_ + ": " + std::strerror(errno));
        return;
    }
    const std::string target = link_target(path_);
    mode_ = mode_for(target);
    std::string name = template_for(target);
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);  // exclusive: through no link, and nobody else's file
    if (descriptor < 0) throw OptionError("cannot write " + path_ + ": " + std::strerror(errno));
    temporary_path_ = std::move(name);
    file_ = ::fdopen(descriptor, "w");
    if (file_ != nullptr) return;
    const int reason = errno;
    ::close(descriptor);
    discard();
    throw OptionError("cannot write " + path_ + ": " + std::strerror(reason));
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("writing");
}

void OutputFile::finish() {
    if (std::fflush(file_) != 0) fail("writing");
    if (!is_direct_) {
        (void)::fchmod(::fileno(file_), mode_);
        if (::fsync(::fileno(file_)) != 0) fail("writing");
    }
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail("closing");
}

void OutputFile::put_in_place() {
    if (is_direct_) return;
    if (std::rename(temporary_path_.c_str(), link_target(path_).c_str()) != 0) fail("renaming");
    temporary_path_.clear();
}

void OutputFile::discard() noexcept {
    if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::fail(const char* doing) const {
    throw InputError(std::string("error ") + doing + " " + path_ + ": " + std::strerror(errno));
}

}  // namespace haichi
