#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <type_traits>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/packetsim/remote_event.h"
#include "netmodel/packetsim/transport.h"

// Remote events of partitions, encoded as bytes and decoded.

namespace haichi {
namespace {

auto values_of(const RemoteEvent& event) {
    return std::tuple(event.time_ps, event.message, event.duration_ps, event.bytes, event.of_nic, event.target,
                      event.kind);
}
auto values_of(const PacketMessage& message) {
    return std::tuple(message.source, message.destination, message.bytes, message.tag, message.nic, message.gap_ps,
                      message.note);
}

void expect_equal(const RemoteEventBatch& a, const RemoteEventBatch& b) {
    ASSERT_EQ(a.events.size(), b.events.size());
    ASSERT_EQ(a.messages.size(), b.messages.size());
    for (std::size_t i = 0; i < a.events.size(); ++i) EXPECT_EQ(values_of(a.events[i]), values_of(b.events[i])) << i;
    for (std::size_t i = 0; i < a.messages.size(); ++i) {
        EXPECT_EQ(values_of(a.messages[i]), values_of(b.messages[i])) << i;
    }
}

RemoteEventBatch there_and_back(const RemoteEventBatch& batch) {
    RemoteEventBatch back;
    from_bytes(to_bytes(batch), back);
    return back;
}

template <class Value>
Value least_or_most(bool is_most) {
    return is_most ? std::numeric_limits<Value>::max() : std::numeric_limits<Value>::min();
}

constexpr std::array kKinds = {RemoteEvent::Kind::kAnnouncement, RemoteEvent::Kind::kPacket, RemoteEvent::Kind::kCredit,
                               RemoteEvent::Kind::kTimer};

/// All values at the minimum or maximum of their types.
RemoteEvent extreme_event(RemoteEvent::Kind kind, bool is_most) {
    const auto word = least_or_most<std::uint32_t>(is_most);
    return {.time_ps = least_or_most<std::int64_t>(is_most),
            .message = word,
            .duration_ps = word,
            .bytes = word,
            .of_nic = word,
            .target = least_or_most<std::int32_t>(is_most),
            .kind = kind};
}
PacketMessage extreme_message(bool is_most) {
    PacketMessage message{NodeId(least_or_most<std::int32_t>(is_most)), NodeId(least_or_most<std::int32_t>(!is_most))};
    message.bytes = least_or_most<std::int64_t>(is_most);
    message.tag = least_or_most<std::uint64_t>(is_most);
    message.nic = least_or_most<std::int32_t>(is_most);
    message.gap_ps = least_or_most<std::int64_t>(!is_most);
    message.note.fill(least_or_most<std::uint32_t>(is_most));
    return message;
}

RemoteEventBatch drawn_batch(std::uint64_t seed) {
    Random random(seed);
    const auto word = [&] {
        return static_cast<std::uint32_t>(random.below(std::numeric_limits<std::uint32_t>::max()));
    };
    RemoteEventBatch batch;
    for (std::uint32_t n = random.below(20); n > 0; --n) {
        RemoteEvent event{.time_ps = std::int64_t{word()} << 30,
                          .message = word(),
                          .duration_ps = word(),
                          .bytes = word(),
                          .of_nic = word(),
                          .target = static_cast<std::int32_t>(word() / 2),
                          .kind = kKinds[random.below(kKinds.size())]};
        if (event.kind == RemoteEvent::Kind::kAnnouncement) {
            PacketMessage message{NodeId(static_cast<std::int32_t>(word() / 2)), NodeId(7)};
            message.tag = word();
            for (std::uint32_t& of_note : message.note) of_note = word();
            batch.messages.push_back(message);
        }
        batch.events.push_back(event);
    }
    return batch;
}

TEST(RemoteEvent, of_every_kind_with_extreme_values_comes_back_from_its_bytes) {
    RemoteEventBatch all;
    for (const RemoteEvent::Kind kind : kKinds) {
        for (const bool is_most : {false, true}) {
            RemoteEventBatch one;
            one.events.push_back(extreme_event(kind, is_most));
            if (kind == RemoteEvent::Kind::kAnnouncement) one.messages.push_back(extreme_message(is_most));
            expect_equal(there_and_back(one), one);
            all.events.insert(all.events.end(), one.events.begin(), one.events.end());
            all.messages.insert(all.messages.end(), one.messages.begin(), one.messages.end());
        }
    }
    expect_equal(there_and_back(all), all);
    expect_equal(there_and_back({}), {});
}

TEST(RemoteEvent, drawn_batches_come_back_in_their_order_whatever_was_in_the_batch_before) {
    RemoteEventBatch back;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const RemoteEventBatch batch = drawn_batch(seed);
        from_bytes(to_bytes(batch), back);
        expect_equal(back, batch);
    }
}

TEST(RemoteEvent, equal_batches_are_equal_bytes) {
    // Every byte is defined.
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        EXPECT_EQ(to_bytes(drawn_batch(seed)), to_bytes(there_and_back(drawn_batch(seed)))) << seed;
    }
    EXPECT_TRUE(std::has_unique_object_representations_v<RemoteEvent>);
}

TEST(RemoteEvent, bytes_that_are_cut_short_or_too_many_are_refused) {
    RemoteEventBatch batch;
    for (const RemoteEvent::Kind kind : kKinds) batch.events.push_back(extreme_event(kind, true));
    batch.messages.push_back(extreme_message(true));
    const std::vector<std::byte> bytes = to_bytes(batch);
    RemoteEventBatch back;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(from_bytes(std::span(bytes).first(length), back), InternalError) << length;
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_THROW(from_bytes(longer, back), InternalError);
}

TEST(RemoteEvent, counts_that_do_not_fit_the_bytes_are_refused) {
    RemoteEventBatch batch;
    batch.events.push_back(extreme_event(RemoteEvent::Kind::kCredit, true));
    const std::vector<std::byte> bytes = to_bytes(batch);
    RemoteEventBatch back;
    // The counts occupy the first 16 bytes. Each is set to its maximum, so that products overflow, too.
    for (std::size_t at = 0; at < 16; ++at) {
        std::vector<std::byte> wrong = bytes;
        wrong[at] = std::byte{0xFF};
        EXPECT_THROW(from_bytes(wrong, back), InternalError) << at;
    }
}

TEST(SerialisingTransport, hands_a_batch_over_once_when_the_window_has_ended) {
    SerialisingTransport transport;
    const std::size_t first = transport.open();
    const std::size_t second = transport.open();
    EXPECT_NE(first, second);
    RemoteEventBatch sent = drawn_batch(3);
    const RemoteEventBatch copy = sent;
    transport.send(second, sent);
    EXPECT_TRUE(sent.empty());
    RemoteEventBatch received;
    transport.receive(second, received);
    EXPECT_TRUE(received.empty());
    EXPECT_EQ(transport.end_window(17), 17);
    transport.receive(first, received);
    EXPECT_TRUE(received.empty());
    transport.receive(second, received);
    expect_equal(received, copy);
    received.clear();
    transport.receive(second, received);
    EXPECT_TRUE(received.empty());
}

}  // namespace
}  // namespace haichi
