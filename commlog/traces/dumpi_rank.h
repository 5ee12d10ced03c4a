#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "commlog/traces/dumpi_call.h"
#include "commlog/traces/dumpi_communicators.h"
#include "commlog/traces/traced_job.h"

namespace haichi {

/// Converts the calls of one rank.
class DumpiRank {
  public:
    DumpiRank(std::int32_t rank, TracedJob* job, DumpiCommunicators* communicators);

    void read(const DumpiCall& call);
    RankLog finish(const std::string& place);
    [[nodiscard]] std::uint64_t untyped() const { return untyped_; }

  private:
    struct Persistent {
        bool receives = false;
        std::uint8_t flags = 0;
        TracedMessage envelope;
    };

    void do_call();

    [[nodiscard]] std::uint32_t communicator_of(std::int64_t handle);
    [[nodiscard]] std::uint32_t communicator() { return communicator_of(call_->whole("comm")); }

    [[nodiscard]] std::uint64_t type_bytes(std::int64_t type);
    [[nodiscard]] std::uint64_t checked(std::int64_t count, std::uint64_t bytes) const;
    [[nodiscard]] std::uint64_t bytes(const char* count, const char* type);
    [[nodiscard]] std::uint64_t sum_bytes(const char* counts, const char* type);

    TracedMessage envelope(std::int64_t peer, const char* tag, std::uint64_t size);
    [[nodiscard]] std::uint64_t request() const { return static_cast<std::uint64_t>(call_->whole("request", 0)); }

    void send(std::uint8_t flags, bool starts);
    [[noreturn]] void fail_open() const;

    /// Returns the message that a receive accepts, with flags that state if its source or tag may be any.
    std::pair<TracedMessage, std::uint8_t> wanted(std::int64_t peer, const char* tag, std::uint64_t size);
    void came(TracedMessage& e, std::uint8_t flags, const DumpiStatus& status);

    void receive(bool starts);
    /// Stores the communicator of a receive, because the source in a status is a rank of this communicator.
    void remember(std::uint64_t request, std::uint32_t comm);

    void sendrecv();

    void init();
    void start();

    void complete_one(std::int64_t number, const DumpiStatus* status);

    void complete(std::string_view name);

    void type_call(std::string_view name);
    void set_type(std::int64_t type, std::uint64_t size);

    void collective(CollectiveOperation kind, std::string_view name);
    std::uint64_t side(const char* count, const char* counts, const char* type);

    std::int32_t rank_;
    TracedJob* job_;
    DumpiCommunicators* communicators_;
    TracedRank traced_;
    const DumpiCall* call_ = nullptr;
    std::uint64_t first_ = 0, last_ = 0;
    std::uint64_t untyped_ = 0;
    std::uint32_t self_ = 0;
    std::unordered_map<std::int64_t, std::uint64_t> types_;
    std::unordered_map<std::uint64_t, Persistent> persistent_;
    std::unordered_map<std::uint64_t, std::uint32_t> communicator_of_request_;
};

}  // namespace haichi
