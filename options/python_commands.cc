#include "options/python_commands.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "base/field_names.h"
#include "base/quantity.h"
#include "base/split.h"
#include "options/common_options.h"
#include "options/job_options.h"
#include "options/search_options.h"
#include "options/simulation_options.h"

namespace haichi {

namespace {

/// The options of the C++ commands, with targets for their values. Keeper copies these options to the tables of Python
/// commands.
struct OwnOptions {
    JobOptions job;
    MapOptions map;
    SimulationArguments simulation;
    CommonOptions common;
    OptionTable options;

    OwnOptions() {
        job.declare(options, JobUse::kMeasure);
        declare_search(options, map);
        simulation.declare_traffic(options);
        common.declare(options, true);
    }
};

/// Adds options of the C++ commands to the table of a Python command, so that both reject the same words.
class Keeper {
  public:
    explicit Keeper(OptionTable& options) : options_(&options) {}

    /// Adds the options `names`. If `needs` is given, it replaces the options that these require.
    void keep(std::initializer_list<const char*> names, const std::vector<std::string>& needs = {}) const {
        for (const char* name : names) {
            const OptionRow* const row = own_->options.find(name);
            OptionTraits traits = row->traits;
            traits.needs = needs;
            options_->add_kept(name, row->kind, std::move(traits), {},
                               [own = own_, row](const std::string& word) { row->read(word); });
        }
    }
    [[nodiscard]] const OptionTraits& traits(const char* name) const { return own_->options.find(name)->traits; }

