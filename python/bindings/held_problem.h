#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "mapper/job/job.h"

namespace haichi {

/// Keeps what the searches and evaluations of one job share, from the first to the end of the job's life in Python: a
/// Job poses its problem anew when nobody holds it.
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
