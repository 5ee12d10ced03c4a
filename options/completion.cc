#include "options/completion.h"

#include <algorithm>
#include <map>
#include <utility>

namespace haichi {

namespace {

/// A command and the words that lead to it, such as "log show". The path of the program itself is empty.
struct PathCommand {
    std::string path;
    const CommandSpec* command;
};

/// The commands of a program: groups such as "log", and commands that take options.
struct Commands {
    std::vector<PathCommand> groups{};
    std::vector<PathCommand> leaves{};

    explicit Commands(const CommandSpec& program) { collect(program, ""); }

    /// All paths, each in quotes, with `separator` between them.
    [[nodiscard]] std::string paths(const std::string& separator) const;

  private:
    void collect(const CommandSpec& command, const std::string& path) {
        (command.options ? leaves : groups).push_back({path, &command});
        for (const CommandSpec& sub : command.subcommands)
            collect(sub, path.empty() ? sub.name : path + " " + sub.name);
    }
};

bool takes_file(const OptionRow& row) {
    return row.kind == ValueKind::kFile || row.kind == ValueKind::kFiles || row.kind == ValueKind::kFileOrWord ||
           row.kind == ValueKind::kOutputFile || row.traits.takes_rest;
}

/// The words that an option accepts. These are its choices, or the entries of the list that its description names.
std::vector<std::string> words_of(const OptionRow& row, const ListedWords& listed) {
    if (!row.traits.choices.empty()) return row.traits.choices;
    static constexpr std::string_view kMark = "(haichi list ";
    const std::string& text = row.traits.description;
    const std::size_t mark = text.find(kMark);
    if (mark == std::string::npos) return {};
    const std::size_t begin = mark + kMark.size();
    std::vector<std::string> words;
    for (const std::string& entry : listed(text.substr(begin, text.find(')', begin) - begin))) {
        // A pattern such as "torus:SIZExSIZE..." or "fx10[:XxYxZ]" is completed up to its first variable part.
        const std::size_t colon = entry.find(':');
        std::string word = entry.substr(0, std::min(entry.find('['), colon == std::string::npos ? colon : colon + 1));
        const bool is_placeholder = word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
        if (!is_placeholder && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
    }
    return words;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string names_of(const std::vector<CommandSpec>& commands) {
    std::vector<std::string> names;
    for (const CommandSpec& command : commands) names.push_back(command.name);
    return joined(names);
}

/// Encloses a word in single quotes, so that every shell reads it unchanged.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string Commands::paths(const std::string& separator) const {
    std::string text;
    for (const std::vector<PathCommand>* kind : {&groups, &leaves}) {
        for (const PathCommand& entry : *kind)
            if (!entry.path.empty()) text += (text.empty() ? "" : separator) + quoted(entry.path);
    }
    return text;
}

std::vector<std::string> spellings(const OptionRow& row) {
    std::vector<std::string> spellings{"--" + row.name};
    if (row.traits.letter != '\0') spellings.push_back(std::string("-") + row.traits.letter);
    return spellings;
}

std::string bash_script(const CommandSpec& program, const ListedWords& listed) {
    const Commands commands(program);
    std::string words_of_paths;
    std::map<std::string, std::string> patterns;  // maps the completion of a value to the options that use it
    for (const PathCommand& group : commands.groups) {
        words_of_paths +=
            "        " + quoted(group.path) + ") words=" + quoted(names_of(group.command->subcommands)) + " ;;\n";
    }
    for (const PathCommand& leaf : commands.leaves) {
        std::vector<std::string> words{"--help"};
        std::string arguments;
        for (const OptionRow& row : leaf.command->options->rows()) {
            const std::vector<std::string> values = words_of(row, listed);
            std::string action = takes_file(row) ? "files=1" : ":";
            if (!values.empty()) action = "words=" + quoted(joined(values)) + (takes_file(row) ? " files=1" : "");
            if (row.traits.is_argument) {
                arguments += "; [[ $current == -* ]] || { " +
                             (values.empty() ? action : "words+=" + quoted(" " + joined(values))) + "; }";
                continue;
            }
            for (const std::string& spelling : spellings(row)) {
                words.push_back(spelling);
                if (!row.has_value()) continue;
                std::string& options = patterns[action];
                options += (options.empty() ? "" : "|") + quoted(leaf.path + " " + spelling);
            }
        }
        words_of_paths += "        " + quoted(leaf.path) + ") words=" + quoted(joined(words)) + arguments + " ;;\n";
    }
    std::string cases;
    for (const auto& [action, options] : patterns) cases += "        " + options + ") " + action + " ;;\n";
    return "# bash completion for haichi, written by `haichi completion bash`\n"
           "_haichi() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' words='' "
           "files='' i=0\n"
           "    # The shell splits --option=value into three words.\n"
           "    [[ $current == = ]] && current=''\n"
           "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}\n"
           "    while ((++i < COMP_CWORD)); do\n"
           "        case \"${command:+$command }${COMP_WORDS[i]}\" in\n"
           "        " +
           commands.paths("|") +
           ") command=\"${command:+$command }${COMP_WORDS[i]}\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$command $previous\" in\n" +
           cases +
           "        *)\n"
           "        case \"$command\" in\n" +
           words_of_paths +
           "        esac ;;\n"
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    if [[ -n $files ]]; then\n"
           "        compopt -o filenames 2>/dev/null\n"
           "        local IFS=$'\\n'\n"
           "        COMPREPLY+=($(compgen -f -- \"$current\"))\n"
           "    fi\n"
           "}\n"
           "complete -F _haichi haichi\n";
}

/// Escapes a description for the brackets of a zsh specification.
std::string in_brackets(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_script(const CommandSpec& program, const ListedWords& listed) {
    const Commands commands(program);
    std::string cases;
    for (const PathCommand& group : commands.groups) {
        cases += "    " + quoted(group.path) + ")\n        commands=(";
        for (const CommandSpec& sub : group.command->subcommands)
            cases += "\n            " + quoted(in_brackets(sub.name) + ":" + sub.summary);
        cases += ")\n        _describe 'command' commands ;;\n";
    }
    for (const PathCommand& leaf : commands.leaves) {
        cases += "    " + quoted(leaf.path) + ")\n        _arguments";
        for (const OptionRow& row : leaf.command->options->rows()) {
            std::string value;
            if (row.has_value()) {
                const std::vector<std::string> words = words_of(row, listed);
                std::string action = words.empty() ? " " : "(" + in_brackets(joined(words)) + ")";
                if (takes_file(row))
                    action = words.empty() ? "_files" : "{ compadd -- " + in_brackets(joined(words)) + "; _files }";
                value = ":" + in_brackets(row.traits.value.empty() ? row.name : row.traits.value) + ":" + action;
            }
            if (row.traits.is_argument) {
                cases += " \\\n            " + quoted((row.is_repeated() ? "*" : "") + value);
                continue;
            }
            const std::string repeated = row.is_repeated() || row.kind == ValueKind::kCounter ? "*" : "";
            for (const std::string& spelling : spellings(row)) {
                // The value is the next word or the rest of the word, as in `-m fugaku`, `-mfugaku` and
                // `--machine=fugaku`.
                const std::string same_word = !row.has_value() ? "" : spelling.starts_with("--") ? "=" : "+";
                cases += " \\\n            " + quoted(repeated + spelling + same_word + "[" +
                                                      in_brackets(row.traits.description) + "]" + value);
            }
        }
        cases += " \\\n            '--help[Print this help and exit]' ;;\n";
    }
    return "#compdef haichi\n"
           "# zsh completion for haichi, written by `haichi completion zsh`\n"
           "_haichi() {\n"
           "    local command='' word\n"
           "    local -a commands\n"
           "    integer used=1 i=1\n"
           "    while ((++i < CURRENT)); do\n"
           "        word=\"${command:+$command }${words[i]}\"\n"
           "        case \"$word\" in\n"
           "        " +
           commands.paths("|") +
           ") command=$word used=i ;;\n"
           "        esac\n"
           "    done\n"
           "    # _arguments counts from the last word of the command.\n"
           "    shift $((used - 1)) words\n"
           "    ((CURRENT -= used - 1))\n"
           "    case \"$command\" in\n" +
           cases +
           "    esac\n"
           "}\n"
           "_haichi \"$@\"\n";
}

std::string fish_script(const CommandSpec& program, const ListedWords& listed) {
    const Commands commands(program);
    std::string text =
        "# fish completion for haichi, written by `haichi completion fish`\n"
        "function __haichi_command\n"
        "    set -l command\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        if contains -- (string join -- ' ' $command $word) " +
        commands.paths(" ") +
        "\n"
        "            set -a command $word\n"
        "        end\n"
        "    end\n"
        "    string join -- ' ' $command\n"
        "end\n"
        "complete -c haichi -f\n";
    const auto begin = [](const std::string& path) {
        return "complete -c haichi -n " + quoted("test (__haichi_command | string collect -a) = " + quoted(path)) + " ";
    };
    for (const PathCommand& group : commands.groups) {
        for (const CommandSpec& sub : group.command->subcommands)
            text += begin(group.path) + "-a " + sub.name + " -d " + quoted(sub.summary) + "\n";
    }
    for (const PathCommand& leaf : commands.leaves) {
        for (const OptionRow& row : leaf.command->options->rows()) {
            const std::vector<std::string> words = words_of(row, listed);
            text += begin(leaf.path);
            if (!row.traits.is_argument) {
                text += "-l " + row.name;
                if (row.traits.letter != '\0') text += std::string(" -s ") + row.traits.letter;
                if (row.has_value()) text += " -r";
                text += " -d " + quoted(row.traits.description);
            }
            if (row.has_value()) text += takes_file(row) ? " -F" : " -f";
            if (!words.empty()) text += " -a " + quoted(joined(words));
            text += "\n";
        }
        text += begin(leaf.path) + "-l help -d 'Print this help and exit'\n";
    }
    return text;
}

}  // namespace

const Table<CompletionShell>& completion_shells() {
    static const Table<CompletionShell> kShells({"shell", "shells"},
                                                {{"bash", "source <(haichi completion bash)", bash_script},
                                                 {"zsh", "a file _haichi in a directory of $fpath", zsh_script},
                                                 {"fish", "haichi completion fish | source", fish_script}});
    return kShells;
}

}  // namespace haichi
