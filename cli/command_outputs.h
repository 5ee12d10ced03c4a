#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/outputs.h"
#include "base/reading.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// Where the data of -o go: a file, or standard output when it is not given or "-".
class Destination {
  public:
    Destination(Console& console, OutputFile* file) : console_(&console), file_(file) {}

    [[nodiscard]] bool is_file() const { return file_ != nullptr; }
    void write(std::string_view text);

  private:
    Console* console_;
    OutputFile* file_;  ///< null: standard output
};

/// All that a command reads and writes; at most one at a time, because a signal that ends the program removes what it
/// has opened.
class CommandOutputs : public Outputs {
  public:
    explicit CommandOutputs(Console& console);
    ~CommandOutputs();
    CommandOutputs(const CommandOutputs&) = delete;
    CommandOutputs& operator=(const CommandOutputs&) = delete;

    /// As Outputs::add_input().
    void add_inputs(std::initializer_list<std::string> paths);
    /// `path` as given with -o.
    [[nodiscard]] Destination add_destination(const std::string& path);
    /// For reading the inputs: files that are found beside them are inputs as well. Must not outlive this.
    [[nodiscard]] Reading reading();

  private:
    Console* console_;
};

}  // namespace haichi::cli
