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
#include "commlog/readers/readers.h"
#include "mapper/job/job_spec.h"

namespace haichi {

/// The loaded traffic of a job: communication sets and, if they come from a log and the job requires it, the log's
/// calls. One of the two is created when it is first needed. For a log file, this is the sets: a replay does not need
/// sets, and they cannot be extracted from every log. For a WorkloadOfLog, this is the calls.
class LoadedTraffic {
  public:
    /// Throws the errors of readers. Unless calls are kept, also throws the errors of extract_sets().
    explicit LoadedTraffic(const Traffic& traffic, const Reading& reading = {});

    [[nodiscard]] std::int32_t rank_count() const { return rank_count_; }
    /// The communication sets. Thread-safe. Throws the errors of extract_sets(), and UnsupportedError for a live
    /// program.
    [[nodiscard]] const Workload& workload(const Log& log = {}) const { return *shared_workload(log); }
    [[nodiscard]] std::shared_ptr<const Workload> shared_workload(const Log& log = {}) const;
    /// Warnings about the sets, from SetsOfLog. None for a WorkloadOfLog, whose warnings were printed before. Throws
    /// the errors of workload().
    [[nodiscard]] const std::vector<std::string>& warnings(const Log& log = {}) const;
    /// Counts the calls of the log that its sets do not contain. Known once the sets exist; empty for a WorkloadOfLog.
    [[nodiscard]] LeftOutOfSets left_out() const;
    /// The calls, or null if there are none or none were requested (Traffic::keeps_calls). Thread-safe. For a
    /// WorkloadOfLog, throws the errors of read_log(), and InputError if the log does not match the sets.
    [[nodiscard]] const JobLog* calls(const Log& log = {}) const;

    /// Whether the sets come from a log. Such sets have no computation time, whatever the program computes.
    [[nodiscard]] bool is_of_log() const { return is_of_log_; }

    [[nodiscard]] std::shared_ptr<const LoadedTraffic> with_message_size(std::int64_t size_bytes) const;

  private:
    LoadedTraffic() = default;
    /// Extracts the sets. Requires the mutex, or exclusive access during construction.
    void take_sets_of(const JobLog& job, const Log& log) const;

    std::int32_t rank_count_ = 0;
    std::string path_;  ///< path of the log
    bool is_of_log_ = false;
    bool is_of_program_ = false;
    std::optional<std::int64_t> message_size_bytes_;
    mutable std::mutex mutex_;
    // Guarded by the mutex; constant after creation.
    mutable std::shared_ptr<const JobLog> calls_;
    mutable std::shared_ptr<const Workload> workload_;
    mutable std::vector<std::string> warnings_;
    mutable LeftOutOfSets left_out_;
    mutable bool has_unread_calls_ = false;  ///< the calls in the log at path_ have not been read yet
};

/// Loads the traffic, or returns the shared object if it is already loaded.
std::shared_ptr<const LoadedTraffic> load_traffic(const Traffic& traffic, const Reading& reading = {});

}  // namespace haichi
