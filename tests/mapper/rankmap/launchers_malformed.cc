#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "tests/mapper/rankmap/rankmap_job.h"

namespace haichi {
namespace {

struct MalformedLauncherMap {
    const char* format;
    std::string text;
    const char* start;   ///< start of the message: file and line
    const char* quoted;  ///< a text that the message must mention
};

/// Three ranks (four for bgl) on the mesh 2x1x1 with two ranks per node; hosts n0 and n1.
TEST(RankMapLaunchersMalformed, is_an_error_that_names_the_line_and_the_value) {
    const Allocation job = rankmap_job("mesh:2x1x1", {}, 2);
    const HostNames hosts = HostNames::parse_pattern("n%d", 2);
    const std::vector<MalformedLauncherMap> files = {
        {"bgq", "0 0 0 0 0\n", "map:1: ", "the 6 numbers A B C D E T, found '0 0 0 0 0'"},
        {"bgq", "0 0 0 0 0 0\n0 0 0 0 0 0 0\n", "map:2: ", "'0 0 0 0 0 0 0'"},
        {"bgq", "# c\n2 0 0 0 0 0\n", "map:2: ", "invalid coordinate in column 1: 2 (the block is 2x1x1)"},
        {"bgq", "0 0 0 1 0 0\n", "map:1: ", "invalid coordinate in column 4: 1"},
        {"bgq", "0 0 0 0 0 2\n", "map:1: ", "invalid T: 2 (a node has the rank slots 0..1)"},
        {"bgq", "0 0 0 0 0 1\n\n0 0 0 0 0 1\n", "map:3: ", "duplicate T 1 of node (0,0,0), first on line 1"},
        {"bgq", "0 0 0 0 0 -1\n", "map:1: ", "'-1'"},
        {"bgq", "0 0 0 0 0 x\n", "map:1: ", "'x'"},
        {"bgq", "0 0 0 0 0 0\n", "map: ", "1 record for 3 ranks"},
        {"bgq", "", "map: ", "0 records"},
        {"bgl", "0 0 0 0\n# c\n", "map:2: ", "x y z t"},
        {"bgl", "0 0 0 0 # c\n", "map:1: ", "comment"},
        {"bgl", "0 0 0 0\n\n", "map:2: ", "x y z t, found ''"},
        {"bgl", "0 0 0 0\n0 0 0 1\n1 0 0 0\n", "map: ", "3 records for 4 ranks"},
        {"bgl", "0 0 0 0\n0 0 0 0\n", "map:2: ", "duplicate t 0 of node (0,0,0), first on line 1"},
        {"bgl", "0 0 0\n", "map:1: ", "'0 0 0'"},
        {"bgl", "0 0 99999999999 0\n", "map:1: ", "'99999999999' is too large"},
        {"cray", "0,1,1\n", "map:1: ", "duplicate rank 1, first on line 1"},
        {"cray", "0,1\n3\n", "map:2: ", "'3' is too large (at most 2)"},
        {"cray", "0,,1,2\n", "map:1: ", "expected a rank before the comma"},
        {"cray", "0-1,*\n", "map:1: ", "'*'"},
        {"cray", "0 1 2\n", "map:1: ", "'0 1 2'"},
        {"cray", "0-\n", "map:1: ", "found ''"},
        {"cray", "-1\n", "map:1: ", "found ''"},
        {"cray", "0-99999999999999999999\n", "map:1: ", "too large"},
        {"cray", "0,2\n", "map: ", "2 positions for 3 ranks"},
        {"cray", "0-1-2\n", "map:1: ", "'1-2'"},
        {"openmpi", "rank 0=n0\n", "map:1: ", "expected rank N=HOST slot=SLOTS, found 'rank 0=n0'"},
        {"openmpi", "rank 0 n0 slot 0\n", "map:1: ", "'rank 0 n0 slot 0'"},
        {"openmpi", "\nRank 0=n0 slot=0\n", "map:2: ", "'Rank 0=n0 slot=0'"},
        {"openmpi", "rank 0=n2 slot=0\n", "map:1: ", "the job has no node with the name 'n2'"},
        {"openmpi", "rank 0=+n2 slot=0\n", "map:1: ", "invalid node '+n2' (the job has 2)"},
        {"openmpi", "rank 0=+n slot=0\n", "map:1: ", "found ''"},
        {"openmpi", "rank 3=n0 slot=0\n", "map:1: ", "'3' is too large (at most 2)"},
        {"openmpi", "rank 0=n0 slot=0\n\nrank 0=n1 slot=0\n", "map:3: ", "duplicate rank 0, first on line 1"},
        {"openmpi", "rank 0=n0 slot=a\n", "map:1: ", "slot list"},
        {"openmpi", "rank 0=n0 slot=0 x\n", "map:1: ", "'rank 0=n0 slot=0 x'"},
        {"openmpi", "/* \nrank 0=n0 slot=0\n", "map:1: ", "unterminated comment"},
        {"openmpi", "rank 0=n0 slot=0\nrank 2=n0 slot=0\n", "map: ", "2 lines for 3 ranks"},
        {"openmpi", "rank =n0 slot=0\n", "map:1: ", "expected rank N"},
        {"slurm", "n0\nn5\nn1\n", "map:2: ", "'n5'"},
        {"slurm", "n0 n1\n", "map:1: ", "'n1'"},
        {"slurm", "n0*0\n", "map:1: ", "'n0*0' places no rank"},
        {"slurm", "n0*x\n", "map:1: ", "'x'"},
        {"slurm", "n0*3\n", "map:1: ", "rank 2 does not fit on node (0,0,0)"},
        {"slurm", "n0*2000000000\nn0*2000000000\nn0*2000000000\n", "map: ", "6000000000 ranks for 3 ranks"},
        {"slurm", "n[0-1\n", "map:1: ", "brackets"},
        {"slurm", "n[0-9]\n", "map:1: ", "expected at most 3 names, found more"},
        {"slurm", "n0,,n1\n", "map:1: ", "invalid host name: ''"},
        {"slurm", "n0:1\n", "map:1: ", "'n0:1'"},
        {"slurm", "n0\nn1\n", "map: ", "2 ranks for 3 ranks"},
        {"hydra", "n0:2:1\n", "map:1: ", "'2:1'"},
        {"hydra", "n0:\n", "map:1: ", "found ''"},
        {"hydra", "n0 slots=2\n", "map:1: ", "'slots=2'"},
        {"hydra", "n0,n1\n", "map:1: ", "'n0,n1'"},
        {"hydra", ":2\n", "map:1: ", "''"},
        {"intel", "n0:-1\n", "map:1: ", "'-1'"},
        {"intel", "n7:1\n", "map:1: ", "'n7'"},
        {"lsf", "n0 a\n", "map:1: ", "'a'"},
        {"lsf", "n0 3-1\n", "map:1: ", "the range '3-1' is empty"},
        {"lsf", "n0 0,1-3,2\n", "map:1: ", "duplicate core 2 in the cores '0,1-3,2'"},
        {"lsf", "n0 0,,1\n", "map:1: ", "expected a core or a range, found ''"},
        {"erf", "rank: 0: { host: 1; cpu: {a} }\n", "map:1: ", "found 'a' in the cores '{a}'"},
        {"erf", "rank: 0: { host: 1; cpu: {0-} }\n", "map:1: ", "expected a whole number"},
        {"erf", "rank: 0: { host: 1; cpu: {4-7,5} }\n", "map:1: ", "duplicate core 5"},
        {"lsf", "n0 0 0 1 x\n", "map:1: ", "'x'"},
        {"flux", "[]\n", "map:1: ", "expected '[', found ']'"},
        {"flux", "[[0,1,1]]\n", "map:1: ", "expected ',', found ']]'"},
        {"flux", "[[0,1,1,0]]\n", "map:1: ", "expected at least 1, found 0"},
        {"flux", "[[0,2,1,1],\n[-1,1,1,1]]\n", "map:2: ", "a number, found '-1,1,1,1]]'"},
        {"flux", "[[1,2,1,1]]\n", "map:1: ", "invalid node: 2 (the job has nodes 0..1)"},
        {"flux", "[[0,2,1,1]]\n", "map: ", "2 ranks for 3 ranks"},
        {"flux", "[[0,2,2000000000,2000000000]]\n", "map: ", "2147483647 ranks for 3 ranks"},
        {"flux", "[[0,2,1,2]] x\n", "map:1: ", "expected the end, found 'x"},
        {"flux", "{\"version\":2,\"map\":[[0,2,1,2]]}", "map:1: ", "unknown version of Flux task maps: 2"},
        {"flux", "{\"version\":1}", "map:1: ", "'map' is missing"},
        {"pmi", "(vector,(0,2))\n", "map:1: ", "expected ',', found '))'"},
        {"pmi", "(vector,(0,2,0))\n", "map:1: ", "expected at least 1, found 0"},
        {"pmi", "((0,2,1))\n", "map:1: ", "expected 'vector'"},
        {"pmi", "(vector,(0,2,1)\n", "map:2: ", "found the end"},
        {"pmi", "(vector,(1,2,1))\n", "map:1: ", "invalid node: 2"},
        {"pmi", "(vector,(0,2,2),(0,1,1))\n", "map: ", "5 ranks for 3 ranks"},
        {"erf", "rank: 0: { host: 3; cpu: {0} }\n", "map:1: ", "invalid host: 3 (the job has hosts 1..2)"},
        {"erf", "rank: 0: { host: 0; cpu: {0} }\n", "map:1: ", "invalid host: 0"},
        {"erf", "rank: 0: { cpu: {0} }\n", "map:1: ", "the rank has no host"},
        {"erf", "rank: 0: { hostname: n7 }\n", "map:1: ", "'n7'"},
        {"erf", "rank: 0: { host: 1; disk: 2 }\n", "map:1: ", "'disk'"},
        {"erf", "rank: 0: host 1\n", "map:1: ", "'rank: 0: host 1'"},
        {"erf", "cpu_index: logical\n", "map:1: ", "'cpu_index: logical'"},
        {"erf", "rank: 0: { host: 1 }\nrank: 0: { host: 2 }\n", "map:2: ", "duplicate rank 0"},
        {"simgrid", "# c\n", "map:1: ", "comment"},
        {"simgrid", "n0\nn1 2\n", "map:2: ", "'2'"},
        {"simgrid", "N0\n", "map:1: ", "'N0'"},
        {"simgrid", std::string("n0\0\n", 4), "map:1: ", "\\x00"},
        {"simgrid", "", "map: ", "0 ranks for 3 ranks"},
    };
    for (const MalformedLauncherMap& file : files) {
        try {
            (void)parse_rank_map(file.text, "map", file.format,
                                 {&job, std::string(file.format) == "bgl" ? 4 : 3, &hosts});
            ADD_FAILURE() << file.format << " read " << file.text;
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_TRUE(message.starts_with(file.start)) << message;
            EXPECT_NE(message.find(file.quoted), std::string::npos) << file.format << ": " << message;
        } catch (const UnsupportedError& error) {
            ADD_FAILURE() << file.format << ": " << error.what();
        }
    }
}

TEST(RankMapLaunchersMalformed, all_bad_lines_are_collected) {
    const Allocation job = rankmap_job("mesh:2x1x1", {}, 2);
    const HostNames hosts = HostNames::parse_pattern("n%d", 2);
    const auto messages = [&](const std::string& format, const std::string& text) {
        std::vector<std::string> all;
        const MapFindings found = examine_rank_map(text, "map", format, {&job, 4, &hosts});
        for (const auto& problem : found.problems.kept()) all.emplace_back(problem.error.what());
        return all;
    };
    EXPECT_EQ(messages("fujitsu", "(0,0,0)\n(2,0,0)\n(0,0)\n(1,0,0)\n"),
              (std::vector<std::string>{"map:2: invalid coordinates: '(2,0,0)' (the logical shape is 2x1x1)",
                                        "map:3: '(0,0)' has 2 coordinates, but the logical shape 2x1x1 has 3"}));
    EXPECT_EQ(messages("slurm", "n0\nn9\nn0\nn0\nn1\n"),
              (std::vector<std::string>{"map:2: the job has no node with the name 'n9'", "map: 5 ranks for 4 ranks",
                                        "map:4: rank 3 does not fit on node (0,0,0) (at most 2)"}));
    EXPECT_EQ(messages("nsim", "0 0 0 0\n1 9 0 0\n").size(), 1U) << "a record that cannot be read is not missing, too";
}

TEST(RankMapLaunchersMalformed, of_very_many_problems_the_first_are_kept) {
    const Allocation job = rankmap_job("mesh:2x1x1", {}, 2);
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "(7,7,7)\n";
    const MapProblems problems = examine_rank_map(text, "map", "fujitsu", {&job}).problems;
    EXPECT_EQ(problems.count(), 5001) << "and one for the number of lines";
    EXPECT_EQ(problems.kept().size(), 100U);
}

}  // namespace
}  // namespace haichi
