#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "mgen/host/getopt_state.h"
#include "mgen/host/host.h"

namespace haichi::host {

/// State that the C library keeps once per process and MPI programs expect once per rank. It covers option parsing,
/// random numbers, strtok(), and the functions to call at exit. Fibers hold errno and the exceptions being handled.
/// Random numbers equal those of glibc.
class LibcState {
  public:
    LibcState();
    ~LibcState();
    LibcState(LibcState&&) noexcept;
    LibcState& operator=(LibcState&&) noexcept;

    /// Addresses of the getopt variables that the rank's code uses.
    struct GetoptVariables {
        int *optind, *opterr, *optopt;
        char** optarg;
    };
    static GetoptVariables of_process();
    /// Selects the rank's getopt variables and sets them to their initial state.
    void set_variables(const GetoptVariables& variables);

    /// Before the rank runs: sets the variables optind, opterr, optopt and optarg to the rank's values.
    void enter() const;
    /// Before another rank runs: saves the values of these variables.
    void leave();

    /// Works like getopt() and its variants, and sets optind, optopt and optarg as they do.
    int next_option(int argc, char* const* argv, const char* short_options, const option* long_options, int* long_index,
                    bool is_long_only);

    long random();
    void set_random_seed(unsigned seed);
    /// Works like initstate() and setstate(). Returns the previous state, or null for an invalid argument.
    char* use_random_state(unsigned seed, char* state, std::size_t size);
    char* use_random_state(char* state);
    /// The state for drand48_r() and its variants.
    drand48_data& drand48_state();

    char* next_token(char* text, const char* delimiters);

    /// Registers functions to call when the rank ends, the last one first.
    void at_exit(void (*function)(void*), void* argument);
    void at_exit(void (*function)(int, void*), void* argument);
    void at_quick_exit(void (*function)(void*), void* argument);
    /// Calls the registered functions, and those that they register.
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
    int optopt_ = '?';  ///< the value that programs see before the first call, too
    char* token_ = nullptr;
    // Created at first use, because few programs use these functions and there may be many ranks.
    std::unique_ptr<RandomState> random_;
    std::unique_ptr<drand48_data> drand48_;
    std::unique_ptr<Lists> lists_;
};

/// The C library states of all ranks.
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
