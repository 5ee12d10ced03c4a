#include "mapper/job/advise_rails.h"

#include "base/errors.h"
#include "commlog/readers/log_readers.h"

namespace haichi {

RailAdviceReport run_advise_rails(const RailAdviceRequest& request, const Reading& reading) {
    if (request.logs.empty()) throw OptionError("no log FILE given", "haichi advise rails app.haichi-log");
    if (request.interfaces < 0) throw OptionError("a node has at least one network interface");
    RailAdviceReport report;
    std::vector<MeasuredRun> runs;
    std::vector<RailAdvice> of_profiles;
    std::string library;
    for (const RailLog& named : request.logs) {
        const JobLog job = read_log(named.path, request.format, reading);
        const JobTotals totals = job_totals(job);
        for (const std::string& warning : job.warnings) report.warnings.push_back(named.path + ": " + warning);
        of_profiles.push_back(advise_rails(job, totals, request.interfaces));
        if (!totals.libraries.empty()) library = totals.libraries.front();
        if (!named.rails) continue;
        if (*named.rails < 1) throw OptionError("a run uses at least one network interface");
        if (!totals.has_times) throw InputError(named.path + ": holds no times", "measured runs are compared by them");
        runs.push_back({named.label, job.rank_count, *named.rails, totals.run_seconds});
    }
    report.advices = advise_rails(runs, library);
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
