#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"

namespace haichi {

/// Passes log entries of a run to Python's logger "haichi". Entries are kept until a thread with the GIL delivers them,
/// so that no thread of the run ever waits for Python. The level of the logger is read once, at the start.
class LogRelay {
  public:
    /// Reads the level of the logger. Requires the GIL.
    LogRelay();
    LogRelay(const LogRelay&) = delete;
    LogRelay& operator=(const LogRelay&) = delete;

    /// The log for the run. Its copies must not outlive the relay.
    [[nodiscard]] const Log& log() const { return log_; }
    /// Passes the kept entries to the logger. Requires the GIL. Throws the exceptions of the logger's handlers.
    void deliver();

  private:
    std::mutex mutex_;
    std::vector<std::pair<LogLevel, std::string>> entries_;
    Log log_;
};

/// Calls call(log), and delivers the log entries after the call, even after an exception. Requires the GIL, which the
/// call may release.
template <class Call>
auto logged(const Call& call) {
    LogRelay relay;
    try {
        auto result = call(relay.log());
        relay.deliver();
        return result;
    } catch (...) {
        relay.deliver();
        throw;
    }
}

}  // namespace haichi
