#pragma once

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/table.h"

namespace spdlog {
class logger;
}

namespace haichi {

/// The amount of logging. Each level includes the entries of the lower ones.
enum class LogLevel { kOff, kInfo, kDebug, kTrace };

struct LogLevelRow {
    std::string name;
    std::string sentence;
    LogLevel level = LogLevel::kOff;
};
const Table<LogLevelRow>& log_levels();
const std::string& to_string(LogLevel level);

/// Receives the decisions of a run that its user cannot see otherwise: formats, tables, kernels, strategies. A Log is a
/// value, which is passed to all code that logs; copies write to the same destination. A default-constructed Log is
/// off: an entry then costs one comparison and formats nothing. Entries are made during set-up and between phases,
/// never in an inner loop. They contain no times, and entries of parallel threads are logged in a fixed order. Equal
/// runs on equal computers therefore log equal lines.
class Log {
  public:
    /// Receives one entry, a line without its newline. It may be called from any thread, but never concurrently. It
    /// must not throw or log.
    using Write = std::function<void(LogLevel, std::string_view)>;

    Log() = default;
    Log(LogLevel level, Write write);

    [[nodiscard]] bool enabled(LogLevel level) const { return level <= level_; }

    /// Logs a decision of the run. There are only a few such lines.
    template <class... Args>
    void info(fmt::format_string<Args...> format, const Args&... args) const {
        if (enabled(LogLevel::kInfo)) write(LogLevel::kInfo, format, fmt::make_format_args(args...));
    }
    /// Logs the numbers on which decisions depend, with a line for each table, restart or partition.
    template <class... Args>
    void debug(fmt::format_string<Args...> format, const Args&... args) const {
        if (enabled(LogLevel::kDebug)) write(LogLevel::kDebug, format, fmt::make_format_args(args...));
    }
    /// Logs all other details.
    template <class... Args>
    void trace(fmt::format_string<Args...> format, const Args&... args) const {
        if (enabled(LogLevel::kTrace)) write(LogLevel::kTrace, format, fmt::make_format_args(args...));
    }

  private:
    void write(LogLevel level, fmt::string_view format, fmt::format_args args) const;

    LogLevel level_ = LogLevel::kOff;
    std::shared_ptr<spdlog::logger> logger_;  ///< null if the log is off
};

}  // namespace haichi
