// libhaichi-rails sets the number of NICs (rails) that a job uses, as stated in a file of `haichi advise rails
// --write-rails`. MPI libraries read the variables in MPI_Init, so these are set directly before MPI_Init.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/regular_file.h"
#include "commlog/preload/initialise.h"

const char* const haichi::preload::library_name = "haichi-rails";

namespace haichi::rails {

using namespace preload;

namespace {

constexpr int kUnknown = 0;
/// Prefixes of variables of MVAPICH2, UCX and Open MPI.
constexpr const char* kVariables[] = {"MV2_", "UCX_", "OMPI_MCA_"};

/// A line of the file: a job size and the variables for it.
struct JobVariables {
    int ranks = 0;
    int nodes = kUnknown;
    std::vector<std::pair<std::string, std::string>> variables;  ///< names and values
};

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& expected) {
    throw InputError(path + ":" + std::to_string(line) + ": expected " + expected +
                     "; write the file with 'haichi advise rails --write-rails FILE'");
}

int number_in(const std::string& text) {
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    return text.empty() || *end != '\0' || number < 0 || number > 1 << 30 ? -1 : static_cast<int>(number);
}

/// Reads a file in the format haichi-rails/1. Throws InputError that states file and line.
std::vector<JobVariables> read_jobs(const std::string& path) {
    check_regular_file(path);
    std::ifstream file(path);
    if (!file) throw InputError(path + ": cannot be read");
    std::string line;
    std::getline(file, line);
    if (line != "haichi-rails/1") refuse(path, 1, "haichi-rails/1");
    std::vector<JobVariables> jobs;
    for (std::size_t number = 2; std::getline(file, line); ++number) {
        std::istringstream words(line);
        std::string ranks, count, nodes, node_count;
        words >> ranks >> count >> nodes >> node_count;
        JobVariables& job = jobs.emplace_back();
        job.ranks = number_in(count);
        job.nodes = number_in(node_count);
        if (ranks != "ranks" || nodes != "nodes" || job.ranks < 1 || job.nodes < 0) {
            refuse(path, number, "'ranks NUMBER nodes NUMBER'");
        }
        for (std::string word; words >> word;) {
            const auto equals = word.find('=');
            const bool is_known =
                std::ranges::any_of(kVariables, [&](const char* prefix) { return word.starts_with(prefix); });
            if (!is_known || equals == std::string::npos || number_in(word.substr(equals + 1)) < 1)
                refuse(path, number, "a variable of an MPI library and a number of NICs, found '" + word + "'");
            job.variables.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        }
    }
    return jobs;
}

/// The size of this job, as stated by its launcher.
struct LaunchedJob {
    int ranks = kUnknown;
    int nodes = kUnknown;
};

LaunchedJob launched_job() {
    LaunchedJob job;
    job.ranks = std::max(0, number_in(first_setting({"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
                                                     "PALS_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})));
    job.nodes = std::max(0, number_in(first_setting({"SLURM_STEP_NUM_NODES", "SLURM_NNODES"})));
    const int here =
        number_in(first_setting({"OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}));
    if (job.nodes == kUnknown && here > 0) job.nodes = (job.ranks + here - 1) / here;
    return job;
}

std::string job_text(int ranks, int nodes) {
    return std::to_string(ranks) + " ranks" +
           (nodes == kUnknown ? "" : " on " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes"));
}

/// Sets the variables that the user has not set. Returns a message about these variables for the user.
std::string set_variables(const JobVariables& job) {
    std::string set, kept;
    for (const auto& [name, value] : job.variables) {
        const std::string own = setting(name.c_str());
        if (own.empty()) {
            setenv(name.c_str(), value.c_str(), 1);
            set += ' ' + name + '=' + value;
        } else {
            kept += ' ' + name + '=' + own + " (advised: " + value + ')';
        }
    }
    std::string line = job_text(job.ranks, job.nodes) + ": ";
    line += set.empty() ? "no variable set" : "set" + set;
    return kept.empty() ? line : line + "; kept" + kept;
}

std::string decide(const std::string& path) {
    const LaunchedJob launched = launched_job();
    if (launched.ranks == kUnknown) throw InputError("the launcher does not state the number of ranks");
    std::string known;
    for (const JobVariables& job : read_jobs(path)) {
        const bool same_nodes = job.nodes == kUnknown || launched.nodes == kUnknown || job.nodes == launched.nodes;
        if (job.ranks == launched.ranks && same_nodes) return set_variables(job);
        known += (known.empty() ? "" : ", ") + job_text(job.ranks, job.nodes);
    }
    throw InputError("the job has " + job_text(launched.ranks, launched.nodes) + ", but " + path + " is for " + known);
}

/// Runs in each process that has the file and the launcher's variables.
void set_rails() {
    static bool is_done = false;
    const std::string path = setting("HAICHI_RAILS");
    if (is_done || path.empty()) return;
    is_done = true;
    const bool speaks = launched_rank() == "0" || launched_rank().empty();
    try {
        const std::string line = decide(path);
        if (speaks && setting("HAICHI_RAILS_QUIET").empty()) say(line);
    } catch (const std::exception& error) {
        if (speaks) say(std::string("warning: no variable set: ") + error.what());
    }
}

}  // namespace

}  // namespace haichi::rails

HAICHI_REPLACE_INIT(haichi::rails::set_rails(), static_cast<void>(0))
