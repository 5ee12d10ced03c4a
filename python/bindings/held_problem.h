#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "mapper/job/job.h"

namespace haichi {

/// Keeps data that all searches and evaluations of one job share, as long as the job lives in Python. Without such a
/// holder, a Job would build its problem again.
class HeldProblem {
  public:
    void hold(const Job& job, const Log& log) {
        auto posed = job.problem(log);
        const std::scoped_lock lock(changing_);
        posed_ = std::move(posed);
    }

  private:
    std::mutex changing_;
    std::shared_ptr<const JobProblem> posed_;
};

}  // namespace haichi
