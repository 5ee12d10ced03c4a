#pragma once

struct option;  // from <getopt.h>

namespace haichi::host {

/// The progress of a rank in reading its options. Implements getopt(), getopt_long() and getopt_long_only() without the
/// state of the C library, which all ranks of a process share. Results, messages and the final order of arguments equal
/// those of glibc.
struct GetoptState {
    int optind = 1;
    int opterr = 1;
    int optopt = 0;
    char* optarg = nullptr;

    /// Works like glibc's getopt_long(), or like getopt() if `long_options` is null.
    int next(int argc, char* const* argv, const char* short_options, const option* long_options, int* long_index,
             bool is_long_only);

  private:
    enum class Order : unsigned char { kPermute, kStopAtFirst, kReturnAll };
    struct Call;

    bool has_begun_ = false;
    Order order_ = Order::kPermute;
    char* rest_ = nullptr;  ///< the rest of a cluster "-abc" that has not been returned yet
    // Range of skipped arguments that are not options. They are moved after the options that follow them.
    int passed_begin_ = 1;
    int passed_end_ = 1;
};

}  // namespace haichi::host
