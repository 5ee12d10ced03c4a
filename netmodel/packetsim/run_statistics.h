#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "netmodel/packetsim/packet_passage.h"

namespace haichi {

class PacketMachine;

/// Time-space statistics: what every link and ejection channel carried in each bin of time, and how full the buffers
/// downstream were, as lines of CSV written as the run goes. Lines of links without traffic and packets are left out.
///
/// Columns: bin (from 0), begin_seconds, end_seconds, router (where the channel starts), channel (the link's name, or
/// "ejection NODE"), bytes (payload and headers), throughput_bytes_per_s, efficiency
/// (of the channel's bandwidth), buffered_packets (in the input buffers downstream of the link or on the way to them,
/// and not yet granted, at the end of the bin), buffer_utilisation (of the entries of these buffers).
class TimeSpaceStatistics {
  public:
    /// Both must outlive it. Writes the header line.
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
/// Columns: interval (from 0), arrival_seconds (of the head at the buffer), grant_seconds (when it was granted the next
/// channel), waited_seconds, from (the link, or "injection NODE"), vc, to (the link, or "ejection NODE"), source and
/// destination (nodes), message_bytes.
class BufferHistory {
  public:
    BufferHistory(const PacketMachine& machine, std::ostream& out);
    /// The passages of one interval, in order; flushes.
    void add_interval(const std::vector<PacketPassage>& passages);

  private:
    const PacketMachine* machine_;
    std::ostream* out_;
    std::int64_t interval_ = 0;
};

/// "X+ (0,0)->(1,0)", or "ejection (0,5) NIC 1".
[[nodiscard]] std::string channel_name(const PacketMachine& machine, OutputId output);

}  // namespace haichi
