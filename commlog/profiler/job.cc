#include "commlog/profiler/job.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "commlog/profiler/completions.h"
#include "commlog/profiler/configuration.h"
#include "commlog/profiler/fortran_constants.h"
#include "commlog/profiler/job_file.h"
#include "commlog/profiler/merge.h"
#include "commlog/profiler/modules.h"
#include "commlog/profiler/open_parts.h"
#include "commlog/profiler/own_cost.h"
#include "commlog/profiler/part_file.h"
#include "commlog/profiler/regions.h"

namespace haichi::profiler {

namespace {

Configuration configuration;
std::uint8_t selected[kMostFunctions];
OpenPart own_part;
Moment started;          // time at which the profiler was loaded
Moment job_began;        // time after MPI_Init
bool has_begun = false;  // true if MPI_Init was called, successfully or not
bool has_session = false;
pid_t loaded_in;

/// Stops all recording. A child of fork() has the MPI handles of its parent, but not the profiler's memory.
void become_inert() { profiler.stage = Stage::kInert; }

[[gnu::constructor]] void load() {
    look_at_counter();
    started = now();
    loaded_in = getpid();
}

/// Warns if a program used MPI without any call through these wrappers.
[[gnu::destructor]] void unload() {
    if (has_begun || getpid() != loaded_in) return;
    int is_initialized = 0;
    if (!has_session) {
        auto* const initialized = reinterpret_cast<int (*)(int*)>(find_symbol("PMPI_Initialized"));
        if (initialized == nullptr || initialized(&is_initialized) != MPI_SUCCESS || is_initialized == 0) return;
    }
    if (!speaks_for_job()) return;
    read_configuration(configuration);
    if (!configuration.is_on) return;
    std::fprintf(stderr, "haichi-prof: no log: %s\n",
                 has_session ? "the program uses MPI_Session_init without MPI_Init, which the profiler does not support"
                             : "the calls of the program bypass the profiler: the program opened a second MPI or "
                               "used RTLD_DEEPBIND, or another tool precedes the profiler");
}

void on_terminate(int signal) {
    // Only plain stores and system calls, because they are async-signal-safe.
    if (profiler.memory != nullptr && profiler.stage == Stage::kRecording) {
        ProfileHeader& h = profiler.memory->header;
        h.state = RankState::kSignalled;
        h.signal = signal;
    }
    remove_unfinished_job_file();
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    raise(signal);  // delivered after this handler has returned
}

/// Catches a signal only if the program neither handles nor ignores it.
void catch_termination() {
    for (const int signal : {SIGTERM, SIGXCPU, SIGINT, SIGHUP}) {
        struct sigaction old {};
        if (sigaction(signal, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL) {
            continue;
        }
        struct sigaction own {};
        own.sa_handler = on_terminate;
        sigemptyset(&own.sa_mask);
        sigaction(signal, &own, nullptr);
    }
}

template <std::size_t size>
void set_text(char (&to)[size], const char* from) {
    std::snprintf(to, size, "%s", from);
}

void write_program(ProfileHeader& h) {
    const ssize_t length = readlink("/proc/self/exe", h.program, sizeof(h.program) - 1);
    h.program[length > 0 ? length : 0] = '\0';
}

void write_library(ProfileHeader& h) {
    auto text = std::make_unique<char[]>(MPI_MAX_LIBRARY_VERSION_STRING);
    int length = 0;
    if (real.Get_library_version(text.get(), &length) != MPI_SUCCESS) return;
    // Extracts the name and the version from "Open MPI v4.1.4, package: ..." or "MPICH Version:\t4.0.2\n...".
    char* const end = text.get() + std::strcspn(text.get(), ",\n");
    *end = '\0';
    for (char* c = text.get(); *c != '\0'; ++c) {
        if (*c == '\t') *c = ' ';
    }
    set_text(h.library, text.get());
}

void write_header(ProfileHeader& h, int rank, int ranks) {
    std::memcpy(h.magic, kPartMagic, sizeof(h.magic));
    h.version = kPartVersion;
    h.byte_order = kByteOrder;
    h.size = sizeof(ProfileMemory);
    h.job = configuration.job;
    h.rank = rank;
    h.ranks = ranks;
    h.has_profile = configuration.keeps_profile ? 1 : 0;
    h.has_calls = configuration.keeps_calls ? 1 : 0;
    h.has_call_sites = configuration.keeps_sites ? 1 : 0;
    int level = MPI_THREAD_SINGLE;
    real.Query_thread(&level);
    // Each MPI has different constants for the thread levels.
    h.thread_level = level == MPI_THREAD_MULTIPLE     ? 3
                     : level == MPI_THREAD_SERIALIZED ? 2
                     : level == MPI_THREAD_SINGLE     ? 0
                                                      : 1;
    profiler.has_many_threads = h.thread_level == 3;
    gethostname(h.host, sizeof(h.host) - 1);
    write_program(h);
    write_library(h);
    static_assert(kFunctions <= kMostFunctions);
    h.function_count = kFunctions;
    for (std::uint32_t f = 0; f < kFunctions; ++f) std::strncpy(h.function_names[f], kFunctionNames[f], 31);
}

/// Returns a first estimate of the counter's rate, from two clock readings that are at least 5 ms apart. The end of the
/// job provides a better estimate.
double first_rate() {
    while (counter_is_steady && nanoseconds(CLOCK_MONOTONIC_RAW) - started.at_ns < 5'000'000) {
    }
    job_began = now();
    return ticks_per_second(started, job_began);
}

/// Either all ranks take part in the merge, or none.
bool start_together(int rank, int ranks) {
    const char own = start_threads() && start_communicators(profiler.memory, rank, ranks) ? 1 : 0;
    const auto all = std::make_unique<char[]>(static_cast<std::size_t>(ranks));
    real.Allgather(&own, 1, handles.byte, all.get(), 1, handles.byte, handles.world);
    const bool has_all = std::memchr(all.get(), 0, static_cast<std::size_t>(ranks)) == nullptr;
    if (!has_all) {
        if (own_part.has_file) remove_part(own_part.path);
        if (rank == 0) std::fputs("haichi-prof: no log: some ranks have no memory for a profile\n", stderr);
    }
    return has_all;
}

void select_functions() {
    for (std::uint32_t f = 0; f < kFunctions; ++f) {
        selected[f] =
            !configuration.has_functions || names_function(configuration.functions, kFunctionNames[f]) ? 1 : 0;
    }
    profiler.selected = selected;
    profiler.keeps_profile = configuration.keeps_profile;
    profiler.keeps_calls = configuration.keeps_calls;
    profiler.keeps_sites = configuration.keeps_sites;
}

}  // namespace

void begin_session() { has_session = true; }

void begin_job() {
    has_begun = true;
    if (profiler.stage != Stage::kInert || profiler.memory != nullptr) return;
    if (!find_handles()) {
        if (speaks_for_job()) {
            std::fprintf(stderr, "haichi-prof: no log: this profiler supports %s, but the program uses another MPI\n",
                         kMpiName);
        }
        return;
    }
    find_all_real();
    int rank = 0;
    int ranks = 0;
    real.Comm_rank(handles.world, &rank);
    real.Comm_size(handles.world, &ranks);
    if (rank == 0) {
        read_configuration(configuration);
        // Processes that a running program has spawned form a separate job.
        MPI_Comm parent = handles.no_communicator;
        real.Comm_get_parent(&parent);
        if (parent != handles.no_communicator) {
            const std::size_t length = std::strlen(configuration.file);
            std::snprintf(configuration.file + length, sizeof(configuration.file) - length, "-spawned-%d",
                          static_cast<int>(getpid()));
        }
    }
    if (real.Bcast(&configuration, sizeof(configuration), handles.byte, 0, handles.world) != MPI_SUCCESS) return;
    if (!configuration.is_on) return;
    if (!open_parts(configuration, rank, ranks, own_part)) return;
    profiler.memory = own_part.memory;
    profiler.dense_peers = ranks <= kMostDensePeers;
    write_header(profiler.memory->header, rank, ranks);
    start_modules(profiler.memory);
    if (!start_together(rank, ranks)) return;
    select_functions();
    find_shared_handles();
    find_fortran_constants();
    pthread_atfork(nullptr, nullptr, become_inert);
    ProfileHeader& h = profiler.memory->header;
    h.ticks_per_second = first_rate();
    h.own_ns_per_call = measure_own_cost(h.ticks_per_second);
    catch_termination();
    h.start_unix_ns = nanoseconds(CLOCK_REALTIME);
    h.start_ticks = ticks();
    profiler.stage = Stage::kRecording;
}

void end_job() {
    if (profiler.stage != Stage::kRecording && profiler.stage != Stage::kPaused) return;
    profiler.stage = Stage::kOver;
    if (gate.thread != nullptr) leave_all_regions(*gate.thread);
    ProfileHeader& h = profiler.memory->header;
    h.end_ticks = ticks();
    h.ticks_per_second = ticks_per_second(job_began, now());
    h.state = RankState::kFinished;
    const bool is_merged = merge_parts(*profiler.memory, configuration.file, own_part.has_file);
    if (own_part.has_file && is_merged && !configuration.keeps_parts) remove_part(own_part.path);
}

void abort_job() {
    if (profiler.stage != Stage::kRecording && profiler.stage != Stage::kPaused) return;
    profiler.stage = Stage::kOver;
    ProfileHeader& h = profiler.memory->header;
    h.end_ticks = ticks();
    h.ticks_per_second = ticks_per_second(job_began, now());
    h.state = RankState::kAborted;
}

void control(int level, std::uintptr_t more) {
    if (profiler.stage == Stage::kPaused) {
        if (level == 1) profiler.stage = Stage::kRecording;
        return;
    }
    if (profiler.stage != Stage::kRecording) return;
    if (level == 0) {
        profiler.stage = Stage::kPaused;
        return;
    }
    char name[kLongestRegion];
    if ((level != 1 && level != -1) || !passed_name(more, name)) return;
    Thread* const thread = gate.thread != nullptr ? gate.thread : enter_thread();
    if (thread == nullptr) return;
    if (level == 1) {
        enter_region(*thread, name);
    } else {
        leave_region(*thread, name);
    }
}

}  // namespace haichi::profiler
