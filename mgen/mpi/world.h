#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mgen/mpi/communicator.h"
#include "mgen/mpi/hardware_barriers.h"
#include "mgen/mpi/payload.h"
#include "mgen/mpi/process.h"
#include "mgen/process_options.h"

namespace haichi::mpi {

/// The MPI state of all ranks of a job, and the agreements that ranks reach when they create communicators.
class World {
  public:
    struct Options {
        PayloadRule payload = PayloadRule::kAuto;
        /// The component that performs accumulates and other updates of windows.
        Progress updates = Progress::kNic;
        std::int32_t nics = 1;  ///< per node
    };
    World(std::int32_t ranks, const Options& options);

    /// Creates the MPI state of a rank that starts.
    Process& begin(host::LiveRank& rank);
    [[nodiscard]] Process& process(RankId rank) { return *processes_[rank.index()]; }
    [[nodiscard]] const Options& options() const { return options_; }
    /// True if messages between two ranks, and accesses to windows, carry their data.
    [[nodiscard]] bool moves_payload() const { return options_.payload != PayloadRule::kNone; }
    /// Call this after packing data. Throws UnsupportedError if the data in flight exceed what PayloadRule::kAuto
    /// allows.
    void check_payload_memory() const {
        if (Payload::bytes_in_memory() > most_payload_bytes_) refuse_payload();
    }
    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(processes_.size()); }
    [[nodiscard]] const CommunicatorRef& whole() const { return whole_; }
    [[nodiscard]] CommunicatorRef self(RankId rank) const;
    /// A message sent without its data because of PayloadRule.
    struct DatalessMessage {
        std::int64_t sent_ps = 0;
        RankId from;
        RankId to;
        std::int32_t tag = 0;
        std::int64_t bytes = 0;
        const char* call_name = nullptr;
        const void* call_site = nullptr;
    };
    /// Keeps the earliest such message; ties go to the smaller sender.
    void note_dataless(const DatalessMessage& message);
    [[nodiscard]] const std::optional<DatalessMessage>& first_dataless() const { return first_dataless_; }
    /// Returns the context of a new communicator.
    [[nodiscard]] std::uint32_t new_context() { return next_context_ += 2; }

    [[nodiscard]] HardwareBarriers& hardware_barriers() { return hardware_barriers_; }

    /// Identifies an agreement: the parent's context, the creation number, and a value that distinguishes groups.
    struct AgreementKey {
        std::uint32_t context = 0;
        std::uint32_t number = 0;
        std::int64_t part = 0;
        friend auto operator<=>(const AgreementKey&, const AgreementKey&) = default;
    };
    /// Returns the same object to all `members` callers; the first call creates it. The object is removed from the
    /// table when all members have called this. Its contents may be used once all members have arrived (Process::meet).
    template <class Value>
    std::shared_ptr<Value> agree(const AgreementKey& key, std::int64_t members) {
        Agreement& agreement = agreements_[key];
        if (!agreement.value) agreement.value = std::make_shared<Value>();
        auto value = std::static_pointer_cast<Value>(agreement.value);
        if (++agreement.asked == members) agreements_.erase(key);
        return value;
    }

  private:
    struct Agreement {
        std::shared_ptr<void> value{};
        std::int64_t asked = 0;
    };

    [[noreturn]] void refuse_payload() const;

    Options options_;
    std::int64_t most_payload_bytes_;
    std::vector<std::unique_ptr<Process>> processes_;
    CommunicatorRef whole_;
    std::optional<DatalessMessage> first_dataless_;
    std::uint32_t next_context_ = 2;
    std::map<AgreementKey, Agreement> agreements_;
    HardwareBarriers hardware_barriers_;
};

}  // namespace haichi::mpi
