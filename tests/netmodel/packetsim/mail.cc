#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <type_traits>

#include "base/errors.h"
#include "base/random.h"
#include "netmodel/packetsim/packet_mail.h"
#include "netmodel/packetsim/transport.h"

// Mail between partitions as bytes, and back.

namespace haichi {
namespace {

auto values_of(const PacketMail& mail) {
    return std::tuple(mail.time_ps, mail.message, mail.duration_ps, mail.bytes, mail.of_nic, mail.buffer, mail.kind);
}
auto values_of(const PacketMessage& message) {
    return std::tuple(message.source, message.destination, message.bytes, message.tag, message.nic, message.gap_ps,
                      message.note);
}

void expect_equal(const MailBatch& a, const MailBatch& b) {
    ASSERT_EQ(a.items.size(), b.items.size());
    ASSERT_EQ(a.messages.size(), b.messages.size());
    for (std::size_t i = 0; i < a.items.size(); ++i) EXPECT_EQ(values_of(a.items[i]), values_of(b.items[i])) << i;
    for (std::size_t i = 0; i < a.messages.size(); ++i) {
        EXPECT_EQ(values_of(a.messages[i]), values_of(b.messages[i])) << i;
    }
}

MailBatch there_and_back(const MailBatch& batch) {
    MailBatch back;
    from_bytes(to_bytes(batch), back);
    return back;
}

template <class Value>
Value least_or_most(bool is_most) {
    return is_most ? std::numeric_limits<Value>::max() : std::numeric_limits<Value>::min();
}

constexpr std::array kKinds = {PacketMail::Kind::kAnnouncement, PacketMail::Kind::kPacket, PacketMail::Kind::kCredit,
                               PacketMail::Kind::kTimer};

/// All values as small, or as large, as their types hold.
PacketMail extreme_mail(PacketMail::Kind kind, bool is_most) {
    const auto word = least_or_most<std::uint32_t>(is_most);
    return {.time_ps = least_or_most<std::int64_t>(is_most),
            .message = word,
            .duration_ps = word,
            .bytes = word,
            .of_nic = word,
            .buffer = least_or_most<std::int32_t>(is_most),
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

MailBatch drawn_batch(std::uint64_t seed) {
    Random random(seed);
    const auto word = [&] {
        return static_cast<std::uint32_t>(random.below(std::numeric_limits<std::uint32_t>::max()));
    };
    MailBatch batch;
    for (std::uint32_t n = random.below(20); n > 0; --n) {
        PacketMail mail{.time_ps = std::int64_t{word()} << 30,
                        .message = word(),
                        .duration_ps = word(),
                        .bytes = word(),
                        .of_nic = word(),
                        .buffer = static_cast<std::int32_t>(word() / 2),
                        .kind = kKinds[random.below(kKinds.size())]};
        if (mail.kind == PacketMail::Kind::kAnnouncement) {
            PacketMessage message{NodeId(static_cast<std::int32_t>(word() / 2)), NodeId(7)};
            message.tag = word();
            for (std::uint32_t& of_note : message.note) of_note = word();
            batch.messages.push_back(message);
        }
        batch.items.push_back(mail);
    }
    return batch;
}

TEST(PacketMail, of_every_kind_with_extreme_values_comes_back_from_its_bytes) {
    MailBatch all;
    for (const PacketMail::Kind kind : kKinds) {
        for (const bool is_most : {false, true}) {
            MailBatch one;
            one.items.push_back(extreme_mail(kind, is_most));
            if (kind == PacketMail::Kind::kAnnouncement) one.messages.push_back(extreme_message(is_most));
            expect_equal(there_and_back(one), one);
            all.items.insert(all.items.end(), one.items.begin(), one.items.end());
            all.messages.insert(all.messages.end(), one.messages.begin(), one.messages.end());
        }
    }
    expect_equal(there_and_back(all), all);
    expect_equal(there_and_back({}), {});
}

TEST(PacketMail, drawn_batches_come_back_in_their_order_whatever_was_in_the_batch_before) {
    MailBatch back;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const MailBatch batch = drawn_batch(seed);
        from_bytes(to_bytes(batch), back);
        expect_equal(back, batch);
    }
}

TEST(PacketMail, equal_batches_are_equal_bytes) {
    // No byte is left to chance.
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        EXPECT_EQ(to_bytes(drawn_batch(seed)), to_bytes(there_and_back(drawn_batch(seed)))) << seed;
    }
    EXPECT_TRUE(std::has_unique_object_representations_v<PacketMail>);
}

TEST(PacketMail, bytes_that_are_cut_short_or_too_many_are_refused) {
    MailBatch batch;
    for (const PacketMail::Kind kind : kKinds) batch.items.push_back(extreme_mail(kind, true));
    batch.messages.push_back(extreme_message(true));
    const std::vector<std::byte> bytes = to_bytes(batch);
    MailBatch back;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(from_bytes(std::span(bytes).first(length), back), InternalError) << length;
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_THROW(from_bytes(longer, back), InternalError);
}

TEST(PacketMail, counts_that_do_not_fit_the_bytes_are_refused) {
    MailBatch batch;
    batch.items.push_back(extreme_mail(PacketMail::Kind::kCredit, true));
    const std::vector<std::byte> bytes = to_bytes(batch);
    MailBatch back;
    // The counts are the first 16 bytes: every one of them made as large as it can be, so that products overflow, too.
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
    MailBatch sent = drawn_batch(3);
    const MailBatch copy = sent;
    transport.send(second, sent);
    EXPECT_TRUE(sent.empty());
    MailBatch received;
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
