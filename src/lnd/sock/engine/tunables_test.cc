#include "lnd/sock/engine/tunables.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

namespace ulnet::lnd::sock {
namespace {

constexpr std::int64_t kAnyMax = INT32_MAX;

/// A tunable that is a number.
struct Number {
  const char* name;
  std::int64_t standard, low, high;
  bool start_only = false;
};
// spec/wire-socklnd.md 2.1, 11
constexpr Number kNumbers[] = {
    {"sock_timeout", 0, 0, kAnyMax},
    {"credits", 256, 1, kAnyMax, true},
    {"peer_credits", 8, 1, kAnyMax, true},
    {"peer_buffer_credits", 0, 0, kAnyMax, true},
    {"peer_timeout", 180, -1, kAnyMax, true},
    {"nscheds", 0, 0, 1024, true},
    {"nconnds", 4, 1, 65536},
    {"nconnds_max", 64, 1, 65536},
    {"min_reconnectms", 1000, 1, kAnyMax},
    {"max_reconnectms", 60000, 1, kAnyMax},
    {"eager_ack", 0, 0, 15},
    {"typed_conns", 1, 0, 1},
    {"min_bulk", 1024, 0, kAnyMax},
    {"tx_buffer_size", 0, 0, kAnyMax},
    {"rx_buffer_size", 0, 0, kAnyMax},
    {"nagle", 0, 0, 1},
    {"round_robin", 1, 0, 1},
    {"keepalive", 30, -1, kAnyMax},
    {"keepalive_idle", 30, 0, 32767},
    {"keepalive_intvl", 5, 0, 32767},
    {"keepalive_count", 5, 0, 127},
    {"enable_csum", 0, 0, 1},
    {"inject_csum_error", 0, 0, kAnyMax},
    {"nonblk_zcack", 1, 0, 1},
    {"zc_min_payload", 16384, 2048, kAnyMax},
    {"zc_recv", 0, 0, 1, true},
    {"zc_recv_min_nfrags", 16, 0, kAnyMax, true},
    {"conns_per_peer", 0, 0, 255},
    {"tos", -1, -1, 255},
    {"enable_irq_affinity", 0, 0, 1, true},
    {"accept_port", 988, 1, 65535, true},
    {"accept_port_bulk", 988, 1, 65535, true},
    {"accept_backlog", 127, 1, 65535, true},
    {"accept_timeout", 5, 1, kAnyMax},
    {"accept_pending", 4096, 1, 1048576},
    {"unprivileged_connect", 1, 0, 1},
    {"spin_us", 50, 0, 1000000},
    {"long_cycle_ms", 10, 0, 3600000},
    {"zc_request", 0, 0, 1},
};

const TunableInfo* find(std::string_view name) {
  for (const TunableInfo& info : tunables())
    if (info.name == name) return &info;
  return nullptr;
}

TEST(Tunables, NumbersHaveTheirDefaultsAndRanges) {
  for (const Number& number : kNumbers) {
    const TunableInfo* info = find(number.name);
    ASSERT_NE(info, nullptr) << number.name;
    EXPECT_EQ(info->start_only, number.start_only) << number.name;
    SockTunables t;
    EXPECT_EQ(get_tunable(t, number.name).value(), std::to_string(number.standard)) << number.name;
    for (const std::int64_t value : {number.low, number.high}) {
      ASSERT_TRUE(set_tunable(t, number.name, std::to_string(value))) << number.name;
      EXPECT_EQ(get_tunable(t, number.name).value(), std::to_string(value));
    }
    for (const std::int64_t value : {number.low - 1, number.high + 1}) {
      const auto set = set_tunable(t, number.name, std::to_string(value));
      ASSERT_FALSE(set) << number.name << "=" << value;
      EXPECT_EQ(set.error().code, -EINVAL);
    }
    EXPECT_EQ(get_tunable(t, number.name).value(), std::to_string(number.high)) << "as it was";
  }
}

TEST(Tunables, WordsHaveTheirDefaults) {
  const SockTunables defaults;
  const std::map<std::string, std::pair<std::string, bool>> expected = {
      {"accept", {"secure", true}}, {"congestion", {"", false}}, {"wait", {"adaptive", false}}};
  for (const auto& [name, word] : expected) {
    EXPECT_EQ(get_tunable(defaults, name).value(), word.first) << name;
    EXPECT_EQ(find(name)->start_only, word.second) << name;
  }
  EXPECT_EQ(tunables().size(), std::size(kNumbers) + expected.size());
  for (const TunableInfo& info : tunables()) EXPECT_FALSE(info.help.empty()) << info.name;
}

TEST(Tunables, TakeEachOfTheirWords) {
  SockTunables t;
  const char* const accepts[] = {"secure", "all", "none", "trust"};
  for (std::uint8_t i = 0; i < std::size(accepts); ++i) {
    ASSERT_TRUE(set_tunable(t, "accept", accepts[i]));
    EXPECT_EQ(t.accept, static_cast<Accept>(i));
    EXPECT_EQ(get_tunable(t, "accept").value(), accepts[i]);
  }
  const char* const waits[] = {"spin", "adaptive", "block"};
  for (std::uint8_t i = 0; i < std::size(waits); ++i) {
    ASSERT_TRUE(set_tunable(t, "wait", waits[i]));
    EXPECT_EQ(t.wait, static_cast<Wait>(i));
    EXPECT_EQ(get_tunable(t, "wait").value(), waits[i]);
  }
  EXPECT_TRUE(set_tunable(t, "congestion", std::string(15, 'x')));
  EXPECT_FALSE(set_tunable(t, "congestion", std::string(16, 'x')));
}

TEST(Tunables, AreSetByNameAndReadBack) {
  SockTunables t;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"accept", "trust"},
                                                                      {"wait", "block"},
                                                                      {"congestion", "reno"},
                                                                      {"tos", "32"},
                                                                      {"zc_min_payload", "2048"}}) {
    EXPECT_TRUE(set_tunable(t, name, value)) << name;
    EXPECT_EQ(get_tunable(t, name).value(), value);
  }
  EXPECT_EQ(t.accept, Accept::kTrust);
  EXPECT_EQ(t.wait, Wait::kBlock);
}

TEST(Tunables, ReadANumberThatIsPartOfALongerText) {
  SockTunables t;
  ASSERT_TRUE(set_tunable(t, "tos", std::string_view("1289").substr(0, 2)));
  EXPECT_EQ(t.tos, 12);
}

TEST(Tunables, RefuseWhatIsNoValueOfTheirs) {
  SockTunables t;
  EXPECT_EQ(set_tunable(t, "no_such_thing", "1").error().code, -ENOENT);
  EXPECT_EQ(get_tunable(t, "no_such_thing").error().code, -ENOENT);
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"accept", "maybe"},
                                          {"wait", ""},
                                          {"tos", "256"},
                                          {"tos", "x"},
                                          {"zc_min_payload", "2047"},
                                          {"accept_port", "0"},
                                          {"conns_per_peer", "256"},
                                          {"nagle", "2"},
                                          {"min_bulk", "1k"},
                                          {"max_reconnectms", "0"},
                                          {"congestion", "a_name_that_is_too_long"}}) {
    const auto set = set_tunable(t, name, value);
    ASSERT_FALSE(set) << name;
    EXPECT_EQ(set.error().code, -EINVAL);
    EXPECT_FALSE(set.error().reason.empty());
  }
}

}  // namespace
}  // namespace ulnet::lnd::sock
