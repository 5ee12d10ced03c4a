#include "commlog/readers/trace_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "base/errors.h"
#include "base/input_file.h"
#include "commlog/readers/log_readers.h"
#include "commlog/readers/trace_formats.h"
#include "commlog/readers/trace_lines.h"

namespace haichi {

namespace {

namespace fs = std::filesystem;

/// Limits of a search: depth of subdirectories, and number of directory entries.
constexpr int kMostDepth = 1;
constexpr std::size_t kMostEntries = 1 << 13;
constexpr std::size_t kBeginning = std::size_t{1} << 16;

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// Returns `path` with the given file name ending if such a file exists, possibly compressed; otherwise an empty
/// string.
std::string beside(fs::path path, std::string_view ending) {
    path.replace_extension(ending);
    for (const char* const compression : {"", ".gz", ".zst", ".xz", ".bz2"}) {
        if (is_file(path.string() + compression)) return path.string() + compression;
    }
    return "";
}

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& hint) {
    throw InputError(path + ": " + what, hint);
}

/// Returns the hint for a file of an OTF2 archive. The anchor file NAME.otf2 is beside NAME.def and the directory NAME,
/// which contains RANK.evt.
std::string otf2_hint(const fs::path& path) {
    fs::path anchor = path;
    anchor.replace_extension(".otf2");
    if (is_file(anchor)) return "use " + anchor.string() + " instead";
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::absolute(path).parent_path();
    const std::string outer = folder.string() + ".otf2";
    if (is_file(outer)) return "use " + outer + " instead";
    return "use the .otf2 file of the archive instead";
}

void refuse_dumpi(const fs::path& path, std::string_view prefix) {
    const std::string name = path.string();
    if (prefix.substr(0, 16).find("DUMPI") != std::string_view::npos) {
        fs::path text = path;
        text.replace_extension(".txt");
        refuse(name, "expected a DUMPI trace as text, found its binary form",
               "convert the file of every rank: dumpi2ascii " + name + " > " + text.string());
    }
    for (std::size_t at = 0; at < prefix.size();) {
        constexpr std::string_view kPrefix = "fileprefix=";
        const std::string_view line = line_at(prefix, at);
        if (!line.starts_with(kPrefix)) continue;
        const fs::path rank =
            path.parent_path() / (fs::path(line.substr(kPrefix.size())).filename().string() + "-0000");
        refuse(name, "expected a log, found the .meta file of a DUMPI trace",
               is_file(rank.string() + ".txt") ? "use " + rank.string() + ".txt instead"
                                               : "convert it to text, and use the text file: dumpi2ascii " +
                                                     rank.string() + ".bin > " + rank.string() + ".txt");
    }
}

void refuse_paraver(const fs::path& path, std::string_view prefix) {
    const bool is_row = prefix.starts_with("LEVEL ") && prefix.substr(0, 256).find(" SIZE ") != std::string_view::npos;
    const bool is_pcf = path.extension() == ".pcf" || prefix.starts_with("DEFAULT_OPTIONS");
    if (is_row || is_pcf) {
        const std::string trace = beside(path, ".prv");
        refuse(path.string(),
               std::string("expected a log, found the ") + (is_row ? "row names" : "configuration") +
                   " of a Paraver trace",
               "use " + (trace.empty() ? std::string("the .prv file") : trace) + " instead");
    }
    const bool is_list = path.extension() == ".mpits" && prefix.find(".mpit") != std::string_view::npos;
    if (is_list || path.extension() == ".mpit") {
        refuse(path.string(), "expected a log, found an intermediate file of Extrae",
               "merge the files of the run: mpi2prv -f " + (is_list ? path.string() : "TRACE.mpits") + " -o app.prv");
    }
}

/// Tools whose files contain no communication between ranks that haichi can read.
struct OtherTool {
    std::string_view ending;  ///< ending or beginning of the file name
    bool is_beginning;
    const char* what;
    const char* hint;
};
constexpr OtherTool kOtherTools[] = {
    {".cubex", false, "a profile of Score-P, which does not state the receivers of messages",
     "record a trace with SCOREP_ENABLE_TRACING=true, and use its traces.otf2"},
    {"profile.0.", true, "a profile of TAU, which does not state the receivers of messages",
     "record a trace with TAU_TRACE=1 TAU_TRACE_FORMAT=otf2, and use its traces.otf2"},
    {"tautrace.", true, "a trace of TAU in its own format",
     "record OTF2 with TAU_TRACE=1 TAU_TRACE_FORMAT=otf2, and use its traces.otf2"},
    {".hpcrun", false, "a measurement of HPCToolkit, which does not state the receivers of messages",
     "record the calls with haichi's profiler or Score-P"},
    {".hpctrace", false, "a trace of HPCToolkit, which does not state the receivers of messages",
     "record the calls with haichi's profiler or Score-P"},
    {"experiment.xml", true, "a database of HPCToolkit, which does not state the receivers of messages",
     "record the calls with haichi's profiler or Score-P"},
    {"meta.db", true, "a database of HPCToolkit, which does not state the receivers of messages",
     "record the calls with haichi's profiler or Score-P"},
    {".slog2", false, "a SLOG-2 trace of MPE", "record the calls with haichi's profiler or Score-P"},
    {".clog2", false, "a CLOG-2 trace of MPE", "record the calls with haichi's profiler or Score-P"},
    {".stf", false, "a trace of the Intel Trace Collector", "record the calls with haichi's profiler or Score-P"},
};

const OtherTool* other_tool(const std::string& name) {
    const auto* const found = std::ranges::find_if(kOtherTools, [&](const OtherTool& tool) {
        return tool.is_beginning ? name.starts_with(tool.ending) : name.ends_with(tool.ending);
    });
    return found == std::ranges::end(kOtherTools) ? nullptr : found;
}

/// Removes the last number of a file name, which is the rank if a job has several files.
std::string without_rank(std::string name) {
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t end = name.find_last_of(kDigits, without_compression_ending(name).size());
    if (end == std::string::npos) return name;
    const std::size_t before = name.find_last_not_of(kDigits, end);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    return name.erase(first, end + 1 - first);
}

/// The sorted files of one log. `format` is a key of log_formats().
struct FoundLog {
    std::string format;
    bool is_index = false;  ///< the file names the other files of its trace
    std::vector<std::string> files;
};

struct Found {
    std::map<std::string, FoundLog> logs;  ///< by directory, format and name without the rank
    std::string other;                     ///< a file about which refuse_other_file_of_trace() gives a hint
    std::size_t entries = 0;

