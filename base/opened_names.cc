#include "base/opened_names.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/errors.h"
#include "base/regular_file.h"

namespace haichi {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHint =
    "to allow files below another directory, use §files-below DIR or set HAICHI_FILES_BELOW=DIR";

std::string root_given(const std::string& root) {
    if (!root.empty()) return root;
    const char* const named = std::getenv(OpenedNames::kVariable);
    return named == nullptr ? "" : named;
}

fs::path directory_of(const std::string& file) { return fs::path(file).parent_path(); }

/// The absolute path, with symbolic links resolved as far as the path exists; empty if unknown.
fs::path real_path(const fs::path& path) {
    std::error_code error;
    fs::path real = fs::current_path(error) / path;
    if (!error) real = fs::weakly_canonical(real, error);
    if (error) real.clear();
    // The last component of "DIRECTORY/" is empty.
    return real.has_filename() ? real : real.parent_path();
}

}  // namespace

OpenedNames::OpenedNames(std::string file, const std::string& root) : file_(std::move(file)) {
    const std::string given = root_given(root);
    std::error_code error;
    if (!given.empty() && !fs::is_directory(given, error)) {
        throw OptionError((root.empty() ? kVariable : "§files-below") + (": " + shown(given)) + " is not a directory");
    }
    root_name_ = given.empty() ? "the directory of " + file_ : shown(given);
    root_ = real_path(given.empty() ? directory_of(file_) : fs::path(given));
}

bool OpenedNames::is_below_root(const fs::path& path) const {
    const fs::path real = real_path(path);
    const auto [end_of_root, rest] = std::mismatch(root_.begin(), root_.end(), real.begin(), real.end());
    return !root_.empty() && end_of_root == root_.end();
}

std::string OpenedNames::path_of(std::string_view name, std::size_t line, SeenFrom from) const {
    const SourcePlace place{file_, line};
    if (name.empty() || name == "-" || name.find('\0') != std::string_view::npos) {
        throw InputError(place, "invalid file name: " + shown(name));
    }
    const fs::path beside = directory_of(file_) / name;  // equal to `name` if `name` is absolute
    fs::path path = beside;
    std::error_code ignored;
    if (from == SeenFrom::kFileOrHere && is_below_root(name) &&
        !(is_below_root(beside) && fs::exists(beside, ignored))) {
        path = name;
    }
    if (!is_below_root(path))
        throw InputError(place, "the file " + shown(name) + " leads outside " + root_name_, kHint);
    try {
        check_regular_file(path.string());
    } catch (const InputError& error) {
        // The file may exist in the current directory, which was not searched because it is outside the root.
        throw InputError(place, error.what(), from == SeenFrom::kFileOrHere && !is_below_root(name) ? kHint : "");
    }
    return path.string();
}

void OpenedNames::check_found(const std::string& path) const {
    const bool is_itself = fs::path(path).lexically_normal() == fs::path(file_).lexically_normal();
    if (!is_itself && !is_below_root(path)) {
        throw InputError(SourcePlace{path, 0}, "the file leads outside " + root_name_, kHint);
    }
    check_regular_file(path);
}

}  // namespace haichi
