#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace haichi {

/// Identifies the file of a path or descriptor. Symbolic and hard links to one file give equal identities. A file that
/// does not exist yet is identified by its directory and name.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    std::string new_name;  ///< empty for existing files

    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The identity of a file. Empty for files that several outputs may share (pipes, devices), for directories, and for
/// paths that lead nowhere.
std::optional<FileIdentity> identity_of(const std::string& path);
std::optional<FileIdentity> identity_of(int descriptor);

/// The target of a symbolic link, which need not exist. An output writes the target and keeps the link.
std::string link_target(std::string path);

/// How an existing file is overwritten: it is emptied, or replaced by a new file.
enum class Overwriting { kInPlace, kReplacing };

/// Throws OptionError if the file cannot be written, as far as this can be checked without changes.
void check_writable(const std::string& path, Overwriting how);

/// Whether `path` is written through a temporary file. True for regular and new files; false for pipes and devices.
bool is_replaceable(const std::string& path);

}  // namespace haichi
