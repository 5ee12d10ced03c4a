#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/outputs.h"
#include "base/reading.h"
#include "cli/output/console.h"

namespace haichi::cli {

/// The destination of -o: a file, or standard output if -o is missing or "-".
class Destination {
  public:
    Destination(Console& console, OutputFile* file) : console_(&console), file_(file) {}

    [[nodiscard]] bool is_file() const { return file_ != nullptr; }
    void write(std::string_view text);

  private:
    Console* console_;
    OutputFile* file_;  ///< null for standard output
};

/// All files that a command reads and writes. At most one object may exist, because the handler of a fatal signal
/// removes the files of this object.
class CommandOutputs : public Outputs {
  public:
    explicit CommandOutputs(Console& console);
    ~CommandOutputs();
    CommandOutputs(const CommandOutputs&) = delete;
    CommandOutputs& operator=(const CommandOutputs&) = delete;

    /// Calls Outputs::add_input() for each path.
    void add_inputs(std::initializer_list<std::string> paths);
    /// Adds the output of the option -o, whose value is `path`.
    [[nodiscard]] Destination add_destination(const std::string& path);
    /// The callbacks for reading the inputs. Files that the inputs name become inputs as well. The result must not
    /// outlive this object.
    [[nodiscard]] Reading reading();

  private:
    Console* console_;
};

}  // namespace haichi::cli
