#include "netmodel/topology/xml_tags.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace haichi {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

/// Length of the UTF-8 character at the beginning of `text`; 0 when it is none, too long a form or a surrogate.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
    if (byte(0) < 0x80) return 1;
    if (byte(0) >= 0xc2 && byte(0) < 0xe0) return follows(1) ? 2 : 0;
    if (byte(0) >= 0xe0 && byte(0) < 0xf0) {
        if (!follows(1) || !follows(2)) return 0;
        const bool too_long = byte(0) == 0xe0 && byte(1) < 0xa0;
        const bool surrogate = byte(0) == 0xed && byte(1) >= 0xa0;
        return too_long || surrogate ? 0 : 3;
    }
    if (byte(0) >= 0xf0 && byte(0) < 0xf5) {
        if (!follows(1) || !follows(2) || !follows(3)) return 0;
        const bool too_long = byte(0) == 0xf0 && byte(1) < 0x90;
        const bool too_large = byte(0) == 0xf4 && byte(1) >= 0x90;
        return too_long || too_large ? 0 : 4;
    }
    return 0;
}

std::string utf8(std::uint32_t code) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80U | ((code >> shift) & 0x3fU)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xc0U | (code >> 6U)), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xe0U | (code >> 12U)), tail(6), tail(0)};
    return {static_cast<char>(0xf0U | (code >> 18U)), tail(12), tail(6), tail(0)};
}

}  // namespace

XmlTags::XmlTags(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    check_characters();
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (at(kByteOrderMark)) at_ = kByteOrderMark.size();
}

void XmlTags::fail(const std::string& message, std::string hint) const {
    throw InputError(SourcePlace{file_, line_}, message, std::move(hint));
}

void XmlTags::check_characters() {
    for (std::size_t i = 0; i < text_.size();) {
        const auto c = static_cast<unsigned char>(text_[i]);
        if (c < 0x20 && !is_blank(text_[i]))
            fail("a control character, which XML does not allow: " + shown({&text_[i], 1}));
        const std::size_t length = utf8_length(text_.substr(i));
        if (length == 0) fail("a byte that is not UTF-8: " + shown({&text_[i], 1}));
        if (c == '\n') ++line_;
        i += length;
    }
    line_ = 1;
}

void XmlTags::advance(std::size_t count) {
    line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, count), '\n'));
    at_ += count;
}

void XmlTags::skip_blanks() {
    std::size_t count = 0;
    while (at_ + count < text_.size() && is_blank(text_[at_ + count])) ++count;
    advance(count);
}

void XmlTags::skip_past(std::string_view end, const char* what) {
    const auto found = rest().find(end);
    if (found == std::string_view::npos) fail(std::string("the file ends inside ") + what);
    advance(found + end.size());
}

void XmlTags::count_item() {
    if (++items_ > kMostItems) {
        fail("more than " + std::to_string(kMostItems) + " tags and attributes", "leave out what the network is not");
    }
}

std::string XmlTags::decoded(std::string_view text, std::size_t& length) const {
    constexpr std::size_t kLongest = 12;
    const auto end = text.substr(0, kLongest).find(';');
    const std::string_view name = end == std::string_view::npos ? std::string_view{} : text.substr(1, end - 1);
    length = end + 1;
    if (name == "lt") return "<";
    if (name == "gt") return ">";
    if (name == "amp") return "&";
    if (name == "quot") return "\"";
    if (name == "apos") return "'";
    if (name.starts_with('#')) {
        const bool is_hex = name.starts_with("#x");
        const std::string_view digits = name.substr(is_hex ? 2 : 1);
        std::uint32_t code = 0;
        const auto [stop, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
        const bool is_number = error == std::errc{} && !digits.empty() && stop == digits.data() + digits.size();
        const bool is_surrogate = code >= 0xd800 && code < 0xe000;
        if (is_number && code >= 0x20 && code <= 0x10ffff && !is_surrogate) return utf8(code);
    }
    fail("unknown entity " + shown(text.substr(0, end == std::string_view::npos ? kLongest : end + 1)),
         "the entities are &lt; &gt; &amp; &quot; &apos; and printable characters as &#N;");
}

void XmlTags::skip_character_data() {
    const std::size_t end = std::min(rest().find('<'), rest().size());
    std::string_view data = rest().substr(0, end);
    if (open_.empty() && !std::ranges::all_of(data, is_blank)) {
        skip_blanks();
        fail("text outside of the root element: " + shown(rest()));
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (data[i] != '&') continue;
        advance(i);
        std::size_t length = 0;
        (void)decoded(rest(), length);
        data.remove_prefix(i);
        i = 0;
    }
    advance(data.size());
}

std::string_view XmlTags::take_name() {
    std::size_t length = 0;
    while (length < rest().size() && (length == 0 ? is_name_start(rest()[0]) : is_name_part(rest()[length]))) ++length;
    if (length == 0) fail("expected a name, got " + shown(rest().substr(0, 20)));
    const std::string_view name = rest().substr(0, length);
    advance(length);
    return name;
}

std::string XmlTags::take_value() {
    skip_blanks();
    if (!at("=")) fail("expected '=' and a quoted value, got " + shown(rest().substr(0, 20)));
    advance(1);
    skip_blanks();
    if (!at("\"") && !at("'")) fail("expected a quoted value, got " + shown(rest().substr(0, 20)));
    const char quote = rest()[0];
    advance(1);
    const auto end = rest().find(quote);
    if (end == std::string_view::npos) fail("a value without its closing quote: " + shown(rest()));
    const std::string_view raw = rest().substr(0, end);
    if (raw.find('<') != std::string_view::npos) fail("'<' in the value of an attribute: " + shown(raw));
    std::string value;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        std::size_t length = 1;
        value += raw[i] == '&' ? decoded(raw.substr(i), length) : std::string(1, raw[i]);
        i += length - 1;
    }
    advance(end + 1);
    return value;
}

