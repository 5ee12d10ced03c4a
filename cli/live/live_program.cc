#include "cli/live/live_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/errors.h"
#include "cli/live/faults.h"
#include "cli/live/memory_calls.h"
#include "cli/live/rank_watch.h"
#include "cli/output/source_lines.h"
#include "mgen/abi/mpich/mpich_world.h"
#include "mgen/abi/mpich/program_callers.h"

namespace haichi::cli {

namespace {

LiveProgram* running_program = nullptr;
host::RankHeaps* running_heaps = nullptr;

/// Finds the source lines of call sites in the program, such as "solver.c:12".
class PlaceNames {
  public:
    explicit PlaceNames(const LiveProgram& program) : program_(&program) {}

    std::string operator()(const void* address) {
        const auto [found, offset] = program_->module_offset(address);
        if (found == nullptr) return "";
        const Module module{.path = found->is_program ? program_->path() : found->path,
                            .build_id = std::string(SourceLines::kAnyBuild)};
        return place_text(module, offset, lines_->find(module, offset));
    }

  private:
    const LiveProgram* program_;
    std::shared_ptr<SourceLines> lines_ = std::make_shared<SourceLines>();
};

/// Logs the memory that ranks did not free. There is no warning, because many programs leave the release of memory to
/// the end of the process.
void log_unfreed(const host::RankHeaps& heaps, std::int32_t ranks, const Log& log) {
    std::int64_t bytes = 0;
    std::int32_t who = 0;
    for (std::int32_t r = 0; r < ranks; ++r) {
        const std::int64_t of_rank = heaps.unfreed_bytes(RankId(r));
        bytes += of_rank;
        if (of_rank > 0) ++who;
    }
    log.info("program: {} of {} ranks ended with unfreed memory, {} bytes in total", who, ranks, bytes);
}

}  // namespace

LiveProgram::LiveProgram(const ProgramMain& program, std::string haichi)
    : program_(program), haichi_(std::move(haichi)) {
    std::error_code failed;
    path_ = std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

LiveProgram::~LiveProgram() { running_heaps = nullptr; }

LiveProgram* LiveProgram::running() { return running_program; }

host::RankHeaps* LiveProgram::heaps() { return running_heaps; }

LiveProgram::ModuleOffset LiveProgram::module_offset(const void* address) const {
    const void* const loaded = original(address);
    const host::ProgramModule* const module = image_->module_of(loaded);
    return {module, module == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(loaded) - module->base};
}

template <class IsWanted>
std::vector<std::span<const std::byte>> LiveProgram::code_of(const IsWanted& is_wanted) const {
    std::vector<std::span<const std::byte>> code;
    for (std::size_t i = 0; i < image_->modules().size(); ++i) {
        if (!is_wanted(image_->modules()[i])) continue;
        const host::LoadedModule& loaded = image_->loaded()[i];
        for (const ElfW(Phdr) & segment : loaded.segments) {
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
            code.emplace_back(reinterpret_cast<const std::byte*>(loaded.base + segment.p_vaddr), segment.p_memsz);
        }
    }
    return code;
}

LiveOutcome LiveProgram::run(const SimulationRequest& machine, const LiveOptions& options, host::ProgramOutput& output,
                             const SimulationControl& control) {
    const auto ranks = static_cast<std::int32_t>(machine.node_of_rank.size());
    image_ = host::ProgramImage::of_process(reinterpret_cast<const void*>(&running_program));
    globals_ = make_globals(*image_, options.globals, ranks, abi::mpich::addresses_of_program());
    libc_.emplace(ranks);
    output_ = &output;
    arguments_.resize(static_cast<std::size_t>(ranks));
    host::LiveRequest request;
    request.machine = machine;
    request.program.stack_bytes = options.stack_bytes;
    request.program.body = [this](host::LiveRank& rank) { return run_rank(rank); };
    request.program.place_name = PlaceNames(*this);
    if (globals_) request.program.memories.push_back(globals_.get());
    request.program.memories.push_back(&*libc_);
    request.program.memories.push_back(&output);
    make_heaps(ranks);
    if (heaps_) request.program.memories.push_back(&*heaps_);
    abi::mpich::MpichWorld world(ranks, {.payload = options.payload,
                                         .updates = machine.process.progress,
                                         .nics = machine.process.nics,
                                         .collectives = options.collectives});
    if (world.asks_for_hardware_barriers() && request.machine.process.barrier_step_ps == 0) {
        throw OptionError("§collectives barrier=hardware requires a machine with a hardware barrier",
                          "state 'node.barrier_step', the time of a step of the barrier, in the machine file");
    }
    RankWatch watch(*this, ranks, request.program.place_name);
    watch_ = &watch;
    request.program.memories.push_back(&watch);
    request.program.hint_when_stuck = [&] { return world.hint_when_stuck(request.program.place_name); };
    if (const auto factor = options.measured_factor) request.program.code_meter.emplace(*factor);
    request.begin_rank = [&](host::LiveRank& rank) { world.begin(rank); };
    abi::mpich::ProgramCallers callers({.library = code_of([](const auto& module) { return module.is_of_mpi; }),
                                        .program = code_of([](const auto& module) { return module.is_private; }),
                                        .copies = globals_ ? globals_->copies() : std::span<const std::byte>(),
                                        .original = [this](const void* address) { return original(address); }});
    struct Running {
        Running(LiveProgram& program, abi::mpich::ProgramCallers& callers) {
            running_program = &program;
            abi::mpich::program_callers = &callers;
        }
        ~Running() {
            running_program = nullptr;
            abi::mpich::program_callers = nullptr;
        }
    };
    const Running running(*this, callers);
    const FaultWatch faults;
    if (!globals_) initialise(nullptr, program_.argc, program_.argv);  // runs once for all ranks
    LiveOutcome outcome{.result = simulate_program(request, control), .remarks = {}};
    // The remarks would be wrong for ranks that were interrupted.
    if (!outcome.result.simulation.interrupted) outcome.remarks = world.remarks(request.program.place_name);
    if (globals_) {
        for (const std::string& file : image_->loaded_since()) {
            outcome.remarks.push_back("all ranks share the variables of " + file +
                                      ", which the program loaded while it ran (dlopen); LD_PRELOAD=" + file +
                                      " gives each rank its own");
        }
    }
    if (heaps_) log_unfreed(*heaps_, ranks, control.log);
    return outcome;
}

void LiveProgram::make_heaps(std::int32_t ranks) {
    if (!allocator_is_of_libc()) return;
    host::RankHeaps::Setup setup{.ranks = ranks};
    if (globals_ && !globals_->copies().empty()) setup.code.push_back(globals_->copies());
    for (const host::ProgramModule* module : image_->private_modules()) {
        setup.code.emplace_back(reinterpret_cast<const std::byte*>(module->begin), module->end - module->begin);
    }
    // Other ranks may access the blocks of a rank through addresses in shared variables.
    setup.keep = !globals_ && image_->private_bytes() > 0;
    heaps_.emplace(std::move(setup));
    if (!heaps_->exist()) heaps_.reset();
    running_heaps = heaps_ ? &*heaps_ : nullptr;
}

int LiveProgram::run_rank(host::LiveRank& rank) {
    FaultWatch::begin_thread();
    watch_->begin(rank);
    std::vector<char>& text = arguments_[rank.id().index()];
    std::size_t bytes = 0;
    for (int i = 0; i < program_.argc; ++i) bytes += std::strlen(program_.argv[i]) + 1;
    const std::size_t table_bytes = (static_cast<std::size_t>(program_.argc) + 1) * sizeof(char*);
    text.resize(table_bytes + bytes);
    auto** const argv = reinterpret_cast<char**>(text.data());
    char* word = text.data() + table_bytes;
    for (int i = 0; i < program_.argc; ++i) {
        argv[i] = word;
        const std::size_t size = std::strlen(program_.argv[i]) + 1;
        std::memcpy(word, program_.argv[i], size);
        word += size;
    }
    argv[program_.argc] = nullptr;
    if (globals_) {
        globals_->begin(rank.id());
        const host::LibcState::GetoptVariables all = host::LibcState::of_process();
        libc_of(rank).set_variables({.optind = own(rank, all.optind),
                                     .opterr = own(rank, all.opterr),
                                     .optopt = own(rank, all.optopt),
                                     .optarg = own(rank, all.optarg)});
        initialise(&rank, program_.argc, argv);
    }
    exit(rank, own(rank, program_.main)(program_.argc, argv, environ));
}

void LiveProgram::initialise(const host::LiveRank* rank, int argc, char** argv) const {
    const auto of_rank = [&](auto function) { return rank == nullptr ? function : own(*rank, function); };
    for (const host::ProgramModule* module : image_->private_modules()) {
        // If ranks have no private variables, the libraries are already initialised.
        if (!module->is_program && !globals_) continue;
        if (module->is_program && program_.init != nullptr) {
            of_rank(program_.init)(argc, argv, environ);
            continue;
        }
        for (const auto function : module->initialisers) of_rank(function)(argc, argv, environ);
    }
}

void LiveProgram::finalise(const host::LiveRank& rank) const {
    const std::vector<const host::ProgramModule*> modules = image_->private_modules();
    for (auto module = modules.rbegin(); module != modules.rend(); ++module) {
        for (const auto function : (*module)->finalisers) own(rank, function)();
    }
}

void LiveProgram::exit(host::LiveRank& rank, int code) {
    libc_of(rank).run_at_exit(code);
    if (globals_) finalise(rank);
    constexpr int kVisible = 0xff;  // the bits of an exit code that a waiting process sees
    rank.exit(code & kVisible);
}

void LiveProgram::warn_once(const host::LiveRank& rank, const char* function, const char* what) {
    if (std::ranges::find(warned_, function) != warned_.end()) return;
    warned_.emplace_back(function);
    ::dprintf(output_->standard_error(), "warning: rank %d calls %s(): %s\n", static_cast<int>(rank.id().value),
              function, what);
}

}  // namespace haichi::cli
