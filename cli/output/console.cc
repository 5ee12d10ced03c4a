#include "cli/output/console.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/errors.h"
#include "base/field_names.h"
#include "base/printable.h"

namespace haichi::cli {

namespace {

constexpr const char* kRed = "\x1b[1;31m";
constexpr const char* kCyan = "\x1b[36m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kPlain = "\x1b[0m";
constexpr std::string_view kWipe = "\r\x1b[K";

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool is_dumb_terminal() {
    const char* term = std::getenv("TERM");
    return term == nullptr || std::strcmp(term, "dumb") == 0;
}

/// Writes the whole text without a buffer. An error is thus reported by the write that caused it.
bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// Control characters that are printed. Names of files, machines and nodes may have others, which the terminal would
/// obey.
constexpr std::string_view kKept = "\n\t";

}  // namespace

Console::Console()
    : interactive_(::isatty(STDERR_FILENO) != 0 && !is_dumb_terminal()),
      colours_(interactive_ && !is_set("NO_COLOR")) {}

void Console::data(std::string_view text) { data(text, STDOUT_FILENO); }

void Console::data(std::string_view text, int descriptor) {
    const bool is_terminal = ::isatty(descriptor) != 0;
    const std::string harmless = is_terminal ? without_controls(text, kKept) : std::string();
    if (write_all(descriptor, is_terminal ? harmless : text)) return;
    if (errno == EPIPE) throw ClosedPipe();
    throw InputError(std::string("cannot write standard output: ") + std::strerror(errno));
}

std::string as_typed(std::string_view message) {
    return spelled(message, [](std::string_view name) { return "--" + std::string(name); });
}

void Console::say(std::string_view lines) {
    if (quiet_) return;
    std::string text = without_controls(as_typed(lines), kKept);
    if (!text.ends_with('\n')) text += '\n';
    (void)write_all(STDERR_FILENO, text);  // an error of this write cannot be reported anywhere
}

void Console::hint(std::string_view text) {
    if (!quiet_) print("hint", kCyan, text);
}

void Console::error(std::string_view message, std::string_view hint) {
    print("error", kRed, message);
    if (!hint.empty()) print("hint", kCyan, hint);
}

void Console::set_progress(int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || descriptor == STDOUT_FILENO) {
        const char* why = flags < 0                     ? " is not open"
                          : descriptor == STDOUT_FILENO ? " is standard output, where results go"
                                                        : " cannot be written to";
        throw OptionError("--progress-fd: descriptor " + std::to_string(descriptor) + why,
                          "open the descriptor in the shell, as in --progress-fd 3 3>progress.jsonl");
    }
    progress_ = descriptor;
}

void Console::report_progress(std::string_view line) {
    pollfd room{.fd = progress_, .events = POLLOUT, .revents = 0};  // a pipe is writable if PIPE_BUF bytes fit
    if (::poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) return;
    (void)write_all(progress_, std::string(line) + '\n');
}

void Console::draw(std::string_view line) {
    if (!interactive_) return;
    drawn_ = true;
    (void)write_all(STDERR_FILENO, "\r" + std::string(line) + "\x1b[K");
}

void Console::wipe_drawn() {
    if (drawn_.exchange(false)) (void)write_all(STDERR_FILENO, kWipe);
}

void Console::set_log_level(LogLevel level) {
    log_ = Log(level, [this](LogLevel entry_level, std::string_view text) { print_entry(entry_level, text); });
}

void Console::print_entry(LogLevel level, std::string_view text) {
    std::string line(text);  // one line, although file names may contain line ends
    std::ranges::replace(line, '\n', ' ');
    print(to_string(level), kDim, line);
}

void Console::print(std::string_view label, const char* colour, std::string_view message) {
    const std::string text = as_typed(message);
    std::string line;
    if (drawn_.exchange(false)) line += kWipe;
    if (colours_) line += colour;
    line += label;
    line += ':';
    if (colours_) line += kPlain;
    line += ' ';
    line += without_controls(text, kKept) + '\n';
    (void)write_all(STDERR_FILENO, line);
}

}  // namespace haichi::cli
