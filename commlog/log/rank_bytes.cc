#include "commlog/log/rank_bytes.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include "base/errors.h"
#include "commlog/log/read_sites.h"

namespace haichi {

namespace {

/// Maps signed numbers to unsigned ones, so that small magnitudes of either sign have short encodings.
constexpr std::uint64_t zigzag(std::int64_t x) {
    return static_cast<std::uint64_t>(x) << 1 ^ static_cast<std::uint64_t>(x >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t x) { return static_cast<std::int64_t>(x >> 1 ^ (~(x & 1) + 1)); }

class ByteWriter {
  public:
    template <typename T>
    void number(const T& x) {
        if constexpr (std::is_enum_v<T>) {
            number(static_cast<std::underlying_type_t<T>>(x));
        } else if constexpr (std::is_floating_point_v<T>) {
            const auto wide = static_cast<double>(x);
            std::uint64_t bits = 0;
            // memcpy, because GCC 10, which builds the profiler, lacks std::bit_cast.
            std::memcpy(&bits, &wide, sizeof bits);
            for (int i = 0; i < 8; ++i, bits >>= 8) byte(bits & 0xff);
        } else if constexpr (std::is_signed_v<T>) {
            number(zigzag(x));
        } else {
            auto rest = static_cast<std::uint64_t>(x);
            for (; rest >= 0x80; rest >>= 7) byte((rest & 0x7f) | 0x80);
            byte(rest);
        }
    }
    /// Writes eight bytes for any value, so that a longer run with larger counters does not make the file larger.
    void counter(const std::uint64_t& x) {
        for (unsigned shift = 0; shift < 64; shift += 8) byte(x >> shift & 0xff);
    }
    void text(const std::string& s) {
        number(s.size());
        for (const char c : s) byte(static_cast<unsigned char>(c));
    }
    template <typename T, typename Each>
    void list(std::vector<T>& items, Each each) {
        number(items.size());
        for (T& item : items) each(item);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    void byte(std::uint64_t x) { bytes_.push_back(static_cast<std::byte>(x)); }
    std::vector<std::byte> bytes_;
};

class Reader {
  public:
    Reader(std::span<const std::byte> bytes, const std::string& place) : bytes_(bytes), place_(&place) {}

    template <typename T>
    void number(T& x) {
        if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> value{};
            number(value);
            x = static_cast<T>(value);
        } else if constexpr (std::is_floating_point_v<T>) {
            std::uint64_t bits = 0;
            for (int i = 0; i < 8; ++i) bits |= byte() << (8 * i);
            double wide = 0;
            std::memcpy(&wide, &bits, sizeof wide);
            x = static_cast<T>(wide);
            if (!(x >= 0 && x <= std::numeric_limits<double>::max())) fail("invalid time or rate");
        } else if constexpr (std::is_signed_v<T>) {
            std::uint64_t value = 0;
            number(value);
            const std::int64_t wide = unzigzag(value);
            if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) fail_range(wide);
            x = static_cast<T>(wide);
        } else {
            std::uint64_t value = 0;
            for (unsigned shift = 0;; shift += 7) {
                const std::uint64_t b = byte();
                if (shift > 63 || (shift == 63 && (b & 0x7f) > 1)) fail("a number of more than 64 bits");
                value |= (b & 0x7f) << shift;
                if ((b & 0x80) == 0) break;
            }
            if (value > std::numeric_limits<T>::max()) fail_range(value);
            x = static_cast<T>(value);
        }
    }
    void counter(std::uint64_t& x) {
        x = 0;
        for (unsigned shift = 0; shift < 64; shift += 8) x |= byte() << shift;
        constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
        if (x > kMost) fail("a count above 2^60");
    }
    void text(std::string& s) {
        for (std::size_t rest = count(); rest > 0; --rest) s.push_back(static_cast<char>(byte()));
    }
    template <typename T, typename Each>
    void list(std::vector<T>& items, Each each) {
        const std::size_t size = count();
        // Memory is not reserved by a count from the file: entries are added one by one, and each takes bytes of the
        // record.
        for (std::size_t i = 0; i < size; ++i) each(items.emplace_back());
    }
    void expect_end() const {
        if (at_ != bytes_.size()) fail(std::to_string(bytes_.size() - at_) + " bytes after the end of the record");
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(*place_ + ", offset " + std::to_string(at_) + " of the record: " + what,
                         "the file is damaged, or was not written by this profiler");
    }
    template <typename T>
    [[noreturn]] void fail_range(T value) const {
        fail("number out of range: " + std::to_string(value));
    }
    std::uint64_t byte() {
        if (at_ == bytes_.size()) fail("the record ends too early");
        return static_cast<std::uint64_t>(bytes_[at_++]);
    }
    std::size_t count() {
        std::uint64_t size = 0;
        number(size);
        if (size > bytes_.size() - at_)
            fail(std::to_string(size) + " entries in " + std::to_string(bytes_.size() - at_) + " bytes");
        return size;
    }

    std::span<const std::byte> bytes_;
    const std::string* place_;
    std::size_t at_ = 0;
};

// The functions below work in both directions: `io` is a ByteWriter or a Reader.

template <typename Io, typename... T>
void numbers(Io& io, T&... all) {
    (io.number(all), ...);
}
template <typename Io, typename... T>
void counters(Io& io, T&... all) {
    (io.counter(all), ...);
}

template <typename Io>
void pass(Io& io, MessageStatistics& messages) {
    io.counter(messages.count);
    if (messages.count == 0) return;
    counters(io, messages.bytes_total, messages.bytes_min, messages.bytes_max, messages.empty);
    for (std::uint64_t& in_class : messages.classes) io.counter(in_class);
}

template <typename Io>
void pass(Io& io, SiteProfile& site) {
    numbers(io, site.module, site.offset, site.function, site.communicator, site.region);
    io.counter(site.calls);
    numbers(io, site.seconds_total, site.seconds_min, site.seconds_max);
    counters(io, site.sent_bytes, site.received_bytes);
}

template <typename Io>
void pass(Io& io, RankProfile& profile) {
    numbers(io, profile.wall_seconds, profile.mpi_seconds);
    counters(io, profile.lost_messages, profile.lost_bytes);
    io.list(profile.functions, [&](FunctionProfile& function) {
        io.text(function.name);
        io.counter(function.calls);
        numbers(io, function.seconds_total, function.seconds_min, function.seconds_max);
        pass(io, function.sent);
        pass(io, function.received);
    });
    io.list(profile.peers, [&](PeerTraffic& peer) {
        io.number(peer.peer);
        counters(io, peer.traffic.sent_messages, peer.traffic.sent_bytes, peer.traffic.received_messages,
                 peer.traffic.received_bytes);
    });
    io.list(profile.targets, [&](OneSidedTraffic& target) {
        io.number(target.target);
        counters(io, target.traffic.put_operations, target.traffic.put_bytes, target.traffic.got_operations,
                 target.traffic.got_bytes);
    });
    io.list(profile.modules, [&](Module& module) {
        io.text(module.path);
        io.text(module.build_id);
    });
    io.list(profile.regions, [&](RegionProfile& region) {
        io.text(region.name);
        io.counter(region.entries);
        io.number(region.seconds);
    });
    io.list(profile.sites, [&](SiteProfile& site) { pass(io, site); });
    counters(io, profile.lost_site_calls, profile.lost_regions);
}

template <typename Io>
void pass(Io& io, LoggedEvent& event) {
    numbers(io, event.key.kind, event.key.flags, event.key.operation, event.key.peer, event.key.tag,
            event.key.communicator, event.key.bytes, event.key.received_bytes_or_list);
    io.counter(event.count);
    if ((event.key.flags & kVariableSize) != 0) {
        counters(io, event.bytes_total, event.bytes_min, event.bytes_max);
    }
    counters(io, event.gap_total, event.gap_min, event.gap_max);
    numbers(io, event.first_completion, event.completions);
}

template <typename Io>
void pass(Io& io, CallSequence& calls) {
    io.number(calls.ticks_per_second);
    counters(io, calls.gap_behind, calls.lost_events, calls.lost_symbols, calls.lost_completions);
    io.list(calls.events, [&](LoggedEvent& event) { pass(io, event); });
    io.list(calls.completions, [&](Completion& completion) {
        numbers(io, completion.distance, completion.source, completion.tag, completion.event);
    });
    io.list(calls.body, [&](Symbol& symbol) { io.number(symbol); });
    io.list(calls.bodies, [&](LoopBody& body) {
        io.counter(body.repetitions);
        numbers(io, body.first, body.length);
    });
    io.list(calls.loops, [&](Loop& loop) {
        io.number(loop.body);
        io.counter(loop.repetitions);
    });
    io.list(calls.sequence, [&](Symbol& symbol) { io.number(symbol); });
}

template <typename Io>
void pass(Io& io, std::vector<RankSegment>& segments) {
    io.list(segments, [&](RankSegment& segment) { numbers(io, segment.first, segment.stride, segment.count); });
}

template <typename Io>
void pass(Io& io, RankRecord& rank) {
    numbers(io, rank.job, rank.ranks, rank.log.rank);
    auto has = static_cast<std::uint8_t>((rank.has_profile ? 1 : 0) | (rank.has_calls ? 2 : 0));
    io.number(has);
    rank.has_profile = (has & 1) != 0;
    rank.has_calls = (has & 2) != 0;
    counters(io, rank.lost_requests, rank.uncounted_calls);
    numbers(io, rank.lost_communicators, rank.log.state, rank.log.signal);
    io.text(rank.log.host);
    io.text(rank.log.program);
    io.text(rank.log.library);
    io.number(rank.log.own_ns_per_call);
    pass(io, rank.log.profile);
    io.list(rank.communicators, [&](CommunicatorRecord& communicator) {
        io.number(communicator.identity);
        pass(io, communicator.members);
        pass(io, communicator.remote_members);
    });
    io.list(rank.log.threads, [&](CallSequence& calls) { pass(io, calls); });
}

}  // namespace

std::vector<std::byte> encode_rank(const RankRecord& rank) {
    ByteWriter writer;
    // A copy, because pass() describes the layout for both directions and thus takes no constant.
    RankRecord copy = rank;
    pass(writer, copy);
    return writer.take();
}

RankRecord decode_rank(std::span<const std::byte> record, const std::string& place) {
    Reader reader(record, place);
    RankRecord rank;
    pass(reader, rank);
    reader.expect_end();
    if (rank.ranks < 1 || rank.log.rank < 0 || rank.log.rank >= rank.ranks) {
        throw InputError(place + ": invalid rank: " + std::to_string(rank.log.rank) + " (the job has " +
                         std::to_string(rank.ranks) + " ranks)");
    }
    if (rank.log.state > RankState::kSignalled) throw InputError(place + ": unknown state of a rank");
    for (const PeerTraffic& peer : rank.log.profile.peers) {
        if (peer.peer < kOutside || peer.peer >= rank.ranks || peer.peer == kNobody) {
            throw InputError(place + ": invalid peer: " + std::to_string(peer.peer) + " (the job has " +
                             std::to_string(rank.ranks) + " ranks)");
        }
    }
    for (const OneSidedTraffic& target : rank.log.profile.targets) {
        if (target.target < 0 || target.target >= rank.ranks) {
            throw InputError(place + ": invalid target: " + std::to_string(target.target) + " (the job has " +
                             std::to_string(rank.ranks) + " ranks)");
        }
    }
    check_sites(rank.log.profile, rank.communicators.size(), place);
    for (const CallSequence& calls : rank.log.threads) {
        if (!(calls.ticks_per_second > 0)) throw InputError(place + ": invalid rate of the clock");
        check_calls(calls, rank.ranks, rank.communicators.size(), place);
    }
    return rank;
}

}  // namespace haichi
