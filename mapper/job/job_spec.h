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

/// A workload file, or a log from which sets are extracted. "-" is standard input.
struct WorkloadFile {
    std::string path;
    std::string format{};  ///< one of workload_formats(); empty means detection by content
};

/// Sets that were already extracted from a log, and are shared. The log's calls are read only when they are first
/// needed.
struct WorkloadOfLog {
    std::shared_ptr<const Workload> workload;
    std::string log_path;
};

/// Traffic of an execution-driven simulation of a program with this number of ranks. Messages are known only at run
/// time.
struct ProgramTraffic {
    std::int32_t rank_count = 0;
};

class LoadedTraffic;

/// The traffic between the ranks of a job: a value, or a shared object that is not copied.
struct Traffic {
    std::variant<WorkloadFile, Workload, std::shared_ptr<const Workload>, WorkloadOfLog, ProgramTraffic,
                 std::shared_ptr<const LoadedTraffic>>
        source;
    std::optional<std::int64_t>
        message_size_bytes{};  ///< size of every non-empty message; empty means the source's sizes
    /// Whether to keep the calls of a log with calls in order, for trace replay. Otherwise the sets are extracted at
    /// once, and the log is released.
    bool keeps_calls = false;
};

/// A job as users describe it. The command line, the Python package and the service fill only this. A member that can
/// be a name may instead be the object itself.
struct JobSpec {
    /// A preset or a machine file, the text of a file, a value, or a shared object.
    std::variant<std::string, Machine, std::shared_ptr<const Machine>, MachineSource> machine;
    Traffic traffic{};
    AllocationRequest allocation{};
    /// A PJM job script that states the nodes, the ranks per node and the kind of job; empty for none. `allocation`
    /// must agree with the script.
    std::string job_script{};
    /// The nodes' names: a file or pattern for HostNames::read(), or the names in node order. If the node list contains
    /// names, `hosts` must name all nodes of the machine. An empty text means the names in the machine's network or in
    /// the node list, if any.
    std::variant<std::string, std::vector<std::string>> hosts{};
    std::optional<std::int32_t> tasks{};  ///< tasks of the scheduler's job, at least as many as ranks; empty if unknown
    /// If set, nodes hold groups of ranks, and the weight of a group exceeds the mean by at most this fraction. Empty
    /// means that rank slots limit the ranks of a node instead.
    std::optional<double> imbalance{};
    std::int32_t cores_per_rank = 0;  ///< cores to which rank maps and job lines bind each rank; 0 means not stated
};

}  // namespace haichi
