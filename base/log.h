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

/// How much is logged; each level holds those before it.
enum class LogLevel { kOff, kInfo, kDebug, kTrace };

struct LogLevelRow {
    std::string name;
    std::string sentence;
    LogLevel level = LogLevel::kOff;
};
const Table<LogLevelRow>& log_levels();
const std::string& to_string(LogLevel level);

/// Where a run tells what it decides and what its user cannot see otherwise: formats, tables, kernels, strategies. A
/// value that is handed to who has something to tell; copies write to the same place. Off when default-constructed: an
/// entry then costs one comparison and formats nothing. Entries are made at set-up and between phases, never in an
/// inner loop. They hold no times, and entries of parallel threads are logged in a fixed order: equal runs on equal
/// computers log equal lines.
class Log {
  public:
    /// Takes one entry, a line without its end; from any thread, never twice at the same time. Must not throw, and must
    /// not log.
    using Write = std::function<void(LogLevel, std::string_view)>;

    Log() = default;
    Log(LogLevel level, Write write);

    [[nodiscard]] bool enabled(LogLevel level) const { return level <= level_; }

    /// What a run decided: a few lines.
    template <class... Args>
    void info(fmt::format_string<Args...> format, const Args&... args) const {
        if (enabled(LogLevel::kInfo)) write(LogLevel::kInfo, format, fmt::make_format_args(args...));
    }
    /// With what numbers: lines for each table, restart or partition.
    template <class... Args>
    void debug(fmt::format_string<Args...> format, const Args&... args) const {
        if (enabled(LogLevel::kDebug)) write(LogLevel::kDebug, format, fmt::make_format_args(args...));
    }
    /// All there is.
    template <class... Args>
    void trace(fmt::format_string<Args...> format, const Args&... args) const {
        if (enabled(LogLevel::kTrace)) write(LogLevel::kTrace, format, fmt::make_format_args(args...));
    }

  private:
    void write(LogLevel level, fmt::string_view format, fmt::format_args args) const;

    LogLevel level_ = LogLevel::kOff;
    std::shared_ptr<spdlog::logger> logger_;  ///< null: off
};

}  // namespace haichi
