#pragma once

#include <haichi/export.h>
#include <haichi/job.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

HAICHI_BEGIN

namespace detail {
struct PlacementData;
}

/// The search that found a placement.
struct SearchRecord {
    std::string strategy{};
    std::string objective{};
    std::int64_t evaluations = 0;
    bool interrupted = false;
    /// With the objective "auto": whether the placement saves time, and the fraction that it saves.
    std::optional<bool> helps{};
    std::optional<double> fraction_saved{};
};

/// The node of every rank of a job. A value; copies share their data.
class HAICHI_EXPORT Placement {
  public:
    /// The scheduler's own placement.
    explicit Placement(const Job& job);
    /// Throws OptionError for nodes that do not fit the job.
    Placement(const Job& job, const std::vector<std::int32_t>& node_of_rank);
    /// Reads a rank map of any format of `haichi list formats`. If the format is empty, it is recognised from the
    /// content. Throws InputError with file and line.
    static Placement read(const Job& job, const std::string& path, const std::string& format = "");

    [[nodiscard]] std::vector<std::int32_t> node_of_rank() const;
    [[nodiscard]] Job job() const;
    /// The search that found the placement. Empty for other placements.
    [[nodiscard]] std::optional<SearchRecord> search() const;

    /// The text of a rank map. An empty format selects the usual one of the job. Throws OptionError for an unknown
    /// format, and UnsupportedError if it cannot express the placement.
    [[nodiscard]] std::string rank_map(const std::string& format = "") const;
    /// Writes a rank map. If it fails, an existing file stays as it was.
    void write(const std::string& path, const std::string& format = "") const;
    /// The lines of a job script that start a program with the rank map in `file`. Empty if no launcher reads it.
    [[nodiscard]] std::string launch_lines(const std::string& format, const std::string& file) const;

    /// Moves copy as well, so that no Placement is empty.
    Placement(const Placement&) = default;
    Placement& operator=(const Placement&) = default;
    ~Placement() = default;

  private:
    friend struct detail::Access;
    explicit Placement(std::shared_ptr<const detail::PlacementData> data);

    std::shared_ptr<const detail::PlacementData> data_;
};

HAICHI_END
