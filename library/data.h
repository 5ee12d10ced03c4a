#pragma once

#include <haichi/haichi.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/errors.h"
#include "mapper/job/job.h"
#include "mapper/job/loaded_traffic.h"
#include "mapper/job/placement.h"
#include "options/option_table.h"

// The classes of libhaichi are in haichi::v0, and the classes of the modules are in haichi. To keep them apart,
// haichi::v0 is not an inline namespace here.

namespace haichi::v0::detail {

struct WorkloadData {
    std::shared_ptr<const LoadedTraffic> traffic;
};

struct MachineData {
    std::shared_ptr<const haichi::Machine> machine;
};

struct JobData {
    explicit JobData(haichi::Job of) : job(std::move(of)) {}

    /// Creates the problem in the first call. All searches and evaluations of the job share it.
    [[nodiscard]] const JobProblem& problem() const;

    haichi::Job job;

  private:
    mutable std::mutex mutex_{};
    mutable std::shared_ptr<const JobProblem> problem_{};  ///< guarded by the mutex
};

struct PlacementData {
    std::shared_ptr<const JobData> job;
    haichi::Placement placement;
};

/// Gives the library's sources access to the private data of the public classes.
struct Access {
    template <class T>
    static const auto& data(const T& object) {
        return object.data_;
    }
    template <class T, class Data>
    static T make(std::shared_ptr<const Data> data) {
        return T(std::move(data));
    }
};

/// Throws the libhaichi exception that corresponds to an exception of the modules.
[[noreturn]] void rethrow(const haichi::Error& error);

/// Calls f, and converts exceptions of the modules into exceptions of libhaichi.
template <class F>
auto converted(F&& f) {
    try {
        return f();
    } catch (const haichi::Error& error) {
        rethrow(error);
    }
}

/// Sets an option to a value, unless the value is empty.
void take(OptionTable& table, const std::string& name, const std::string& word);
template <class Number>
void take(OptionTable& table, const std::string& name, const std::optional<Number>& number) {
    if (number) take(table, name, std::to_string(*number));
}
/// Sets the options in `more`, and checks all options. Throws OptionError with a did-you-mean hint for an unknown name.
void take_more(OptionTable& table, const MoreOptions& more);

/// Joins the numbers with a separator.
std::string joined(const std::vector<std::int32_t>& numbers, char separator);

std::vector<NodeId> node_ids(const std::vector<std::int32_t>& numbers);

}  // namespace haichi::v0::detail
