#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "netmodel/packetsim/packet_passage.h"

namespace haichi {

class PacketMachine;

/// Time-space statistics, written as lines of CSV during the run. Each line states what a link or ejection channel
/// carried in one bin of time, and how full the buffers downstream were. Links with neither traffic nor packets have no
/// lines.
///
/// Columns:
/// - bin (from 0), begin_seconds, end_seconds
/// - router (where the channel starts), channel (the link's name, or "ejection NODE")
/// - bytes (payload and headers), throughput_bytes_per_s, efficiency (fraction of the channel's bandwidth)
/// - buffered_packets: packets in the input buffers downstream of the link or on their way to them, not yet granted at
///   the end of the bin
/// - buffer_utilisation: fraction of the entries of these buffers
class TimeSpaceStatistics {
  public:
    /// `machine` and `out` must outlive this. Writes the header line.
    TimeSpaceStatistics(const PacketMachine& machine, std::ostream& out);
    /// Writes the bin that ends now and flushes it. O(links).
    void end_bin(std::int64_t now_ps);

  private:
    const PacketMachine* machine_;
    std::ostream* out_;
    std::int64_t bin_ = 0;
    std::int64_t begin_ps_ = 0;
    std::vector<std::int64_t> bytes_before_;
};

/// The history of a router's buffers: every packet that left one of them, as lines of CSV.
///
/// Columns:
/// - interval (from 0), arrival_seconds (when the head reached the buffer), grant_seconds (when the next channel was
///   granted), waited_seconds
/// - from (the link, or "injection NODE"), vc, to (the link, or "ejection NODE")
/// - source and destination (nodes), message_bytes
class BufferHistory {
  public:
    BufferHistory(const PacketMachine& machine, std::ostream& out);
    /// Writes the packets of one interval, which must be in order, and flushes.
    void add_interval(const std::vector<PacketPassage>& passages);

  private:
    const PacketMachine* machine_;
    std::ostream* out_;
    std::int64_t interval_ = 0;
};

/// For example "X+ (0,0)->(1,0)" or "ejection (0,5) NIC 1".
[[nodiscard]] std::string channel_name(const PacketMachine& machine, OutputId output);

}  // namespace haichi
