#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace haichi {

/// What kind of failure an Error is; one table (exit_code) turns it into exit codes, and the Python and HTTP
/// borders turn the same kinds into exceptions and status codes.
enum class ErrorKind {
    kInput,        ///< a file or value from outside is wrong
    kOption,       ///< an option or argument is wrong
    kUnsupported,  ///< well-formed, but this program cannot do or express it
    kInternal,     ///< a bug of ours
};

/// The root of all errors the library throws. what() is the message without the hint. Of messages and hints above 8 KiB
/// the middle is left out: names in them come from files, too.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message, std::string hint = {});

    [[nodiscard]] ErrorKind kind() const { return kind_; }
    [[nodiscard]] const std::string& hint() const { return hint_; }

  private:
    ErrorKind kind_;
    std::string hint_;
};

/// A place in an input: file name and 1-based line; line 0 when the input has no lines or it is not known.
struct SourcePlace {
    std::string file;
    std::size_t line = 0;
};

/// "FILE:LINE", or "FILE" when the line is not known.
std::string to_string(const SourcePlace& place);

class InputError : public Error {
  public:
    explicit InputError(const std::string& message, std::string hint = {});
    InputError(const SourcePlace& place, const std::string& message, std::string hint = {});

    /// No file when the message names none, or names it without a line.
    [[nodiscard]] const SourcePlace& place() const { return place_; }

  private:
    SourcePlace place_;
};

class OptionError : public Error {
  public:
    explicit OptionError(const std::string& message, std::string hint = {});
};

class UnsupportedError : public Error {
  public:
    explicit UnsupportedError(const std::string& message, std::string hint = {});
};

class InternalError : public Error {
  public:
    explicit InternalError(const std::string& message);
};

/// Exit codes of the program (a contract).
inline constexpr int kExitDone = 0;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitLimitNotMet = 3;
inline constexpr int kExitInternal = 70;
inline constexpr int kExitInterrupted = 130;

int exit_code(ErrorKind kind);

/// The candidate nearest to `name` by edit distance as "did you mean 'x'?", or "" when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// did_you_mean(), or where none is near all of them behind `head`, as in "commands are ".
std::string near_or_all(std::string_view name, std::span<const std::string> candidates, std::string_view head);

/// "a, b, c"
std::string joined(std::span<const std::string> words);

/// `text` cut to a printable length, control characters and invalid bytes escaped: for values quoted in messages.
std::string shown(std::string_view text);

}  // namespace haichi
