#include <algorithm>
#include <string_view>

#include "base/split.h"
#include "options/command_line.h"

namespace haichi {

namespace {

constexpr std::size_t kColumn = 30;  ///< column in which descriptions begin

/// Appends the words of `text` to `out`, whose last line already has `at` characters. Further lines begin at column
/// `indent`. Each line before them ends with `mark`.
void wrap(std::string& out, std::size_t at, std::string_view text, std::size_t indent, std::size_t width,
          std::string_view mark = "") {
    bool is_first = true;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::size_t length = end - begin;
        const std::size_t room = end == text.size() ? 0 : mark.size();
        if (!is_first && at + 1 + length + room > width) {
            out.append(mark).append("\n").append(indent, ' ');
            at = indent;
            is_first = true;
        }
        if (!is_first) {
            out += ' ';
            ++at;
        }
        out.append(text, begin, length);
        at += length;
        is_first = false;
        begin = end + 1;
    }
}

std::string entry_text(const std::string& name, const std::string& text, std::size_t width) {
    std::string out = "  " + name;
    if (out.size() + 2 > kColumn) {
        out += "\n" + std::string(kColumn, ' ');
    } else {
        out.resize(kColumn, ' ');
    }
    wrap(out, kColumn, text, kColumn, width);
    return out + "\n";
}

/// The option of the command that replaces a required one. Null if there is none.
const OptionRow* replacement(const OptionTable& options, const OptionTraits& traits) {
    for (const std::string& name : traits.required_unless) {
        if (const OptionRow* other = options.find(name)) return other;
    }
    return nullptr;
}

std::string described(const OptionRow& row, const OptionTable& options) {
    const OptionTraits& traits = row.traits;
    std::string text = traits.description;
    if (traits.is_required) {
        const OptionRow* const other = replacement(options, traits);
        text += other == nullptr ? " (required)" : " (required unless --" + other->name + ")";
    }
    if (row.is_repeated() && !traits.is_argument) text += " (repeatable)";
    if (!traits.otherwise.empty()) text += " [default: " + traits.otherwise + "]";
    if (!traits.choices.empty()) {
        text += " [possible values: ";
        for (const std::string& choice : traits.choices)
            text += (choice == traits.choices.front() ? "" : ", ") + choice;
        text += "]";
    }
    if (!traits.environment.empty()) text += " [env: " + traits.environment + "]";
    return text;
}

std::string usage(const CommandSpec& command, const std::string& path) {
    if (!command.options) return path + " COMMAND [OPTIONS]";
    std::string options;
    std::string arguments;
    for (const OptionRow& row : command.options->rows()) {
        const OptionTraits& traits = row.traits;
        if (traits.is_argument) {
            const std::string word = row.name + (row.is_repeated() ? "..." : "");
            arguments += traits.is_required ? " " + word : " [" + word + "]";
        } else if (traits.is_required) {
            std::string word = traits.letter == '\0' ? "--" + row.name : std::string("-") + traits.letter;
            word += " " + traits.value;
            if (const OptionRow* other = replacement(*command.options, traits))
                word = "(" + word + "|--" + other->name + ")";
            options += " " + word;
        }
    }
    return path + options + " [OPTIONS]" + arguments;
}

std::string group_text(const OptionTable& options, OptionGroup group, std::size_t width) {
    std::string text;
    for (const OptionRow& row : options.rows()) {
        if (row.group != group || row.traits.is_argument) continue;
        const std::string value = row.has_value() ? " " + row.traits.value : "";
        // Long names begin in one column, with or without a short form.
        text += entry_text((row.traits.letter == '\0' ? "    " : "") + row.spelling() + value, described(row, options),
                           width);
    }
    if (group == OptionGroup::kGlobal) text += entry_text("-h, --help", "Print this help and exit", width);
    return text.empty() ? "" : "\n" + std::string(name_of(group)) + ":\n" + text;
}

/// Commands for the user to copy, one per line. A long command continues on the next line after a backslash.
std::string example_text(const std::string& commands, std::size_t width) {
    std::string text;
    for (const std::string_view command : split(commands, '\n')) {
        text += "  ";
        wrap(text, 2, command, 6, width, " \\");
        text += '\n';
    }
    return text;
}

std::string sentence_case(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 32);
    return text;
}

