#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace haichi::cli {

class LiveProcess;

/// Thrown if the reader of standard output has closed it (`haichi ... | head`). The program then fails without a
/// message.
class ClosedPipe {};

/// A message of the library, with option names as on the command line, such as "--time".
std::string as_typed(std::string_view message);

/// All output of the program. Data go to standard output, and messages to standard error.
class Console {
  public:
    Console();

    void set_quiet(bool quiet) { quiet_ = quiet; }
    [[nodiscard]] bool quiet() const { return quiet_; }
    /// The log of the run, which writes lines such as "info: ..." to standard error. It is off until set_log_level() is
    /// called.
    [[nodiscard]] const Log& log() const { return log_; }
    /// Sets the level of the log. The console must not be moved after this call.
    void set_log_level(LogLevel level);
    /// The root of OpenedNames, or empty for the default root.
    [[nodiscard]] const std::string& files_below() const { return files_below_; }
    void set_files_below(std::string directory) { files_below_ = std::move(directory); }
    /// Whether standard error is a terminal that can move its cursor.
    [[nodiscard]] bool is_interactive() const { return interactive_; }

    /// Writes data. Throws InputError for write errors (full disk), and ClosedPipe if the reader has closed the pipe.
    void data(std::string_view text);
    /// Writes data to another descriptor that replaces standard output, with the errors of data(text).
    static void data(std::string_view text, int descriptor);

    /// The process of the program that `haichi run -- PROGRAM` runs, or null outside such a process.
    [[nodiscard]] LiveProcess* live_process() const { return live_process_; }
    void set_live_process(LiveProcess* live_process) { live_process_ = live_process; }

    /// Prints one or more whole lines, except with --quiet.
    void say(std::string_view lines);
    void hint(std::string_view text);
    /// Prints an error, even with --quiet.
    void error(std::string_view message, std::string_view hint = {});

    /// Sets a descriptor that receives lines of progress, in addition to the terminal. Throws OptionError if it is not
    /// writable.
    void set_progress(int descriptor);
    [[nodiscard]] bool reports_progress() const { return progress_ >= 0; }
    /// Writes a progress line to the descriptor of set_progress(). Omits the line if the reader has not read the
    /// earlier ones.
    void report_progress(std::string_view line);

    /// Draws a progress line over the previous one, if standard error is a terminal. Log lines appear above it.
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
    std::atomic<bool> drawn_{false};  ///< a progress line is on the terminal; searches draw it from any thread
    Log log_;
};

}  // namespace haichi::cli
