#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <string>
#include <vector>

#include "base/errors.h"
#include "commlog/traces/trace_readers.h"
#include "tests/base/temporary_folder.h"

namespace haichi {
namespace {

struct BrokenLog {
    std::string name;
    JobLog (*parse)(std::string_view, const std::string&);
    std::string text;
    std::size_t line;    ///< line that the error must name, or 0 for the file only
    std::string quoted;  ///< text that the error must contain
};

void PrintTo(const BrokenLog& document, std::ostream* os) { *os << document.name; }

const std::string kMpiSend =
    "MPI_Send entering at walltime 1.000000001, cputime 0.1 seconds in thread 0.\n"
    "int count=1\nMPI_Datatype datatype=9 (MPI_INT)\nint dest=1\nint tag=0\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n";
const std::string kPrv = "#Paraver (01/02/03 at 04:05):100_ns:0:1:2(1:0,1:0)\n";
const std::string kTask = "<ipm_job_profile>\n<task ipm_version=\"2.0.6\" mpi_rank=\"0\" mpi_size=\"2\" >\n";

std::vector<BrokenLog> malformed_logs() {
    return {
        // SimGrid
        {"tit_empty", parse_tit, "", 0, "no ranks in the log"},
        {"tit_rank", parse_tit, "0 init\nx init\n", 2, "a whole number as the rank, found 'x'"},
        {"tit_rank_too_large", parse_tit, "1048576 init\n", 1, "outside"},
        {"tit_action", parse_tit, "0 init\n0 fly 3\n", 2, "unknown action 'fly'"},
        {"tit_no_size", parse_tit, "0 send 1\n", 1, "a number as the size, found nothing"},
        {"tit_size", parse_tit, "0 send 1 0 many 0\n", 1, "a number as the size, found 'many'"},
        {"tit_size_too_large", parse_tit, "0 init\n0 send 1 0 1e15 0\n", 2, "out of range"},
        {"tit_bytes_too_large", parse_tit, "0 init\n0 send 1 0 2e14 0\n", 2, "2^48"},
        {"tit_infinite", parse_tit, "0 compute inf\n", 1, "out of range"},
        {"tit_negative_time", parse_tit, "0 compute -1\n", 1, "out of range"},
        {"tit_negative_rank", parse_tit, "0 send -5 0 1 0\n", 1, "rank must not be negative, found '-5'"},
        {"tit_counts", parse_tit, "0 gatherv 1\n", 1, "invalid number of arguments"},
        {"tit_alltoallv", parse_tit, "0 alltoallv 1 1 1 1 1 1 1\n", 1, "invalid number of arguments"},
        {"tit_nul", parse_tit, std::string("0 init\n\0", 8), 2, "NUL"},
        {"tit_silent_ranks", parse_tit, "0 init\n900000 init\n", 0, "the log has only 2"},
        // GOAL
        {"goal_no_ranks", parse_goal, "rank 0 {\n}\n", 1, "num_ranks"},
        {"goal_too_many_ranks", parse_goal, "num_ranks 2000000\n", 1, "2000000"},
        {"goal_silent_ranks", parse_goal, "num_ranks 1000000\nrank 0 {\n}\n", 0, "1000000"},
        {"goal_rank", parse_goal, "num_ranks 2\nrank 2 {\n}\n", 2, "outside 0..1"},
        {"goal_twice", parse_goal, "num_ranks 2\nrank 1 {\n}\nrank 1 {\n}\n", 4, "duplicate rank 1"},
        {"goal_peer", parse_goal, "num_ranks 2\nrank 0 {\nsend 1b to 2\n}\n", 3, "outside 0..1"},
        {"goal_unit", parse_goal, "num_ranks 2\nrank 0 {\nsend 1 to 1\n}\n", 3, "expected \"b\""},
        {"goal_label", parse_goal, "num_ranks 2\nrank 0 {\na: calc 1\na: calc 2\n}\n", 4, "duplicate label 'a'"},
        {"goal_undefined", parse_goal, "num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n", 4, "unknown label 'b'"},
        {"goal_ring", parse_goal, "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n", 7,
         "in a cycle"},
        {"goal_itself", parse_goal, "num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n", 5, "in a cycle"},
        {"goal_open", parse_goal, "num_ranks 1\nrank 0 {\ncalc 1\n", 3, "end of the file"},
        {"goal_comment", parse_goal, "num_ranks 1\n/* never\nclosed", 3, "expected the end of a comment"},
        {"goal_word", parse_goal, "num_ranks 1\nrank 0 {\n" + std::string(400, 'a') + "\n}\n", 3, "256 letters"},
        {"goal_size", parse_goal, "num_ranks 2\nrank 0 {\nsend 99999999999999999999b to 1\n}\n", 3, "outside"},
        // Open MPI's monitoring
        {"monitoring_empty", parse_monitoring, "# POINT TO POINT\n", 0, "no ranks in the log"},
        {"monitoring_kind", parse_monitoring, "# POINT TO POINT\nX\t0\t1\t2 bytes\t1 msgs sent\n", 2, "unknown line"},
        {"monitoring_rank", parse_monitoring, "E\t0\t-1\t2 bytes\t1 msgs sent\n", 1, "outside"},
        {"monitoring_bytes", parse_monitoring, "E\t0\t1\t2\t1 msgs sent\n", 1, "\"bytes\" is missing"},
        {"monitoring_messages", parse_monitoring, "E\t0\t1\t2 bytes\t1\n", 1, "\"msgs sent\" is missing"},
        {"monitoring_histogram", parse_monitoring, "E\t0\t1\t2 bytes\t1 msgs sent\t1,x\n", 1, "'x'"},
        {"monitoring_far", parse_monitoring, "E\t0\t900000\t2 bytes\t1 msgs sent\n", 0, "the log has only 1"},
        // mpiP
        {"mpip_rank", parse_mpip, "@ mpiP\n@ MPI Task Assignment      : x node\n", 2, "'x'"},
        {"mpip_empty", parse_mpip, "@ mpiP\n", 0, "no ranks in the log"},
        {"mpip_count", parse_mpip,
         "@ mpiP\n@--- Callsite Time statistics (all, milliseconds): 1 ---\nSend 1 0 x 1 1 1\n", 3,
         "a whole number as the count, found 'x'"},
        {"mpip_time", parse_mpip,
         "@ mpiP\n@--- Callsite Time statistics (all, milliseconds): 1 ---\nSend 1 0 5 nan 1 1\n", 3, "maximum"},
        // IPM
        {"ipm_no_rank", parse_ipm, "<ipm_job_profile>\n<task ipm_version=\"2\" >\n", 2, "no mpi_rank"},
        {"ipm_rank", parse_ipm, "<ipm_job_profile>\n<task ipm_version=\"2\" mpi_rank=\"2\" mpi_size=\"2\" >\n", 2,
         "invalid rank: 2 (the job has 2 ranks)"},
        {"ipm_twice", parse_ipm, kTask + "</task>\n" + kTask.substr(kTask.find("<task")), 4, "duplicate rank 0"},
        {"ipm_partner", parse_ipm,
         kTask + "<hent key=\"0\" call=\"MPI_Send\" bytes=\"8\" orank=\"7\" count=\"1\" >1 1 1</hent>\n", 3,
         "invalid partner: 7"},
        {"ipm_count", parse_ipm,
         kTask + "<hent key=\"0\" call=\"MPI_Send\" bytes=\"8\" orank=\"1\" count=\"-1\" >1 1 1</hent>\n", 3, "count"},
        {"ipm_wall_time", parse_ipm, kTask + "<perf wtime=\"abc\" />\n", 3,
         "wtime must be a time in seconds, found 'abc'"},
        {"ipm_negative_time", parse_ipm, kTask + "<perf mtime=\"-5\" />\n", 3, "found '-5'"},
        {"ipm_long_tag", parse_ipm, kTask + "<" + std::string(2 << 20, 'x'), 3, "1 MiB"},
        {"ipm_banner_ranks", parse_ipm, "##IPMv2.0.6####\n#\n# mpi_tasks : none on 1 nodes\n", 3, "'none'"},
        {"ipm_banner_empty", parse_ipm, "##IPMv2.0.6####\n#\n", 2, "number of ranks"},
        // DUMPI
        {"dumpi_missing", parse_dumpi,
         "MPI_Send entering at walltime 1.0, cputime 0.1 seconds in thread 0.\n"
         "MPI_Send returning at walltime 1.0, cputime 0.1 seconds in thread 0.\n",
         2, "missing argument dest"},
        {"dumpi_time", parse_dumpi, "MPI_Init entering at walltime x.0, cputime 0\n", 1, "walltime"},
        {"dumpi_nested", parse_dumpi, kMpiSend + "MPI_Recv returning at walltime 1.0, cputime\n", 7,
         "found the end of 'MPI_Recv'"},
        {"dumpi_number", parse_dumpi,
         "MPI_Wait entering at walltime 1.0, c\nMPI_Request request=[x]\nMPI_Wait returning at walltime 1.0, c\n", 3,
         "as the request, found 'x'"},
        {"dumpi_size", parse_dumpi,
         "MPI_Type_contiguous entering at walltime 1.0, c\nint count=2147483647\nMPI_Datatype oldtype=28 (user)\n"
         "MPI_Datatype newtype=28 (user)\nMPI_Type_contiguous returning at walltime 1.0, c\n"
         "MPI_Type_contiguous entering at walltime 1.0, c\nint count=2147483647\nMPI_Datatype oldtype=28 (user)\n"
         "MPI_Datatype newtype=28 (user)\nMPI_Type_contiguous returning at walltime 1.0, c\n",
         10, "2^48"},
        // Paraver
        {"prv_header", parse_paraver, "Paraver\n", 1, "#Paraver"},
        {"prv_date", parse_paraver, "#Paraver 1:2\n", 1, "date"},
        {"prv_tasks", parse_paraver, "#Paraver (x):100:0:1:2\n", 1, "no tasks of an application"},
        {"prv_many_tasks", parse_paraver, "#Paraver (x):100:0:1:2000000(1:1)\n", 1, "outside"},
        {"prv_no_record", parse_paraver, kPrv, 0, "no ranks in the log"},
        {"prv_record", parse_paraver, kPrv + "9:1\n", 2, "unknown record"},
        {"prv_task", parse_paraver, kPrv + "2:0:1:3:1:5:50000001:1\n", 2, "outside 1..2"},
        {"prv_short", parse_paraver, kPrv + "3:0:1:1:1:5:5:0:1:2:1:5:5:8\n", 2,
         "a whole number as the tag, found nothing"},
        {"prv_time", parse_paraver, kPrv + "2:0:1:1:1:-5:50000001:1\n", 2, "outside"},
        {"prv_size", parse_paraver, kPrv + "3:0:1:1:1:5:5:0:1:2:1:5:5:-1:0\n", 2, "outside"},
        {"prv_communicator", parse_paraver, kPrv + "c:1:1:3:1:2:1\n", 2, "outside"},
    };
}

class MalformedLog : public testing::TestWithParam<BrokenLog> {};

TEST_P(MalformedLog, is_refused_with_file_line_and_value) {
    const BrokenLog& document = GetParam();
    try {
        (void)document.parse(document.text, "the-file");
        FAIL() << "was read";
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("the-file"), std::string::npos) << what;
        if (document.line != 0) {
            EXPECT_EQ(error.place().line, document.line) << what;
        }
        EXPECT_NE(what.find(document.quoted), std::string::npos) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(LogReaders, MalformedLog, testing::ValuesIn(malformed_logs()),
                         [](const auto& test) { return test.param.name; });

TEST(MalformedLog, an_index_of_traces_that_are_not_there_names_the_missing_file) {
    const testing_files::TemporaryFolder folder;
    try {
        (void)read_log(folder.written("index.tit", "a/rank-0.txt\na/rank-1.txt\n"));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("rank-0.txt"), std::string::npos);
    }
}

TEST(MalformedLog, every_beginning_of_every_sample_is_read_or_refused) {
    struct Parser {
        const char* file;
        JobLog (*parse)(std::string_view, const std::string&);
    };
    const std::string folder = std::string(HAICHI_TEST_DATA) + "/logs/";
    for (const Parser& p : {Parser{"goal/exchange.goal", parse_goal}, Parser{"dumpi/dumpi-0001.txt", parse_dumpi},
                            Parser{"open-mpi-monitoring/ring.0.prof", parse_monitoring},
                            Parser{"mpip/ring.4.1234.1.mpiP", parse_mpip}, Parser{"ipm/full.ipm.xml", parse_ipm},
                            Parser{"ipm/banner.txt", parse_ipm}, Parser{"paraver/ring.prv", parse_paraver}}) {
        std::ifstream file(folder + p.file);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        ASSERT_FALSE(text.empty()) << p.file;
        for (std::size_t length = 0; length < text.size(); length += 41) {
            try {
                (void)p.parse(text.substr(0, length), "f");
            } catch (const InputError&) {
            }
        }
    }
}

}  // namespace
}  // namespace haichi
