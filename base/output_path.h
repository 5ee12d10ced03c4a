#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace haichi {

/// Which file a path or descriptor means, whatever it is called: symbolic and hard links to one file are equal. A file
/// that is not there yet is its name in its folder.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    std::string new_name;  ///< empty for files that are there

    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Nothing for what can be shared (pipes, devices) and for folders and paths that lead nowhere.
std::optional<FileIdentity> identity_of(const std::string& path);
std::optional<FileIdentity> identity_of(int descriptor);

/// Where a symbolic link leads, also when nothing is there yet: the link stays, what it points to is written.
std::string link_target(std::string path);

/// How a file that is there already is written: emptied, or replaced by one that is written beside it.
enum class Overwriting { kInPlace, kReplacing };

/// Throws OptionError when a file cannot be written there, as far as that can be told without touching anything.
void check_writable(const std::string& path, Overwriting how);

/// Whether `path` is written by way of a temporary file: a regular file, or nothing yet; no pipe or device.
bool is_replaceable(const std::string& path);

}  // namespace haichi
