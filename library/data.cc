#include "library/data.h"

#include "base/field_names.h"

namespace haichi::v0 {

Error::Error(ErrorKind kind, const std::string& message, std::string file, std::size_t line, std::string hint)
    : std::runtime_error(message), kind_(kind), file_(std::move(file)), line_(line), hint_(std::move(hint)) {}

// The destructors are not inline, so that all shared libraries of a program share the type information of exceptions.
Error::~Error() = default;
InputError::~InputError() = default;
OptionError::~OptionError() = default;
UnsupportedError::~UnsupportedError() = default;

const char* version() { return HAICHI_VERSION; }

namespace detail {

void rethrow(const haichi::Error& error) {
    const auto in_cpp = [](std::string_view text) {
        return spelled(text, [](std::string_view name) { return std::string(name); });
    };
    const std::string message = in_cpp(error.what());
    std::string hint = in_cpp(error.hint());
    switch (error.kind()) {
        case haichi::ErrorKind::kInput: {
            const auto* const input = dynamic_cast<const haichi::InputError*>(&error);
            const SourcePlace place = input == nullptr ? SourcePlace{} : input->place();
            // "§" marks the name of an option. The value of an option is not in a file.
            if (place.file.starts_with("§")) throw OptionError(ErrorKind::kOption, message, "", 0, std::move(hint));
            throw InputError(ErrorKind::kInput, message, place.file, place.line, std::move(hint));
        }
        case haichi::ErrorKind::kOption:
            throw OptionError(ErrorKind::kOption, message, "", 0, std::move(hint));
        case haichi::ErrorKind::kUnsupported:
            throw UnsupportedError(ErrorKind::kUnsupported, message, "", 0, std::move(hint));
        case haichi::ErrorKind::kInternal:
            break;
    }
    throw Error(ErrorKind::kInternal, message, "", 0, std::move(hint));
}

void take(OptionTable& table, const std::string& name, const std::string& word) {
    if (!word.empty()) table.take(name, {word});
}

void take_more(OptionTable& table, const MoreOptions& more) {
    for (const auto& [name, word] : more) {
        const OptionRow* const row = table.find(name);
        if (row == nullptr) {
            std::vector<std::string> names;
            for (const OptionRow& one : table.rows()) names.push_back(one.name);
            throw haichi::OptionError("unknown option " + shown(name), near_or_all(name, names, "options are "));
        }
        if (row->is_given)
            throw haichi::OptionError(row->field() + " is given twice", "set the member or more, not both");
        table.take(name, {word});
    }
    table.check();
}

std::string joined(const std::vector<std::int32_t>& numbers, char separator) {
    std::string text;
    for (const std::int32_t number : numbers) {
        if (!text.empty()) text += separator;
        text += std::to_string(number);
    }
    return text;
}

std::vector<NodeId> node_ids(const std::vector<std::int32_t>& numbers) {
    std::vector<NodeId> ids;
    ids.reserve(numbers.size());
    for (const std::int32_t number : numbers) ids.emplace_back(number);
    return ids;
}

const JobProblem& JobData::problem() const {
    const std::scoped_lock lock(mutex_);
    if (!problem_) problem_ = job.problem();
    return *problem_;
}

}  // namespace detail

}  // namespace haichi::v0
