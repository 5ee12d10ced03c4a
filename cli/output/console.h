#pragma once

#include <string>
#include <string_view>

namespace haichi::cli {

/// The reader of standard output has gone away (`haichi ... | head`): nothing to say, but not a success either.
class ClosedPipe {};

/// Where everything the program says goes: data to standard output, words to standard error.
class Console {
  public:
    Console();

    void set_quiet(bool quiet) { quiet_ = quiet; }
    [[nodiscard]] bool quiet() const { return quiet_; }
    /// Standard error is a terminal that can move its cursor.
    [[nodiscard]] bool is_interactive() const { return interactive_; }

    /// Data. Throws InputError when it cannot be written (full disk), ClosedPipe when nobody reads.
    void data(std::string_view text);

    /// Words that --quiet leaves out; one or more whole lines.
    void say(std::string_view lines);
    void hint(std::string_view text);
    /// Said even when quiet.
    void error(std::string_view message, std::string_view hint = {});

    /// Part of a progress bar: written as it is, only to a terminal.
    void draw(std::string_view text);

  private:
    void print(std::string_view label, const char* colour, std::string_view text);

    bool quiet_ = false;
    bool interactive_ = false;
    bool colours_ = false;
};

}  // namespace haichi::cli
