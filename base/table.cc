#include "base/table.h"

#include "base/errors.h"

namespace haichi {

void refuse_second(const RowWords& words, std::string_view name) {
    throw InternalError("duplicate " + words.one + " " + shown(name));
}

void refuse_unknown(const RowWords& words, std::string_view name, const std::vector<std::string>& names) {
    throw OptionError("unknown " + words.one + " " + shown(name), hint_for_unknown(words, name, names));
}

std::string hint_for_unknown(const RowWords& words, std::string_view name, const std::vector<std::string>& names) {
    return near_or_all(name, names, words.many + " are ");
}

std::string joined_names(const std::vector<std::string>& names) { return joined(names); }

}  // namespace haichi
