#pragma once

#include <cstdint>
#include <limits>

#include "commlog/workload/workload.h"

namespace haichi {

enum class Protocol : std::uint8_t { kByLimit, kEager, kRendezvous };

/// Options of a message.
struct SendOptions {
    Protocol protocol = Protocol::kByLimit;
    /// Sends an eager message straight from the user's buffer, which is free once the message has left.
    bool zero_copy = false;
    std::int32_t nic = -1;    ///< -1 selects the rank's message counter modulo the number of NICs
    std::int64_t gap_ps = 0;  ///< pause of the NIC after each packet
};

/// A rank's next action, as a value. It has sizes only, no payload. Sends and receives do not block; the program
/// chooses the request ID `request`.
struct Call {
    enum class Kind : std::uint8_t {
        kFinish,
        kSend,
        kReceive,
        kWait,
        kPark,
        kCompute,
        kSpend,
        kBarrier,
        kPut,
        kGet,
        kAtomic,
        kPoll
    };
    static constexpr std::int32_t kAnyTag = std::numeric_limits<std::int32_t>::min();
    /// The context of messages that a matched probe (MPI_Mprobe) has taken. The tag of such a message is its
    /// reservation ID.
    static constexpr std::uint32_t kReservedContext = std::numeric_limits<std::uint32_t>::max();

    Kind kind = Kind::kFinish;
    bool is_counted = false;  ///< a put whose arrival poll() may consume
    /// The target's rank performs the access: at once if it is in a call, otherwise at its next call.
    bool is_by_target = false;
    SendOptions options{};
    RankId partner{};  ///< destination, source or target; an invalid source matches any source
    std::int32_t tag = 0;
    std::uint32_t context = 0;  ///< context of a communicator; messages match only receives in the same context
    std::uint32_t request = 0;
    std::int32_t group = 0;
    std::int64_t amount = 0;        ///< bytes of a message or an access; picoseconds of computation or of a call
    std::int64_t answer_bytes = 0;  ///< bytes in the target's answer to an access

    static Call send(RankId destination, std::int64_t bytes, std::int32_t tag = 0, SendOptions options = {},
                     std::uint32_t request = 0) {
        return {.kind = Kind::kSend,
                .options = options,
                .partner = destination,
                .tag = tag,
                .request = request,
                .amount = bytes};
    }
    static Call receive(RankId source, std::int64_t bytes, std::int32_t tag = 0, std::uint32_t request = 0) {
        return {.kind = Kind::kReceive, .partner = source, .tag = tag, .request = request, .amount = bytes};
    }
    static Call receive_any(std::int64_t bytes, std::int32_t tag = kAnyTag, std::uint32_t request = 0) {
        return receive(RankId(), bytes, tag, request);
    }
    [[nodiscard]] Call in(std::uint32_t of_context) const {
        Call call = *this;
        call.context = of_context;
        return call;
    }
    /// Waits until the program's may_resume() returns true. By default, the rank resumes when it has no open requests.
    static Call wait() { return {.kind = Kind::kWait}; }
    /// Like wait(), but continues an earlier call and adds no overhead.
    static Call park() { return {.kind = Kind::kPark}; }
    static Call compute(std::int64_t time_ps) { return {.kind = Kind::kCompute, .amount = time_ps}; }
    /// Spends time in a call without other effects, such as reading the clock or an unsuccessful test.
    static Call spend(std::int64_t time_ps) { return {.kind = Kind::kSpend, .amount = time_ps}; }
    /// `group` is an ID from ProcessModel::add_group().
    static Call barrier(std::int32_t group) { return {.kind = Kind::kBarrier, .group = group}; }
    static Call finish() { return {}; }

    // Remote memory access (docs/develop/simulator.md). The NIC begins an access like a send. An access is complete
    // when the target's answer has arrived.
    /// Writes to the target's memory; the target's poll() counts the arrival.
    static Call put(RankId target, std::int64_t bytes, std::int32_t tag = 0, SendOptions options = {},
                    std::uint32_t request = 0) {
        Call call{.kind = Kind::kPut, .is_counted = true, .options = options, .partner = target, .tag = tag};
        call.request = request;
        call.amount = bytes;
        return call;
    }
    /// A put without a counted arrival.
    static Call put_uncounted(RankId target, std::int64_t bytes, SendOptions options = {}, std::uint32_t request = 0) {
        Call call = put(target, bytes, 0, options, request);
        call.is_counted = false;
        return call;
    }
    static Call get(RankId target, std::int64_t bytes, SendOptions options = {}, std::uint32_t request = 0) {
        Call call = atomic(target, 0, bytes, options, request);
        call.kind = Kind::kGet;
        return call;
    }
    /// Sends operands and returns a result.
    static Call atomic(RankId target, std::int64_t operand_bytes, std::int64_t result_bytes, SendOptions options = {},
                       std::uint32_t request = 0) {
        Call call{.kind = Kind::kAtomic, .options = options, .partner = target, .request = request};
        call.amount = operand_bytes;
        call.answer_bytes = result_bytes;
        return call;
    }
    [[nodiscard]] Call by_target() const {
        Call call = *this;
        call.is_by_target = true;
        return call;
    }
    /// Waits until a counted put with this tag has arrived, and consumes the arrival.
    static Call poll(std::int32_t tag) { return {.kind = Kind::kPoll, .tag = tag}; }
};

}  // namespace haichi
