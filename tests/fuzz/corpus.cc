// fuzz_corpus DIRECTORY [READER]: feeds each file of DIRECTORY/READER once to every reader, or to the given one.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/readers.h"

namespace {

int give_corpus(const haichi::FuzzedReader& reader, const std::filesystem::path& folder) {
    int inputs = 0;
    // Printed first, so that a crash can be attributed to this reader.
    std::printf("%s: ", std::string(reader.name).c_str());
    std::fflush(stdout);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        haichi::read_hostile_bytes(reader, bytes);
        ++inputs;
    }
    std::printf("%d inputs\n", inputs);
    return inputs;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::filesystem::path corpus = argv[1];
    if (argc > 2) return give_corpus(haichi::fuzzed_reader(argv[2]), corpus / argv[2]) > 0 ? 0 : 1;
    haichi::require_reader_of_each_format();
    bool all_have_inputs = true;
    for (const haichi::FuzzedReader& reader : haichi::fuzzed_readers()) {
        all_have_inputs = give_corpus(reader, corpus / reader.name) > 0 && all_have_inputs;
    }
    return all_have_inputs ? 0 : 1;
}
