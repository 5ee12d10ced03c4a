#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace haichi::cli {

class LiveProcess;

/// The reader of standard output has closed it (`haichi ... | head`). The program ends without a message and fails.
class ClosedPipe {};

/// A message of the library with the option names of the command line, such as "--time".
std::string as_typed(std::string_view message);

/// All output of the program: data to standard output, messages to standard error.
class Console {
  public:
    Console();

    void set_quiet(bool quiet) { quiet_ = quiet; }
    [[nodiscard]] bool quiet() const { return quiet_; }
    /// The log of runs, which writes lines like "info: ..." to standard error. Off until set_log_level().
    [[nodiscard]] const Log& log() const { return log_; }
    /// The console must not move after this call.
    void set_log_level(LogLevel level);
    /// The root of OpenedNames, or empty for the default root.
    [[nodiscard]] const std::string& files_below() const { return files_below_; }
    void set_files_below(std::string directory) { files_below_ = std::move(directory); }
    /// Whether standard error is a terminal that can move its cursor.
    [[nodiscard]] bool is_interactive() const { return interactive_; }

    /// Writes data. Throws InputError for write errors (full disk), and ClosedPipe if the reader has closed the pipe.
    void data(std::string_view text);
    /// The same, to another descriptor that is used as standard output.
    static void data(std::string_view text, int descriptor);

    /// The process of the program of `haichi run -- PROGRAM`, or null in the process of haichi.
    [[nodiscard]] LiveProcess* live_process() const { return live_process_; }
    void set_live_process(LiveProcess* live_process) { live_process_ = live_process; }

    /// Prints one or more whole lines, except with --quiet.
    void say(std::string_view lines);
    void hint(std::string_view text);
    /// Prints an error, even with --quiet.
    void error(std::string_view message, std::string_view hint = {});

    /// Sets the descriptor for lines of progress, besides the terminal. Throws OptionError if it cannot be written to.
    void set_progress(int descriptor);
    [[nodiscard]] bool reports_progress() const { return progress_ >= 0; }
    /// Writes a line to the descriptor of set_progress(). Omits the line if the reader has not read the earlier ones.
    void report_progress(std::string_view line);

    /// Draws a line of progress over the previous one, only on a terminal. Log lines appear above it.
    void draw(std::string_view line);
    void wipe_drawn();

  private:
    void print(std::string_view label, const char* colour, std::string_view message);
    void print_entry(LogLevel level, std::string_view text);

    bool quiet_ = false;
    std::string files_below_;
    bool interactive_ = false;
    bool colours_ = false;
    int progress_ = -1;
    LiveProcess* live_process_ = nullptr;
    std::atomic<bool> drawn_{false};  ///< a line of progress is on the terminal. Searches draw from any thread
    Log log_;
};

}  // namespace haichi::cli
