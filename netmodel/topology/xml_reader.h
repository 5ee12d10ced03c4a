#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// The opening tag of an element, valid during XmlHandler::open().
class XmlTag {
  public:
    /// `name` is in the parser's form: the local name, preceded by the namespace and a line feed if it has a namespace.
    XmlTag(std::string_view name, const char* const* attributes, std::string_view root_namespace, SourcePlace place);

    /// Name without namespace or prefix.
    [[nodiscard]] std::string_view name() const { return name_; }
    /// True if the namespace differs from the root element's.
    [[nodiscard]] bool is_foreign() const { return is_foreign_; }
    [[nodiscard]] const SourcePlace& place() const { return place_; }
    /// The value of an attribute without a prefix, if present.
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const;
    /// Throws InputError if the attribute is missing.
    [[nodiscard]] std::string required(std::string_view name) const;

  private:
    std::string_view name_;
    const char* const* attributes_;
    bool is_foreign_;
    SourcePlace place_;
};

/// Receives the elements of an XML text in order. Functions may throw.
class XmlHandler {
  public:
    virtual ~XmlHandler() = default;
    virtual void open(const XmlTag& tag) = 0;
    virtual void close() = 0;
    /// Character data of the innermost open element, possibly in several pieces.
    virtual void text(std::string_view piece) = 0;
};

/// Largest accepted XML text.
inline constexpr std::size_t kLargestXmlBytes = std::size_t{64} << 20;

/// Passes all elements to `handler`; `file` is the text's name for errors. The text is UTF-8, UTF-16, ISO-8859-1 or
/// US-ASCII, and the handler receives UTF-8. Throws InputError with file and line if the text is not well-formed
/// (including namespaces). Also throws InputError for a document type with declarations, and for entities other than
/// the five of XML. The file that a document type names is not opened. Limits: nesting of 64, 2^22 elements, 256
/// attributes and 1 MiB per tag, and kLargestXmlBytes. O(length); not recursive.
void read_xml(std::string_view text, const std::string& file, XmlHandler& handler);

}  // namespace haichi
