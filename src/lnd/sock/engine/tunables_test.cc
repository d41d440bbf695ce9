#include "lnd/sock/engine/tunables.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ulnet::lnd::sock {
namespace {

// spec/wire-socklnd.md 11
TEST(Tunables, HaveTheirDefaults) {
  const std::map<std::string, std::string> expected = {{"sock_timeout", "0"},
                                                       {"credits", "256"},
                                                       {"peer_credits", "8"},
                                                       {"peer_buffer_credits", "0"},
                                                       {"peer_timeout", "180"},
                                                       {"nscheds", "0"},
                                                       {"nconnds", "4"},
                                                       {"nconnds_max", "64"},
                                                       {"min_reconnectms", "1000"},
                                                       {"max_reconnectms", "60000"},
                                                       {"eager_ack", "0"},
                                                       {"typed_conns", "1"},
                                                       {"min_bulk", "1024"},
                                                       {"tx_buffer_size", "0"},
                                                       {"rx_buffer_size", "0"},
                                                       {"nagle", "0"},
                                                       {"round_robin", "1"},
                                                       {"keepalive", "30"},
                                                       {"keepalive_idle", "30"},
                                                       {"keepalive_intvl", "5"},
                                                       {"keepalive_count", "5"},
                                                       {"enable_csum", "0"},
                                                       {"inject_csum_error", "0"},
                                                       {"nonblk_zcack", "1"},
                                                       {"zc_min_payload", "16384"},
                                                       {"zc_recv", "0"},
                                                       {"zc_recv_min_nfrags", "16"},
                                                       {"conns_per_peer", "0"},
                                                       {"tos", "-1"},
                                                       {"enable_irq_affinity", "0"},
                                                       {"accept", "secure"},
                                                       {"accept_port", "988"},
                                                       {"accept_port_bulk", "988"},
                                                       {"accept_backlog", "127"},
                                                       {"accept_timeout", "5"},
                                                       {"accept_pending", "4096"},
                                                       {"unprivileged_connect", "1"},
                                                       {"congestion", ""},
                                                       {"wait", "adaptive"},
                                                       {"spin_us", "50"},
                                                       {"long_cycle_ms", "10"},
                                                       {"zc_request", "0"}};
  const SockTunables defaults;
  EXPECT_EQ(tunables().size(), expected.size());
  for (const TunableInfo& info : tunables()) {
    ASSERT_TRUE(expected.contains(std::string(info.name))) << info.name;
    EXPECT_EQ(get_tunable(defaults, info.name).value(), expected.at(std::string(info.name)))
        << info.name;
    EXPECT_FALSE(info.help.empty());
  }
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
