#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/reading.h"
#include "commlog/log/job_log.h"
#include "mapper/job/job_spec.h"

namespace haichi {

/// The traffic of a job, read: communication sets, and where they come from a log and the job wants them, its calls.
/// Then sets are extracted when they are first asked for: who replays calls does not need them.
class LoadedTraffic {
  public:
    /// Throws what readers throw, and what extract_sets() throws unless calls are kept.
    explicit LoadedTraffic(const Traffic& traffic, const Reading& reading = {});

    [[nodiscard]] std::int32_t rank_count() const { return calls_ ? calls_->rank_count : workload_->rank_count(); }
    /// From any thread. Throws what extract_sets() throws.
    [[nodiscard]] const Workload& workload() const;
    /// Null: there are none, or none were asked for (Traffic::keeps_calls).
    [[nodiscard]] const JobLog* calls() const { return calls_.get(); }

    /// The sets are those of a log: they have no computing time, whatever the program computes.
    [[nodiscard]] bool is_of_log() const { return is_of_log_; }

    [[nodiscard]] std::shared_ptr<const LoadedTraffic> with_message_size(std::int64_t size_bytes) const;

  private:
    LoadedTraffic() = default;

    std::shared_ptr<const JobLog> calls_;
    std::string path_;  ///< of the log
    bool is_of_log_ = false;
    Log log_;
    std::optional<std::int64_t> message_size_bytes_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Workload> workload_;  ///< with calls_ under the mutex
};

/// A traffic that is loaded already is shared.
std::shared_ptr<const LoadedTraffic> load_traffic(const Traffic& traffic, const Reading& reading = {});

}  // namespace haichi
