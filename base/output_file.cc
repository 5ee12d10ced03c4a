#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/errors.h"

namespace haichi {

namespace {

/// Where a symbolic link leads, also when nothing is there yet: the link stays, what it points to is written.
std::string link_target(std::string path) {
    constexpr int kMostLinks = 40;
    std::error_code error;
    for (int link = 0; link < kMostLinks && std::filesystem::is_symlink(path, error); ++link) {
        const auto target = std::filesystem::read_symlink(path, error);
        if (error) break;
        path = (std::filesystem::path(path).parent_path() / target).string();
    }
    return path;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(link_target(std::move(path))) {
    struct stat status {};
    mode_t mode = 0;
    if (::stat(path_.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) throw OptionError("cannot write " + path_ + ": it is a directory");
        if (!S_ISREG(status.st_mode)) {
            file_ = std::fopen(path_.c_str(), "w");
            if (file_ == nullptr) throw OptionError("cannot open " + path_ + ": " + std::strerror(errno));
            return;
        }
        // A file that may not be written must not be replaced through a writable directory either.
        if (::access(path_.c_str(), W_OK) != 0) {
            throw OptionError("cannot write " + path_ + ": " + std::strerror(errno));
        }
        mode = status.st_mode & 07777;
    }
    temporary_path_ = path_ + ".XXXXXX";
    const int descriptor = ::mkstemp(temporary_path_.data());
    if (descriptor < 0) throw OptionError("cannot write " + path_ + ": " + std::strerror(errno));
    if (mode == 0) {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        mode = 0666 & ~mask;
    }
    (void)::fchmod(descriptor, mode);
    file_ = ::fdopen(descriptor, "w");
    if (file_ == nullptr) {
        const int reason = errno;
        ::close(descriptor);
        ::unlink(temporary_path_.c_str());
        throw OptionError("cannot write " + path_ + ": " + std::strerror(reason));
    }
}

OutputFile::~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("writing");
}

void OutputFile::commit() {
    if (std::fflush(file_) != 0) fail("writing");
    if (!temporary_path_.empty() && ::fsync(::fileno(file_)) != 0) fail("writing");
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail("closing");
    if (temporary_path_.empty()) return;
    if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail("renaming");
    temporary_path_.clear();
}

void OutputFile::fail(const char* doing) const {
    throw InputError(std::string("error ") + doing + " " + path_ + ": " + std::strerror(errno));
}

}  // namespace haichi
