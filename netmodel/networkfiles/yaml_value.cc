#include "netmodel/networkfiles/yaml_value.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace haichi {

namespace {

constexpr int kDeepest = 32;
/// Aliases repeat values, so even a short document can expand to very many.
constexpr int kMostValues = 1'000'000;

class YamlConverter {
  public:
    explicit YamlConverter(const std::string& file) : file_(&file) {}

    /// `mark` is the place of the parent, for values without a place.
    YamlValue convert(const YAML::Node& node, const YAML::Mark& mark, int depth = 0) {
        const YAML::Mark at = node.Mark().is_null() ? mark : node.Mark();
        YamlValue value{.place = place(at)};
        if (depth > kDeepest)
            throw InputError(value.place, "nested deeper than " + std::to_string(kDeepest) + " levels");
        if (++values_ > kMostValues) throw InputError(value.place, "aliases repeat too many values");
        if (node.IsScalar()) {
            value.kind = YamlValue::Kind::kText;
            value.text = node.Scalar();
        } else if (node.IsSequence()) {
            value.kind = YamlValue::Kind::kList;
            for (const YAML::Node& item : node) value.items.push_back(convert(item, at, depth + 1));
        } else if (node.IsMap()) {
            value.kind = YamlValue::Kind::kMap;
            for (const auto& entry : node) {
                const YAML::Node& key = entry.first;
                if (!key.IsScalar()) throw InputError(place(key.Mark()), "expected a string as a key");
                if (value.find(key.Scalar()) != nullptr)
                    throw InputError(place(key.Mark()), "duplicate key " + shown(key.Scalar()));
                value.entries.emplace_back(key.Scalar(), convert(entry.second, key.Mark(), depth + 1));
            }
        }
        return value;
    }

    [[nodiscard]] SourcePlace place(const YAML::Mark& mark) const {
        return {*file_, mark.is_null() ? 0 : static_cast<std::size_t>(mark.line) + 1};
    }

  private:
    const std::string* file_;
    int values_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
    const auto found = std::ranges::find_if(entries, [key](const auto& entry) { return entry.first == key; });
    return found == entries.end() ? nullptr : &found->second;
}

const YamlValue& YamlValue::at(std::string_view key) const {
    if (const YamlValue* value = find(key)) return *value;
    throw InputError(place, "missing key " + shown(key));
}

const std::vector<YamlValue>& YamlValue::list(std::string_view key) const {
    static const std::vector<YamlValue> kNone;
    const YamlValue* value = find(key);
    if (value == nullptr || value->kind == Kind::kNothing) return kNone;
    if (value->kind != Kind::kList) throw InputError(value->place, "expected a list for " + shown(key));
    return value->items;
}

const std::string& YamlValue::text_at(std::string_view key) const {
    const YamlValue& value = at(key);
    if (value.kind != Kind::kText) throw InputError(value.place, "expected a string for " + shown(key));
    return value.text;
}

void YamlValue::check_keys(const std::vector<std::string>& known) const {
    if (kind != Kind::kMap) throw InputError(place, "expected keys and values: " + joined(known));
    for (const auto& [key, value] : entries) {
        if (std::ranges::find(known, key) != known.end()) continue;
        throw InputError(value.place, "unknown key " + shown(key), near_or_all(key, known, "keys are "));
    }
}

YamlValue read_yaml(std::string_view text, const std::string& file) {
    YamlConverter converter(file);
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
        if (documents.empty()) return {.place = {file, 0}};
        if (documents.size() > 1)
            throw InputError(converter.place(documents[1].Mark()), "a second YAML document",
                             "keep one document in the file");
        return converter.convert(documents.front(), YAML::Mark());
    } catch (const YAML::Exception& error) {
        throw InputError(converter.place(error.mark), "not valid YAML: " + error.msg);
    }
}

}  // namespace haichi
