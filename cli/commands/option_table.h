#pragma once

#include <string>
#include <variant>
#include <vector>

namespace haichi::cli {

/// One option of a command: what --help shows of it, and where its value goes.
struct OptionRow {
    std::string names;        ///< "-o,--output"; an argument without a dash is given by its place: "FILE"
    std::string placeholder;  ///< of the value, in --help
    std::string description;
    std::variant<bool*, int*, std::string*, std::vector<std::string>*> value;
};

/// What a command takes, in the order of --help. The values must outlive the reading of the command line.
class OptionTable {
  public:
    /// An option with one value, kept as text.
    void add_value(std::string names, std::string& value, std::string placeholder, std::string description);
    /// The same, but it may be repeated.
    void add_values(std::string names, std::vector<std::string>& values, std::string placeholder,
                    std::string description);
    void add_flag(std::string names, bool& is_given, std::string description);
    /// A flag whose repetitions are counted, as in -vv.
    void add_counter(std::string names, int& count, std::string description);
    /// An argument that is given by its place.
    void add_argument(std::string name, std::string& value, std::string description);
    /// All those that follow.
    void add_arguments(std::string name, std::vector<std::string>& values, std::string description);

    [[nodiscard]] const std::vector<OptionRow>& rows() const { return rows_; }

  private:
    std::vector<OptionRow> rows_;
};

}  // namespace haichi::cli
