#include "mapper/advise/rails.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "base/errors.h"
#include "commlog/log/function_kind.h"
#include "commlog/readers/log_readers.h"

namespace haichi {

namespace {

// Thresholds of the rules: a fraction at or above a threshold counts. Both studies that support the rules measured
// fractions far from these values.
constexpr double kMostly = 0.5;
constexpr double kNearlyAll = 0.9;
constexpr double kScattered = 0.1;
constexpr double kHardly = 0.02;

std::string percent(double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f%%", share * 100);
    return text.data();
}

std::string number(const char* format, double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string nics_text(std::int32_t nics) { return std::to_string(nics) + (nics == 1 ? " NIC" : " NICs"); }

constexpr int kStripedClass = size_class(kStripedMessageBytes);
constexpr int kSmallClass = size_class(kSmallMessageBytes);

/// Returns `messages`, or empty statistics if the sizes of individual messages are unknown.
MessageStatistics with_sizes(const MessageStatistics& messages) {
    return has_all_sizes(messages) ? messages : MessageStatistics{};
}

/// A lower bound on the bytes in messages of at least kStripedMessageBytes. The histogram counts messages, not bytes.
double striped_bytes(const MessageStatistics& messages) {
    double in_large = 0;
    double in_others = 0;
    for (int k = 0; k < kSizeClasses; ++k) {
        const auto count = static_cast<double>(messages.classes[static_cast<std::size_t>(k)]);
        if (k >= kStripedClass) in_large += count * static_cast<double>(1ULL << k);
        if (k < kStripedClass) in_others += count * static_cast<double>((2ULL << k) - 1);
    }
    const auto total = static_cast<double>(messages.bytes_total);
    return std::clamp(std::max(in_large, total - in_others), 0.0, total);
}

double small_messages(const MessageStatistics& messages) {
    double count = 0;
    for (int k = 0; k < kSmallClass; ++k) count += static_cast<double>(messages.classes[static_cast<std::size_t>(k)]);
    return count;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

bool moves_large(const MessageStatistics& messages) {
    return share(striped_bytes(messages), static_cast<double>(messages.bytes_total)) >= kMostly;
}
bool moves_small(const MessageStatistics& messages) {
    return share(small_messages(messages), static_cast<double>(messages.count)) >= kNearlyAll;
}

bool is_posting(std::string_view name) { return name.starts_with("MPI_I") || name.ends_with("_init"); }

/// Adds the sent and received messages of a function, because a receive also takes the time of its message.
MessageStatistics both(const FunctionTotals& function) {
    MessageStatistics sum = with_sizes(function.sent);
    add_messages(sum, with_sizes(function.received));
    return sum;
}

std::vector<std::string> sign_sentences(const RailSigns& signs) {
    std::vector<std::string> out;
    out.push_back("MPI takes " + percent(signs.mpi_share) + " of the ranks' time");
    if (signs.large_bytes > 0) {
        out.push_back((signs.large_bytes < 1 ? "at least " : "") + percent(signs.large_bytes) +
                      " of the bytes are in messages of 16 KiB or more, which are split between NICs");
    }
    out.push_back(percent(signs.small_messages) + " of the messages are below 1 KiB");
    out.push_back(percent(signs.large_time) + " of the time in MPI is in functions with large messages, and " +
                  percent(signs.small_time) + " in functions with small messages");
    out.push_back("collectives take " + percent(signs.collective_time) + " of the time in MPI" +
                  (signs.ranks_per_host > 1 ? ", with " + number("%.3g", signs.ranks_per_host) + " ranks per node"
                                            : std::string()));
    out.push_back("the ranks' times in MPI have a standard deviation of " + percent(signs.spread) +
                  " of their mean, so ranks communicate " +
                  (signs.spread >= kScattered ? "at scattered times" : "simultaneously"));
    return out;
}

/// The fastest run for each number of NICs.
using TimesByRails = std::map<std::int32_t, double>;

RailAdvice advice_of_times(std::int32_t processes, const TimesByRails& times, const std::string& library) {
    RailAdvice advice;
    advice.choice = RailChoice::kNumber;
    advice.processes = processes;
    double best = 0;
    double next_fewer = 0;
    double before = 0;
    std::string list;
    for (const auto& [rails, seconds] : times) {
        list += (list.empty() ? "" : ", ") + number("%.6g", seconds) + " s with " + nics_text(rails);
        if (advice.rails == 0 || seconds < best) {
            best = seconds;
            advice.rails = rails;
            next_fewer = before;
        }
        before = seconds;
    }
    advice.gain = share(times.begin()->second, best);
    advice.reasons.push_back("measured: " + list);
    constexpr double kLittle = 1.01;
    if (next_fewer > 0 && next_fewer < kLittle * best) {
        advice.reasons.push_back("only " + percent(next_fewer / best - 1) +
                                 " faster than the next smaller number, which may be noise");
    }
    advice.settings = rail_settings(library, advice.rails);
    return advice;
}

}  // namespace

RailSigns rail_signs(const JobLog& log, const JobTotals& totals) {
    RailSigns signs;
    signs.mpi_share = share(totals.mpi_seconds, totals.mpi_seconds + totals.computing_seconds);
    signs.spread = share(totals.mpi.deviation, totals.mpi.mean);
    if (!totals.hosts.empty()) {
        signs.ranks_per_host = static_cast<double>(log.ranks.size()) / static_cast<double>(totals.hosts.size());
    }
    MessageStatistics sent;
    MessageStatistics received;
    MessageStatistics posted;
    for (const FunctionTotals& f : totals.functions) {
        add_messages(sent, with_sizes(f.sent));
        add_messages(received, with_sizes(f.received));
        if (is_posting(f.name)) add_messages(posted, both(f));
    }
    // If both ends are known, sent and received messages are the same ones, so only those sent count.
    const MessageStatistics& all = sent.count > 0 ? sent : received;
    signs.messages = all.count;
    signs.large_bytes = share(striped_bytes(all), static_cast<double>(all.bytes_total));
    signs.small_messages = share(small_messages(all), static_cast<double>(all.count));
    double large = 0;
    double small = 0;
    double collective = 0;
    for (const FunctionTotals& f : totals.functions) {
        const FunctionKind kind = function_kind(f.name);
        // Completion functions wait for the messages that other functions posted.
        const MessageStatistics moved = kind == FunctionKind::kCompletion ? posted : both(f);
        if (kind == FunctionKind::kCollective) collective += f.seconds_total;
        if (moved.count == 0) continue;
        const bool is_large = moves_large(moved);
        const bool is_small = moves_small(moved);
        if (is_large && !is_small) large += f.seconds_total;
        if (is_small && !is_large) small += f.seconds_total;
    }
    signs.large_time = share(large, totals.mpi_seconds);
    signs.small_time = share(small, totals.mpi_seconds);
    signs.collective_time = share(collective, totals.mpi_seconds);
    return signs;
}

RailAdvice advise_rails(const RailSigns& signs, std::int32_t processes, const std::string& library,
                        std::int32_t interfaces) {
    RailAdvice advice;
    advice.processes = processes;
    if (signs.messages == 0 || signs.mpi_share <= 0) {
        advice.reasons.emplace_back("the log lacks message sizes or times");
        return advice;
    }
    advice.reasons = sign_sentences(signs);
    const bool is_large = signs.large_time >= kMostly && signs.large_bytes >= kMostly;
    const bool is_small = signs.small_time >= kMostly && signs.small_messages >= kNearlyAll;
    const bool is_scattered = signs.spread >= kScattered;
    if (signs.mpi_share < kHardly) {
        advice.choice = RailChoice::kFewer;
        advice.reasons.emplace_back("more NICs can save at most the time in MPI");
    } else if (is_large && is_scattered) {
        advice.choice = RailChoice::kMore;
        advice.reasons.emplace_back("large messages at scattered times find idle NICs, and are split between them");
    } else if (is_small && !is_scattered) {
        advice.choice = RailChoice::kFewer;
        advice.reasons.emplace_back("simultaneous small messages are not split, and every additional NIC costs time");
    } else {
        advice.reasons.emplace_back(
            is_large   ? "large messages favour more NICs, but simultaneous communication favours fewer"
            : is_small ? "small messages favour fewer NICs, but scattered communication favours more"
                       : "neither large nor small messages account for most of the time");
    }
    if (advice.choice == RailChoice::kMore) advice.settings = rail_settings(library, interfaces);
    if (advice.choice == RailChoice::kFewer) advice.settings = rail_settings(library, 1);
    return advice;
}

std::vector<RailAdvice> advise_rails(std::span<const MeasuredRun> runs, const std::string& library) {
    std::map<std::int32_t, TimesByRails> times;
    for (const MeasuredRun& run : runs) {
        if (run.rails < 1 || !(run.seconds > 0)) continue;
        const auto [found, is_new] = times[run.processes].try_emplace(run.rails, run.seconds);
        if (!is_new) found->second = std::min(found->second, run.seconds);
    }
    std::vector<RailAdvice> advices;
    for (const auto& [processes, by_rails] : times) {
        if (by_rails.size() > 1) advices.push_back(advice_of_times(processes, by_rails, library));
    }
    return advices;
}

std::string rail_trend(std::span<const RailAdvice> advices) {
    std::string gains;
    std::string processes;
    bool grows = advices.size() > 1;
    for (std::size_t i = 0; i < advices.size(); ++i) {
        if (i > 0 && advices[i].gain <= advices[i - 1].gain) grows = false;
        const char* const separator = i == 0 ? "" : i + 1 == advices.size() ? " and " : ", ";
        gains += separator + number("%.2f", advices[i].gain);
        processes += separator + std::to_string(advices[i].processes);
    }
    if (!grows) return "";
    return "the gain grows with the number of ranks: " + gains + " times at " + processes;
}

std::vector<std::string> rail_settings(const std::string& library, std::int32_t rails) {
    const std::string n = rails > 0 ? std::to_string(rails) : "n";
    const auto names = [&](std::string_view word) { return library.find(word) != std::string::npos; };
    // "MVAPICH" occurs in the library name of MVAPICH2.
    if (names("MVAPICH")) return {"MV2_NUM_HCAS=" + n};
    if (names("Open MPI")) {
        return {"UCX_MAX_RNDV_RAILS=" + n + " (over UCX)", "OMPI_MCA_btl_openib_max_btls=" + n + " (over openib)"};
    }
    if (names("MPICH")) return {"UCX_MAX_RNDV_RAILS=" + n + " (over UCX)"};
    return {"MV2_NUM_HCAS=" + n + " (MVAPICH2)", "UCX_MAX_RNDV_RAILS=" + n + " (libraries over UCX)"};
}

RailAdvice advise_rails(const JobLog& log, const JobTotals& totals, std::int32_t interfaces) {
    const std::string library = totals.libraries.empty() ? "" : totals.libraries.front();
    RailAdvice advice = advise_rails(rail_signs(log, totals), log.rank_count, library, interfaces);
    advice.nodes = static_cast<std::int32_t>(totals.hosts.size());
    return advice;
}

std::string rail_file_text(const RailAdviceReport& report) {
    std::string text = "haichi-rails/1\n";
    bool has_numbers = false;
    for (const RailAdvice& advice : report.advices) {
        text += "ranks " + std::to_string(advice.processes) + " nodes " + std::to_string(advice.nodes);
        for (const std::string& setting : advice.settings) {
            const std::string variable = setting.substr(0, setting.find(' '));
            if (variable.ends_with("=n")) continue;
            has_numbers = true;
            text += ' ' + variable;
        }
        text += '\n';
    }
    if (!has_numbers) {
        throw OptionError(
            "§write-rails: the advice states no number of NICs",
            "state the NICs per node with §interfaces. If the answer is not known, compare runs: haichi advise rails "
            "rails=1:LOG1 rails=4:LOG4");
    }
    return text;
}

std::string rail_sentence(std::span<const RailAdvice> advices) {
    const auto one = [](const RailAdvice& advice) -> std::string {
        switch (advice.choice) {
            case RailChoice::kMore:
                return "use all NICs of the nodes";
            case RailChoice::kFewer:
                return "use 1 NIC";
            case RailChoice::kNumber:
                return "use " + nics_text(advice.rails) +
                       (advice.gain > 1
                            ? ", " + number("%.2f", advice.gain) + " times faster than the fewest NICs measured"
                            : "");
            case RailChoice::kUnknown:
                break;
        }
        return "not known; compare runs with 1 NIC and with all NICs";
    };
    std::string text;
    for (const RailAdvice& advice : advices) {
        text.append(text.empty() ? "" : "; ").append(std::to_string(advice.processes)).append(" ranks: ");
        text += one(advice);
    }
    return text.empty() ? "Not known: no log has data about NICs." : text + ".";
}

void check_rails(const std::vector<std::int32_t>& rails, std::size_t logs) {
    if (rails.empty() || rails.size() == logs) return;
    throw OptionError(
        "§rails: expected " + std::to_string(logs) + " numbers, one per log, found " + std::to_string(rails.size()),
        "give one number per log, as in §rails 1,2,4 for three logs");
}

RailAdviceReport run_advise_rails(const RailAdviceRequest& request, const Reading& reading) {
    if (request.logs.empty())
        throw OptionError("haichi advise rails requires a log FILE",
                          "name a log, as in haichi advise rails app.haichi-log");
    std::vector<RailLog> logs = request.logs;
    check_rails(request.rails, logs.size());
    for (std::size_t i = 0; i < request.rails.size(); ++i) logs[i].rails = request.rails[i];
    RailAdviceReport report;
    std::vector<MeasuredRun> runs;
    std::vector<RailAdvice> of_profiles;
    std::string library;
    for (const RailLog& named : logs) {
        const JobLog job = read_log(named.path, request.format, reading);
        const JobTotals totals = job_totals(job);
        for (const std::string& warning : job.warnings) report.warnings.push_back(named.path + ": " + warning);
        of_profiles.push_back(advise_rails(job, totals, request.interfaces));
        if (!totals.libraries.empty()) library = totals.libraries.front();
        if (!named.rails) continue;
        if (!totals.has_times)
            throw InputError(named.path + ": the log has no times", "use logs with times to compare runs");
        runs.push_back({named.label, job.rank_count, *named.rails, totals.run_seconds});
    }
    report.advices = advise_rails(runs, library);
    for (RailAdvice& advice : report.advices) {
        const RailAdvice* first = nullptr;
        for (const RailAdvice& profile : of_profiles) {
            if (profile.processes != advice.processes) continue;
            const bool is_same = first == nullptr || profile.nodes == first->nodes;
            advice.nodes = is_same ? profile.nodes : 0;
            if (!is_same) break;
            first = &profile;
        }
    }
    report.is_measured = !report.advices.empty();
    if (report.is_measured) {
        report.trend = rail_trend(report.advices);
    } else {
        report.advices = std::move(of_profiles);
    }
    report.sentence = rail_sentence(report.advices);
    return report;
}

}  // namespace haichi
