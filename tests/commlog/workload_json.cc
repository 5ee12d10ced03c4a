#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/errors.h"
#include "commlog/readers/readers.h"
#include "commlog/workload/workload_json.h"
#include "tests/commlog/workload_text.h"

namespace haichi {
namespace {

/// A file that is removed after the test.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() /
                ("haichi-workload-" + std::to_string(std::random_device{}()) + ".json")) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

TEST(WorkloadJson, all_keys_are_read) {
    const Workload workload = read_workload_json(R"({"schema": "haichi-workload/1", "ranks": 4, "iterations": 1000,
      "sets": [{"label": "row \"1\" \u00e9", "compute_seconds": 2.5e-3, "messages": [[0, 1, 1048576], [3, 3, 0]]},
               {"compute_seconds": 2, "messages": [[2, 0, 281474976710656]]}]})",
                                                 "w.json");
    EXPECT_EQ(workload.rank_count(), 4);
    EXPECT_EQ(workload.iterations(), 1000);
    ASSERT_EQ(workload.set_count(), 2U);
    EXPECT_EQ(workload.set(0).label, "row \"1\" \xc3\xa9");
    EXPECT_EQ(workload.set(0).compute_seconds, 2.5e-3);
    EXPECT_EQ(workload.set(1).compute_seconds, 2.0);
    ASSERT_EQ(workload.messages(0).size(), 2U);
    EXPECT_EQ(workload.messages(0)[0], (Message{RankId(0), RankId(1), 1048576}));
    EXPECT_EQ(workload.messages(0)[1], (Message{RankId(3), RankId(3), 0}));
    EXPECT_EQ(workload.messages(1)[0], (Message{RankId(2), RankId(0), kLargestMessageBytes}));
}

TEST(WorkloadJson, sets_say_whether_their_messages_are_put) {
    const std::string text =
        "{\"schema\": \"haichi-workload/1\", \"ranks\": 2, \"iterations\": 1,\n \"sets\": [\n"
        "  {\"label\": \"\", \"compute_seconds\": 0, \"transfer\": \"put\", \"messages\": [[0,1,8]]},\n"
        "  {\"label\": \"\", \"compute_seconds\": 0, \"messages\": [[1,0,8]]}]}\n";
    const Workload workload = read_workload_json(text, "w.json");
    EXPECT_EQ(workload.set(0).transfer, Transfer::kPut);
    EXPECT_EQ(workload.set(1).transfer, Transfer::kMessages);
    EXPECT_EQ(workload_text(workload), text);
    EXPECT_EQ(
        read_workload_json(
            R"({"schema": "haichi-workload/1", "ranks": 2, "sets": [{"transfer": "messages", "messages": []}]})", "w")
            .set(0)
            .transfer,
        Transfer::kMessages);
    for (const char* wrong : {"\"get\"", "1", "null", "[]"}) {
        EXPECT_THROW(read_workload_json(R"({"schema": "haichi-workload/1", "ranks": 2, "sets": [{"messages": [],
                                           "transfer": )" +
                                            std::string(wrong) + "}]}",
                                        "w"),
                     InputError)
            << wrong;
    }
}

TEST(WorkloadJson, keys_may_stand_in_any_order) {
    const Workload workload = read_workload_json(
        R"({"sets": [{"messages": [[0, 3, 5]], "compute_seconds": 1, "label": "x"}],
            "iterations": 9, "ranks": 4, "schema": "haichi-workload/1"})",
        "w.json");
    EXPECT_EQ(workload.rank_count(), 4);
    EXPECT_EQ(workload.iterations(), 9);
    EXPECT_EQ(workload.set(0).label, "x");
    EXPECT_EQ(workload.set(0).compute_seconds, 1);
}

