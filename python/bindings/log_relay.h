#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"

namespace haichi {

/// What a run logs, on its way to Python's logger "haichi": entries are kept until a thread that holds the GIL delivers
/// them, so that no thread of a run ever waits for Python. The logger is asked for its level once, at the start.
class LogRelay {
  public:
    /// With the GIL.
    LogRelay();
    LogRelay(const LogRelay&) = delete;
    LogRelay& operator=(const LogRelay&) = delete;

    /// Copies must not outlive the relay.
    [[nodiscard]] const Log& log() const { return log_; }
    /// With the GIL. Throws what the logger's handlers raise.
    void deliver();

  private:
    std::mutex mutex_;
    std::vector<std::pair<LogLevel, std::string>> entries_;
    Log log_;
};

/// call(log), what it logs delivered when it has ended, also by an exception. With the GIL, which the call may release.
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
