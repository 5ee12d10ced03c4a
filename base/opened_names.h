#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace haichi {

/// Opens files that another file names, or that a rule finds beside a file, rather than the user. They are opened only
/// below a root. Otherwise a file from someone else could make haichi read any file and quote it in an error.
class OpenedNames {
  public:
    /// The environment variable that sets the root if no option does.
    static constexpr const char* kVariable = "HAICHI_FILES_BELOW";

    /// `file` contains the names, or the other files are beside it; "-" is in the current directory. `root` is a
    /// directory. If it is empty, the root is $HAICHI_FILES_BELOW, or else the directory of the file. Throws
    /// OptionError for a root that is not a directory.
    explicit OpenedNames(std::string file, const std::string& root = {});

    /// Base of relative names: the directory of the file, or the current directory if the former has no such file.
    enum class SeenFrom { kFile, kFileOrHere };
    /// The path of a name on a line of the file (0 if it has no lines). It must be a regular file below the root after
    /// `..` and symbolic links are resolved. Throws InputError. A file outside the root is not touched.
    [[nodiscard]] std::string path_of(std::string_view name, std::size_t line, SeenFrom from = SeenFrom::kFile) const;
    /// The same check for a path that was found beside the file. The file itself may be anywhere, since the user named
    /// it.
    void check_found(const std::string& path) const;

  private:
    [[nodiscard]] bool is_below_root(const std::filesystem::path& path) const;

    std::string file_;
    std::string root_name_;  ///< for messages
    std::filesystem::path root_;
};

}  // namespace haichi
