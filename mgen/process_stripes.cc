// Messages over several NICs at once (trunking).

#include <algorithm>

#include "mgen/process_model.h"

namespace haichi {

/// Hands a message to its NIC. If the machine stripes messages, whole packets are distributed over this NIC and the
/// following ones. `message.tag` must then be 0, because it will store the sender and its message number.
void ProcessModel::hand_over(PacketMessage message, RankId sender, std::int64_t now_ps) {
    const bool is_striped = options_.trunk > 1 && message.bytes > 0 && message.bytes >= options_.trunk_from_bytes &&
                            message.source != message.destination;
    const std::int64_t payload_bytes = engine_.machine().timing.options().packet_payload_bytes;
    const std::int64_t packets = is_striped ? engine_.machine().timing.packet_count(message.bytes) : 1;
    const std::int64_t stripes = std::min<std::int64_t>(options_.trunk, packets);
    if (stripes == 1) return engine_.inject(message, now_ps);
    mark_stripe(message, sender, rank_at(sender).striped++, stripes);
    std::int64_t left_bytes = message.bytes;
    for (std::int64_t i = 0; i < stripes; ++i) {
        const std::int64_t share = packets / stripes + (i < packets % stripes ? 1 : 0);
        message.bytes = std::min(left_bytes, share * payload_bytes);
        left_bytes -= message.bytes;
        engine_.inject(message, now_ps);
        message.nic = (message.nic + 1) % options_.nics;
    }
}

/// Marks the message as one of the `stripes` stripes of the sender's message `number`.
void ProcessModel::mark_stripe(PacketMessage& message, RankId sender, std::uint32_t number, std::int64_t stripes) {
    message.tag = std::uint64_t{static_cast<std::uint32_t>(sender.value)} << 32 | number;
    message.note[kFlagsOfNote] |= static_cast<std::uint32_t>(stripes) << kStripesShift;
}

/// Returns true when all stripes have arrived; `message` is then the whole message.
bool ProcessModel::take_stripe(Stripes& stripes, PacketMessage& message) {
    std::uint32_t& flags = message.note[kFlagsOfNote];
    const std::uint32_t count = flags >> kStripesShift;
    if (count == 0) return true;
    const auto bytes = stripes.take(message.tag, count, message.bytes);
    if (!bytes) return false;
    message.bytes = *bytes;
    message.tag = 0;
    flags &= (1U << kStripesShift) - 1;
    return true;
}

}  // namespace haichi
