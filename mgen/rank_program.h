#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mgen/call.h"
#include "mgen/completed_request.h"
#include "mgen/remote_access.h"

namespace haichi {

class ProcessModel;

/// A program that a ProcessModel runs. next() is called when the CPU of a rank is free. Nodes run in parallel, so
/// functions may access only state of ranks on the same node. may_look_again() and hint_when_stuck() are exceptions.
class RankProgram {
  public:
    /// Called before the run. The model outlives the run.
    virtual void set_model(ProcessModel& /*model*/) {}
    [[nodiscard]] virtual Call next(RankId rank, std::int64_t now_ps) = 0;
    /// Called once for every request, when it is complete.
    virtual void completed(RankId /*rank*/, std::uint32_t /*request*/, const CompletedRequest& /*request_is*/,
                           std::int64_t /*now_ps*/) {}
    /// Called when a message has arrived for which no receive is posted.
    virtual void arrived(RankId /*rank*/) {}
    /// Called at the target's node when a put has reached its memory, or when a get or an atomic operation is
    /// performed.
    virtual TargetAnswer accessed(const RemoteAccess& /*access*/, std::int64_t /*now_ps*/) {
        return TargetAnswer::kNow;
    }
    /// Called for a rank when its wait begins, and after each of the events above.
    [[nodiscard]] virtual bool may_resume(RankId /*rank*/, std::uint32_t open_requests) { return open_requests == 0; }
    /// Called when nothing can happen any more. Returns true if some of the waiting ranks may still resume.
    [[nodiscard]] virtual bool may_look_again(std::span<const RankId> /*waiting*/) { return false; }
    /// True if it is not an error that ranks wait forever.
    [[nodiscard]] virtual bool was_aborted() const { return false; }
    /// The rank's current position in its program or log.
    [[nodiscard]] virtual std::string place(RankId /*rank*/) const { return {}; }
    [[nodiscard]] virtual std::string hint_when_stuck() const {
        return "check why these messages are never sent, or why not all ranks reach the barrier";
    }
    /// True if calls for a rank must always come from the same thread.
    [[nodiscard]] virtual bool keeps_threads() const { return false; }
    /// True if the program creates groups of the machine's barrier network during the run.
    [[nodiscard]] virtual bool makes_groups() const { return false; }

  protected:
    RankProgram() = default;
    RankProgram(const RankProgram&) = default;
    RankProgram& operator=(const RankProgram&) = default;
    ~RankProgram() = default;
};

}  // namespace haichi
