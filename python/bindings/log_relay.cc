#include "python/bindings/log_relay.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>

#include "base/field_names.h"
#include "python/bindings/foreign_text.h"

namespace py = pybind11;

namespace haichi {

namespace {

/// The level in Python's logging, which has no name for levels below DEBUG.
int number_of(LogLevel level) {
    constexpr int kInfo = 20;
    constexpr int kDebug = 10;
    constexpr int kTrace = 5;
    if (level == LogLevel::kInfo) return kInfo;
    return level == LogLevel::kDebug ? kDebug : kTrace;
}

py::object logger() { return py::module_::import("logging").attr("getLogger")("haichi"); }

LogLevel wanted_level() {
    const py::object asked = logger().attr("isEnabledFor");
    LogLevel wanted = LogLevel::kOff;
    for (const LogLevel level : {LogLevel::kInfo, LogLevel::kDebug, LogLevel::kTrace}) {
        if (!asked(number_of(level)).cast<bool>()) break;
        wanted = level;
    }
    return wanted;
}

/// Replaces option names in messages by parameter names of Python.
std::string in_python(const std::string& text) {
    return spelled(text, [](std::string_view name) {
        std::string parameter(name);
        std::ranges::replace(parameter, '-', '_');
        return parameter;
    });
}

}  // namespace

LogRelay::LogRelay()
    : log_(wanted_level(), [this](LogLevel level, std::string_view text) {
          const std::scoped_lock lock(mutex_);
          entries_.emplace_back(level, text);
      }) {}

void LogRelay::deliver() {
    std::vector<std::pair<LogLevel, std::string>> entries;
    {
        const std::scoped_lock lock(mutex_);
        entries.swap(entries_);
    }
    if (entries.empty()) return;
    const py::object write = logger().attr("log");
    for (const auto& [level, text] : entries) write(number_of(level), os_text(in_python(text)));
}

}  // namespace haichi
