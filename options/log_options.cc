#include "options/log_options.h"

#include "base/errors.h"
#include "base/field_names.h"
#include "base/quantity.h"
#include "base/split.h"
#include "commlog/readers/log_readers.h"

namespace haichi {

void declare_logs(OptionTable& options, std::vector<std::string>& logs, const std::string& description) {
    options.begin(OptionGroup::kWorkload);
    options.add_texts("LOG", logs, {.description = description, .is_required = true, .is_argument = true});
}

void declare_log_format(OptionTable& options, std::string& format) {
    options.begin(OptionGroup::kWorkload);
    options.add_read("log-format", ValueKind::kText,
                     [&format](const std::string& word) { format = log_format(word).name; },
                     {.description = "Format of the logs (haichi list log-formats)",
                      .value = "FORMAT",
                      .otherwise = "recognised by their content"});
}

void declare_rails(OptionTable& options, std::vector<std::int32_t>& rails) {
    options.add_read(
        "rails", ValueKind::kList,
        [&rails](const std::string& word) {
            rails.clear();
            for (const std::string_view number : split(word, ',')) {
                OptionTable one;
                one.add_count("rails", rails.emplace_back(), {.description = "", .most = kMostRails});
                one.take("rails", {std::string(number)});
            }
        },
        {.description = "Number of NICs per node that each run used, one number for each log", .value = "N,N,..."});
}

void declare_advice(OptionTable& options, RailAdviceRequest& advice) {
    declare_log_format(options, advice.format);
    declare_rails(options, advice.rails);
    options.add_count("interfaces", advice.interfaces,
                      {.description = "Number of NICs that each node has", .most = kMostRails});
}

}  // namespace haichi
