#include "commlog/profiler/configuration.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "commlog/log/loop_finder.h"
#include "commlog/profiler/clock.h"

namespace haichi::profiler {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Without spaces at both ends, in place.
char* trimmed(char* text) {
    while (is_space(*text)) ++text;
    std::size_t length = std::strlen(text);
    while (length != 0 && is_space(text[length - 1])) text[--length] = '\0';
    return text;
}

bool copy(const char* key, char* to, std::size_t room, const char* value) {
    const int length = std::snprintf(to, room, "%s", value);
    if (length >= 0 && static_cast<std::size_t>(length) < room) return true;
    std::fprintf(stderr, "haichi-prof: the value of '%s' is longer than %zu characters: cut\n", key, room - 1);
    return false;
}

bool is_on(const char* key, const char* value, bool otherwise) {
    for (const char* yes : {"on", "yes", "true", "1"}) {
        if (std::strcmp(value, yes) == 0) return true;
    }
    for (const char* no : {"off", "no", "false", "0"}) {
        if (std::strcmp(value, no) == 0) return false;
    }
    std::fprintf(stderr, "haichi-prof: '%s=%s': neither 'on' nor 'off': left as it is\n", key, value);
    return otherwise;
}

/// "key=value", both trimmed in place.
void set(Configuration& c, char* text) {
    text = trimmed(text);
    if (*text == '\0') return;
    char* const equal = std::strchr(text, '=');
    if (equal == nullptr) {
        // HAICHI_PROF=off alone
        c.is_on = is_on("HAICHI_PROF", text, c.is_on);
        return;
    }
    *equal = '\0';
    const char* const key = trimmed(text);
    const char* const value = trimmed(equal + 1);
    if (std::strcmp(key, "file") == 0) {
        copy(key, c.file, sizeof(c.file), value);
    } else if (std::strcmp(key, "profile") == 0) {
        c.keeps_profile = is_on(key, value, c.keeps_profile);
    } else if (std::strcmp(key, "log") == 0) {
        c.keeps_calls = is_on(key, value, c.keeps_calls);
    } else if (std::strcmp(key, "keep_parts") == 0) {
        c.keeps_parts = is_on(key, value, c.keeps_parts);
    } else if (std::strcmp(key, "functions") == 0) {
        copy(key, c.functions, sizeof(c.functions), value);
        c.has_functions = *value != '\0';
    } else {
        std::fprintf(stderr, "haichi-prof: no key '%s': file, profile, log, functions, keep_parts\n", key);
    }
}

void read_file(Configuration& c, const char* path) {
    std::FILE* const file = std::fopen(path, "re");
    if (file == nullptr) {
        std::fprintf(stderr, "haichi-prof: cannot read '%s', which HAICHI_PROF_CONFIG names: %m\n", path);
        return;
    }
    static char line[sizeof(Configuration::functions)];
    while (std::fgets(line, sizeof(line), file) != nullptr) {
        if (char* const comment = std::strchr(line, '#'); comment != nullptr) *comment = '\0';
        set(c, line);
    }
    std::fclose(file);
}

/// The batch system's number of the job; else when and where it began.
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

/// The pattern with %j replaced, and a number behind it where a file of that name is there: jobs with several programs.
void expand_file(Configuration& c, bool is_default) {
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
    for (int number = 2; is_default && number < 10000; ++number) {
        char path[sizeof(c.file) + 32];
        std::snprintf(path, sizeof(path), "%s.haichi-log", c.file);
        const bool has_log = access(path, F_OK) == 0;
        std::snprintf(path, sizeof(path), "%s.0.part", c.file);
        if (!has_log && access(path, F_OK) != 0) return;
        std::snprintf(c.file + size, sizeof(c.file) - size, "-%d", number);
    }
}

}  // namespace

void read_configuration(Configuration& c) {
    c = {};
    c.is_on = c.keeps_profile = c.keeps_calls = true;
    if (const char* const path = std::getenv("HAICHI_PROF_CONFIG"); path != nullptr && *path != '\0') {
        read_file(c, path);
    }
    if (const char* const text = std::getenv("HAICHI_PROF"); text != nullptr) {
        static char copied[sizeof(Configuration)];
        copy("HAICHI_PROF", copied, sizeof(copied), text);
        for (char* begin = copied; begin != nullptr;) {
            char* const comma = std::strchr(begin, ',');
            if (comma != nullptr) *comma = '\0';
            set(c, begin);
            begin = comma == nullptr ? nullptr : comma + 1;
        }
    }
    const bool is_default = c.file[0] == '\0';
    if (is_default) std::snprintf(c.file, sizeof(c.file), "haichi-%%j");
    expand_file(c, is_default);
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
