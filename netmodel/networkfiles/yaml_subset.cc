#include "netmodel/networkfiles/yaml_subset.h"

#include <algorithm>
#include <optional>

#include "base/split.h"

namespace haichi {

namespace {

constexpr int kDeepest = 32;

struct Line {
    std::size_t number = 0;
    std::size_t indent = 0;
    std::string text;
};

/// The part of a line before its comment. A "#" begins one at the start and after a blank, outside quotes.
std::string_view without_comment(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if ((c == '"' || c == '\'') &&
                   (i == 0 || std::string_view(" [{,:").find(line[i - 1]) != std::string_view::npos)) {
            quote = c;
        } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
            return line.substr(0, i);
        }
    }
    return line;
}

/// Position of the colon after a key. npos if the text has no such colon.
std::size_t key_end(std::string_view text) {
    std::size_t from = 0;
    if (text.starts_with('"') || text.starts_with('\'')) {
        from = text.find(text.front(), 1);
        if (from == std::string_view::npos) return from;
    }
    for (std::size_t i = from; i < text.size(); ++i) {
        if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\t')) return i;
        if (from == 0 && (text[i] == '[' || text[i] == '{') && i == 0) return std::string_view::npos;
    }
    return std::string_view::npos;
}

bool is_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

class YamlReader {
  public:
    YamlReader(std::string_view text, const std::string& file) : file_(&file) {
        std::size_t number = 0;
        for (const std::string_view raw : split(text, '\n')) {
            ++number;
            const std::string_view line = trimmed(without_comment(raw), " \r");
            const std::string_view content = trimmed(line);
            if (content.empty() || content.starts_with('%')) continue;
            if (content == "---") {
                if (lines_.empty()) continue;
                throw InputError(place(number), "a second YAML document", "keep one document in the file");
            }
            if (content == "...") break;
            const std::size_t indent = raw.find_first_not_of(' ');
            if (raw[indent] == '\t') throw InputError(place(number), "a tab in the indentation", "indent with blanks");
            lines_.push_back({number, indent, std::string(content)});
        }
    }

    YamlValue read() {
        if (lines_.empty()) return {.place = place(0)};
        YamlValue value = block(lines_.front().indent, 0);
        if (at_ < lines_.size()) refuse("unexpected indentation before ");
        return value;
    }

  private:
    [[nodiscard]] SourcePlace place(std::size_t number) const { return {*file_, number}; }
    [[nodiscard]] SourcePlace here() const { return place(lines_[at_].number); }
    [[noreturn]] void refuse(const std::string& what) const {
        throw InputError(here(), what + shown(lines_[at_].text));
    }

    /// A list or map whose lines have this indentation, or a scalar.
    YamlValue block(std::size_t indent, int depth) {
        if (depth > kDeepest) refuse("nested deeper than 32: ");
        if (is_item(lines_[at_].text)) return list(indent, depth);
        if (key_end(lines_[at_].text) != std::string::npos) return map(indent, depth);
        return value_text(lines_[at_].text);
    }

    YamlValue list(std::size_t indent, int depth) {
        YamlValue value{.kind = YamlValue::Kind::kList, .place = here()};
        while (at_ < lines_.size() && lines_[at_].indent == indent && is_item(lines_[at_].text)) {
            Line& line = lines_[at_];
            const auto start = line.text.find_first_not_of(' ', 1);
            if (start == std::string::npos) {
                value.items.push_back(nested(indent, depth));
                continue;
            }
            // The item's content is a line of its own, further to the right.
            line.text.erase(0, start);
            line.indent += start;
            value.items.push_back(block(line.indent, depth + 1));
        }
        return value;
    }

    YamlValue map(std::size_t indent, int depth) {
        YamlValue value{.kind = YamlValue::Kind::kMap, .place = here()};
        while (at_ < lines_.size() && lines_[at_].indent == indent && !is_item(lines_[at_].text)) {
            const std::string text = lines_[at_].text;
            const std::size_t end = key_end(text);
            if (end == std::string::npos) refuse("expected KEY: VALUE, found ");
            const std::string key(unquoted(trimmed(std::string_view(text).substr(0, end))));
            if (value.find(key) != nullptr) refuse("duplicate key in ");
            const std::string_view rest = trimmed(std::string_view(text).substr(end + 1));
            value.entries.emplace_back(key, YamlValue{});
            value.entries.back().second = rest.empty() ? nested(indent, depth) : value_text(rest);
        }
        return value;
    }

