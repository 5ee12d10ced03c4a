#pragma once

#include <haichi/export.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

HAICHI_BEGIN

namespace detail {
struct MachineData;
}

/// A parallel computer. It is a value; copies share their data.
class HAICHI_EXPORT Machine {
  public:
    /// Makes a machine from a value of the option `-m`. This is a preset with its parameters ("fugaku", "torus:8x8"), a
    /// machine file, or a network file with its format ("graph:FILE"). Throws OptionError with a hint for an unknown
    /// preset, and InputError with file and line for an invalid file.
    Machine(const std::string& name);  // NOLINT(google-explicit-constructor): as in {.machine = "torus:8x8"}
    Machine(const char* name);         // NOLINT(google-explicit-constructor)
    /// Makes a machine from the text of a machine file. Errors call the text `file`.
    static Machine parse(const std::string& text, const std::string& file = "machine");

    [[nodiscard]] const std::string& name() const;
    /// The number of compute nodes of the whole machine. Empty if a job defines the size of an axis.
    [[nodiscard]] std::optional<std::int32_t> nodes() const;
    [[nodiscard]] std::int64_t link_bandwidth() const;  ///< bytes per second

    /// A move is a copy, so that no Machine is empty.
    Machine(const Machine&) = default;
    Machine& operator=(const Machine&) = default;
    ~Machine() = default;

  private:
    friend struct detail::Access;
    explicit Machine(std::shared_ptr<const detail::MachineData> data);

    std::shared_ptr<const detail::MachineData> data_;
};

HAICHI_END
