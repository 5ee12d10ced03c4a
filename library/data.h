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

// The classes of libhaichi are in haichi::v0, and those of the modules in haichi. Here, haichi::v0 is not inline.

namespace haichi::v0::detail {

struct WorkloadData {
    std::shared_ptr<const LoadedTraffic> traffic;
};

struct MachineData {
    std::shared_ptr<const haichi::Machine> machine;
};

struct JobData {
    explicit JobData(haichi::Job of) : job(std::move(of)) {}

    /// Created by the first call. All searches and evaluations of the job share the problem.
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

/// Access to the data of the classes.
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

/// Throws the exception of libhaichi for an exception of the modules.
[[noreturn]] void rethrow(const haichi::Error& error);

/// Calls f, and converts the exceptions of the modules into those of libhaichi.
template <class F>
auto converted(F&& f) {
    try {
        return f();
    } catch (const haichi::Error& error) {
        rethrow(error);
    }
}

/// Sets an option from a word, unless the word is empty.
void take(OptionTable& table, const std::string& name, const std::string& word);
template <class Number>
void take(OptionTable& table, const std::string& name, const std::optional<Number>& number) {
    if (number) take(table, name, std::to_string(*number));
}
/// Sets the further options, and checks all options. Throws OptionError with a did-you-mean hint for an unknown name.
void take_more(OptionTable& table, const MoreOptions& more);

/// The numbers with a separator between them.
std::string joined(const std::vector<std::int32_t>& numbers, char separator);

std::vector<NodeId> node_ids(const std::vector<std::int32_t>& numbers);

}  // namespace haichi::v0::detail
