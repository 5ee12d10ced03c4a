#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands/option_table.h"
#include "cli/output/console.h"
#include "mapper/judge/evaluate.h"

namespace haichi::cli {

/// --require, repeatable; see read_requirements().
void add_requirements(OptionTable& options, std::vector<std::string>& requirements);

/// Throws OptionError naming the option that must be given.
void require_value(const std::string& value, const std::string& option);

/// A whole number in [least, most]; throws OptionError or InputError naming the option.
std::int64_t read_count(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most);
/// A decimal number; throws OptionError naming the option.
double read_number(const std::string& option, const std::string& text);
/// --packet-hops of the advisors, "2e9"; empty: kAdvicePacketHops. Throws OptionError for less than 1.
double read_packet_hops(const std::string& text);
/// "1048576" or "1MiB".
std::int64_t read_bytes(const std::string& option, const std::string& text);

/// A limit that a script sets: `--require tac3<=0.001`.
struct Requirement {
    std::string metric;
    double limit = 0;
};
/// Throws OptionError for another form and for what a report about `objective` does not tell.
std::vector<Requirement> read_requirements(const std::vector<std::string>& texts, const std::string& objective);
/// kExitLimitNotMet, each missed limit said, or kExitDone.
int check_requirements(const std::vector<Requirement>& requirements, const Evaluation& evaluation, Console& console);

}  // namespace haichi::cli
