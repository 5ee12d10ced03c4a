#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace haichi::cli {

class LiveProcess;

/// The reader of standard output has gone away (`haichi ... | head`): nothing to say, but not a success either.
class ClosedPipe {};

/// A message of the library as the command line shows it: its options are "--time".
std::string as_typed(std::string_view message);

/// Where everything the program says goes: data to standard output, words to standard error.
class Console {
  public:
    Console();

    void set_quiet(bool quiet) { quiet_ = quiet; }
    [[nodiscard]] bool quiet() const { return quiet_; }
    /// What runs are given to log to: lines like "info: ..." on standard error. Off until it is told a level.
    [[nodiscard]] const Log& log() const { return log_; }
    /// The console must stay where it is.
    void set_log_level(LogLevel level);
    /// The root of OpenedNames; empty: the default one.
    [[nodiscard]] const std::string& files_below() const { return files_below_; }
    void set_files_below(std::string directory) { files_below_ = std::move(directory); }
    /// Standard error is a terminal that can move its cursor.
    [[nodiscard]] bool is_interactive() const { return interactive_; }

    /// Data. Throws InputError when it cannot be written (full disk), ClosedPipe when nobody reads.
    void data(std::string_view text);
    /// The same to another descriptor that is standard output, or stands for it.
    static void data(std::string_view text, int descriptor);

    /// What `haichi run -- PROGRAM` runs in, in the process of the program; null: this is the process of haichi.
    [[nodiscard]] LiveProcess* live_process() const { return live_process_; }
    void set_live_process(LiveProcess* live_process) { live_process_ = live_process; }

    /// Words that --quiet leaves out; one or more whole lines.
    void say(std::string_view lines);
    void hint(std::string_view text);
    /// Said even when quiet.
    void error(std::string_view message, std::string_view hint = {});

    /// Where progress goes as lines, besides the terminal. Throws OptionError for what cannot be written to.
    void set_progress(int descriptor);
    [[nodiscard]] bool reports_progress() const { return progress_ >= 0; }
    /// A line for set_progress(); left out where its reader has not read those before.
    void report_progress(std::string_view line);

    /// A line of progress, drawn over the one before, only on a terminal. What is logged stands above it.
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
    std::atomic<bool> drawn_{false};  ///< there is a line of progress; searches draw from any thread
    Log log_;
};

}  // namespace haichi::cli
