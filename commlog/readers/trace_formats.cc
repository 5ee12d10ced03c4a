#include "commlog/readers/trace_formats.h"

#include <algorithm>

#include "commlog/readers/tit_actions.h"
#include "commlog/readers/trace_lines.h"

namespace haichi {

namespace {

/// An archive's anchor file begins with a mark of the byte order and a length, and then has "OTF2".
bool recognise_otf2(std::string_view prefix) {
    return prefix.starts_with("OTF2") || prefix.substr(0, 16).find("OTF2") != std::string_view::npos;
}

bool recognise_dumpi(std::string_view prefix) {
    const std::size_t at = prefix.find(" entering at walltime ");
    if (at == std::string_view::npos) return false;
    const std::size_t newline = prefix.rfind('\n', at);
    return prefix.substr(newline == std::string_view::npos ? 0 : newline + 1).starts_with("MPI_");
}

bool is_tit_action(std::string_view line) {
    std::string_view number = next_field(line);
    if (!number.empty() && number.front() == 'p') number.remove_prefix(1);
    if (number.empty() || !std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; })) return false;
    const std::string_view name = next_field(line);
    bool nonblocking = false;
    return tit_action(name, nonblocking) != nullptr;
}

std::string_view first_tit_line(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view line = trimmed(line_at(text, at));
        if (!line.empty() && line.front() != '#') return line;
    }
    return {};
}

bool recognise_tit(std::string_view prefix) { return is_tit_action(first_tit_line(prefix)) || is_tit_index(prefix); }

bool recognise_goal(std::string_view prefix) {
    for (std::size_t at = 0; at < prefix.size();) {
        const std::string_view line = trimmed(line_at(prefix, at));
        if (line.empty() || line.starts_with("//")) continue;
        if (line.starts_with("/*")) {
            at = std::min(prefix.find("*/", at), prefix.size());
            (void)line_at(prefix, at);
            continue;
        }
        return line.starts_with("num_ranks ");
    }
    return false;
}

bool recognise_monitoring(std::string_view prefix) {
    for (std::size_t at = 0; at < prefix.size();) {
        std::string_view line = line_at(prefix, at);
        if (trimmed(line).empty()) continue;
        if (line.starts_with("# POINT TO POINT")) return true;
        return (line.starts_with("E\t") || line.starts_with("I\t")) &&
               line.find(" msgs sent") != std::string_view::npos;
    }
    return false;
}

bool recognise_mpip(std::string_view prefix) {
    for (std::size_t at = 0; at < prefix.size();) {
        const std::string_view line = line_at(prefix, at);
        if (line.starts_with("@ mpiP")) return true;
        if (!trimmed(line).empty()) return false;
    }
    return false;
}

bool recognise_ipm(std::string_view prefix) {
    // Output of the program may precede the banner.
    return is_ipm_xml(prefix) || prefix.starts_with("##IPMv") || prefix.find("\n##IPMv") != std::string_view::npos;
}

bool recognise_paraver(std::string_view prefix) { return prefix.starts_with("#Paraver"); }

}  // namespace

bool is_tit_index(std::string_view prefix) {
    const std::string_view line = first_tit_line(prefix);
    return line.find_first_of(" \t:<{") == std::string_view::npos &&
           (line.ends_with(".txt") || line.ends_with(".tit") || line.ends_with(".trace"));
}

bool is_ipm_xml(std::string_view prefix) {
    const std::string_view text = prefix.substr(0, 4096);
    return trimmed(text).starts_with('<') && (text.find("<ipm_job_profile") != std::string_view::npos ||
                                              text.find("<task ipm_version") != std::string_view::npos);
}

std::vector<LogFormat> trace_formats() {
    const TraceReaders readers = trace_readers();
    std::vector<LogFormat> formats = {
        {"otf2", "the .otf2 file of an OTF2 archive (by Score-P, EZTrace and others)", LogContent::kOrdered,
         recognise_otf2, readers.otf2, "libopen-trace-format2-dev"},
        {"dumpi", "a DUMPI trace as text (dumpi2ascii): NAME-RANK.txt of every rank", LogContent::kOrdered,
         recognise_dumpi, readers.dumpi},
        {"tit", "a time-independent trace of SimGrid (smpirun -trace-ti): its index, or one file", LogContent::kOrdered,
         recognise_tit, readers.tit},
        {"goal", "a GOAL schedule as text, for Schedgen and LogGOPSim", LogContent::kOrdered, recognise_goal,
         readers.goal},
        {"open-mpi-monitoring", "a file of Open MPI's monitoring (pml_monitoring_enable_output 3): NAME.RANK.prof",
         LogContent::kMatrix, recognise_monitoring, readers.monitoring},
        {"mpip", "a report of mpiP 3", LogContent::kProfile, recognise_mpip, readers.mpip},
        {"ipm", "a report of IPM: its XML file or the banner it prints", LogContent::kProfile, recognise_ipm,
         readers.ipm},
        {"paraver", "a trace of Extrae for Paraver (.prv)", LogContent::kOrdered, recognise_paraver, readers.paraver}};
    for (LogFormat& format : formats) {
        if (format.read == nullptr) format.sentence += "; not in this build";
    }
    return formats;
}

}  // namespace haichi
