#include "base/field_names.h"

namespace haichi {

namespace {

constexpr std::string_view kFieldSign = "§";

}  // namespace

std::string field(std::string_view name) { return std::string(kFieldSign).append(name); }

std::string spelled(std::string_view text, std::string (*spelling)(std::string_view name)) {
    std::string all;
    while (true) {
        const std::size_t sign = text.find(kFieldSign);
        all += text.substr(0, sign);
        if (sign == std::string_view::npos) return all;
        text.remove_prefix(sign + kFieldSign.size());
        std::string_view name = text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"));
        while (name.ends_with('-')) name.remove_suffix(1);
        all += name.empty() ? std::string(kFieldSign) : spelling(name);
        text.remove_prefix(name.size());
    }
}

}  // namespace haichi
