#include "mgen/host/getopt_state.h"

#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace haichi::host {

namespace {

constexpr int kEnd = -1;
constexpr int kWrong = '?';

bool is_option(const char* argument) { return argument[0] == '-' && argument[1] != '\0'; }

}  // namespace

/// One call of getopt().
struct GetoptState::Call {
    GetoptState& state;
    int argc;
    char** argv;
    const char* shorts;  ///< short options without the leading character that sets the order
    const option* longs;
    int* long_index;
    bool is_long_only;
    bool tells = false;
    int missing = kWrong;  ///< return value for a missing argument

    int run() {
        if (state.rest_ == nullptr || *state.rest_ == '\0') {
            if (const int early = find_option(); early != kFound) return early;
            char* const argument = argv[state.optind];
            if (longs != nullptr && argument[1] == '-') {
                state.rest_ = argument + 2;
                return long_option("--", is_long_only);
            }
            // "-x" is a short option if one has this letter. "-xyz" is tried as a long option first.
            if (longs != nullptr && is_long_only &&
                (argument[2] != '\0' || std::strchr(shorts, argument[1]) == nullptr)) {
                state.rest_ = argument + 1;
                if (const int code = long_option("-", true); code != kEnd) return code;
            }
            state.rest_ = argument + 1;
        }
        return short_option();
    }

  private:
    static constexpr int kFound = -2;

    /// Advances to the next argument that is an option, and returns kFound. If there is no such argument, returns the
    /// result of the whole call.
    int find_option() {
        state.passed_end_ = std::min(state.passed_end_, state.optind);
        state.passed_begin_ = std::min(state.passed_begin_, state.optind);
        if (state.order_ == Order::kPermute) {
            move_passed();
            while (state.optind < argc && !is_option(argv[state.optind])) ++state.optind;
            state.passed_end_ = state.optind;
        }
        if (state.optind < argc && std::string_view(argv[state.optind]) == "--") {
            ++state.optind;
            const bool has_passed = state.passed_begin_ != state.passed_end_;
            if (has_passed) {
                move_passed();
            } else {
                state.passed_begin_ = state.optind;
            }
            state.passed_end_ = argc;
            state.optind = argc;
        }
        if (state.optind == argc) {
            if (state.passed_begin_ != state.passed_end_) state.optind = state.passed_begin_;
            return kEnd;
        }
        if (is_option(argv[state.optind])) return kFound;
        if (state.order_ == Order::kStopAtFirst) return kEnd;
        state.optarg = argv[state.optind++];
        return 1;
    }

    /// Moves the skipped arguments to the right of the options that followed them.
    void move_passed() {
        if (state.passed_end_ == state.optind) return;
        if (state.passed_begin_ == state.passed_end_) {
            state.passed_begin_ = state.optind;
            return;
        }
        std::rotate(argv + state.passed_begin_, argv + state.passed_end_, argv + state.optind);
        state.passed_begin_ += state.optind - state.passed_end_;
        state.passed_end_ = state.optind;
    }

    int short_option() {
        const char letter = *state.rest_++;
        const char* const known = std::strchr(shorts, letter);
        if (*state.rest_ == '\0') ++state.optind;
        if (known == nullptr || letter == ':' || letter == ';') {
            if (tells) std::fprintf(stderr, "%s: invalid option -- '%c'\n", argv[0], letter);
            state.optopt = letter;
            return kWrong;
        }
        if (known[0] == 'W' && known[1] == ';' && longs != nullptr) return long_option_of_w(letter);
        if (known[1] != ':') return letter;
        int result = letter;
        if (*state.rest_ != '\0') {
            state.optarg = state.rest_;
            ++state.optind;
        } else if (known[2] == ':') {
            state.optarg = nullptr;  // an optional argument must be in the same word as its option
        } else if (state.optind == argc) {
            result = tell_missing(letter);
        } else {
            state.optarg = argv[state.optind++];
        }
        state.rest_ = nullptr;
        return result;
    }

    int tell_missing(char letter) {
        if (tells) std::fprintf(stderr, "%s: option requires an argument -- '%c'\n", argv[0], letter);
        state.optopt = letter;
        return missing;
    }

    /// "-W name" means "--name".
    int long_option_of_w(char letter) {
        if (*state.rest_ == '\0') {
            if (state.optind == argc) return tell_missing(letter);
            state.rest_ = argv[state.optind];
        }
        state.optarg = nullptr;
        return long_option("-W ", false);
    }

