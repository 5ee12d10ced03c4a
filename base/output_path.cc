#include "base/output_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/errors.h"

namespace haichi {

namespace {

std::optional<FileIdentity> identity_of(const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino, {}};
}

std::string folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

[[noreturn]] void refuse(const std::string& path, const char* why) {
    throw OptionError("cannot write " + path + ": " + why);
}

}  // namespace

std::optional<FileIdentity> identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return identity_of(status);
    if (errno != ENOENT) return std::nullopt;
    const std::string target = link_target(path);
    if (::stat(folder_of(target).c_str(), &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino, std::filesystem::path(target).filename().string()};
}

std::optional<FileIdentity> identity_of(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? identity_of(status) : std::nullopt;
}

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

void check_writable(const std::string& path, Overwriting how) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) refuse(path, "it is a directory");
        // A read-only file must not be replaced, even if its directory is writable.
        if (::access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
        if (!S_ISREG(status.st_mode) || how == Overwriting::kInPlace) return;
    } else if (errno != ENOENT) {
        refuse(path, std::strerror(errno));
    }
    const std::string target = link_target(path);
    const std::string folder = folder_of(target);
    if (::stat(folder.c_str(), &status) != 0 || ::access(folder.c_str(), W_OK | X_OK) != 0) {
        refuse(path, std::strerror(errno));
    }
    const std::string name = std::filesystem::path(target).filename().string();
    if (name.empty() || name == "." || name == "..") refuse(path, "it is a directory");
}

bool is_replaceable(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

}  // namespace haichi
