#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "mgen/host/getopt_state.h"
#include "mgen/host/host.h"

namespace haichi::host {

/// What the C library keeps once per process and MPI programs expect once per rank: options, random numbers, strtok(),
/// what is to be called at the end. (Fibers keep errno and the exceptions that are being handled.) Numbers are those of
/// glibc.
class LibcState {
  public:
    LibcState();
    ~LibcState();
    LibcState(LibcState&&) noexcept;
    LibcState& operator=(LibcState&&) noexcept;

    /// Where its code has them.
    struct GetoptVariables {
        int *optind, *opterr, *optopt;
        char** optarg;
    };
    static GetoptVariables of_process();
    /// Its own; they are as in the beginning.
    void set_variables(const GetoptVariables& variables);

    /// The rank is about to run: optind, opterr, optopt and optarg become its own.
    void enter() const;
    /// Another one will: they are kept.
    void leave();

    /// getopt() and its kin; leaves optind, optopt and optarg as theirs do.
    int next_option(int argc, char* const* argv, const char* short_options, const option* long_options, int* long_index,
                    bool is_long_only);

    long random();
    void set_random_seed(unsigned seed);
    /// As initstate() and setstate(): the state before, null for what they refuse.
    char* use_random_state(unsigned seed, char* state, std::size_t size);
    char* use_random_state(char* state);
    /// For drand48_r() and its kin.
    drand48_data& drand48_state();

    char* next_token(char* text, const char* delimiters);

    /// What is called when the rank ends, last first.
    void at_exit(void (*function)(void*), void* argument);
    void at_exit(void (*function)(int, void*), void* argument);
    void at_quick_exit(void (*function)(void*), void* argument);
    /// Calls them, also those that they add.
    void run_at_exit(int code);
    void run_at_quick_exit();

  private:
    struct AtExit {
        void (*plain)(void*) = nullptr;
        void (*with_code)(int, void*) = nullptr;
        void* argument = nullptr;
    };
    struct Lists {
        std::vector<AtExit> at_exit, at_quick_exit;
    };
    struct RandomState;

    RandomState& random_state();
    Lists& lists();
    static void run(std::vector<AtExit>& list, int code);

    GetoptVariables variables_ = of_process();
    GetoptState getopt_;
    int optopt_ = '?';  ///< as programs see it, before the first call, too
    char* token_ = nullptr;
    // Few programs use them, and there are many ranks: made when they are first used.
    std::unique_ptr<RandomState> random_;
    std::unique_ptr<drand48_data> drand48_;
    std::unique_ptr<Lists> lists_;
};

/// Those of all ranks.
class LibcStates : public RankMemory {
  public:
    explicit LibcStates(std::int32_t ranks) : states_(static_cast<std::size_t>(ranks)) {}

    [[nodiscard]] LibcState& of(RankId rank) { return states_[rank.index()]; }
    void put_in_place(RankId rank) override;

  private:
    std::vector<LibcState> states_;
    RankId in_place_;
};

}  // namespace haichi::host
