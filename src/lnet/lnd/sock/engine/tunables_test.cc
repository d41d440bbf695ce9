#include "lnet/lnd/sock/engine/tunables.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ulnet::lnd::sock {
namespace {

// spec/cli-lnetctl.md 11.4; spec/wire-socklnd.md 11
TEST(Tunables, StartWithTheDefaultsOfTheParameters) {
  const SockTunables t;
  EXPECT_EQ(t.accept, Accept::kSecure);
  EXPECT_EQ(t.accept_port, 988);
  EXPECT_EQ(t.nconnds, 4);
  EXPECT_EQ(t.tos, -1);
  EXPECT_EQ(t.zc_min_payload, 16384);
  EXPECT_EQ(t.wait, Wait::kAdaptive);
  EXPECT_EQ(t.congestion, "");
}

TEST(Tunables, AreSetByName) {
  SockTunables t;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"accept", "trust"},
                                                                      {"wait", "block"},
                                                                      {"congestion", "reno"},
                                                                      {"tos", "32"},
                                                                      {"nagle", "yes"},
                                                                      {"zc_min_payload", "2048"}})
    EXPECT_TRUE(set_tunable(t, name, value)) << name;
  EXPECT_EQ(t.accept, Accept::kTrust);
  EXPECT_EQ(t.wait, Wait::kBlock);
  EXPECT_EQ(t.congestion, "reno");
  EXPECT_EQ(t.tos, 32);
  EXPECT_EQ(t.nagle, 1);
  EXPECT_EQ(t.zc_min_payload, 2048);
}

TEST(Tunables, AreMadeOfTheParametersThatWereGiven) {
  conf::ParamValues params;
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"tos", "32"}, {"accept", "none"}, {"portal_rotor", "OFF"}})
    ASSERT_TRUE(params.set(name, value)) << name;
  const SockTunables t = tunables_of(params);
  EXPECT_EQ(t.tos, 32);
  EXPECT_EQ(t.accept, Accept::kNone);
  EXPECT_EQ(t.nconnds, 4) << "the default";
}

TEST(Tunables, HaveAValueForEachWord) {
  SockTunables t;
  for (const auto& [word, value] : std::map<std::string, Accept>{{"secure", Accept::kSecure},
                                                                 {"all", Accept::kAll},
                                                                 {"none", Accept::kNone},
                                                                 {"trust", Accept::kTrust}}) {
    EXPECT_TRUE(set_tunable(t, "accept", word));
    EXPECT_EQ(t.accept, value) << word;
  }
  for (const auto& [word, value] : std::map<std::string, Wait>{
           {"spin", Wait::kSpin}, {"adaptive", Wait::kAdaptive}, {"block", Wait::kBlock}}) {
    EXPECT_TRUE(set_tunable(t, "wait", word));
    EXPECT_EQ(t.wait, value) << word;
  }
  EXPECT_TRUE(set_tunable(t, "congestion", std::string(15, 'x')));
  EXPECT_FALSE(set_tunable(t, "congestion", std::string(16, 'x')));
}

TEST(Tunables, ReadANumberThatIsPartOfALongerText) {
  SockTunables t;
  ASSERT_TRUE(set_tunable(t, "tos", std::string_view("1289").substr(0, 2)));
  EXPECT_EQ(t.tos, 12);
}

TEST(Tunables, RefuseBadValues) {
  SockTunables t;
  EXPECT_EQ(set_tunable(t, "no_such_thing", "1").error().code, -ENOENT);
  EXPECT_EQ(set_tunable(t, "portal_rotor", "ON").error().code, -ENOENT) << "not of this driver";
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
