#include "cli/commands/option_table.h"

#include <utility>

namespace haichi::cli {

void OptionTable::add_value(std::string names, std::string& value, std::string placeholder, std::string description) {
    rows_.push_back({std::move(names), std::move(placeholder), std::move(description), &value});
}

void OptionTable::add_values(std::string names, std::vector<std::string>& values, std::string placeholder,
                             std::string description) {
    rows_.push_back({std::move(names), std::move(placeholder), std::move(description), &values});
}

void OptionTable::add_flag(std::string names, bool& is_given, std::string description) {
    rows_.push_back({std::move(names), "", std::move(description), &is_given});
}

void OptionTable::add_counter(std::string names, int& count, std::string description) {
    rows_.push_back({std::move(names), "", std::move(description), &count});
}

void OptionTable::add_argument(std::string name, std::string& value, std::string description) {
    rows_.push_back({std::move(name), "", std::move(description), &value});
}

void OptionTable::add_arguments(std::string name, std::vector<std::string>& values, std::string description) {
    rows_.push_back({std::move(name), "", std::move(description), &values});
}

}  // namespace haichi::cli
