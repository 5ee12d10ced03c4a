#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace haichi {

/// The kind of failure. exit_code() converts it to an exit code. The Python and HTTP interfaces convert it to
/// exceptions and status codes.
enum class ErrorKind {
    kInput,        ///< invalid file or value from outside
    kOption,       ///< valid, but this program cannot do or express it
    kUnsupported,  ///< valid, but this program cannot do or express it
    kInternal,     ///< a bug in this program
};

/// The base class of all errors that the library throws. what() is the message without the hint. Messages and hints
/// above 8 KiB are shortened in the middle, because they may contain names from files.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message, std::string hint = {});

    [[nodiscard]] ErrorKind kind() const { return kind_; }
    [[nodiscard]] const std::string& hint() const { return hint_; }

  private:
    ErrorKind kind_;
    std::string hint_;
};

/// A place in an input: file name and 1-based line. The line is 0 if it is unknown or the input has no lines.
struct SourcePlace {
    std::string file;
    std::size_t line = 0;
};

/// "FILE:LINE", or "FILE" if the line is unknown.
std::string to_string(const SourcePlace& place);

class InputError : public Error {
  public:
    explicit InputError(const std::string& message, std::string hint = {});
    InputError(const SourcePlace& place, const std::string& message, std::string hint = {});

    /// The place in the input. Its file is empty if the message names no file, or names it without a line.
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

/// The exit codes of the program. They are part of its public interface.
inline constexpr int kExitDone = 0;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitLimitNotMet = 3;
inline constexpr int kExitInternal = 70;
inline constexpr int kExitInterrupted = 130;

int exit_code(ErrorKind kind);

/// Returns "did you mean 'x'?" with the candidate nearest to `name` by edit distance, or "" if none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// Returns did_you_mean(), or if no candidate is near, all candidates after `head` (such as "commands are ").
std::string near_or_all(std::string_view name, std::span<const std::string> candidates, std::string_view head);

/// Joins words as "a, b, c".
std::string joined(std::span<const std::string> words);

/// Prepares `text` for quotation in messages: cuts it to a printable length, and escapes control characters and invalid
/// bytes.
std::string shown(std::string_view text);

}  // namespace haichi
