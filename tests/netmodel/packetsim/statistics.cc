#include "netmodel/packetsim/run_statistics.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/netmodel/packetsim/packetsim_machines.h"

namespace haichi {
namespace {

using namespace packetsim_machines;

std::vector<std::string> lines_of(const std::ostringstream& text) {
    std::vector<std::string> lines;
    std::istringstream in(text.str());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// 0 -> 1 -> 2, 256 B packets of 32 ns, L of 246 ns.
struct Line {
    Line() : network(grid_network({3})) { engine.emplace(network, PacketTiming(torus_study()), recorder); }
    Network network;
    Recorder recorder;
    std::optional<PacketEngine> engine;
};

TEST(TimeSpaceStatistics, tell_what_each_channel_carried_in_each_bin) {
    Line line;
    line.engine->inject({NodeId(0), NodeId(2), 1024, 1}, 0);
    std::ostringstream out;
    TimeSpaceStatistics statistics(line.engine->machine(), out);
    for (const std::int64_t until_ps : {100'000, 300'000, 1'000'000}) {
        line.engine->run(until_ps);
        statistics.end_bin(until_ps);
    }
    const std::vector<std::string> lines = lines_of(out);
    // Packets are granted the first link at 0, 32, 64, 96 ns, the second 246 ns later, and the ejection another 246 ns
    // later.
    ASSERT_EQ(lines.size(), 6u) << out.str();
    EXPECT_EQ(lines[1], "0,0.000000000000,0.000000100000,0,\"X+ (0)->(1)\",800,8000000000,1,4,0.25");
    EXPECT_EQ(lines[2], "1,0.000000100000,0.000000300000,0,\"X+ (0)->(1)\",224,1120000000,0.14000000000000001,2,0.125");
    // Two packets are granted by 300 ns; the second has started at 278 ns.
    EXPECT_EQ(lines[3].substr(0, 59), "1,0.000000100000,0.000000300000,1,\"X+ (1)->(2)\",432,2160000");
    EXPECT_EQ(lines[4].substr(0, 56), "2,0.000000300000,0.000001000000,1,\"X+ (1)->(2)\",592,8457");
    EXPECT_EQ(lines[5].substr(0, 56), "2,0.000000300000,0.000001000000,2,\"ejection (2)\",1024,14");
}

TEST(BufferHistory, tells_where_packets_came_from_how_long_they_waited_and_where_they_went) {
    Line line;
    line.engine->watch(VertexId(1));
    line.engine->inject({NodeId(0), NodeId(2), 256, 1}, 0);
    line.engine->inject({NodeId(1), NodeId(2), 256, 1}, 240'000);
    line.engine->run();
    std::ostringstream out;
    BufferHistory history(line.engine->machine(), out);
    history.add_interval(line.engine->take_passages());
    const std::vector<std::string> lines = lines_of(out);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1], "0,0.000000240000,0.000000240000,0.000000000000,\"injection (1)\",0,\"X+ (1)->(2)\",1,2,256");
    EXPECT_EQ(lines[2], "0,0.000000246000,0.000000272000,0.000000026000,\"X+ (0)->(1)\",0,\"X+ (1)->(2)\",0,2,256");
}

}  // namespace
}  // namespace haichi
