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

/// A place in a program, as far as its file has it. Without debug information only the function is known, and nothing
/// in a stripped program.
struct SourcePlace {
    std::string function, file;
    int line = 0;
};

/// Finds call sites in the files of the programs and libraries that a log names, if these are still the files of the
/// run. Requires a build with libdw.
class SourceLines {
  public:
    /// Used instead of a build id to accept any build of a file.
    static constexpr std::string_view kAnyBuild = "any";

    /// For a running program, whose source files may be in any directory.
    SourceLines();
    /// For a log.
    explicit SourceLines(OpenedNames log);
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    /// The place of the call that returns to `offset`.
    SourcePlace find(const Module& module, std::uint64_t offset);
    /// One message for each file that could not be read.
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
