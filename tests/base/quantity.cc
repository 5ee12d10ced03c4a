#include <gtest/gtest.h>

#include "base/quantity.h"

namespace haichi {
namespace {

const SourcePlace kPlace{"machine.json", 7};

TEST(Quantity, decimal_and_binary_units_are_exact) {
    EXPECT_EQ(parse_bandwidth_bytes_per_s("5GB/s", kPlace), 5'000'000'000);
    EXPECT_EQ(parse_bandwidth_bytes_per_s("6.8GB/s", kPlace), 6'800'000'000);
    EXPECT_EQ(parse_bandwidth_bytes_per_s("40 Gbit/s", kPlace), 5'000'000'000);
    EXPECT_EQ(parse_bytes("1KiB", kPlace), 1024);
    EXPECT_EQ(parse_bytes("1920B", kPlace), 1920);
    EXPECT_EQ(parse_time_ps("0.5us", kPlace), 500'000);
    EXPECT_EQ(parse_time_ps("100ns", kPlace), 100'000);
    EXPECT_EQ(parse_bytes(" 10.50 KiB ", kPlace), 10'752);
    EXPECT_EQ(parse_bytes("1.5000000000000000000000000000KiB", kPlace), 1536);
    EXPECT_EQ(parse_bytes("4611686018427387904B", kPlace), std::int64_t{1} << 62);
    EXPECT_EQ(parse_bytes("0.000KB", kPlace), 0);
}

template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Quantity, spellings_with_one_meaning_are_read) {
    for (const char* text : {"100Gbps", "100Gb/s", "100 Gbit/s", "100Gbit", "100Gbits/s", "12.5GBps", "12.5GB/sec"}) {
        EXPECT_EQ(parse_bandwidth_bytes_per_s(text, kPlace), 12'500'000'000) << text;
    }
    for (const char* text : {"100Mbps", "100Mb/s", "100Mbit/s"}) {
        EXPECT_EQ(parse_bandwidth_bytes_per_s(text, kPlace), 12'500'000) << text;
    }
    for (const char* text : {"100kbps", "100Kb/s", "100 kbit/s", "12.5kB/s", "12.5KB/sec", "12500B/s", "100000bit/s"}) {
        EXPECT_EQ(parse_bandwidth_bytes_per_s(text, kPlace), 12'500) << text;
    }
    EXPECT_EQ(parse_bandwidth_bytes_per_s("8Tbit/s", kPlace), 1'000'000'000'000);
    for (const char* text : {"1us", "1usec", "1\xc2\xb5s", "1\xce\xbcs", "1 \xc2\xb5sec", "1000nsec"}) {
        EXPECT_EQ(parse_time_ps(text, kPlace), 1'000'000) << text;
    }
    EXPECT_EQ(parse_time_ps("10 seconds", kPlace), 10'000'000'000'000);
    EXPECT_EQ(parse_time_ps("2min", kPlace), 120'000'000'000'000);
    EXPECT_EQ(parse_bytes("8 bytes", kPlace), 8);
    EXPECT_EQ(parse_bytes("1TiB", kPlace), std::int64_t{1} << 40);
}

template <class Parse>
std::string hint_of(Parse&& parse, const char* text) {
    try {
        (void)parse(text, kPlace);
    } catch (const InputError& error) {
        return error.hint();
    }
    return "no error";
}

TEST(Quantity, hints_keep_the_magnitude) {
    EXPECT_EQ(hint_of(parse_bytes, "64K"), "write KiB (1,024 bytes) or kB (1,000 bytes)");
    EXPECT_EQ(hint_of(parse_bytes, "64kb"), "write KiB (1,024 bytes) or kB (1,000 bytes)");
    EXPECT_EQ(hint_of(parse_bytes, "64kib"), "did you mean 'KiB'?");
    EXPECT_EQ(hint_of(parse_bytes, "64"), "write the unit, as in 10B or 10KiB");
    EXPECT_EQ(hint_of(parse_bandwidth_bytes_per_s, "5gb/s"), "write Gbit/s for bits or GB/s for bytes");
    EXPECT_EQ(hint_of(parse_bandwidth_bytes_per_s, "5GBIT/S"), "did you mean 'Gbit/s'?");
    EXPECT_EQ(hint_of(parse_time_ps, "10"), "write the unit, as in 10s, 10ms, 10us or 10ns");
    EXPECT_EQ(hint_of(parse_time_ps, "10m"), "write min for minutes or ms for milliseconds");
    EXPECT_EQ(hint_of(parse_time_ps, "10fs"), "units are ps, ns, us, ms, s, min, h");
}

TEST(Quantity, errors_name_place_and_value) {
    for (const char* text :
         {"", "5", "GB/s", "5 GX/s", "-5GB/s", "5e9B/s", "1..2GB/s", "99999999999999999999GB/s", "1.5bit/s",
          "0.00000000000000000000000000000000000000001GB/s", "100000000000000000000000000000000000000000000B/s",
          "4611686018427387905B/s", "0x5GB/s", "5GB/s extra", "1234567890123456789012345B/s"}) {
        const std::string message = error_of([&] { (void)parse_bandwidth_bytes_per_s(text, kPlace); });
        EXPECT_TRUE(message.starts_with("machine.json:7: ")) << text << ": " << message;
        EXPECT_NE(message.find(shown(text)), std::string::npos) << text << ": " << message;
    }
}

TEST(Quantity, a_time_finer_than_a_picosecond_is_an_error) {
    EXPECT_NE(error_of([] { (void)parse_time_ps("0.5ps", kPlace); }).find("is not a whole number of ps"),
              std::string::npos);
}

TEST(Quantity, counts_stay_below_their_largest) {
    EXPECT_EQ(parse_count("0", 5, kPlace), 0);
    EXPECT_EQ(parse_count("5", 5, kPlace), 5);
    EXPECT_EQ(parse_count("9223372036854775807", INT64_MAX, kPlace), INT64_MAX);
    for (const char* text : {"6", "10", "-1", "", "1x", "9223372036854775808"}) {
        EXPECT_NE(error_of([&] { (void)parse_count(text, 5, kPlace); }), "no error") << text;
    }
}

}  // namespace
}  // namespace haichi
