#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/live_process.h"
#include "mgen/host/libc_state.h"
#include "mgen/host/program_image.h"
#include "mgen/host/rank_heaps.h"

namespace haichi::cli {

/// What `__libc_start_main` is given of the program.
struct ProgramMain {
    using Main = int (*)(int, char**, char**);
    using Init = void (*)(int, char**, char**);

    Main main = nullptr;
    Init init = nullptr;  ///< of programs linked before glibc 2.34, which run their initialisers themselves
    int argc = 0;
    char** argv = nullptr;
};

/// The program in whose process this is, with what each rank has for itself. There is one in a process, as there is one
/// main().
class LiveProgram : public LiveProcess {
  public:
    LiveProgram(const ProgramMain& program, std::string haichi);
    ~LiveProgram() override;
    LiveProgram(const LiveProgram&) = delete;
    LiveProgram& operator=(const LiveProgram&) = delete;

    /// While it runs: of whoever is called by the C library's names, or by a signal; else null.
    [[nodiscard]] static LiveProgram* running();
    /// Of the ranks, from their beginning to the end of the process; null: they allocate where everybody does.
    [[nodiscard]] static host::RankHeaps* heaps();

    LiveOutcome run(const SimulationRequest& machine, const LiveRunOptions& options, host::ProgramOutput& output,
                    const SimulationControl& control) override;

    [[nodiscard]] host::LibcState& libc_of(const host::LiveRank& rank) { return libc_->of(rank.id()); }
    /// As exit() does: what the rank has asked to be called, then the finalisers of the program.
    [[noreturn]] void exit(host::LiveRank& rank, int code);
    /// A warning that is given once for all ranks: "rank 3 calls chdir(): ...".
    void warn_once(const host::LiveRank& rank, const char* function, const char* what);

    /// Where something lies in the program or a library, as that was loaded.
    struct ModuleOffset {
        const host::ProgramModule* module;  ///< null: nowhere
        std::uintptr_t offset;
    };
    /// Also of a rank's own copy.
    [[nodiscard]] ModuleOffset module_offset(const void* address) const;
    /// As the program was loaded: where a rank has a copy of it.
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
    /// Of the modules that are wanted, as they were loaded.
    template <class IsWanted>
    [[nodiscard]] std::vector<std::span<const std::byte>> code_of(const IsWanted& is_wanted) const;
    void make_heaps(std::int32_t ranks);
    /// Of a rank, or of all together.
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
    std::vector<std::vector<char>> arguments_;  ///< by rank: programs change theirs
    std::vector<std::string> warned_;
};

}  // namespace haichi::cli
