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

/// Partners that are no rank.
inline constexpr int kAnySource = -2;
inline constexpr int kNoProcess = -1;
inline constexpr int kAnyTag = -1;

/// What is known of a message that was received, sent or cancelled. An empty one is of no message.
struct Status {
    int source = kAnySource;
    int tag = kAnyTag;
    std::int64_t bytes = 0;
    std::optional<ErrorClass> error{};
    bool is_cancelled = false;
};

enum class SendMode : std::uint8_t { kStandard, kBuffered, kSynchronous, kReady };

/// The arguments of a message of the program.
struct MessageArguments {
    Buffer buffer;
    DatatypeRef type{};  ///< keeps that of the buffer
    int partner = 0;     ///< a rank of the communicator, or a number from above
    int tag = 0;
    MembershipRef membership;
    std::int32_t comm_handle = 0;  ///< the ABI's number of it
    SendMode mode = SendMode::kStandard;
};

/// Something that a rank has begun and waits for, tests or frees.
struct Request {
    enum class Kind : std::uint8_t { kSend, kReceive, kCollective, kGeneralized, kAccess };

    Kind kind = Kind::kSend;
    bool is_persistent = false;
    bool is_active = false;
    bool is_complete = false;
    bool is_awaited = false;   ///< its rank waits for it, and for all others that are
    bool has_more = false;     ///< two messages belong to it, and neither is complete
    bool is_detached = false;  ///< the program has freed it; it ends with its completion
    MessageArguments message{};
    std::uint32_t number = 0;  ///< for the process model, while it is active
    Status status{};
    std::unique_ptr<Collective> collective{};
    std::function<collectives::Steps(collectives::Exchange&)> begin_steps{};  ///< of a collective
    bool steps_need_memory = true;     ///< as host::RankListener::work_needs_memory()
    GroupRef meets{};                  ///< of a meeting: who comes
    std::shared_ptr<void> attached{};  ///< what the ABI keeps with it
    std::int32_t handle = 0;           ///< the ABI's number of it
    const char* call_name = nullptr;   ///< that has made it
    const void* call_site = nullptr;   ///< where the program made that

    Request();
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
};

}  // namespace haichi::mpi
