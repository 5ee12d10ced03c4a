#include "cli/commands/run_program.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "base/json_text.h"
#include "base/regular_file.h"
#include "cli/command_outputs.h"
#include "cli/commands/part_hint.h"
#include "cli/interrupt.h"
#include "cli/live_process.h"
#include "cli/output/progress.h"
#include "cli/output/simulation_text.h"
#include "mapper/report/report_json.h"
#include "mapper/report/simulation_json.h"
#include "mgen/abi/refused_calls.h"
#include "mgen/host/elf_file.h"
#include "mgen/host/needed_libraries.h"

namespace haichi::cli {

namespace {

namespace fs = std::filesystem;

/// Finds a program as a shell does. A name without a directory is searched in PATH.
std::string path_of_program(const std::string& name) {
    if (name.empty()) throw OptionError("the name of the program is empty");
    if (name.find('/') != std::string::npos) return name;
    const char* const paths = std::getenv("PATH");
    const std::string folders = paths == nullptr ? "" : paths;
    for (std::size_t at = 0; at <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        const fs::path file = fs::path(folders.substr(at, end - at)) / name;
        std::error_code failed;
        if (fs::is_regular_file(file, failed) && ::access(file.c_str(), X_OK) == 0) return file.string();
        at = end + 1;
    }
    throw InputError(name + ": no such program in PATH", "write ./" + name + " for a program in the current directory");
}

/// The live library that is installed with this program, or the one in the build directory.
std::string live_library(host::Abi abi) {
    const std::string name = abi == host::Abi::kMpich ? "libhaichi-mpich.so" : "libhaichi-openmpi.so";
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    const fs::path folder = program.parent_path();
    for (const char* place : {"../lib/haichi", "live"}) {
        const fs::path file = fs::canonical(folder / place / name, failed);
        if (!failed) return file.string();
    }
    throw UnsupportedError("haichi is installed without the library for live programs (" + name + ")", kPartHint);
}

/// Throws UnsupportedError for setuid and setgid programs and for programs with capabilities. The system does not
/// preload libraries into such programs, so they would run without haichi.
void refuse_privileged(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;  // the error is reported when the file is read
    const char* const what = (status.st_mode & S_ISUID) != 0   ? "a setuid program"
                             : (status.st_mode & S_ISGID) != 0 ? "a setgid program"
                             : ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0
                                 ? "a program with capabilities"
                                 : nullptr;
    if (what == nullptr) return;
    throw UnsupportedError(path + ": " + what + " would run outside the simulation",
                           "run a copy without these rights: cp " + path + " .");
}

/// Refuses programs that use the classes of Open MPI's C++ header (namespace MPI). Such programs call MPI::Init or use
/// MPI::COMM_WORLD, which the linker may have copied into the program.
void refuse_classes(const host::ElfFile& program) {
    constexpr const char* kInit = "_ZN3MPI20InitializeInterceptsEv";
    constexpr const char* kWorld = "_ZN3MPI10COMM_WORLDE";
    const auto has = [](const std::vector<std::string>& symbols, const char* name) {
        return std::ranges::binary_search(symbols, name);
    };
    if (!has(program.undefined, kInit) && !has(program.undefined, kWorld) && !has(program.defined, kWorld)) return;
    throw UnsupportedError(program.path + ": uses the C++ classes of Open MPI (namespace MPI)",
                           "use MPI's functions for C, or build it with mpicxx of MPICH");
}

/// Removes functions that the header of the C++ classes references in every program. Calls of these functions are still
/// refused.
void remove_calls_of_classes(std::vector<std::string>& missing) {
    constexpr std::array<std::string_view, 4> kOfClasses = {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_spawn",
                                                            "MPI_Comm_spawn_multiple"};
    std::erase_if(missing,
                  [&](const std::string& name) { return std::ranges::find(kOfClasses, name) != kOfClasses.end(); });
}

/// Checks the program file and returns the library to preload.
std::string library_for_program(const std::string& path, bool starts_with_refused_calls) {
    refuse_privileged(path);
    const host::ElfFile program = host::ElfFile::read(path);
    const host::Abi abi = host::abi_of_program(
        program, host::needed_abi(program.needed) ? program.needed : host::needed_libraries(program));
    const std::string library = live_library(abi);
    host::ElfFile known = host::ElfFile::read(library);
    std::map<std::string, std::string> reasons;
#if defined(HAICHI_HAS_LIVE_PROGRAMS)
    for (const abi::RefusedCall& call :
         abi == host::Abi::kMpich ? abi::refused_calls_of_mpich() : abi::refused_calls_of_openmpi()) {
        reasons[call.name] = call.reason;
    }
#endif
    if (!starts_with_refused_calls) {
        std::erase_if(known.defined, [&](const std::string& name) {  // the error is then reported by the call itself
            return reasons.contains(name.starts_with("PMPI_") ? name.substr(1) : name);
        });
    }
    std::vector<std::string> missing = missing_mpi_functions(program, known);
    if (abi == host::Abi::kOpenMpi && std::ranges::count(program.needed, "libmpi_cxx.so.40") > 0) {
        refuse_classes(program);
        remove_calls_of_classes(missing);
    }
    if (missing.empty()) return library;
    constexpr std::size_t kMostNamed = 8;
    const std::size_t more = missing.size() > kMostNamed + 1 ? missing.size() - kMostNamed : 0;
    missing.resize(missing.size() - more);
    for (std::string& name : missing) {
        if (const auto reason = reasons.find(name); reason != reasons.end() && !reason->second.empty()) {
            name += " (" + reason->second + ")";
        }
    }
    throw UnsupportedError(path + ": calls MPI functions that live programs do not support: " + joined(missing) +
                               (more > 0 ? " and " + std::to_string(more) + " more" : ""),
                           "use §refused-calls late if the program may not reach these calls");
}

/// The words of the command line of this process.
std::vector<std::string> own_command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\0', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// The name of the library for LD_PRELOAD, whose entries are separated by blanks and colons. If the name contains such
/// a character, it is replaced by an open file that the program inherits.
std::string preloaded_name(const std::string& library) {
    if (library.find_first_of(" \t\n:") == std::string::npos) return library;
    const int file = ::open(library.c_str(), O_RDONLY);  // NOLINT(android-cloexec-open): the program inherits it
    if (file < 0) throw InputError("cannot read " + library + ": " + std::strerror(errno));
    return "/proc/self/fd/" + std::to_string(file);
}

void set_variable(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

/// Checks the program file, and replaces this process by the program with haichi's library preloaded. Throws InputError
/// and UnsupportedError for programs that cannot run live.
[[noreturn]] void start_program(const RunArguments& arguments) {
    const std::vector<std::string>& program = arguments.program;
    const std::string named = path_of_program(program.front());
    const std::string library = library_for_program(named, arguments.live.starts_with_refused_calls);
    std::error_code failed;
    const std::string path = fs::canonical(named, failed).string();
    if (failed || ::access(path.c_str(), X_OK) != 0) {
        throw InputError("cannot start " + named + ": " + std::strerror(failed ? failed.value() : errno));
    }
    const char* const preloaded = std::getenv("LD_PRELOAD");
    const bool has_preloaded = preloaded != nullptr && *preloaded != '\0';
    nlohmann::json live = {{"arguments", own_command_line()}};
    live["haichi"] = fs::read_symlink("/proc/self/exe", failed).string();
    if (has_preloaded) live["preloaded"] = preloaded;
    set_variable("HAICHI_LIVE", json_text(live));
    set_variable("HAICHI_LIVE_PROGRAM", path);
    // A library that the user preloads (a profiler) must come between the program and haichi.
    set_variable("LD_PRELOAD", (has_preloaded ? std::string(preloaded) + ":" : "") + preloaded_name(library));
    // A rank has only one thread. OpenMP, OpenBLAS, MKL and BLIS would start one per core of this computer.
    ::setenv("OMP_NUM_THREADS", "1", 0);
    // Without buffering, haichi can attribute the output of Fortran code to the running rank.
    set_variable("GFORTRAN_UNBUFFERED_PRECONNECTED", "y");
    // With fixed addresses, programs that print or compare addresses behave equally in every run.
    if (const int before = ::personality(0xffffffff); before >= 0) {
        (void)::personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
    }
    std::vector<std::string> words = program;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const sigset_t signals = interrupting_signals();
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    ::execv(path.c_str(), argv.data());
    throw InputError("cannot start " + named + ": " + std::strerror(errno));
}

/// Runs the program, in whose process haichi already runs. Its standard output goes to the standard output or standard
/// error of haichi.
SimulatedRun run_live_program(const Placement& placement, const SimulationOptions& options, const LiveOptions& live,
                              const std::vector<std::string>& program, bool output_to_standard_error,
                              SimulationControl control, Console& console) {
    const SimulationRequest machine = machine_request(placement.job(), placement.mapping(), options);
    int descriptor = STDERR_FILENO;
    host::ProgramOutput output(placement.job().rank_count(), [&](std::string_view text) {
        console.wipe_drawn();
        Console::data(text, descriptor);
    });
    if (!output_to_standard_error) descriptor = output.standard_output();
    SimulationLine line(console);
    // The reported time may be within the current lookahead window. Only the time of the previous report has certainly
    // passed.
    std::int64_t over_ps = 0;
    control.progress = [&output, &over_ps, show = line.callback()](const SimulationProgress& progress) {
        constexpr double kPsPerS = 1e12;
        output.advance(over_ps);
        over_ps = static_cast<std::int64_t>(progress.simulated_seconds * kPsPerS);
        if (show) show(progress);
    };
    try {
        LiveOutcome outcome = console.live_process()->run(machine, live, output, control);
        output.flush();
        for (const std::string& remark : outcome.remarks) console.say("warning: " + remark + "\n");
        SimulatedRun run{.result = std::move(outcome.result.simulation)};
        run.program = {
            .path = program.front(), .exit_code = outcome.result.exit_code(), .measured_factor = live.measured_factor};
        return run;
    } catch (const ClosedPipe&) {
        throw;
    } catch (...) {
        output.flush();  // the output of the ranks may explain the error
        throw;
    }
}

/// Makes the job. Without --ranks, the nodes determine the number of ranks. Throws OptionError for a job that cannot
/// run a program.
JobSpec job_spec(const RunArguments& arguments, const Reading& reading) {
    arguments.job.refuse_standard_input({arguments.map.map});
    JobSpec spec = arguments.job.job();
    std::int32_t ranks = arguments.live.ranks;
    if (ranks == 0) {
        const AllocatedNodes allocated = load_nodes(spec, reading);
        ranks = allocated.allocation->network.usable_node_count() * allocated.allocation->ranks_per_node;
    }
    spec.traffic.source = ProgramTraffic{ranks};
    return spec;
}

}  // namespace

int run_program(RunArguments& arguments, Console& console) {
    if (console.live_process() == nullptr) start_program(arguments);
    CommandOutputs outputs(console);
    arguments.job.add_inputs(outputs);
    outputs.add_input(arguments.map.map);
    outputs.add_input(path_of_program(arguments.program.front()));
    arguments.simulation.open_streams(outputs);
    // The program writes to standard output, unless the report goes there.
    const bool has_file = !arguments.output.empty() && arguments.output != "-";
    const bool takes_output = !has_file && (arguments.json || arguments.output == "-");
    std::optional<Destination> destination;
    if (has_file || takes_output) destination = outputs.add_destination(arguments.output);
    outputs.check();
    const JobSpec spec = job_spec(arguments, outputs.reading());
    const Placement placement = map_or_default(Job(spec, outputs.reading()), arguments.map);
    say_about_simulated(placement.job().machine(), console);
    outputs.open();
    const InterruptWatch watch;
    (void)InterruptWatch::flag().load();  // RankWatch ends a run whose ranks do not return to MPI, and names the rank
    Simulation simulation{.placement = placement, .runs = {}};
    simulation.runs.push_back(run_live_program(placement, arguments.simulation.simulation, arguments.live,
                                               arguments.program, takes_output,
                                               {{}, &InterruptWatch::flag(), console.log()}, console));
    const SimulatedRun& ran = simulation.runs.front();
    simulation.interrupted = ran.result.interrupted;
    const std::string report = arguments.json ? report_text(simulation_json(simulation, !arguments.no_timing))
                                              : simulation_text(simulation, !arguments.no_timing);
    if (destination) {
        destination->write(report);
    } else {
        console.say(report);
    }
    outputs.commit();
    return exit_code_of(simulation.interrupted, "the report covers the simulated part", console,
                        ran.program->exit_code);
}

}  // namespace haichi::cli