    /// The value below the current line, whose indentation is given. Lists may have the indentation of their key.
    YamlValue nested(std::size_t indent, int depth) {
        const SourcePlace above = here();
        const bool is_key = !is_item(lines_[at_].text);
        ++at_;
        if (at_ == lines_.size()) return {.place = above};
        const Line& next = lines_[at_];
        if (next.indent > indent || (is_key && next.indent == indent && is_item(next.text))) {
            return block(next.indent, depth + 1);
        }
        return {.place = above};
    }

    /// A scalar or a value in flow style, which may continue on the next lines.
    YamlValue value_text(std::string_view first) {
        const SourcePlace start = here();
        std::string text(first);
        ++at_;
        if (text.front() != '[' && text.front() != '{') return scalar(text, start);
        while (!is_balanced(text) && at_ < lines_.size()) text.append(" ").append(lines_[at_++].text);
        std::string_view rest = text;
        YamlValue value = flow(rest, start, 0);
        if (!trimmed(rest).empty()) throw InputError(start, "unexpected text after a list: " + shown(rest));
        return value;
    }

    static bool is_balanced(std::string_view text) {
        int depth = 0;
        char quote = 0;
        for (const char c : text) {
            if (quote != 0) {
                if (c == quote) quote = 0;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '[' || c == '{') {
                ++depth;
            } else if (c == ']' || c == '}') {
                --depth;
            }
        }
        return depth <= 0;
    }

    YamlValue flow(std::string_view& rest, const SourcePlace& start, int depth) {
        if (depth > kDeepest) throw InputError(start, "nested deeper than 32");
        rest = trimmed(rest);
        const char open = rest.empty() ? ' ' : rest.front();
        if (open != '[' && open != '{') {
            if (open == '"' || open == '\'') {
                const auto end = rest.find(open, 1);
                if (end == std::string_view::npos) throw InputError(start, "a quote is not closed: " + shown(rest));
                YamlValue value = scalar(rest.substr(0, end + 1), start);
                rest.remove_prefix(end + 1);
                return value;
            }
            // Brackets inside a plain scalar belong to a hostlist: n[1-2].
            std::size_t end = 0;
            int inside = 0;
            for (; end < rest.size(); ++end) {
                if (rest[end] == '[') ++inside;
                if (inside == 0 && std::string_view(",]}:").find(rest[end]) != std::string_view::npos) break;
                if (rest[end] == ']') --inside;
            }
            YamlValue value = scalar(trimmed(rest.substr(0, end)), start);
            rest.remove_prefix(end);
            return value;
        }
        const char close = open == '[' ? ']' : '}';
        YamlValue value{.kind = open == '[' ? YamlValue::Kind::kList : YamlValue::Kind::kMap, .place = start};
        rest.remove_prefix(1);
        while (true) {
            rest = trimmed(rest);
            if (rest.empty()) throw InputError(start, std::string("expected '") + close + "' at the end of a list");
            if (rest.front() == close) break;
            YamlValue item = flow(rest, start, depth + 1);
            rest = trimmed(rest);
            if (open == '{') {
                if (!rest.starts_with(':')) throw InputError(start, "expected KEY: VALUE, found " + shown(item.text));
                rest.remove_prefix(1);
                value.entries.emplace_back(item.text, flow(rest, start, depth + 1));
                rest = trimmed(rest);
            } else {
                value.items.push_back(std::move(item));
            }
            if (rest.starts_with(',')) rest.remove_prefix(1);
        }
        rest.remove_prefix(1);
        return value;
    }

    static std::string_view unquoted(std::string_view text) {
        const bool is_quoted =
            text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
        return is_quoted ? text.substr(1, text.size() - 2) : text;
    }

    static YamlValue scalar(std::string_view text, const SourcePlace& place) {
        constexpr std::string_view kUnsupported = "&*!|>";
        if (!text.empty() && kUnsupported.find(text.front()) != std::string_view::npos) {
            throw InputError(place, "anchors, tags and block scalars of YAML are not supported: " + shown(text));
        }
        if (text.empty() || text == "~" || text == "null") return {.place = place};
        return {.kind = YamlValue::Kind::kText, .place = place, .text = std::string(unquoted(text))};
    }

    const std::string* file_;
    std::vector<Line> lines_;
    std::size_t at_ = 0;
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
    if (value.kind != Kind::kText) throw InputError(value.place, "expected a text for " + shown(key));
    return value.text;
}

void YamlValue::check_keys(const std::vector<std::string>& known) const {
    if (kind != Kind::kMap) throw InputError(place, "expected keys and values: " + joined(known));
    for (const auto& [key, value] : entries) {
        if (std::ranges::find(known, key) != known.end()) continue;
        throw InputError(value.place, "unknown key " + shown(key), near_or_all(key, known, "keys are "));
    }
}

YamlValue read_yaml_subset(std::string_view text, const std::string& file) { return YamlReader(text, file).read(); }

}  // namespace haichi