    void add(const fs::path& path, const LogFormat& format, std::string_view beginning) {
        const std::string name = path.filename().string();
        const bool is_index = format.name == "tit" && is_tit_index(beginning);
        const bool has_file_per_rank =
            format.name == "dumpi" || format.name == "open-mpi-monitoring" || path.extension() == ".part";
        std::string job = has_file_per_rank ? without_rank(name) : name;
        if (format.name == "tit" && !is_index) job.clear();
        FoundLog& log = logs[path.parent_path().string() + "\n" + format.name + "\n" + job];
        log.format = format.name;
        log.is_index = is_index;
        log.files.push_back(path.string());
    }
};

void search(const fs::path& folder, int depth, Found& found) {
    std::error_code error;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (++found.entries > kMostEntries) {
            throw InputError(
                folder.string() + ": the directory contains more than " + std::to_string(kMostEntries) + " files",
                "name the log");
        }
        const fs::path& path = entry.path();
        const std::string name = path.filename().string();
        if (entry.is_directory(error)) {
            folders.push_back(path);
            continue;
        }
        // Kernel files have size 0, and reading some of them would block.
        if (!entry.is_regular_file(error) || name.starts_with('.') || entry.file_size(error) == 0) continue;
        try {
            const std::string beginning = beginning_of_input(path.string(), kBeginning);
            const auto& formats = log_formats();
            const auto format = std::ranges::find_if(
                formats, [&](const LogFormat& candidate) { return candidate.recognise(beginning); });
            if (format != formats.end()) {
                found.add(path, *format, beginning);
            } else {
                refuse_other_file_of_trace(path.string(), beginning);
            }
        } catch (const InputError&) {
            if (found.other.empty() || path.string() < found.other) found.other = path.string();
        }
    }
    // Files in subdirectories belong to the trace that was already found.
    if (!found.logs.empty() || depth == kMostDepth) return;
    std::ranges::sort(folders);
    for (const fs::path& below : folders) search(below, depth + 1, found);
}

}  // namespace

void refuse_other_file_of_trace(const std::string& path, std::string_view prefix) {
    const fs::path file(path);
    refuse_dumpi(file, prefix);
    constexpr std::string_view kGoalMagic("\x7f\x10\0\0\0\0\0\0", 8);
    if (prefix.starts_with(kGoalMagic)) {
        refuse(path, "expected a GOAL schedule as text, found the binary form of LogGOPSim",
               "use the text file that was the input of txt2bin");
    }
    const std::string ending = file.extension().string();
    const bool is_binary = prefix.find('\0') != std::string_view::npos;
    if (is_binary && (ending == ".evt" || ending == ".def" || ending == ".snap" || ending == ".marker")) {
        refuse(path, "expected a log, found a part of an OTF2 archive", otf2_hint(file));
    }
    refuse_paraver(file, prefix);
    if (const OtherTool* const tool = other_tool(file.filename().string())) {
        refuse(path, std::string("expected a log, found ") + tool->what, tool->hint);
    }
}

std::string log_in_directory(const std::string& path) {
    Found found;
    search(path, 0, found);
    const bool has_index = std::ranges::any_of(found.logs, [](const auto& log) { return log.second.is_index; });
    if (has_index) {
        std::erase_if(found.logs, [](const auto& log) { return log.second.format == "tit" && !log.second.is_index; });
    }
    for (auto& [key, log] : found.logs) std::ranges::sort(log.files);
    if (found.logs.size() == 1) {
        const FoundLog& log = found.logs.begin()->second;
        if (log.format == "tit" && log.files.size() > 1) {
            throw InputError(path + ": the directory contains the " + std::to_string(log.files.size()) +
                                 " files of a time-independent trace, but no index",
                             "write the names of the files of all ranks to a file, one per line, and use this file");
        }
        return log.files.front();
    }
    if (found.logs.empty()) {
        if (!found.other.empty()) {
            refuse_other_file_of_trace(found.other, beginning_of_input(found.other, kBeginning));
        }
        throw InputError(path + ": the directory contains no log",
                         "name a log of one of the formats: " + log_formats().listing());
    }
    constexpr std::size_t kShown = 5;
    std::string names;
    std::size_t listed = 0;
    for (const auto& [key, log] : found.logs) {
        if (listed++ < kShown) names += (names.empty() ? "" : ", ") + log.files.front();
    }
    if (found.logs.size() > kShown) names += " and " + std::to_string(found.logs.size() - kShown) + " more";
    throw InputError(path + ": the directory contains " + std::to_string(found.logs.size()) + " logs",
                     "name one of them: " + names);
}

}  // namespace haichi
