#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace haichi {

/// Opens files that another file names, or that a rule finds beside a file. The user did not name these files, so they
/// are opened only below a root directory. Otherwise a file from someone else could make haichi read any file and quote
/// it in an error.
class OpenedNames {
  public:
    /// The environment variable that sets the root if no option does.
    static constexpr const char* kVariable = "HAICHI_FILES_BELOW";

    /// `file` contains the names of other files, or these files are beside it. The value "-" means the current
    /// directory. `root` is a directory. If it is empty, the root is $HAICHI_FILES_BELOW, or else the directory of the
    /// file. Throws OptionError for a root that is not a directory.
    explicit OpenedNames(std::string file, const std::string& root = {});

    /// The base of relative names: the directory of the file. With kFileOrHere, the current directory is used if the
    /// directory of the file does not contain the named file.
    enum class SeenFrom { kFile, kFileOrHere };
    /// The path for a name on line `line` of the file (0 if the file has no lines). The path must be a regular file
    /// below the root after `..` and symbolic links are resolved. Throws InputError. A file outside the root is not
    /// accessed.
    [[nodiscard]] std::string path_of(std::string_view name, std::size_t line, SeenFrom from = SeenFrom::kFile) const;
    /// Checks a path that was found beside the file in the same way as path_of(). The file itself may be anywhere,
    /// because the user named it.
    void check_found(const std::string& path) const;

  private:
    [[nodiscard]] bool is_below_root(const std::filesystem::path& path) const;

    std::string file_;
    std::string root_name_;  ///< for messages
    std::filesystem::path root_;
};

}  // namespace haichi
