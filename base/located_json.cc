#include "base/located_json.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text_stream.h"

namespace haichi {

using nlohmann::json;

std::string read_file(const std::string& path, std::size_t largest_bytes) {
    const auto close = [](std::FILE* f) {
        if (f != nullptr && f != stdin) std::fclose(f);
    };
    const std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
    if (!file) throw InputError("cannot read " + path + ": " + std::strerror(errno));
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 20);
    while (true) {
        const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
        const std::string_view chunk(buffer.data(), count);
        // A NUL byte fails at once, because its file may be an endless device.
        if (const auto nul = chunk.find('\0'); nul != std::string_view::npos) {
            const auto newlines = std::ranges::count(text, '\n') + std::ranges::count(chunk.substr(0, nul), '\n');
            throw InputError(SourcePlace{path, static_cast<std::size_t>(newlines) + 1},
                             "expected text, found a NUL byte (\\x00)");
        }
        if (count > largest_bytes - text.size()) {
            throw InputError(path + ": the file is too large (at most " + std::to_string(largest_bytes) + " bytes)");
        }
        text += chunk;
        if (count < buffer.size()) break;
    }
    if (std::ferror(file.get()) != 0) throw InputError("cannot read " + path + ": " + std::strerror(errno));
    return text;
}

std::string json_error_text(int id, std::string_view message, std::string_view token) {
    constexpr int kNumberOverflow = 406;
    if (id == kNumberOverflow) return std::string("the number ") + shown(token) + " is too large";
    // Removes the beginning of "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error ...;
    // last read: '...'"
    if (const auto end = message.find("] "); end != std::string_view::npos) message.remove_prefix(end + 2);
    if (message.starts_with("parse error at ")) message.remove_prefix(message.find(": ") + 2);
    constexpr std::string_view kQuote = "last read: ";
    const auto quote = message.find(kQuote);
    std::string text = "not valid JSON: ";
    if (quote == std::string_view::npos) return text += message;
    constexpr std::size_t kLongestTail = 40;
    text += message.substr(0, quote + kQuote.size());
    return text += shown(token.substr(token.size() - std::min(token.size(), kLongestTail)));
}

namespace {

/// Builds the document and the table of lines. Rejects input that a DOM parser would silently accept.
class LocatingSax {
  public:
    LocatingSax(const TextStream* stream, std::map<std::string, std::size_t>* lines) : stream_(stream), lines_(lines) {}

    json take() { return std::move(root_); }

    bool null() { return value(nullptr); }
    bool boolean(bool v) { return value(v); }
    bool number_integer(json::number_integer_t v) { return value(v); }
    bool number_unsigned(json::number_unsigned_t v) { return value(v); }
    bool number_float(json::number_float_t v, const std::string&) { return value(v); }
    bool string(std::string& v) { return value(v); }
    bool binary(json::binary_t&) { return false; }

    bool start_object(std::size_t) { return open(json::object()); }
    bool start_array(std::size_t) { return open(json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (stack_.back()->contains(name)) throw InputError(here(), "duplicate key " + shown(name));
        key_ = name;
        return true;
    }

    bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& error) {
        throw InputError(here(), json_error_text(error.id, error.what(), token));
    }

  private:
    static constexpr std::size_t kDeepest = 64;

    [[nodiscard]] SourcePlace here() const { return stream_->place(); }

    template <class V>
    bool value(V&& v) {
        add(json(std::forward<V>(v)));
        return true;
    }

    json* add(json v) {
        if (stack_.empty()) {
            root_ = std::move(v);
            (*lines_)[""] = stream_->line();
            return &root_;
        }
        json& parent = *stack_.back();
        std::string pointer = pointers_.back() + "/";
        json* child = nullptr;
        if (parent.is_array()) {
            pointer += std::to_string(parent.size());
            parent.push_back(std::move(v));
            child = &parent.back();
        } else {
            pointer += key_;
            child = &(parent[key_] = std::move(v));
        }
        (*lines_)[pointer] = stream_->line();
        last_pointer_ = std::move(pointer);
        return child;
    }

    bool open(json container) {
        if (stack_.size() >= kDeepest)
            throw InputError(here(), "nested deeper than " + std::to_string(kDeepest) + " levels");
        const bool root = stack_.empty();
        json* added = add(std::move(container));
        stack_.push_back(added);
        pointers_.push_back(root ? std::string{} : last_pointer_);
        return true;
    }

    bool close() {
        stack_.pop_back();
        pointers_.pop_back();
        return true;
    }

    const TextStream* stream_;
    std::map<std::string, std::size_t>* lines_;
    json root_;
    std::vector<json*> stack_;
    std::vector<std::string> pointers_;
    std::string key_;
    std::string last_pointer_;
};

}  // namespace

LocatedJson LocatedJson::parse(std::string_view text, std::string file) {
    LocatedJson result;
    result.file_ = std::move(file);
    TextStream stream(text, result.file_);
    LocatingSax sax(&stream, &result.line_of_pointer_);
    json::sax_parse(TextStreamIterator(&stream), TextStreamIterator(), &sax);
    result.root_ = std::make_shared<const json>(sax.take());
    return result;
}

LocatedJson LocatedJson::read(const std::string& path) {
    constexpr std::size_t kLargestBytes = std::size_t{256} << 20;
    return parse(read_file(path, kLargestBytes), path);
}

bool LocatedJson::has(const std::string& key) const { return root_->contains(key); }

SourcePlace LocatedJson::place(const std::string& pointer) const {
    std::string at = pointer;
    while (true) {
        if (const auto found = line_of_pointer_.find(at); found != line_of_pointer_.end())
            return {file_, found->second};
        const auto slash = at.find_last_of('/');
        if (slash == std::string::npos) return {file_, 0};
        at.resize(slash);
    }
}

}  // namespace haichi
