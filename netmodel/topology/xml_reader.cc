#include "netmodel/topology/xml_reader.h"

#include <expat.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace haichi {

namespace {

/// Separates the namespace from the name. Expat refuses namespaces that contain a line feed.
constexpr char kNamespaceEnd = '\n';

std::string_view namespace_of(std::string_view name) {
    const auto end = name.find(kNamespaceEnd);
    return end == std::string_view::npos ? std::string_view{} : name.substr(0, end);
}

std::string_view local_name(std::string_view name) {
    const auto end = name.find(kNamespaceEnd);
    return end == std::string_view::npos ? name : name.substr(end + 1);
}

/// The position of the current event in bytes, or -1. Expat 2.9 deprecates the functions without 64 in their names;
/// older versions have only those.
template <class Parser>
std::int64_t byte_index(Parser parser) {
    if constexpr (requires { XML_GetCurrentByteIndex64(parser); }) {
        return XML_GetCurrentByteIndex64(parser);
    } else {
        return XML_GetCurrentByteIndex(parser);
    }
}

template <class Parser>
std::size_t line_number(Parser parser) {
    if constexpr (requires { XML_GetCurrentLineNumber64(parser); }) {
        return XML_GetCurrentLineNumber64(parser);
    } else {
        return XML_GetCurrentLineNumber(parser);
    }
}

/// Expat's callbacks. An exception must not pass through expat's C functions, so it is stored until the parser has
/// stopped.
class ExpatReader {
  public:
    ExpatReader(std::string_view text, const std::string& file, XmlHandler& handler)
        : text_(text), file_(&file), handler_(&handler), parser_(XML_ParserCreateNS(nullptr, kNamespaceEnd)) {
        if (parser_ == nullptr) throw std::bad_alloc();
        XML_SetUserData(parser_.get(), this);
        XML_SetElementHandler(parser_.get(), &ExpatReader::on_open, &ExpatReader::on_close);
        XML_SetCharacterDataHandler(parser_.get(), &ExpatReader::on_text);
        XML_SetStartDoctypeDeclHandler(parser_.get(), &ExpatReader::on_document_type);
        XML_SetSkippedEntityHandler(parser_.get(), &ExpatReader::on_skipped_entity);
    }

