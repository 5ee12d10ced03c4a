// Takes over a program that `haichi run -- PROGRAM` has started, by replacing the C library's function that starts it.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "cli/live/live_program.h"
#include "cli/program.h"

namespace haichi::cli {

namespace {

using StartMain = int (*)(ProgramMain::Main main, int argc, char** argv, ProgramMain::Init init, void (*fini)(),
                          void (*rtld_fini)(), void* stack_end);

/// The program that our __libc_start_main() has taken over. It is global, because the C library calls our main()
/// without our data.
ProgramMain taken_over;

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_program_to_take_over() {
    const std::string wanted = variable("HAICHI_LIVE_PROGRAM");
    if (wanted.empty() || variable("HAICHI_LIVE").empty()) return false;
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed) == wanted && !failed;
}

/// Replaces the initialisers of the program, which run later in each rank.
void initialise_nothing(int /*argc*/, char** /*argv*/, char** /*environment*/) {}

/// Runs instead of the program's main().
int run_again(int /*argc*/, char** /*argv*/, char** /*environment*/) {
    const nlohmann::json live = parse_json(variable("HAICHI_LIVE"));
    auto words = live["arguments"].get<std::vector<std::string>>();
    // Programs that the ranks start must not be taken over.
    if (live.contains("preloaded")) {
        ::setenv("LD_PRELOAD", live["preloaded"].get<std::string>().c_str(), 1);
    } else {
        ::unsetenv("LD_PRELOAD");
    }
    ::unsetenv("HAICHI_LIVE");
    ::unsetenv("HAICHI_LIVE_PROGRAM");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int code = 0;
    {
        LiveProgram program(taken_over, live["haichi"].get<std::string>());
        code = run_program(static_cast<int>(words.size()), arguments.data(), &program);
    }
    // The finalisers of the program's libraries must not run again, because the ranks have run them.
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(code);
}

}  // namespace

}  // namespace haichi::cli

extern "C" [[gnu::visibility("default")]] int __libc_start_main(haichi::cli::ProgramMain::Main main, int argc,
                                                                char** argv, haichi::cli::ProgramMain::Init init,
                                                                void (*fini)(), void (*rtld_fini)(), void* stack_end) {
    using namespace haichi::cli;
    const auto start = reinterpret_cast<StartMain>(::dlsym(RTLD_NEXT, "__libc_start_main"));
    if (!is_program_to_take_over()) return start(main, argc, argv, init, fini, rtld_fini, stack_end);
    taken_over = {.main = main, .init = init, .argc = argc, .argv = argv};
    return start(run_again, argc, argv, initialise_nothing, fini, rtld_fini, stack_end);
}