  private:
    OptionTable* options_;
    std::shared_ptr<OwnOptions> own_ = std::make_shared<OwnOptions>();
};

void declare_compared_jobs(OptionTable& options) {
    const Keeper keeper(options);
    options.begin(OptionGroup::kJob);
    keeper.keep({"machine"});
    options.add_kept("shapes", ValueKind::kTexts,
                     {.description = "Shapes of the job, one size per axis, or NAME=A,B,... for the workload NAME",
                      .value = "A,B,...",
                      .otherwise = "the whole machine"});
    keeper.keep({"job", "nodes", "origin", "faulty", "ppn", "routing", "fold", "count-nic"});
    options.begin(OptionGroup::kWorkload);
    options.add_kept("workload", ValueKind::kFiles, keeper.traits("workload"));
    keeper.keep({"message-size", "workload-format"});
}

void declare_compare(OptionTable& options) {
    declare_compared_jobs(options);
    declare_comparison(options);
    options.begin(OptionGroup::kOutput);
    options.add_kept("output", ValueKind::kTexts,
                     {.description = "Write the results to FILE: .json, .csv or .html (the report)",
                      .value = "FILE",
                      .letter = 'o',
                      .is_local = true});
    options.add_kept("no-views", ValueKind::kFlag,
                     {.description = "Omit the data for the plots of the report", .is_local = true});
    options.add_kept(
        "timing", ValueKind::kFlag,
        {.description = "Also write the wall time of each strategy, seed and job, which differs between runs",
         .is_local = true});
    options.add_kept("json", ValueKind::kFlag,
                     {.description = "Print the results as JSON (haichi-comparison/1)", .is_local = true});
}

void declare_report(OptionTable& options) {
    options.begin(OptionGroup::kOutput);
    options.add_kept("RESULTS", ValueKind::kFile,
                     {.description = "JSON results of haichi compare, or link statistics of a simulation (--stats)",
                      .is_required = true,
                      .is_argument = true});
    options.add_kept(
        "output", ValueKind::kOutputFile,
        {.description = "HTML page to write", .otherwise = "the name of RESULTS with .html", .letter = 'o'});
    options.add_kept("figures", ValueKind::kOutputFile,
                     {.description = "Also write figures to this directory, as PNG and SVG", .value = "DIR"});
}

void declare_calibrate(OptionTable& options) {
    options.begin(OptionGroup::kJob);
    options.add_kept("RESULTS", ValueKind::kFiles,
                     {.description = "Output of OSU, IMB or NetPIPE. FILE@HOPS states the number of links between the "
                                     "two ranks (0 on one node)",
                      .is_required = true,
                      .is_argument = true});
    options.add_kept("like", ValueKind::kFileOrWord,
                     {.description = "Preset or machine file with the topology and all values that are not fitted",
                      .value = "MACHINE",
                      .otherwise = "switch:2"});
    options.add_kept(
        "largest", ValueKind::kBytes,
        {.description = "Ignore messages above this size, such as messages that exceed the caches", .least = 0});
    options.begin(OptionGroup::kOutput);
    options.add_kept("output", ValueKind::kOutputFile, {.description = "Machine file to write", .letter = 'o'});
    options.add_kept("figure", ValueKind::kOutputFile,
                     {.description = "Plot measured and simulated times to FILE (.svg or .png)"});
    options.add_kept("json", ValueKind::kFlag, {.description = "Print the result as JSON (haichi-calibration/1)"});
}

void declare_limits(OptionTable& options) {
    options.begin(OptionGroup::kExpert);
    options.add_kept(
        "max-body", ValueKind::kBytes,
        {.description = "Maximum size of a request", .otherwise = "256MiB", .former_names = {"most-body"}});
    options.add_kept("max-jobs", ValueKind::kCount,
                     {.description = "Maximum number of waiting and running jobs of a user",
                      .otherwise = "1000",
                      .former_names = {"most-jobs"}});
    options.add_kept("max-jobs-total", ValueKind::kCount,
                     {.description = "Maximum number of waiting and running jobs of all users",
                      .otherwise = "10000",
                      .former_names = {"most-jobs-in-all"}});
    options.add_kept("max-data", ValueKind::kBytes,
                     {.description = "Maximum size of the uploads and results of a user",
                      .otherwise = "20GiB",
                      .former_names = {"most-data"}});
    options.add_kept("max-time", ValueKind::kTime,
                     {.description = "Maximum run time of a job",
                      .otherwise = "3600s",
                      .least = 1e-12,
                      .former_names = {"most-time"}});
    options.add_kept("max-memory", ValueKind::kBytes,
                     {.description = "Maximum memory of a job", .otherwise = "8GiB", .former_names = {"most-memory"}});
    options.add_kept(
        "max-disk", ValueKind::kBytes,
        {.description = "Maximum size of a job's files", .otherwise = "2GiB", .former_names = {"most-disk"}});
    options.add_kept(
        "keep", ValueKind::kTime,
        {.description = "How long to keep finished jobs", .otherwise = "2592000s, 30 days", .least = 1e-12});
    options.add_kept(
        "grace", ValueKind::kTime,
        {.description = "Time for running jobs to end when the server stops", .otherwise = "10s", .least = 1e-12});
}

void declare_serve(OptionTable& options) {
    options.begin(OptionGroup::kServer);
    options.add_kept(
        "host", ValueKind::kText,
        {.description = "Address to listen on. Addresses that other computers can reach require --token-file",
         .value = "HOST",
         .otherwise = "127.0.0.1"});
    options.add_kept("port", ValueKind::kCount,
                     {.description = "Port to listen on (0 chooses a free port)",
                      .value = "PORT",
                      .otherwise = "8080",
                      .least = 0,
                      .most = 65535});
    options.add_kept("data", ValueKind::kText,
                     {.description = "Directory of the jobs, on a local disk",
                      .value = "DIR",
                      .otherwise = "~/.local/share/haichi-serve"});
    options.add_kept("workers", ValueKind::kCount,
                     {.description = "Number of jobs that run at the same time", .otherwise = "1", .most = 4096});
    options.add_kept("dask", ValueKind::kText,
                     {.description = "Dask scheduler whose workers run the jobs. They need the same version of haichi",
                      .value = "ADDRESS"});
    options.add_kept(
        "token-file", ValueKind::kFile,
        {.description = "File of users, with a name and the SHA-256 hash of the user's token on each line"});
    declare_limits(options);
}

CommandSpec command(std::string name, std::string summary, std::string examples, void (*declare)(OptionTable&)) {
    CommandSpec spec{std::move(name), std::move(summary), std::move(examples), std::make_shared<OptionTable>()};
    declare(*spec.options);
    const Keeper keeper(*spec.options);
    spec.options->begin(OptionGroup::kGlobal);
    keeper.keep({"files-below", "quiet", "verbose", "log-level"});
    if (spec.name == "compare") keeper.keep({"progress-fd"});
    return spec;
}

}  // namespace

void declare_comparison(OptionTable& options) {
    const Keeper keeper(options);
    options.begin(OptionGroup::kSearch);
    options.add_kept(
        "strategies", ValueKind::kList,
        {.description = "Strategies to compare: a strategy (haichi list strategies), an objective that annealing "
                        "minimizes, or map:FILE",
         .value = "A,B,...",
         .otherwise = "default,no-ring,random,hop-bytes,rmatt,rmatt-3d,tac3, or fewer on machines without axes"});
    options.add_kept("seeds", ValueKind::kList,
                     {.description = "Number of random seeds, counted from 1, or a list of seeds, as in 3,5,8",
                      .value = "N|LIST",
                      .otherwise = "10"},
                     {}, [](const std::string& word) {
                         for (const std::string_view seed : split(word, ',')) {
                             (void)parse_count(seed, std::numeric_limits<std::int64_t>::max(), {field("seeds"), 0});
                         }
                     });
    options.add_kept("equal", ValueKind::kText,
                     {.description = "Budget that is equal for all searches",
                      .value = "WHAT",
                      .otherwise = "evaluations",
                      .choices = {"evaluations", "seconds"}});
    keeper.keep({"evaluations", "restarts"});
    options.add_kept("time", ValueKind::kTime,
                     {.description = "Time limit of every search with --equal seconds, as in 10s",
                      .otherwise = "10s",
                      .least = 1e-12,
                      .most = 1e9});
    options.begin(OptionGroup::kSimulation);
    options.add_kept("simulate", ValueKind::kFlag, {.description = "Simulate every placement, packet by packet"});
    keeper.keep({"form"}, {"simulate"});
    options.add_kept(
        "barrier", ValueKind::kText,
        {.description = "Barriers between sets: none, before every set (sets), or a run of each kind (both)",
         .value = "WHICH",
         .otherwise = "both",
         .choices = {"none", "sets", "both"},
         .needs = {"simulate"}});
    keeper.keep({"compute-spread"}, {"simulate"});
    keeper.keep({"compute-spread-seed"}, {"compute-spread"});
    keeper.keep({"sim-iterations", "compute", "compute-factor", "compute-seed", "collectives"}, {"simulate"});
    options.begin(OptionGroup::kExpert);
    keeper.keep({"schedule"});
    options.add_kept("processes", ValueKind::kCount,
                     {.description = "Number of local processes that search and simulate",
                      .otherwise = "one for each processor",
                      .is_local = true});
    options.add_kept("dask", ValueKind::kText,
                     {.description = "Dask scheduler whose workers search and simulate, as in tcp://HOST:8786",
                      .value = "ADDRESS",
                      .is_local = true});
}

std::vector<CommandSpec> python_commands() {
    return {command("compare", "compare placement strategies over workloads, shapes and seeds",
                    "haichi compare -m fx10-kyushu -w cg64.json --shapes 1x2x4x2x3x2,2x2x2x2x3x2 --simulate "
                    "-o results.json",
                    declare_compare),
            command("report", "make an HTML page of the results of compare, or of link statistics",
                    "haichi report results.json -o report.html --figures figures", declare_report),
            command("calibrate", "fit a machine file to benchmark results",
                    "haichi calibrate osu_latency.txt osu_bw.txt near.txt@2 far.txt@4 --like fattree:3x4 "
                    "-o machine.json",
                    declare_calibrate),
            command("serve", "run an HTTP service that takes jobs", "haichi serve --data /var/lib/haichi --workers 2",
                    declare_serve)};
}

}  // namespace haichi
