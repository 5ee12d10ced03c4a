#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace haichi {

namespace {

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
        case LogLevel::kInfo:
            return spdlog::level::info;
        case LogLevel::kDebug:
            return spdlog::level::debug;
        case LogLevel::kTrace:
            return spdlog::level::trace;
        case LogLevel::kOff:
            break;
    }
    return spdlog::level::off;
}

LogLevel level_of(spdlog::level::level_enum level) {
    if (level == spdlog::level::trace) return LogLevel::kTrace;
    return level == spdlog::level::debug ? LogLevel::kDebug : LogLevel::kInfo;
}

/// Passes log entries to the callback that the program, the Python package or a service has set.
class WriteSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit WriteSink(Log::Write write) : write_(std::move(write)) {}

  protected:
    void sink_it_(const spdlog::details::log_msg& entry) override {
        write_(level_of(entry.level), {entry.payload.data(), entry.payload.size()});
    }
    void flush_() override {}

  private:
    Log::Write write_;
};

}  // namespace

const Table<LogLevelRow>& log_levels() {
    static const Table<LogLevelRow> kLevels({"log level", "levels"},
                                            {{"off", "nothing", LogLevel::kOff},
                                             {"info", "decisions, in a few lines", LogLevel::kInfo},
                                             {"debug", "also tables, restarts and partitions", LogLevel::kDebug},
                                             {"trace", "all details", LogLevel::kTrace}});
    return kLevels;
}

const std::string& to_string(LogLevel level) {
    return std::ranges::find(log_levels(), level, &LogLevelRow::level)->name;
}

Log::Log(LogLevel level, Write write) : level_(level) {
    if (level == LogLevel::kOff) return;
    // A private logger, because the whole process shares spdlog's registry.
    logger_ = std::make_shared<spdlog::logger>("haichi", std::make_shared<WriteSink>(std::move(write)));
    logger_->set_level(level_of(level));
    // By default, spdlog prints errors of a sink. Such an error loses a log entry, but must not end the run.
    logger_->set_error_handler([](const std::string&) {});
}

void Log::write(LogLevel level, fmt::string_view format, fmt::format_args args) const {
    logger_->log(level_of(level), fmt::vformat(format, args));
}

}  // namespace haichi
