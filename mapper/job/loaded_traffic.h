#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/reading.h"
#include "commlog/log/job_log.h"
#include "mapper/job/job_spec.h"

namespace haichi {

/// The traffic of a job, read: communication sets, and where they come from a log and the job wants them, its calls.
/// Then one of the two is made when it is first asked for: of a file of the log the sets, which a replay does not need,
/// and which not every log has; of a WorkloadOfLog the calls.
class LoadedTraffic {
  public:
    /// Throws what readers throw, and what extract_sets() throws unless calls are kept.
    explicit LoadedTraffic(const Traffic& traffic, const Reading& reading = {});

    [[nodiscard]] std::int32_t rank_count() const { return rank_count_; }
    /// From any thread. Throws what extract_sets() throws, and UnsupportedError for a program that runs live.
    [[nodiscard]] const Workload& workload(const Log& log = {}) const { return *shared_workload(log); }
    [[nodiscard]] std::shared_ptr<const Workload> shared_workload(const Log& log = {}) const;
    /// What has to be told of the sets, as SetsOfLog has it; of a WorkloadOfLog it was told before. Throws what
    /// workload() throws.
    [[nodiscard]] const std::vector<std::string>& warnings(const Log& log = {}) const;
    /// Null: there are none, or none were asked for (Traffic::keeps_calls). From any thread. Of a WorkloadOfLog it
    /// throws what read_log() throws, and InputError for another log than that of the sets.
    [[nodiscard]] const JobLog* calls(const Log& log = {}) const;

    /// The sets are those of a log: they have no computing time, whatever the program computes.
    [[nodiscard]] bool is_of_log() const { return is_of_log_; }

    [[nodiscard]] std::shared_ptr<const LoadedTraffic> with_message_size(std::int64_t size_bytes) const;

  private:
    LoadedTraffic() = default;
    /// Extracts them; under the mutex, or before there are others.
    void take_sets_of(const JobLog& job, const Log& log) const;

    std::int32_t rank_count_ = 0;
    std::string path_;  ///< of the log
    bool is_of_log_ = false;
    bool is_of_program_ = false;
    std::optional<std::int64_t> message_size_bytes_;
    mutable std::mutex mutex_;
    // Under the mutex; what was made once stays.
    mutable std::shared_ptr<const JobLog> calls_;
    mutable std::shared_ptr<const Workload> workload_;
    mutable std::vector<std::string> warnings_;
    mutable bool has_unread_calls_ = false;  ///< at path_
};

/// A traffic that is loaded already is shared.
std::shared_ptr<const LoadedTraffic> load_traffic(const Traffic& traffic, const Reading& reading = {});

}  // namespace haichi
