#pragma once

#include <cstdint>

#include "collectives/exchange.h"
#include "collectives/steps.h"
#include "mgen/mpi/communicator.h"

namespace haichi::mpi {

using collectives::Exchange;
using collectives::ExchangeMembers;
using collectives::Steps;

class Process;
struct Request;

/// One rank's part in a running collective: its steps, and the messages that these steps begin.
class Collective final : public Exchange {
  public:
    struct Setup {
        Process* process = nullptr;
        MembershipRef membership;
        const Group* partners = nullptr;  ///< the ranks to which messages go and from which they come
        ExchangeMembers members;
        std::int32_t tag = 0;
        bool moves_payload = true;
        /// True if the steps access the rank's private memory or call the program.
        bool needs_memory = true;
        Request* request = nullptr;  ///< completes when the collective completes; may be null
    };
    explicit Collective(Setup setup) : Exchange(setup.members), setup_(std::move(setup)) {}

    void begin(Steps steps) { steps_ = std::move(steps); }
    /// See Steps::resume().
    bool go_on() { return steps_.resume(); }
    [[nodiscard]] bool is_done() const { return steps_.done(); }
    [[nodiscard]] Request* request() const { return setup_.request; }
    [[nodiscard]] bool needs_memory() const { return setup_.needs_memory; }

  private:
    void begin_send(const collectives::Buffer& buffer, int to, Message message) override;
    void begin_receive(const collectives::Buffer& buffer, int from, Message message) override;
    void copy_data(const collectives::Buffer& from, const collectives::Buffer& to) override;
    void combine_data(const collectives::Reduction& operation, const void* in,
                      const collectives::Buffer& inout) override;

    [[nodiscard]] const Group& partners() const {
        return is_turned_to_own_group() ? *setup_.membership->communicator->group : *setup_.partners;
    }

    Setup setup_;
    Steps steps_;
};

}  // namespace haichi::mpi
