#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/live_process.h"
#include "mgen/host/globals.h"
#include "mgen/host/libc_state.h"
#include "mgen/host/program_image.h"
#include "mgen/host/rank_heaps.h"

namespace haichi::cli {

class RankWatch;

/// The arguments of `__libc_start_main` that describe a program.
struct ProgramMain {
    using Main = int (*)(int, char**, char**);
    using Init = void (*)(int, char**, char**);

    Main main = nullptr;
    Init init = nullptr;  ///< for programs linked before glibc 2.34, which contain the code that runs their
                          ///< initialisers
    int argc = 0;
    char** argv = nullptr;
};

/// The program of this process, with the private state of each rank. There is one object per process, because there is
/// one main().
class LiveProgram : public LiveProcess {
  public:
    LiveProgram(const ProgramMain& program, std::string haichi);
    ~LiveProgram() override;
    LiveProgram(const LiveProgram&) = delete;
    LiveProgram& operator=(const LiveProgram&) = delete;

    /// The running program, or null. It is needed by signal handlers and by functions that replace those of the C
    /// library.
    [[nodiscard]] static LiveProgram* running();
    /// The heaps of the ranks, which exist from the start of the ranks to the end of the process. Null if ranks use the
    /// allocator of the process.
    [[nodiscard]] static host::RankHeaps* heaps();

    LiveOutcome run(const SimulationRequest& machine, const LiveOptions& options, host::ProgramOutput& output,
                    const SimulationControl& control) override;

    [[nodiscard]] host::LibcState& libc_of(const host::LiveRank& rank) { return libc_->of(rank.id()); }
    /// Ends the rank as exit() does. Runs its exit handlers, and then the finalisers of the program.
    [[noreturn]] void exit(host::LiveRank& rank, int code);
    /// Prints a warning such as "rank 3 calls chdir(): ...". Repeated warnings, also of other ranks, are omitted.
    void warn_once(const host::LiveRank& rank, const char* function, const char* what);

    /// An address in the program or a library, as an offset in the loaded module.
    struct ModuleOffset {
        const host::ProgramModule* module;  ///< null for an address outside all modules
        std::uintptr_t offset;
    };
    /// The module and the offset of an address. The address may be in a rank's own copy of the module.
    [[nodiscard]] ModuleOffset module_offset(const void* address) const;
    /// The address in the loaded program that corresponds to an address in a rank's copy. Other addresses are returned
    /// unchanged.
    [[nodiscard]] const void* original(const void* address) const {
        return globals_ ? globals_->original(address) : address;
    }
    template <class T>
    [[nodiscard]] T* own(const host::LiveRank& rank, T* address) const {
        return globals_ ? globals_->own(rank.id(), address) : address;
    }
    [[nodiscard]] host::ProgramOutput* output() const { return output_; }
    /// The path of the program haichi, which is started to describe a fault.
    [[nodiscard]] const std::string& haichi() const { return haichi_; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    int run_rank(host::LiveRank& rank);
    /// The code of the modules for which `is_wanted` is true, as they were loaded.
    template <class IsWanted>
    [[nodiscard]] std::vector<std::span<const std::byte>> code_of(const IsWanted& is_wanted) const;
    void make_heaps(std::int32_t ranks);
    /// Runs the initialisers for a rank, or for all ranks together if `rank` is null.
    void initialise(const host::LiveRank* rank, int argc, char** argv) const;
    void finalise(const host::LiveRank& rank) const;
    ProgramMain program_;
    std::string haichi_;
    std::string path_;
    std::optional<host::ProgramImage> image_;
    std::unique_ptr<host::Globals> globals_;
    std::optional<host::LibcStates> libc_;
    std::optional<host::RankHeaps> heaps_;
    host::ProgramOutput* output_ = nullptr;
    RankWatch* watch_ = nullptr;
    std::vector<std::vector<char>> arguments_;  ///< by rank, because programs may change their arguments
    std::vector<std::string> warned_;
};

}  // namespace haichi::cli
