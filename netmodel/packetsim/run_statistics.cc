#include "netmodel/packetsim/run_statistics.h"

#include <iomanip>
#include <limits>
#include <ostream>

#include "netmodel/packetsim/packet_machine.h"

namespace haichi {

namespace {

constexpr double kPsPerS = 1e12;

std::string nic_name(const PacketMachine& machine, MachineNicId nic) {
    const std::string node = machine.network->node_name(machine.node_of(nic));
    if (machine.nics_per_node == 1) return node;
    return node + " NIC " + std::to_string(machine.number_of(nic));
}

/// Quotes a field, since names contain commas, and doubles its quotation marks (RFC 4180).
std::string quoted(const std::string& text) {
    std::string field = "\"";
    for (const char c : text) field.append(c == '"' ? 2 : 1, c);
    return field + '"';
}

/// Bytes that a channel has carried by now, including the sent part of the packet in transit.
std::int64_t carried_bytes(const PacketMachine& machine, OutputId output, std::int64_t now_ps) {
    const std::int64_t bytes = machine.bytes_passed(output);
    const std::int64_t busy_until_ps = machine.busy_until_ps(output);
    if (busy_until_ps <= now_ps) return bytes;
    __extension__ using Wide = __int128;
    constexpr std::int64_t kPs = 1'000'000'000'000;
    const Wide rest = Wide{busy_until_ps - now_ps} * machine.class_of_output(output).bandwidth_bytes_per_s / kPs;
    return bytes - static_cast<std::int64_t>(rest);
}

/// Picoseconds as seconds, exact.
std::string seconds(std::int64_t time_ps) {
    constexpr std::int64_t kPs = 1'000'000'000'000;
    std::string fraction = std::to_string(time_ps % kPs);
    fraction.insert(0, 12 - fraction.size(), '0');
    return std::to_string(time_ps / kPs) + "." + fraction;
}

}  // namespace

std::string channel_name(const PacketMachine& machine, OutputId output) {
    if (!machine.is_ejection(output)) return machine.network->link_name(LinkId(output.value));
    return "ejection " + nic_name(machine, machine.nic_of(output));
}

TimeSpaceStatistics::TimeSpaceStatistics(const PacketMachine& machine, std::ostream& out)
    : machine_(&machine), out_(&out), bytes_before_(static_cast<std::size_t>(machine.ports.output_count()), 0) {
    *out_ << "bin,begin_seconds,end_seconds,router,channel,bytes,throughput_bytes_per_s,efficiency,buffered_packets,"
             "buffer_utilisation\n"
          << std::setprecision(std::numeric_limits<double>::max_digits10) << std::flush;
}

void TimeSpaceStatistics::end_bin(std::int64_t now_ps) {
    const double span_s = static_cast<double>(now_ps - begin_ps_) / kPsPerS;
    for (OutputId output(0); output.value < machine_->ports.output_count(); ++output.value) {
        const std::size_t index = output.index();
        const std::int64_t bytes = carried_bytes(*machine_, output, now_ps) - bytes_before_[index];
        std::int64_t buffered = 0;
        const bool is_ejection = machine_->is_ejection(output);
        for (std::int32_t vc = 0; !is_ejection && vc < machine_->vcs; ++vc) {
            buffered += machine_->packets_waiting(InputId(output.value * machine_->vcs + vc));
        }
        if (bytes == 0 && buffered == 0) continue;
        bytes_before_[index] += bytes;
        const auto bandwidth = static_cast<double>(machine_->class_of_output(output).bandwidth_bytes_per_s);
        const double throughput = span_s > 0 ? static_cast<double>(bytes) / span_s : 0;
        const double entries = machine_->vcs * machine_->class_of_output(output).buffer_packets;
        const VertexId router = is_ejection ? machine_->network->vertex(machine_->node_of(machine_->nic_of(output)))
                                            : machine_->ports.link_source()[index];
        *out_ << bin_ << ',' << seconds(begin_ps_) << ',' << seconds(now_ps) << ',' << router.value << ','
              << quoted(channel_name(*machine_, output)) << ',' << bytes << ',' << throughput << ','
              << throughput / bandwidth << ',' << buffered << ',' << static_cast<double>(buffered) / entries << '\n';
    }
    out_->flush();
    begin_ps_ = now_ps;
    ++bin_;
}

BufferHistory::BufferHistory(const PacketMachine& machine, std::ostream& out) : machine_(&machine), out_(&out) {
    *out_ << "interval,arrival_seconds,grant_seconds,waited_seconds,from,vc,to,source,destination,message_bytes\n"
          << std::flush;
}

void BufferHistory::add_interval(const std::vector<PacketPassage>& passages) {
    for (const PacketPassage& passage : passages) {
        const InputId input = passage.buffer;
        const bool is_injection = machine_->is_injection(input);
        const std::string from = is_injection ? "injection " + nic_name(*machine_, machine_->nic_of(input))
                                              : machine_->network->link_name(LinkId(input.value / machine_->vcs));
        *out_ << interval_ << ',' << seconds(passage.arrival_ps) << ',' << seconds(passage.time_ps) << ','
              << seconds(passage.time_ps - passage.arrival_ps) << ',' << quoted(from) << ','
              << (is_injection ? 0 : input.value % machine_->vcs) << ','
              << quoted(channel_name(*machine_, passage.output)) << ',' << passage.message.source.value << ','
              << passage.message.destination.value << ',' << passage.message.bytes << '\n';
    }
    out_->flush();
    ++interval_;
}

}  // namespace haichi
