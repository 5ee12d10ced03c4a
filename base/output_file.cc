#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>

#include "base/errors.h"
#include "base/new_file_mode.h"
#include "base/output_path.h"

namespace haichi {

namespace {

/// The mode of the file to replace, or the default mode if the file is new.
mode_t mode_for(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
    return new_file_mode();
}

/// The template "DIRECTORY/.NAME.XXXXXX" for mkstemp. A very long name is cut.
std::string template_for(const std::string& path) {
    constexpr std::size_t kLongestName = 200;
    const std::filesystem::path whole(path);
    return (whole.parent_path() / ("." + whole.filename().string().substr(0, kLongestName) + ".XXXXXX")).string();
}

std::string descriptor_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// Opens an unnamed file in the directory of `path`, which disappears in a crash. Returns -1 if the file system
/// does not support unnamed files (NFS).
int open_unnamed(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    constexpr mode_t kMode = 0600;
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
    if (descriptor < 0 || ::access(descriptor_path(descriptor).c_str(), F_OK) == 0) return descriptor;
    ::close(descriptor);  // without /proc the file could never get a name
    return -1;
}

/// Gives an unnamed file the name `path`. Returns false and sets errno if the file exists, or for another error.
bool link_to(int descriptor, const std::string& path) {
    return ::linkat(AT_FDCWD, descriptor_path(descriptor).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Gives an unnamed file a new name. The last six characters of `name` are replaced by random ones.
bool link_to_new(int descriptor, std::string& name) {
    constexpr int kMostTries = 100;
    constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    for (int tries = 0; tries < kMostTries; ++tries) {
        for (std::size_t k = name.size() - 6; k < name.size(); ++k)
            name[k] = kCharacters[random() % kCharacters.size()];
        if (link_to(descriptor, name)) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {}

OutputFile::~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (unnamed_ >= 0) ::close(unnamed_);
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
    int descriptor = open_unnamed(target);
    if (descriptor < 0) {
        std::string name = template_for(target);
        descriptor = ::mkostemp(name.data(), O_CLOEXEC);  // exclusive: never follows a link or opens an existing file
        if (descriptor < 0) throw OptionError("cannot write " + path_ + ": " + std::strerror(errno));
        temporary_path_ = std::move(name);
    }
    file_ = ::fdopen(descriptor, "w");
    if (file_ != nullptr) return;
    const int reason = errno;
    ::close(descriptor);
    discard();
    throw OptionError("cannot write " + path_ + ": " + std::strerror(reason));
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("write");
}

void OutputFile::finish() {
    if (std::fflush(file_) != 0) fail("write");
    if (!is_direct_) {
        (void)::fchmod(::fileno(file_), mode_);
        if (::fsync(::fileno(file_)) != 0) fail("write");
        if (temporary_path_.empty()) {
            unnamed_ = ::fcntl(::fileno(file_), F_DUPFD_CLOEXEC, 0);
            if (unnamed_ < 0) fail("write");
        }
    }
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail("close");
}

void OutputFile::put_in_place() {
    if (is_direct_) return;
    const std::string target = link_target(path_);
    if (unnamed_ >= 0) {
        if (is_discarded_) {
            errno = ECANCELED;
            fail("create");
        }
        if (link_to(unnamed_, target)) return;
        if (errno != EEXIST) fail("create");
        std::string name = template_for(target);
        if (!link_to_new(unnamed_, name)) fail("create");
        temporary_path_ = std::move(name);
    }
    if (std::rename(temporary_path_.c_str(), target.c_str()) != 0) fail("rename");
    temporary_path_.clear();
}

void OutputFile::discard() noexcept {
    is_discarded_ = true;
    if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::fail(const char* doing) const {
    throw InputError(std::string("cannot ") + doing + " " + path_ + ": " + std::strerror(errno));
}

}  // namespace haichi
