#include "cli/output/log_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/output/log_json.h"
#include "cli/output/log_tables.h"
#include "cli/output/log_text.h"

namespace haichi::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::int32_t kMostCells = 256;  ///< the maximum for each side of the matrix
constexpr std::size_t kMostBars = 512;

ordered_json bars_json(const JobLog& log) {
    ordered_json bars = ordered_json::array();
    const std::size_t each = (log.ranks.size() + kMostBars - 1) / kMostBars;
    for (std::size_t first = 0; first < log.ranks.size(); first += each) {
        const std::size_t end = std::min(first + each, log.ranks.size());
        double computing = 0;
        double mpi = 0;
        for (std::size_t i = first; i < end; ++i) {
            computing += computing_seconds(log.ranks[i].profile);
            mpi += log.ranks[i].profile.mpi_seconds;
        }
        const auto count = static_cast<double>(end - first);
        const RankLog& rank = log.ranks[first];
        bars.push_back({{"first", rank.rank},
                        {"last", log.ranks[end - 1].rank},
                        {"computing", computing / count},
                        {"mpi", mpi / count},
                        {"host", each == 1 ? rank.host : ""},
                        {"state", each == 1 && rank.state != RankState::kFinished ? rank_state_name(rank.state) : ""}});
    }
    return bars;
}

ordered_json matrix_json(const JobLog& log) {
    struct Cell {
        double bytes = 0, messages = 0;
    };
    const std::int32_t per_cell = std::max(1, (log.rank_count - 1) / kMostCells + 1);
    std::map<std::pair<std::int32_t, std::int32_t>, Cell> cells;
    visit_pairs(log, [&](const PairTraffic& pair) {
        Cell& cell = cells[{pair.source / per_cell, pair.destination / per_cell}];
        cell.bytes += static_cast<double>(pair.bytes);
        cell.messages += static_cast<double>(pair.messages);
    });
    ordered_json out;
    out["ranks_per_cell"] = per_cell;
    out["size"] = (log.rank_count + per_cell - 1) / per_cell;
    out["cells"] = ordered_json::array();
    for (const auto& [place, cell] : cells) {
        out["cells"].push_back({place.first, place.second, cell.bytes, cell.messages});
    }
    return out;
}

ordered_json histograms_json(const JobTotals& totals) {
    ordered_json out = ordered_json::array();
    for (const Histogram& histogram : size_histograms(totals)) {
        out.push_back({{"name", histogram.name}, {"messages", messages_json(histogram.messages)}});
    }
    return out;
}

/// The mean seconds of ranks, or of groups of ranks, in the functions with the most time.
ordered_json rank_functions_json(const JobLog& log, const JobTotals& totals) {
    constexpr std::size_t kMostFunctions = 8;
    constexpr std::size_t kMostRows = 64;
    ordered_json out = {{"functions", ordered_json::array()}, {"rows", ordered_json::array()}};
    for (const FunctionTotals& f : totals.functions) {
        if (out["functions"].size() < kMostFunctions) out["functions"].push_back(f.name);
    }
    const std::size_t each = std::max<std::size_t>(1, (log.ranks.size() + kMostRows - 1) / kMostRows);
    for (std::size_t first = 0; first < log.ranks.size(); first += each) {
        const std::size_t end = std::min(first + each, log.ranks.size());
        ordered_json seconds = ordered_json::array();
        for (const ordered_json& name : out["functions"]) {
            double sum = 0;
            for (std::size_t i = first; i < end; ++i) {
                for (const FunctionProfile& f : log.ranks[i].profile.functions) {
                    if (f.name == name.get_ref<const std::string&>()) sum += f.seconds_total;
                }
            }
            seconds.push_back(sum / static_cast<double>(end - first));
        }
        out["rows"].push_back(
            {{"first", log.ranks[first].rank}, {"last", log.ranks[end - 1].rank}, {"seconds", std::move(seconds)}});
    }
    return out;
}

/// Quotes the path as one word of a shell command.
std::string quoted(const std::string& path) {
    if (path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%") ==
        std::string::npos) {
        return path;
    }
    std::string text = "'";
    for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

ordered_json next_steps(const JobLog& log, const std::string& file) {
    ordered_json steps = ordered_json::array();
    const auto add = [&steps](const char* why, const std::string& command) {
        steps.push_back({{"why", why}, {"command", command}});
    };
    if (log.has_calls) {
        add("extract the sets of messages that are in flight at the same time",
            "haichi ccs " + quoted(file) + " -o sets.json");
        add("then find a placement of the ranks (haichi list machines prints the names of machines)",
            "haichi map -m MACHINE --shape SHAPE -w sets.json --simulate");
    } else {
        add("write the communication matrix of the run, because the log does not record the order of calls",
            "haichi log convert " + quoted(file) + " -t json -o matrix.json");
        add("then find a placement of the ranks (haichi list machines prints the names of machines)",
            "haichi map -m MACHINE --shape SHAPE -w matrix.json --objective hop-bytes");
    }
    if (has_call_sites(log)) add("list all call sites of MPI", "haichi log show --call-sites " + quoted(file));
    add("compare with another run", "haichi log compare " + quoted(file) + " OTHER.haichi-log");
    return steps;
}

/// Keeps only the first entries of a table, which are the largest, and counts the others.
void cut(ordered_json& data, const std::string& table, std::size_t most) {
    ordered_json& rows = data[table];
    if (rows.size() <= most) return;
    data[table + "_left_out"] = rows.size() - most;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
}

}  // namespace

std::string log_page(const JobLog& log, const JobTotals& totals, const std::string& file, const std::string& outline,
                     SourceLines& lines) {
    ordered_json data = log_head_json(log, totals);
    data["file"] = file;
    data["functions"] = functions_json(totals);
    data["bars"] = totals.has_times ? bars_json(log) : ordered_json::array();
    data["has_times"] = totals.has_times;
    data["histograms"] = histograms_json(totals);
    data["matrix"] = matrix_json(log);
    data["outline"] = outline;
    data["rank_functions"] = rank_functions_json(log, totals);
    data.update(site_tables_json(log, &lines));
    cut(data, "communicators", 40);
    cut(data, "call_sites", 50);
    for (const std::string& problem : lines.problems()) data["warnings"].push_back(problem);
    data["next_steps"] = next_steps(log, file);
    // "<" is escaped, so that no text in the JSON can end the enclosing HTML element.
    std::string text;
    for (const char c : json_line(data)) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
    constexpr std::string_view kPlace = "HAICHI_LOG_DATA";
    std::string page = kLogPage;
    page.replace(page.find(kPlace), kPlace.size(), text);
    return page;
}

}  // namespace haichi::cli