void XmlTags::read_opening_tag() {
    count_item();
    name_ = take_name();
    attributes_.clear();
    while (true) {
        const std::size_t before = at_;
        skip_blanks();
        closes_too_ = at("/>");
        if (closes_too_ || at(">")) break;
        if (at_ == text_.size()) fail("the file ends inside the tag <" + std::string(name_.substr(0, 60)));
        if (at_ == before) fail("expected '>' or a blank, got " + shown(rest().substr(0, 20)));
        count_item();
        const std::string_view name = take_name();
        if (attributes_.size() == kMostAttributes) {
            fail("more than " + std::to_string(kMostAttributes) + " attributes in <" +
                 std::string(name_.substr(0, 60)) + ">: " + shown(name));
        }
        if (attribute(name) != nullptr) fail("attribute " + shown(name) + " appears twice");
        std::string value = take_value();
        attributes_.push_back({name, std::move(value)});
    }
    advance(closes_too_ ? 2 : 1);
    if (open_.empty() && has_root_) fail("a second root element " + shown(name_));
    if (open_.size() == kDeepest) fail("nested deeper than " + std::to_string(kDeepest));
    has_root_ = true;
    open_.push_back({name_, tag_line_});
    is_opening_ = true;
    depth_ = open_.size();
}

void XmlTags::read_closing_tag() {
    name_ = take_name();
    skip_blanks();
    if (!at(">")) fail("expected '>', got " + shown(rest().substr(0, 20)));
    advance(1);
    if (open_.empty()) fail("</" + std::string(name_.substr(0, 60)) + "> closes nothing");
    if (open_.back().name != name_) {
        fail("the element " + shown(open_.back().name) + " of line " + std::to_string(open_.back().line) +
             " is closed by " + shown(name_));
    }
    depth_ = open_.size();
    is_opening_ = false;
    open_.pop_back();
}

bool XmlTags::next() {
    if (closes_too_) {
        closes_too_ = false;
        is_opening_ = false;
        open_.pop_back();
        return true;
    }
    while (true) {
        skip_character_data();
        tag_line_ = line_;
        if (at_ == text_.size()) break;
        if (at("<!--")) {
            advance(4);
            skip_past("-->", "a comment");
        } else if (at("<![CDATA[") && !open_.empty()) {
            skip_past("]]>", "a CDATA section");
        } else if (at("<?")) {
            skip_past("?>", "a processing instruction");
        } else if (at("<!")) {
            fail("a document type or declaration is not accepted: " + shown(rest().substr(0, 20)),
                 "leave it out; GraphML needs none");
        } else if (at("</")) {
            advance(2);
            read_closing_tag();
            return true;
        } else {
            advance(1);
            read_opening_tag();
            return true;
        }
    }
    if (!open_.empty()) {
        fail("the file ends before the element " + shown(open_.back().name) + " of line " +
             std::to_string(open_.back().line) + " is closed");
    }
    if (!has_root_) fail("no element: this is no XML");
    return false;
}

const std::string* XmlTags::attribute(std::string_view name) const {
    const auto found = std::ranges::find(attributes_, name, &Attribute::name);
    return found == attributes_.end() ? nullptr : &found->value;
}

const std::string& XmlTags::required(std::string_view name) const {
    const std::string* value = attribute(name);
    if (value != nullptr) return *value;
    throw InputError(place(), "<" + std::string(name_) + "> has no attribute " + shown(name));
}

}  // namespace haichi
