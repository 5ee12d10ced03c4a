#pragma once

#include <haichi/export.h>
#include <haichi/machine.h>
#include <haichi/options.h>
#include <haichi/topology.h>
#include <haichi/workload.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

HAICHI_BEGIN

/// The nodes and the traffic of a job. Members have the names of the options of `haichi map`.
struct JobSpec {
    Machine machine;
    Workload workload;
    std::vector<std::int32_t> shape{};   ///< sizes of the cuboid of nodes; empty for the whole machine
    std::vector<std::int32_t> origin{};  ///< corner of the shape on the machine; empty for zeros
    /// The nodes of the job, if it has no shape: node numbers, node names, or a file or list of names as in `--nodes`.
    std::variant<std::string, std::vector<std::int32_t>, std::vector<std::string>> nodes{};
    std::optional<std::int32_t> ppn{};  ///< maximum number of ranks per node
    std::string routing{};              ///< empty for the machine's routing
    std::string hosts{};                ///< host names of the nodes: a file, or a list such as "n[1-8]"
    MoreOptions more{};                 ///< values of "fold", "faulty", "job" and "count-nic"
};

/// A valid job, whose machine, nodes and traffic fit each other. It is a value; copies share their data.
class HAICHI_EXPORT Job {
  public:
    /// Throws OptionError and InputError if the parts do not fit each other.
    explicit Job(const JobSpec& spec);

    [[nodiscard]] std::int32_t ranks() const;
    [[nodiscard]] std::int32_t nodes() const;
    [[nodiscard]] std::int32_t ranks_per_node() const;
    [[nodiscard]] const std::vector<std::int32_t>& shape() const;
    [[nodiscard]] Network network() const;

    /// A move is a copy, so that no Job is empty.
    Job(const Job&) = default;
    Job& operator=(const Job&) = default;
    ~Job() = default;

  private:
    friend struct detail::Access;
    explicit Job(std::shared_ptr<const detail::JobData> data);

    std::shared_ptr<const detail::JobData> data_;
};

HAICHI_END
