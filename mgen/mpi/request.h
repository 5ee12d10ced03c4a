#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "mgen/mpi/buffer.h"
#include "mgen/mpi/communicator.h"
#include "mgen/mpi/error.h"

namespace haichi::collectives {
class Exchange;
class Steps;
}  // namespace haichi::collectives

namespace haichi::mpi {

class Collective;

/// Values of a partner that are not ranks.
inline constexpr int kAnySource = -2;
inline constexpr int kNoProcess = -1;
inline constexpr int kAnyTag = -1;

/// The properties of a received, sent or cancelled message. A default Status describes no message.
struct Status {
    int source = kAnySource;
    int tag = kAnyTag;
    std::int64_t bytes = 0;
    std::optional<ErrorClass> error{};
    bool is_cancelled = false;
};

enum class SendMode : std::uint8_t { kStandard, kBuffered, kSynchronous, kReady };

/// The arguments of a message that the program sends or receives.
struct MessageArguments {
    Buffer buffer;
    DatatypeRef type{};  ///< keeps the buffer's type alive
    int partner = 0;     ///< a rank of the communicator, kAnySource or kNoProcess
    int tag = 0;
    MembershipRef membership;
    std::int32_t comm_handle = 0;  ///< the ABI's handle of the communicator
    SendMode mode = SendMode::kStandard;
};

/// An operation that a rank has begun, and which it waits for, tests or frees.
struct Request {
    enum class Kind : std::uint8_t { kSend, kReceive, kCollective, kGeneralized, kAccess };

    Kind kind = Kind::kSend;
    bool is_persistent = false;
    bool is_active = false;
    bool is_complete = false;
    bool is_awaited = false;   ///< the rank waits for this request together with all other awaited requests
    bool has_more = false;     ///< the request has two messages, and neither is complete
    bool is_detached = false;  ///< the program has freed the request, so it is released on completion
    MessageArguments message{};
    std::uint32_t number = 0;  ///< request ID in the process model, while active
    Status status{};
    std::unique_ptr<Collective> collective{};
    std::function<collectives::Steps(collectives::Exchange&)> begin_steps{};  ///< begins the steps of a collective
    bool steps_need_memory = true;     ///< see host::RankListener::work_needs_memory()
    GroupRef meets{};                  ///< the members of a meeting
    std::shared_ptr<void> attached{};  ///< data that the ABI attaches
    std::int32_t handle = 0;           ///< the ABI's handle of the request
    const char* call_name = nullptr;   ///< the call that made the request
    const void* call_site = nullptr;   ///< the call site

    Request();
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
};

}  // namespace haichi::mpi
