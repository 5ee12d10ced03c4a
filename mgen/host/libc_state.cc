#include "mgen/host/libc_state.h"

#include <getopt.h>

#include <array>
#include <cstring>

namespace haichi::host {

/// Produces the numbers of random() and rand(): glibc's default generator, which begins with seed 1.
struct LibcState::RandomState {
    static constexpr std::size_t kDefaultBytes = 128;

    random_data data{};
    alignas(std::int32_t) std::array<char, kDefaultBytes> own{};

    RandomState() { ::initstate_r(1, own.data(), own.size(), &data); }
    /// The state in use, in the form that setstate() takes: a type word, then the numbers.
    [[nodiscard]] char* in_use() const { return reinterpret_cast<char*>(data.state - 1); }
};

LibcState::LibcState() = default;
LibcState::~LibcState() = default;
LibcState::LibcState(LibcState&&) noexcept = default;
LibcState& LibcState::operator=(LibcState&&) noexcept = default;

LibcState::GetoptVariables LibcState::of_process() {
    return {.optind = &::optind, .opterr = &::opterr, .optopt = &::optopt, .optarg = &::optarg};
}

void LibcState::set_variables(const GetoptVariables& variables) {
    variables_ = variables;
    enter();
}

void LibcState::enter() const {
    *variables_.optind = getopt_.optind;
    *variables_.opterr = getopt_.opterr;
    *variables_.optopt = optopt_;
    *variables_.optarg = getopt_.optarg;
}

void LibcState::leave() {
    getopt_.optind = *variables_.optind;
    getopt_.opterr = *variables_.opterr;
    optopt_ = *variables_.optopt;
    getopt_.optarg = *variables_.optarg;
}

int LibcState::next_option(int argc, char* const* argv, const char* short_options, const option* long_options,
                           int* long_index, bool is_long_only) {
    getopt_.optind = *variables_.optind;
    getopt_.opterr = *variables_.opterr;
    const int result = getopt_.next(argc, argv, short_options, long_options, long_index, is_long_only);
    *variables_.optind = getopt_.optind;
    *variables_.optopt = getopt_.optopt;
    *variables_.optarg = getopt_.optarg;
    return result;
}

LibcState::RandomState& LibcState::random_state() {
    if (random_ == nullptr) random_ = std::make_unique<RandomState>();
    return *random_;
}

long LibcState::random() {
    std::int32_t number = 0;
    ::random_r(&random_state().data, &number);
    return number;
}

void LibcState::set_random_seed(unsigned seed) { ::srandom_r(seed, &random_state().data); }

char* LibcState::use_random_state(unsigned seed, char* state, std::size_t size) {
    char* const before = random_state().in_use();
    return ::initstate_r(seed, state, size, &random_state().data) == 0 ? before : nullptr;
}

char* LibcState::use_random_state(char* state) {
    char* const before = random_state().in_use();
    return ::setstate_r(state, &random_state().data) == 0 ? before : nullptr;
}

drand48_data& LibcState::drand48_state() {
    if (drand48_ == nullptr) drand48_ = std::make_unique<drand48_data>();
    return *drand48_;
}

char* LibcState::next_token(char* text, const char* delimiters) { return ::strtok_r(text, delimiters, &token_); }

LibcState::Lists& LibcState::lists() {
    if (lists_ == nullptr) lists_ = std::make_unique<Lists>();
    return *lists_;
}

void LibcState::at_exit(void (*function)(void*), void* argument) {
    lists().at_exit.push_back({.plain = function, .argument = argument});
}

void LibcState::at_exit(void (*function)(int, void*), void* argument) {
    lists().at_exit.push_back({.with_code = function, .argument = argument});
}

void LibcState::at_quick_exit(void (*function)(void*), void* argument) {
    lists().at_quick_exit.push_back({.plain = function, .argument = argument});
}

void LibcState::run(std::vector<AtExit>& list, int code) {
    while (!list.empty()) {
        const AtExit last = list.back();
        list.pop_back();
        if (last.plain != nullptr) {
            last.plain(last.argument);
        } else {
            last.with_code(code, last.argument);
        }
    }
}

void LibcState::run_at_exit(int code) {
    if (lists_ != nullptr) run(lists_->at_exit, code);
}

void LibcState::run_at_quick_exit() {
    if (lists_ != nullptr) run(lists_->at_quick_exit, 0);
}

void LibcStates::put_in_place(RankId rank) {
    if (in_place_.valid()) of(in_place_).leave();
    in_place_ = rank;
    of(rank).enter();
}

}  // namespace haichi::host
