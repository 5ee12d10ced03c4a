#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/opened_names.h"
#include "commlog/log/job_log.h"

namespace haichi::cli {

/// A place of a program, as far as its file says: of one without debug information the function, of a stripped one
/// nothing.
struct SourcePlace {
    std::string function, file;
    int line = 0;
};

/// Finds the places of calls in the files of the programs and libraries that a log names, as long as these are the
/// files of the run: by libdw, where haichi was built with it.
class SourceLines {
  public:
    /// In place of a build id: whatever build the file is.
    static constexpr std::string_view kAnyBuild = "any";

    /// The names are those of a running program, and may be anywhere.
    SourceLines();
    /// The names are those of a log.
    explicit SourceLines(OpenedNames log);
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    /// Of the call that returns to `offset`.
    SourcePlace find(const Module& module, std::uint64_t offset);
    /// Files that could not be asked, and why: a sentence for each.
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  private:
    struct File;
    File& file_of(const Module& module);

    std::optional<OpenedNames> log_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<File>> files_;  ///< by path and build
    std::vector<std::string> problems_;
};

/// "solve (solver.c:42)", "solve (libsolver.so+0x1234)", "app+0x1234"
std::string place_text(const Module& module, std::uint64_t offset, const SourcePlace& place);

}  // namespace haichi::cli