    void read() {
        if (text_.size() > kLargestXmlBytes) {
            throw InputError(SourcePlace{*file_, 0}, "the file is longer than " +
                                                         std::to_string(kLargestXmlBytes >> 20U) +
                                                         " MiB: " + std::to_string(text_.size()) + " bytes");
        }
        for (std::size_t begin = 0; begin <= text_.size(); begin += kPiece) {
            const std::string_view piece = text_.substr(begin, kPiece);
            const bool is_last = begin + piece.size() == text_.size();
            const XML_Status status =
                XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), is_last ? XML_TRUE : XML_FALSE);
            if (failure_) std::rethrow_exception(failure_);
            if (status != XML_STATUS_OK) refuse();
            if (is_last) return;
            const auto done = static_cast<std::size_t>(std::max<std::int64_t>(byte_index(parser_.get()), 0));
            if (begin + piece.size() - done > kLongestTag) {
                throw InputError(place(), "a tag or comment is longer than " + std::to_string(kLongestTag >> 20U) +
                                              " MiB: " + shown(excerpt(done)));
            }
        }
    }

  private:
    static constexpr std::size_t kDeepest = 64;
    static constexpr std::size_t kMostElements = std::size_t{1} << 22;
    static constexpr std::size_t kMostAttributes = 256;
    /// Limits memory and time. Expat stores up to ten times the length of a tag, and parses a tag again if it continues
    /// in the next piece.
    static constexpr std::size_t kLongestTag = std::size_t{1} << 20;
    static constexpr std::size_t kPiece = std::size_t{1} << 20;

    struct FreeParser {
        void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
    };
    struct OpenElement {
        std::string name;
        std::size_t line = 0;
    };

    [[nodiscard]] SourcePlace place() const { return {*file_, line_number(parser_.get())}; }

    /// Calls `action`. If it throws, the parser stops, and no further action is called.
    template <class Action>
    void guarded(const Action& action) {
        if (failure_) return;
        try {
            action();
        } catch (...) {
            failure_ = std::current_exception();
            XML_StopParser(parser_.get(), XML_FALSE);
        }
    }

    static void on_open(void* self, const char* name, const char** attributes) {
        auto& reader = *static_cast<ExpatReader*>(self);
        reader.guarded([&] { reader.open(name, attributes); });
    }
    static void on_close(void* self, const char* /*name*/) {
        auto& reader = *static_cast<ExpatReader*>(self);
        reader.guarded([&] {
            reader.handler_->close();
            reader.open_.pop_back();
        });
    }
    static void on_text(void* self, const char* text, int length) {
        auto& reader = *static_cast<ExpatReader*>(self);
        reader.guarded([&] { reader.handler_->text({text, static_cast<std::size_t>(length)}); });
    }
    static void on_document_type(void* self, const char* name, const char* /*system_id*/, const char* /*public_id*/,
                                 int has_internal_subset) {
        // Without declarations, a document type only names a file, which is never opened.
        if (has_internal_subset == 0) return;
        auto& reader = *static_cast<ExpatReader*>(self);
        reader.guarded([&] {
            throw InputError(
                reader.place(),
                "declarations in a DOCTYPE are not supported, found " + shown("<!DOCTYPE " + std::string(name)),
                "remove the declarations in brackets from the DOCTYPE");
        });
    }
    static void on_skipped_entity(void* self, const char* name, int /*is_parameter_entity*/) {
        auto& reader = *static_cast<ExpatReader*>(self);
        reader.guarded([&] { throw InputError(reader.place(), "unknown entity " + shown(name)); });
    }

    void open(std::string_view name, const char** attributes) {
        const std::string_view local = local_name(name);
        if (open_.size() == kDeepest) {
            throw InputError(
                place(), "element " + shown(local) + " is nested deeper than " + std::to_string(kDeepest) + " levels");
        }
        if (++elements_ > kMostElements) {
            throw InputError(place(), "the file has more than " + std::to_string(kMostElements) + " elements");
        }
        if (const auto count = XML_GetSpecifiedAttributeCount(parser_.get());
            count > static_cast<int>(2 * kMostAttributes)) {
            throw InputError(place(), "element " + shown(local) + " has " + std::to_string(count / 2) +
                                          " attributes, more than " + std::to_string(kMostAttributes));
        }
        if (open_.empty()) root_namespace_ = namespace_of(name);
        open_.push_back({std::string(local), place().line});
        handler_->open(XmlTag(name, attributes, root_namespace_, place()));
    }

    [[noreturn]] void refuse() const {
        std::string message = std::string("not valid XML: ") + XML_ErrorString(XML_GetErrorCode(parser_.get()));
        const std::int64_t at = byte_index(parser_.get());
        if (at >= 0 && static_cast<std::size_t>(at) < text_.size()) {
            message += " near " + shown(excerpt(static_cast<std::size_t>(at)));
        }
        if (!open_.empty()) {
            message += ", in the element " + shown(open_.back().name) + " of line " + std::to_string(open_.back().line);
        }
        throw InputError(place(), message);
    }

    /// The text around a byte, within its line.
    [[nodiscard]] std::string_view excerpt(std::size_t at) const {
        constexpr std::size_t kBefore = 8;
        constexpr std::size_t kAfter = 24;
        std::size_t first = at;
        while (first > 0 && at - first < kBefore && text_[first - 1] != '\n') --first;
        const std::size_t end = std::min({text_.find('\n', at + 1), at + kAfter, text_.size()});
        return text_.substr(first, end - first);
    }

    std::string_view text_;
    const std::string* file_;
    XmlHandler* handler_;
    std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
    std::exception_ptr failure_;
    std::vector<OpenElement> open_;
    std::size_t elements_ = 0;
    std::string root_namespace_;
};

}  // namespace

XmlTag::XmlTag(std::string_view name, const char* const* attributes, std::string_view root_namespace, SourcePlace place)
    : name_(local_name(name)),
      attributes_(attributes),
      is_foreign_(namespace_of(name) != root_namespace),
      place_(std::move(place)) {}

std::optional<std::string_view> XmlTag::attribute(std::string_view name) const {
    for (const char* const* at = attributes_; *at != nullptr; at += 2) {
        if (name == at[0]) return at[1];
    }
    return std::nullopt;
}

std::string XmlTag::required(std::string_view name) const {
    if (const auto value = attribute(name)) return std::string(*value);
    throw InputError(place_, "<" + std::string(name_.substr(0, 60)) + "> has no attribute " + shown(name));
}

void read_xml(std::string_view text, const std::string& file, XmlHandler& handler) {
    ExpatReader(text, file, handler).read();
}

}  // namespace haichi
