#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mgen/call.h"
#include "mgen/completed_request.h"
#include "mgen/remote_access.h"

namespace haichi {

class ProcessModel;

/// What a ProcessModel runs. next() is called when the CPU of a rank is free. All but may_look_again() and
/// hint_when_stuck() may touch only what belongs to ranks of the same node, since nodes run in parallel.
class RankProgram {
  public:
    /// Before the run, which the model outlives.
    virtual void set_model(ProcessModel& /*model*/) {}
    [[nodiscard]] virtual Call next(RankId rank, std::int64_t now_ps) = 0;
    /// Called for every request.
    virtual void completed(RankId /*rank*/, std::uint32_t /*request*/, const CompletedRequest& /*request_is*/,
                           std::int64_t /*now_ps*/) {}
    /// A message has come that no receive is posted for.
    virtual void arrived(RankId /*rank*/) {}
    /// At the node of the target: a put is in its memory, or a get or an atomic operation is done there.
    virtual TargetAnswer accessed(const RemoteAccess& /*access*/, std::int64_t /*now_ps*/) {
        return TargetAnswer::kNow;
    }
    /// Asked of a rank that waits, when it begins to and after each of these.
    [[nodiscard]] virtual bool may_resume(RankId /*rank*/, std::uint32_t open_requests) { return open_requests == 0; }
    /// Asked when nothing can happen any more: some of these ranks may resume all the same.
    [[nodiscard]] virtual bool may_look_again(std::span<const RankId> /*waiting*/) { return false; }
    /// That ranks wait for ever is no error then.
    [[nodiscard]] virtual bool was_aborted() const { return false; }
    /// Where in its source a rank is.
    [[nodiscard]] virtual std::string place(RankId /*rank*/) const { return {}; }
    [[nodiscard]] virtual std::string hint_when_stuck() const {
        return "each of them waits for a message that is never sent, or for a barrier that not all reach";
    }
    /// What is asked for a rank must come always in the same thread.
    [[nodiscard]] virtual bool keeps_threads() const { return false; }
    /// In its run, of the machine's barrier network.
    [[nodiscard]] virtual bool makes_groups() const { return false; }

  protected:
    RankProgram() = default;
    RankProgram(const RankProgram&) = default;
    RankProgram& operator=(const RankProgram&) = default;
    ~RankProgram() = default;
};

}  // namespace haichi
