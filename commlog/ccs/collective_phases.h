#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/collectives/collectives.h"
#include "commlog/log/call_log_memory.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// One phase of a collective: messages that travel together.
struct CollectivePhase {
    std::string label;
    std::vector<Message> messages;  ///< by source
};

/// What the members of a communicator gave to one collective operation.
struct CollectiveCall {
    CollectiveOperation operation = CollectiveOperation::kOther;
    std::size_t root = 0;             ///< index in the members
    std::int64_t bytes = 0;           ///< the largest contribution of a member
    std::int64_t received_bytes = 0;  ///< the largest result of a member
};

/// By which point-to-point algorithm each collective operation is expanded; by the size of the vector.
class CollectiveChoice {
  public:
    /// As MPICH chooses, roughly (Thakur, Rabenseifner, Gropp 2005): short vectors in few steps, long ones in pieces.
    CollectiveChoice();

    /// "allreduce=ring" or, with sizes up to which an algorithm is taken, "allreduce=recursive-doubling:2KiB,ring".
    /// Throws OptionError, with did-you-mean.
    void set(std::string_view text);

    /// The phases on the members' world ranks. None for barriers, and for neighbourhood collectives, whose neighbours
    /// no log knows.
    [[nodiscard]] std::vector<CollectivePhase> phases(const CollectiveCall& call,
                                                      const std::vector<std::int32_t>& members) const;

    /// "allreduce: recursive-doubling up to 2048 bytes, then ring" and so on, for help texts.
    [[nodiscard]] std::vector<std::string> descriptions() const;

  private:
    struct Row {
        std::int64_t up_to_bytes = 0;  ///< kLargestMessageBytes: the last
        std::string algorithm;
    };
    std::map<CollectiveOperation, std::vector<Row>> rows_;
};

/// "allreduce", "reduce-scatter", ...; "other" for those without messages.
std::string_view name_of(CollectiveOperation operation);

}  // namespace haichi