TEST(WorkloadJson, what_is_optional_may_be_missing) {
    const Workload workload =
        read_workload_json(R"({"schema": "haichi-workload/1", "ranks": 1, "sets": [{"messages": []}]})", "w.json");
    EXPECT_EQ(workload.iterations(), 1);
    ASSERT_EQ(workload.set_count(), 1U);
    EXPECT_EQ(workload.set(0).label, "");
    EXPECT_EQ(workload.set(0).compute_seconds, 0);
    EXPECT_TRUE(workload.messages(0).empty());
    EXPECT_EQ(read_workload_json(R"({"schema": "haichi-workload/1", "ranks": 1, "sets": []})", "w.json").set_count(),
              0U);
}

TEST(WorkloadJson, a_byte_order_mark_is_skipped) {
    EXPECT_EQ(
        read_workload_json("\xef\xbb\xbf{\"schema\": \"haichi-workload/1\", \"ranks\": 3, \"sets\": []}", "w.json")
            .rank_count(),
        3);
}

TEST(WorkloadJson, a_set_is_written_on_a_line) {
    Workload workload(64, 1000);
    workload.add_set("row exchange 1");
    workload.add_message(RankId(0), RankId(1), 1048576);
    workload.add_message(RankId(1), RankId(0), 1048576);
    workload.add_set("", 0.25);
    EXPECT_EQ(
        workload_text(workload),
        "{\"schema\": \"haichi-workload/1\", \"ranks\": 64, \"iterations\": 1000,\n"
        " \"sets\": [\n"
        "  {\"label\": \"row exchange 1\", \"compute_seconds\": 0, \"messages\": [[0,1,1048576],[1,0,1048576]]},\n"
        "  {\"label\": \"\", \"compute_seconds\": 0.25, \"messages\": []}]}\n");
}

TEST(WorkloadJson, a_label_in_no_encoding_is_written_as_valid_json) {
    Workload workload(1);
    workload.add_set("\xff\"\n");
    EXPECT_EQ(read_workload_json(workload_text(workload), "w.json").set(0).label, "\xef\xbf\xbd\"\n");
}

TEST(WorkloadJson, a_file_of_many_chunks_reads_as_its_text) {
    Workload workload(1000);
    workload.add_set("all");
    for (int i = 0; i < 200000; ++i) workload.add_message(RankId(i % 1000), RankId(i * 7 % 1000), i);
    const std::string text = workload_text(workload);
    ASSERT_GT(text.size(), std::size_t{2} << 20);
    const TemporaryFile file(text);
    EXPECT_EQ(workload_text(read_workload(file.path())), text);
}

TEST(WorkloadJson, lines_are_counted_across_chunks) {
    std::string text = "{\"schema\": \"haichi-workload/1\", \"ranks\": 1,\n\"sets\": [{\"messages\": [\n";
    int lines = 3;
    for (; text.size() < (std::size_t{3} << 20); ++lines) text += "[0,0,1],\n";
    text += "[0,1,1]]}]}";
    const TemporaryFile file(text);
    try {
        read_workload(file.path());
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(file.path() + ":" + std::to_string(lines) + ":"), std::string::npos)
            << error.what();
    }
}

TEST(WorkloadJson, a_nul_byte_at_the_start_of_a_chunk_is_found) {
    std::string text = "{\"schema\": \"haichi-workload/1\", \"ranks\": 1, \"sets\": []}";
    text.resize(std::size_t{1} << 20, ' ');
    text += '\0';
    const TemporaryFile file(text);
    EXPECT_THROW(read_workload(file.path()), InputError);
}

TEST(WorkloadJson, a_number_without_end_does_not_fill_the_memory) {
    const TemporaryFile file("{\"ranks\": " + std::string(std::size_t{70} << 20, '1'));
    try {
        read_workload(file.path());
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("longer than 64 MiB"), std::string::npos) << error.what();
    }
}

TEST(WorkloadJson, a_file_that_is_not_there_is_named) {
    try {
        read_workload("/nonexistent/w.json");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot read /nonexistent/w.json: "), std::string::npos);
    }
}

TEST(WorkloadJson, a_directory_is_no_workload) { EXPECT_THROW(read_workload("/proc/self/task"), InputError); }

}  // namespace
}  // namespace haichi
