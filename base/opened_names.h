#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace haichi {

/// Files that no user has named, but another file, or a rule that finds them beside one. They are opened only below a
/// root: else a file of somebody else could make haichi read any file, and quote it in an error.
class OpenedNames {
  public:
    /// $HAICHI_FILES_BELOW, in place of an option.
    static constexpr const char* kVariable = "HAICHI_FILES_BELOW";

    /// `file` has the names, or the others are beside it; "-" is in the current directory. `root` is a directory;
    /// empty: that of $HAICHI_FILES_BELOW, else that of the file. Throws OptionError for a root that is no directory.
    explicit OpenedNames(std::string file, const std::string& root = {});

    /// What a relative name is seen from: the directory of the file, or, where that has no such file, the current one.
    enum class SeenFrom { kFile, kFileOrHere };
    /// The path of a name on a line of the file, 0 when it has no lines: a regular file below the root, wherever `..`
    /// and symbolic links lead. Throws InputError; a file that is not below the root is not touched.
    [[nodiscard]] std::string path_of(std::string_view name, std::size_t line, SeenFrom from = SeenFrom::kFile) const;
    /// The same of a path that was found beside the file. The file itself may be anywhere: a user has named it.
    void check_found(const std::string& path) const;

  private:
    [[nodiscard]] bool is_below_root(const std::filesystem::path& path) const;

    std::string file_;
    std::string root_name_;  ///< for messages
    std::filesystem::path root_;
};

}  // namespace haichi
