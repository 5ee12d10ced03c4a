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

/// A source location in a program. Without debug information, only the function is known. In a stripped program,
/// nothing is known.
struct SourcePlace {
    std::string function, file;
    int line = 0;
};

/// Finds call sites in the files of the programs and libraries that a log names, if these files have not changed since
/// the run. Requires a build with libdw.
class SourceLines {
  public:
    /// A value for the build ID of a module that accepts any build of its file.
    static constexpr std::string_view kAnyBuild = "any";

    /// Opens the files of a running program, which may be in any directory.
    SourceLines();
    /// Opens the files that a log names.
    explicit SourceLines(OpenedNames log);
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    /// The source location of the call that returns to `offset`.
    SourcePlace find(const Module& module, std::uint64_t offset);
    /// A message for each file that could not be read.
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  private:
    struct File;
    File& file_of(const Module& module);

    std::optional<OpenedNames> log_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<File>> files_;  ///< by path and build
    std::vector<std::string> problems_;
};

/// The text for a location, for example "solve (solver.c:42)", "solve (libsolver.so+0x1234)" or "app+0x1234".
std::string place_text(const Module& module, std::uint64_t offset, const SourcePlace& place);

}  // namespace haichi::cli