    /// Returns the option with this exact name, or the only option with this prefix. Returns null and sets
    /// `is_ambiguous` if there are several, and returns null if there is none.
    const option* find_long(std::string_view name, bool only_long, bool& is_ambiguous) const {
        const option* found = nullptr;
        for (const option* candidate = longs; candidate->name != nullptr; ++candidate) {
            const std::string_view whole = candidate->name;
            if (whole == name) {
                is_ambiguous = false;
                return candidate;
            }
            if (!whole.starts_with(name)) continue;
            if (found == nullptr) {
                found = candidate;
            } else if (only_long || found->has_arg != candidate->has_arg || found->flag != candidate->flag ||
                       found->val != candidate->val) {
                is_ambiguous = true;  // several identical options are not ambiguous
            }
        }
        return is_ambiguous ? nullptr : found;
    }

    int long_option(const char* prefix, bool only_long) {
        const char* const equals = std::strchr(state.rest_, '=');
        const std::string_view name(
            state.rest_, equals == nullptr ? std::strlen(state.rest_) : static_cast<std::size_t>(equals - state.rest_));
        bool is_ambiguous = false;
        const option* const found = find_long(name, only_long, is_ambiguous);
        if (found == nullptr) {
            if (is_ambiguous) {
                tell_ambiguous(prefix, name, only_long);
            } else if (only_long && argv[state.optind][1] != '-' && std::strchr(shorts, *state.rest_) != nullptr) {
                return kEnd;  // ends a cluster of short options
            } else if (tells) {
                std::fprintf(stderr, "%s: unrecognized option '%s%s'\n", argv[0], prefix, state.rest_);
            }
            state.rest_ = nullptr;
            ++state.optind;
            state.optopt = 0;
            return kWrong;
        }
        state.rest_ = nullptr;
        ++state.optind;
        if (equals != nullptr && found->has_arg == no_argument) {
            if (tells)
                std::fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", argv[0], prefix, found->name);
            state.optopt = found->val;
            return kWrong;
        }
        if (equals != nullptr) {
            state.optarg = const_cast<char*>(equals) + 1;
        } else if (found->has_arg == required_argument) {
            if (state.optind >= argc) {
                if (tells)
                    std::fprintf(stderr, "%s: option '%s%s' requires an argument\n", argv[0], prefix, found->name);
                state.optopt = found->val;
                return missing;
            }
            state.optarg = argv[state.optind++];
        }
        if (long_index != nullptr) *long_index = static_cast<int>(found - longs);
        if (found->flag == nullptr) return found->val;
        *found->flag = found->val;
        return 0;
    }

    void tell_ambiguous(const char* prefix, std::string_view name, bool only_long) const {
        if (!tells) return;
        std::fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", argv[0], prefix, state.rest_);
        const option* first = nullptr;
        for (const option* candidate = longs; candidate->name != nullptr; ++candidate) {
            if (!std::string_view(candidate->name).starts_with(name)) continue;
            const bool differs = first == nullptr || only_long || first->has_arg != candidate->has_arg ||
                                 first->flag != candidate->flag || first->val != candidate->val;
            if (first == nullptr) first = candidate;
            if (differs) std::fprintf(stderr, " '%s%s'", prefix, candidate->name);
        }
        std::fprintf(stderr, "\n");
    }
};

int GetoptState::next(int argc, char* const* argv, const char* short_options, const option* long_options,
                      int* long_index, bool is_long_only) {
    if (argc < 1) return kEnd;
    optarg = nullptr;
    if (optind == 0 || !has_begun_) {
        if (optind == 0) optind = 1;
        passed_begin_ = passed_end_ = optind;
        rest_ = nullptr;
        const bool is_posix = std::getenv("POSIXLY_CORRECT") != nullptr;
        order_ = *short_options == '-'               ? Order::kReturnAll
                 : *short_options == '+' || is_posix ? Order::kStopAtFirst
                                                     : Order::kPermute;
        has_begun_ = true;
    }
    if (*short_options == '-' || *short_options == '+') ++short_options;
    Call call{*this, argc, const_cast<char**>(argv), short_options, long_options, long_index, is_long_only};
    call.tells = opterr != 0 && *short_options != ':';
    call.missing = *short_options == ':' ? ':' : kWrong;
    return call.run();
}

}  // namespace haichi::host
