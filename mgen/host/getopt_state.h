#pragma once

struct option;  // of <getopt.h>

namespace haichi::host {

/// How far a rank is with reading its options: getopt(), getopt_long() and getopt_long_only() of the C library as
/// values, since theirs is one for all ranks of a process. Results, messages and the order in which arguments are left
/// are those of glibc.
struct GetoptState {
    int optind = 1;
    int opterr = 1;
    int optopt = 0;
    char* optarg = nullptr;

    /// As getopt_long() of glibc; `long_options` null: as getopt().
    int next(int argc, char* const* argv, const char* short_options, const option* long_options, int* long_index,
             bool is_long_only);

  private:
    enum class Order : unsigned char { kPermute, kStopAtFirst, kReturnAll };
    struct Call;

    bool has_begun_ = false;
    Order order_ = Order::kPermute;
    char* rest_ = nullptr;  ///< of the cluster "-abc": what was not returned yet
    // Arguments that are no options and were passed over: they are moved behind the options that follow.
    int passed_begin_ = 1;
    int passed_end_ = 1;
};

}  // namespace haichi::host
