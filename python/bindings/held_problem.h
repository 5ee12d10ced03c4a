#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "mapper/job/job.h"

namespace haichi {

/// Keeps data that the searches and evaluations of one job share, until the job's life in Python ends. Without a
/// holder, a Job builds its problem again.
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
