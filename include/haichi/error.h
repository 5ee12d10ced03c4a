#pragma once

#include <haichi/export.h>

#include <cstddef>
#include <stdexcept>
#include <string>

HAICHI_BEGIN

/// The cause of an Error.
enum class ErrorKind {
    kInput,        ///< invalid file or value from outside
    kOption,       ///< invalid argument
    kUnsupported,  ///< valid, but haichi cannot do or express it
    kInternal,     ///< a bug of haichi
};

/// The base class of all exceptions that haichi throws, except std::bad_alloc. The message, what(), states the file,
/// the line and the invalid value. It does not contain the hint.
class HAICHI_EXPORT Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message, std::string file, std::size_t line, std::string hint);
    ~Error() override;

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
    /// The file with the error, or an empty text.
    [[nodiscard]] const std::string& file() const noexcept { return file_; }
    /// The line in the file, counted from 1, or 0 if it is unknown.
    [[nodiscard]] std::size_t line() const noexcept { return line_; }
    /// An instruction for the user, or an empty text.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

  private:
    ErrorKind kind_;
    std::string file_;
    std::size_t line_;
    std::string hint_;
};

/// An invalid file or value from outside.
class HAICHI_EXPORT InputError : public Error {
  public:
    using Error::Error;
    ~InputError() override;
};

/// An invalid argument.
class HAICHI_EXPORT OptionError : public Error {
  public:
    using Error::Error;
    ~OptionError() override;
};

/// A valid request that haichi does not support, or that a format cannot express.
class HAICHI_EXPORT UnsupportedError : public Error {
  public:
    using Error::Error;
    ~UnsupportedError() override;
};

HAICHI_END
