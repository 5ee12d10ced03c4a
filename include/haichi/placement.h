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

/// How a search found a placement.
struct SearchRecord {
    std::string strategy{};
    std::string objective{};
    std::int64_t evaluations = 0;
    bool interrupted = false;
    /// Results of the objective "auto": whether the placement saves time, and the fraction that it saves.
    std::optional<bool> helps{};
    std::optional<double> fraction_saved{};
};

/// The node of every rank of a job. It is a value; copies share their data.
class HAICHI_EXPORT Placement {
  public:
    /// Makes the scheduler's default placement.
    explicit Placement(const Job& job);
    /// Makes a placement from node numbers. Throws OptionError if these do not fit the job.
    Placement(const Job& job, const std::vector<std::int32_t>& node_of_rank);
    /// Reads a rank map in a format of `haichi list formats`. If `format` is empty, it is detected from the content.
    /// Throws InputError with file and line.
    static Placement read(const Job& job, const std::string& path, const std::string& format = "");

    [[nodiscard]] std::vector<std::int32_t> node_of_rank() const;
    [[nodiscard]] Job job() const;
    /// How a search found the placement. Empty for other placements.
    [[nodiscard]] std::optional<SearchRecord> search() const;

    /// The text of a rank map. An empty format selects the usual format of the job. Throws OptionError for an unknown
    /// format, and UnsupportedError if the format cannot express the placement.
    [[nodiscard]] std::string rank_map(const std::string& format = "") const;
    /// Writes a rank map. If this fails, an existing file is unchanged.
    void write(const std::string& path, const std::string& format = "") const;
    /// The lines of a job script that start a program with the rank map in `file`. Empty if no launcher reads the
    /// format.
    [[nodiscard]] std::string launch_lines(const std::string& format, const std::string& file) const;

    /// A move is a copy, so that no Placement is empty.
    Placement(const Placement&) = default;
    Placement& operator=(const Placement&) = default;
    ~Placement() = default;

  private:
    friend struct detail::Access;
    explicit Placement(std::shared_ptr<const detail::PlacementData> data);

    std::shared_ptr<const detail::PlacementData> data_;
};

HAICHI_END
