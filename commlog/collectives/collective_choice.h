#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "commlog/collectives/collective_schedule.h"
#include "commlog/log/call_log_memory.h"

namespace haichi {

/// What the members of a communicator gave to one collective operation.
struct CollectiveCall {
    CollectiveOperation operation = CollectiveOperation::kOther;
    std::size_t root = 0;             ///< index in the members
    std::int64_t bytes = 0;           ///< the largest contribution of a member
    std::int64_t received_bytes = 0;  ///< the largest result of a member
};

/// The vector that the sizes of algorithms are about. `ranks` is at least 1. Throws UnsupportedError beyond 2^48 bytes.
std::int64_t vector_bytes(const CollectiveCall& call, std::int64_t ranks);

struct CollectiveMembers {
    std::int32_t count = 1;
    std::int32_t root = 0;  ///< one of them
};

/// By which point-to-point algorithm each collective operation is expanded; by the size of the vector.
class CollectiveChoice {
  public:
    /// As MPICH chooses, roughly (Thakur, Rabenseifner, Gropp 2005): short vectors in few steps, long ones in pieces.
    CollectiveChoice();

    /// "allreduce=ring" or, with sizes up to which an algorithm is taken, "allreduce=recursive-doubling:2KiB,ring".
    /// Throws OptionError, with did-you-mean.
    void set(std::string_view text);

    /// The name of the algorithm. Empty for operations without one: barriers, and neighbourhood collectives, whose
    /// neighbours no log knows.
    [[nodiscard]] std::string_view algorithm(CollectiveOperation operation, std::int64_t vector_bytes) const;
    /// The steps of an algorithm of the operation.
    [[nodiscard]] static CollectiveSchedule schedule(CollectiveOperation operation, std::string_view algorithm,
                                                     std::int64_t vector_bytes, const CollectiveMembers& members);

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
