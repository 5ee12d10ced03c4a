#include "commlog/profiler/configuration.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "commlog/log/loop_finder.h"
#include "commlog/profiler/clock.h"

namespace haichi::profiler {

namespace {

/// Reports errors in the configuration. Only a few are printed, because a file that is not a configuration has an error
/// in every line.
class Complaints {
  public:
    [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
        constexpr int kMostTold = 3;
        untold_ = ++count_ - kMostTold;
        if (untold_ > 0) return;
        char text[512];
        std::va_list values;
        va_start(values, format);
        std::vsnprintf(text, sizeof(text), format, values);
        va_end(values);
        // Control characters are replaced, so that they do not reach a terminal.
        for (char* c = text; *c != '\0'; ++c) {
            if (static_cast<unsigned char>(*c) < ' ' || *c == '\x7f') *c = '?';
        }
        std::fprintf(stderr, "haichi-prof: %s\n", text);
    }
    void end() const {
        if (untold_ > 0)
            std::fprintf(stderr, "haichi-prof: %d more messages about the configuration are left out\n", untold_);
    }

  private:
    int count_ = 0;
    int untold_ = 0;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Removes spaces at both ends, in place.
char* trimmed(char* text) {
    while (is_space(*text)) ++text;
    std::size_t length = std::strlen(text);
    while (length != 0 && is_space(text[length - 1])) text[--length] = '\0';
    return text;
}

bool copy(Complaints& complaints, const char* key, char* to, std::size_t room, const char* value) {
    const int length = std::snprintf(to, room, "%s", value);
    if (length >= 0 && static_cast<std::size_t>(length) < room) return true;
    complaints.add("the value of '%s' is cut to its limit of %zu characters", key, room - 1);
    return false;
}

bool is_on(Complaints& complaints, const char* key, const char* value, bool otherwise) {
    for (const char* yes : {"on", "yes", "true", "1"}) {
        if (std::strcmp(value, yes) == 0) return true;
    }
    for (const char* no : {"off", "no", "false", "0"}) {
        if (std::strcmp(value, no) == 0) return false;
    }
    complaints.add("ignoring '%s=%.200s': expected 'on' or 'off'", key, value);
    return otherwise;
}

/// Sets an option from "key=value". Trims both parts in place.
void set(Configuration& c, Complaints& complaints, char* text) {
    text = trimmed(text);
    if (*text == '\0') return;
    char* const equal = std::strchr(text, '=');
    if (equal == nullptr && std::strchr(text, '/') != nullptr) {
        complaints.add("ignoring '%.200s': expected key=value; name a configuration file with HAICHI_PROF_CONFIG",
                       text);
        return;
    }
    if (equal == nullptr) {
        // a word without a value, as in HAICHI_PROF=off
        c.is_on = is_on(complaints, "HAICHI_PROF", text, c.is_on);
        return;
    }
    *equal = '\0';
    const char* const key = trimmed(text);
    const char* const value = trimmed(equal + 1);
    if (std::strcmp(key, "file") == 0) {
        copy(complaints, key, c.file, sizeof(c.file), value);
    } else if (std::strcmp(key, "profile") == 0) {
        c.keeps_profile = is_on(complaints, key, value, c.keeps_profile);
    } else if (std::strcmp(key, "log") == 0) {
        c.keeps_calls = is_on(complaints, key, value, c.keeps_calls);
    } else if (std::strcmp(key, "keep_parts") == 0) {
        c.keeps_parts = is_on(complaints, key, value, c.keeps_parts);
    } else if (std::strcmp(key, "call_sites") == 0) {
        c.keeps_sites = is_on(complaints, key, value, c.keeps_sites);
    } else if (std::strcmp(key, "functions") == 0) {
        copy(complaints, key, c.functions, sizeof(c.functions), value);
        c.has_functions = *value != '\0';
    } else {
        complaints.add("unknown key '%.200s': expected file, profile, log, call_sites, functions or keep_parts", key);
    }
}

/// Returns the reason why a file cannot hold a configuration, or null. The check comes before reading, because a device
/// may never end and a pipe may never begin.
const char* why_no_configuration(int file) {
    constexpr off_t kMostBytes = 1 << 20;
    struct stat status {};
    if (fstat(file, &status) != 0) return std::strerror(errno);
    if (S_ISDIR(status.st_mode)) return "it is a directory";
    if (!S_ISREG(status.st_mode)) return "it is a device or a pipe, not a file";
    return status.st_size > kMostBytes ? "it is larger than 1 MiB" : nullptr;
}

void read_file(Configuration& c, Complaints& complaints, const char* path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char* const why = descriptor < 0 ? std::strerror(errno) : why_no_configuration(descriptor);
    std::FILE* const file = why == nullptr ? fdopen(descriptor, "r") : nullptr;
    if (file == nullptr) {
        if (descriptor >= 0) close(descriptor);
        complaints.add("ignoring HAICHI_PROF_CONFIG: cannot read '%.200s': %s", path,
                       why == nullptr ? "out of memory" : why);
        return;
    }
    static char line[sizeof(Configuration::functions)];
    while (std::fgets(line, sizeof(line), file) != nullptr) {
        if (char* const comment = std::strchr(line, '#'); comment != nullptr) *comment = '\0';
        set(c, complaints, line);
    }
    std::fclose(file);
}

/// Writes the batch system's job ID, or otherwise the start time and the process ID.
void job_name(char* name, std::size_t room) {
    for (const char* variable : {"SLURM_JOB_ID", "PJM_JOBID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
        const char* const number = std::getenv(variable);
        if (number == nullptr || *number == '\0') continue;
        std::snprintf(name, room, "%s", number);
        for (char* c = name; *c != '\0'; ++c) {
            if (*c == '/') *c = '-';
        }
        return;
    }
    const std::time_t time = std::time(nullptr);
    std::tm local{};
    localtime_r(&time, &local);
    const std::size_t length = std::strftime(name, room, "%Y%m%d-%H%M%S", &local);
    std::snprintf(name + length, room - length, "-%d", static_cast<int>(getpid()));
}

/// Replaces %j in the file name by the job name.
void expand_file(Configuration& c) {
    char job[128];
    job_name(job, sizeof(job));
    char expanded[sizeof(c.file)];
    std::size_t size = 0;
    for (const char* from = c.file; *from != '\0' && size + 1 < sizeof(expanded); ++from) {
        if (from[0] == '%' && from[1] == 'j') {
            for (const char* j = job; *j != '\0' && size + 1 < sizeof(expanded);) expanded[size++] = *j++;
            ++from;
        } else {
            expanded[size++] = *from;
        }
    }
    expanded[size] = '\0';
    std::memcpy(c.file, expanded, size + 1);
}

}  // namespace

void read_configuration(Configuration& c) {
    c = {};
    c.is_on = c.keeps_profile = c.keeps_calls = c.keeps_sites = true;
    Complaints complaints;
    if (const char* const path = std::getenv("HAICHI_PROF_CONFIG"); path != nullptr && *path != '\0') {
        read_file(c, complaints, path);
    }
    if (const char* const text = std::getenv("HAICHI_PROF"); text != nullptr) {
        static char copied[sizeof(Configuration)];
        copy(complaints, "HAICHI_PROF", copied, sizeof(copied), text);
        for (char* begin = copied; begin != nullptr;) {
            char* const comma = std::strchr(begin, ',');
            if (comma != nullptr) *comma = '\0';
            set(c, complaints, begin);
            begin = comma == nullptr ? nullptr : comma + 1;
        }
    }
    complaints.end();
    c.has_default_file = c.file[0] == '\0';
    if (c.has_default_file) std::snprintf(c.file, sizeof(c.file), "haichi-%%j");
    expand_file(c);
    c.is_on = c.is_on && (c.keeps_profile || c.keeps_calls);
    c.job = mixed(nanoseconds(CLOCK_REALTIME) ^ mixed(static_cast<std::uint64_t>(getpid()))) | 1;
}

bool names_function(const char* list, const char* function) {
    const std::size_t length = std::strlen(function);
    while (*list != '\0') {
        const char* end = list;
        while (*end != '\0' && *end != ';') ++end;
        const char* first = list;
        const char* last = end;
        while (first != last && is_space(*first)) ++first;
        while (first != last && is_space(last[-1])) --last;
        const auto size = static_cast<std::size_t>(last - first);
        if (size != 0 && first[size - 1] == '*') {
            if (length >= size - 1 && std::strncmp(first, function, size - 1) == 0) return true;
        } else if (size == length && std::strncmp(first, function, size) == 0) {
            return true;
        }
        list = *end == '\0' ? end : end + 1;
    }
    return false;
}

}  // namespace haichi::profiler
