#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/machine.h"

namespace haichi {

/// A workload, or a log that sets are extracted from; "-" is standard input.
struct WorkloadFile {
    std::string path;
    std::string format{};  ///< of workload_formats(); empty: by its content
};

/// Sets that were extracted from a log already, and are shared. Its calls are read when they are first asked for: who
/// works with sets does not pay for them.
struct WorkloadOfLog {
    std::shared_ptr<const Workload> workload;
    std::string log_path;
};

/// A program that runs live, of so many ranks: what they send is known only while it runs.
struct ProgramTraffic {
    std::int32_t rank_count = 0;
};

class LoadedTraffic;

/// What the ranks of a job send each other. A value, or one that others hold as well and that is not copied.
struct Traffic {
    std::variant<WorkloadFile, Workload, std::shared_ptr<const Workload>, WorkloadOfLog, ProgramTraffic,
                 std::shared_ptr<const LoadedTraffic>>
        source;
    std::optional<std::int64_t> message_size_bytes{};  ///< of every non-empty message; nothing: as the source says
    /// Where the file is a log with calls in order, they are kept, so that they can be replayed. Else its sets are
    /// extracted at once, and it is dropped.
    bool keeps_calls = false;
};

/// A job as users describe it: the program's options, the Python package and a service fill this and nothing else. What
/// names a thing may also be the thing.
struct JobSpec {
    /// A preset or a machine file, a value, or one that others hold as well.
    std::variant<std::string, Machine, std::shared_ptr<const Machine>> machine;
    Traffic traffic{};
    AllocationRequest allocation{};
    /// The nodes' names: a file or pattern as HostNames::read() takes them (empty: not known), or the names themselves
    /// in node order.
    std::variant<std::string, std::vector<std::string>> hosts{};
};

}  // namespace haichi