std::string exit_codes(const OptionTable& options) {
    const bool has_limits = std::ranges::find(options.rows(), "require", &OptionRow::name) != options.rows().end();
    return std::string("0 success, 2 invalid usage or input, ") +
           (has_limits ? "3 a limit of --require is not met, " : "") + "70 internal error, 130 interrupted";
}

constexpr OptionGroup kGroups[] = {OptionGroup::kServer, OptionGroup::kJob,        OptionGroup::kWorkload,
                                   OptionGroup::kSearch, OptionGroup::kSimulation, OptionGroup::kOutput,
                                   OptionGroup::kExpert, OptionGroup::kGlobal};

/// Escapes a text for a manual page, so that readers can search and copy its dashes.
std::string roff(const std::string& text) {
    std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return out;
}

/// An entry of a list in a manual page: its name, its value and its text.
std::string roff_entry(const std::string& name, const std::string& value, const std::string& text) {
    return ".TP\n\\fB" + roff(name) + "\\fR" + (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
           roff(text) + "\n";
}

}  // namespace

std::string help_text(const CommandSpec& command, const std::string& path, std::size_t width) {
    std::string text;
    wrap(text, 0, sentence_case(command.summary), 0, width);
    text += "\n\nUsage: " + usage(command, path) + "\n";
    if (!command.options) {
        text += "\nCommands:\n";
        for (const CommandSpec& sub : command.subcommands) {
            text += entry_text(sub.name, sentence_case(sub.summary), width);
        }
        text += "\nOptions:\n" + entry_text("-h, --help", "Print this help and exit", width);
        if (path.find(' ') == std::string::npos)
            text += entry_text("    --version", "Print the version and exit", width);
        text += "\nExamples:\n" + example_text(command.examples, width);
        return text + "\n`" + path + " COMMAND --help` shows the options of a command.\n";
    }
    std::string arguments;
    for (const OptionRow& row : command.options->rows()) {
        if (row.traits.is_argument) arguments += entry_text(row.name, described(row, *command.options), width);
    }
    if (!arguments.empty()) text += "\nArguments:\n" + arguments;
    for (const OptionGroup group : kGroups) text += group_text(*command.options, group, width);
    text += "\nExamples:\n" + example_text(command.examples, width) + "\nExit codes:\n  ";
    wrap(text, 2, exit_codes(*command.options), 2, width);
    return text + "\n";
}

std::string manual_page(const CommandSpec& command, const std::string& path) {
    std::string name = path;
    std::ranges::replace(name, ' ', '-');
    std::string title = name;
    std::ranges::transform(title, title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
    std::string text = ".TH \"" + title + "\" 1 \"\" \"haichi " HAICHI_VERSION "\" \"haichi\"\n.SH NAME\n" +
                       roff(name) + " \\- " + roff(command.summary) + "\n.SH SYNOPSIS\n.B " +
                       roff(usage(command, path)) + "\n";
    std::string related;
    if (!command.options) {
        text += ".SH COMMANDS\n";
        for (const CommandSpec& sub : command.subcommands) {
            text += roff_entry(sub.name, "", sentence_case(sub.summary));
            related += (related.empty() ? "" : ", ") + roff(name + "-" + sub.name) + "(1)";
        }
    } else {
        std::string arguments;
        for (const OptionRow& row : command.options->rows())
            if (row.traits.is_argument) arguments += roff_entry(row.name, "", described(row, *command.options));
        if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
        text += ".SH OPTIONS\n";
        for (const OptionGroup group : kGroups) {
            std::string options;
            for (const OptionRow& row : command.options->rows()) {
                if (row.group != group || row.traits.is_argument) continue;
                options += roff_entry(row.spelling(), row.has_value() ? row.traits.value : "",
                                      described(row, *command.options));
            }
            if (!options.empty()) text += ".SS " + std::string(name_of(group)) + "\n" + options;
        }
        text += ".SH EXIT STATUS\n" + roff(exit_codes(*command.options)) + "\n";
        related = "haichi(1)";
    }
    if (!command.examples.empty()) {
        text += ".SH EXAMPLES\n.nf\n";
        for (std::size_t begin = 0; begin < command.examples.size();) {
            const std::size_t end = std::min(command.examples.find('\n', begin), command.examples.size());
            text += roff(command.examples.substr(begin, end - begin)) + "\n";
            begin = end + 1;
        }
        text += ".fi\n";
    }
    return text + ".SH SEE ALSO\n" + related + "\n";
}

}  // namespace haichi
