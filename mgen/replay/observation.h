#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "base/errors.h"
#include "mgen/process_model.h"
#include "mgen/replay/observation_options.h"
#include "netmodel/packetsim/run_statistics.h"

namespace haichi {

/// Runs a ProcessModel in steps, from one output time to the next.
class Observation {
  public:
    /// Throws OptionError for times below 1 ps and for an invalid router.
    Observation(const ObservationOptions& options, ProcessModel& model) : options_(options), model_(&model) {
        if (options.bin_ps < 1 || options.interval_ps < 1) throw OptionError("a time bin requires at least 1 ps");
        const PacketMachine& machine = model.engine().machine();
        if (options.time_space != nullptr) statistics_.emplace(machine, *options.time_space);
        if (options.history == nullptr) return;
        if (options.router < 0 || options.router >= machine.ports.vertex_count()) {
            throw OptionError("invalid router: " + std::to_string(options.router),
                              "choose a router from 0 to " + std::to_string(machine.ports.vertex_count() - 1));
        }
        if (options.history_end_ps != 0 && options.history_end_ps <= options.history_begin_ps) {
            throw OptionError("the history of a router's buffers ends before it begins");
        }
        history_.emplace(machine, *options.history);
        if (options.history_begin_ps == 0) record(true);
    }

    /// Like model.run(go_on).
    void run(const std::function<bool()>& go_on) {
        bool may_go_on = true;
        const auto ask = [&] { return may_go_on = go_on(); };
        while (may_go_on) {
            model_->run(ask, std::min(bin_end_ps(), interval_end_ps()));
            const std::int64_t now_ps = model_->engine().now_ps();
            if (model_->has_ended()) break;
            if (now_ps == bin_end_ps()) end_bin(now_ps);
            if (now_ps == interval_end_ps()) end_interval(now_ps);
        }
        const std::int64_t now_ps = model_->engine().now_ps();
        if (statistics_ && now_ps > bin_begin_ps_) end_bin(now_ps);
        if (is_recording_) end_interval(now_ps);
    }

  private:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    /// The end of the current bin.
    [[nodiscard]] std::int64_t bin_end_ps() const { return statistics_ ? bin_begin_ps_ + options_.bin_ps : kNever; }
    void end_bin(std::int64_t now_ps) {
        statistics_->end_bin(now_ps);
        bin_begin_ps_ = now_ps;
    }

    /// The end of the current interval, or of the time before the first interval.
    [[nodiscard]] std::int64_t interval_end_ps() const {
        if (is_recording_) {
            const std::int64_t end_ps = interval_begin_ps_ + options_.interval_ps;
            return options_.history_end_ps == 0 ? end_ps : std::min(end_ps, options_.history_end_ps);
        }
        const bool has_begun = interval_begin_ps_ >= options_.history_begin_ps;
        return !history_ || has_begun ? kNever : options_.history_begin_ps;
    }
    void end_interval(std::int64_t now_ps) {
        if (is_recording_) history_->add_interval(model_->take_passages());
        interval_begin_ps_ = now_ps;
        record(options_.history_end_ps == 0 || now_ps < options_.history_end_ps);
    }
    void record(bool is_on) {
        is_recording_ = is_on;
        model_->watch(VertexId(options_.router), is_on);
    }

    ObservationOptions options_;
    ProcessModel* model_;
    std::optional<TimeSpaceStatistics> statistics_;
    std::int64_t bin_begin_ps_ = 0;
    std::optional<BufferHistory> history_;
    std::int64_t interval_begin_ps_ = 0;
    bool is_recording_ = false;
};

}  // namespace haichi
