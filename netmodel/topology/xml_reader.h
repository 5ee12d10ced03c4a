#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// The opening tag of an element, valid during XmlHandler::open().
class XmlTag {
  public:
    /// `name` as the parser has it: the namespace and a line feed before the local name, or the local name alone.
    XmlTag(std::string_view name, const char* const* attributes, std::string_view root_namespace, SourcePlace place);

    /// Without namespace or prefix.
    [[nodiscard]] std::string_view name() const { return name_; }
    /// Of another namespace than the root element.
    [[nodiscard]] bool is_foreign() const { return is_foreign_; }
    [[nodiscard]] const SourcePlace& place() const { return place_; }
    /// The value of an attribute without a prefix, if there is one.
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const;
    /// Throws InputError when it is missing.
    [[nodiscard]] std::string required(std::string_view name) const;

  private:
    std::string_view name_;
    const char* const* attributes_;
    bool is_foreign_;
    SourcePlace place_;
};

/// Takes the elements of an XML text in their order. Functions may throw.
class XmlHandler {
  public:
    virtual ~XmlHandler() = default;
    virtual void open(const XmlTag& tag) = 0;
    virtual void close() = 0;
    /// Character data of the innermost open element, perhaps in several pieces.
    virtual void text(std::string_view piece) = 0;
};

/// The largest XML text that is read.
inline constexpr std::size_t kLargestXmlBytes = std::size_t{64} << 20;

/// Gives all elements to `handler`; `file` names the text in errors. Text is UTF-8, UTF-16, ISO-8859-1 or US-ASCII, and
/// UTF-8 in what the handler gets. Throws InputError with file and line for what is not well-formed (namespaces
/// included), document types, and with them all entities but XML's own five, elements nested deeper than 64, more than
/// 2^22 of them, more than 256 attributes in a tag, tags of more than 1 MiB, and longer texts. O(length); does not
/// recurse.
void read_xml(std::string_view text, const std::string& file, XmlHandler& handler);

}  // namespace haichi
