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

/// The arguments of `__libc_start_main` that describe the program.
struct ProgramMain {
    using Main = int (*)(int, char**, char**);
    using Init = void (*)(int, char**, char**);

    Main main = nullptr;
    Init init = nullptr;  ///< for programs linked before glibc 2.34, which run their initialisers themselves
    int argc = 0;
    char** argv = nullptr;
};

/// The program of this process, with the private state of each rank. A process has one, because it has one main().
class LiveProgram : public LiveProcess {
  public:
    LiveProgram(const ProgramMain& program, std::string haichi);
    ~LiveProgram() override;
    LiveProgram(const LiveProgram&) = delete;
    LiveProgram& operator=(const LiveProgram&) = delete;

    /// The running program, for functions with names of the C library and for signal handlers. Null while none runs.
    [[nodiscard]] static LiveProgram* running();
    /// The heaps of the ranks, from their start to the end of the process. Null if ranks use the allocator of the
    /// process.
    [[nodiscard]] static host::RankHeaps* heaps();

    LiveOutcome run(const SimulationRequest& machine, const LiveOptions& options, host::ProgramOutput& output,
                    const SimulationControl& control) override;

    [[nodiscard]] host::LibcState& libc_of(const host::LiveRank& rank) { return libc_->of(rank.id()); }
    /// Ends the rank as exit() does: runs its exit handlers, then the finalisers of the program.
    [[noreturn]] void exit(host::LiveRank& rank, int code);
    /// Prints a warning once for all ranks: "rank 3 calls chdir(): ...".
    void warn_once(const host::LiveRank& rank, const char* function, const char* what);

    /// An address in the program or a library, relative to the loaded module.
    struct ModuleOffset {
        const host::ProgramModule* module;  ///< null for an address outside all modules
        std::uintptr_t offset;
    };
    /// The module and offset of an address, which may be in a rank's own copy.
    [[nodiscard]] ModuleOffset module_offset(const void* address) const;
    /// The address in the loaded program, for an address that may be in a rank's copy of it.
    [[nodiscard]] const void* original(const void* address) const {
        return globals_ ? globals_->original(address) : address;
    }
    template <class T>
    [[nodiscard]] T* own(const host::LiveRank& rank, T* address) const {
        return globals_ ? globals_->own(rank.id(), address) : address;
    }
    [[nodiscard]] host::ProgramOutput* output() const { return output_; }
    /// The program of haichi, which describes a fault.
    [[nodiscard]] const std::string& haichi() const { return haichi_; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    int run_rank(host::LiveRank& rank);
    /// The code of the wanted modules as they were loaded.
    template <class IsWanted>
    [[nodiscard]] std::vector<std::span<const std::byte>> code_of(const IsWanted& is_wanted) const;
    void make_heaps(std::int32_t ranks);
    /// Runs the initialisers for a rank, or for all ranks together if null.
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
