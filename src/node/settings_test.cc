#include "node/settings.h"

#include <gtest/gtest.h>

#include "lnd/sock/engine/tunables.h"

namespace ulnet::node {
namespace {

// spec/cli-lnetctl.md 11.1, spec/multirail.md 12, and the recorded errors of lnetctl.

TEST(Globals, EveryNameOfTheGlobalSectionCanBeSetAndReadBack) {
  for (const conf::GlobalSetting& setting : conf::all_globals()) {
    core::Globals g;
    EXPECT_EQ(get_global(g, setting.name), setting.initial) << setting.name;
    ASSERT_TRUE(set_global(g, setting.name, setting.initial)) << setting.name;
    EXPECT_EQ(g, core::Globals{}) << setting.name;
  }
}

TEST(Globals, ARetryCountIsAtMostTheTransactionTimeout) {
  core::Globals g;
  const auto refused = set_global(g, "retry_count", 99999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -61);
  EXPECT_EQ(refused.error().reason, "cannot configure retry count: Invalid argument");
  EXPECT_EQ(g.retry_count, 2);
  EXPECT_FALSE(set_global(g, "retry_count", 151));
  EXPECT_TRUE(set_global(g, "retry_count", 150)) << "as observed, though a time-out of 150 is not";
  EXPECT_EQ(core::lnd_timeout_seconds(g), 1);
  EXPECT_FALSE(set_global(g, "transaction_timeout", 150));
  EXPECT_TRUE(set_global(g, "retry_count", 149));
  EXPECT_FALSE(set_global(g, "transaction_timeout", 149));
  EXPECT_TRUE(set_global(g, "retry_count", 4));
  EXPECT_TRUE(set_global(g, "transaction_timeout", 5));
}

TEST(Globals, TheRecordedRefusals) {
  core::Globals g;
  EXPECT_EQ(set_global(g, "transaction_timeout", 0).error().reason,
            "cannot configure transaction timeout: Invalid argument");
  EXPECT_EQ(set_global(g, "health_sensitivity", 5000).error().reason,
            "cannot configure health sensitivity: Invalid argument");
  EXPECT_EQ(set_global(g, "response_tracking", 9).error().code, -EINVAL);
  EXPECT_EQ(set_global(g, "response_tracking", 9).error().reason,
            "Valid values are: 0, 1, 2, or 3");
  EXPECT_EQ(set_global(g, "no_such", 1).error().code, -ENOENT);
  EXPECT_EQ(g, core::Globals{});
}

TEST(Globals, TheRecordedLeniency) {
  core::Globals g;
  EXPECT_TRUE(set_global(g, "discovery", 2));
  EXPECT_EQ(g.discovery, core::kDiscoveryVerifies);
  for (const std::int64_t other : {7, 3, -1}) {  // spec/multirail.md 4.9
    EXPECT_TRUE(set_global(g, "discovery", other));
    EXPECT_EQ(g.discovery, 1) << other;
  }
  EXPECT_TRUE(set_global(g, "max_interfaces", 0));
  EXPECT_EQ(g.max_interfaces, 4096);
  EXPECT_TRUE(set_global(g, "numa_range", -1));
  EXPECT_GT(g.numa_range, 1 << 30);
}

TEST(Globals, WithoutHealthThereAreNoRetries) {
  core::Globals g;
  ASSERT_TRUE(set_global(g, "health_sensitivity", 0));
  EXPECT_EQ(g.retry_count, 0);
  EXPECT_FALSE(set_global(g, "retry_count", 1));
  EXPECT_TRUE(set_global(g, "retry_count", 0));
}

TEST(Settings, ParametersStartTheGlobalsInAnyOrder) {
  const auto settings = Settings::make({{"lnet_retry_count", "3"},
                                        {"lnet_transaction_timeout", "10"},
                                        {"lnet_peer_discovery_disabled", "1"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->globals().retry_count, 3);
  EXPECT_EQ(settings->globals().transaction_timeout, 10);
  EXPECT_EQ(settings->globals().discovery, 0);
  EXPECT_EQ(settings->text(*conf::find_param("lnet_peer_discovery_disabled")), "1");
  const auto tight = Settings::make({{"lnet_transaction_timeout", "1"}, {"lnet_retry_count", "0"}});
  EXPECT_TRUE(tight);
}

TEST(Settings, ThePortalRotorIsAParameterByName) {  // spec/core-semantics.md 7.3
  using core::PortalRotor;
  EXPECT_EQ(Settings::make({})->globals().portal_rotor, PortalRotor::kHashRouted);
  const std::pair<const char*, PortalRotor> rows[] = {{"off", PortalRotor::kOff},
                                                      {"ON", PortalRotor::kOn},
                                                      {"rr", PortalRotor::kRoundRobinRouted},
                                                      {"Hash_Rt", PortalRotor::kHashRouted}};
  for (const auto& [name, rotor] : rows)
    EXPECT_EQ(Settings::make({{"portal_rotor", name}})->globals().portal_rotor, rotor) << name;
  EXPECT_EQ(Settings::make({{"portal_rotor", "rr"}})->text(*conf::find_param("portal_rotor")),
            "RR_RT");
  EXPECT_EQ(Settings::make({{"portal_rotor", "spin"}}).error().code, -EINVAL);
}

TEST(Settings, ABadParameterRefusesTheStart) {
  EXPECT_EQ(Settings::make({{"accept", "sometimes"}}).error().code, -EINVAL);
  EXPECT_EQ(Settings::make({{"no_such", "1"}}).error().code, -ENOENT);
  EXPECT_FALSE(Settings::make({{"lnet_retry_count", "200"}}));
}

TEST(Settings, ANetTakesWhatIsAskedElseTheParametersAndAPeerNeverExceedsItsNi) {
  const auto settings = Settings::make({{"credits", "64"}, {"peer_credits", "16"}});
  ASSERT_TRUE(settings);
  conf::CommonTunables asked;
  asked.peer_timeout = -1;
  const auto tunables = settings->net_tunables(asked);
  ASSERT_TRUE(tunables);
  EXPECT_EQ(tunables->credits, 64);
  EXPECT_EQ(tunables->peer_credits, 16);
  EXPECT_EQ(tunables->peer_timeout, 180);  // -1 asks for the default
  asked.credits = 4;
  EXPECT_EQ(settings->net_tunables(asked)->peer_credits, 4);
  asked.peer_timeout = -5;
  EXPECT_EQ(settings->net_tunables(asked).error().code, -EINVAL);
}

TEST(Settings, TheDriverGetsItsShareOfTheParameters) {
  const auto settings = Settings::make(
      {{"accept", "trust"}, {"accept_port", "7988"}, {"router_sensitivity_percentage", "3"}});
  ASSERT_TRUE(settings);
  const auto tunables = lnd::sock::tunables_of(settings->params());
  EXPECT_EQ(tunables.accept, lnd::sock::Accept::kTrust);
  EXPECT_EQ(tunables.accept_port, 7988);
  EXPECT_EQ(tunables.accept_port_bulk, 7988);  // not given: as accept_port
  const auto both = Settings::make({{"accept_port", "7988"}, {"accept_port_bulk", "7989"}});
  ASSERT_TRUE(both);
  EXPECT_EQ(lnd::sock::tunables_of(both->params()).accept_port_bulk, 7989);
  const auto warnings = settings->warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0],
            "parameter router_sensitivity_percentage=3 is accepted but has no effect yet");
  EXPECT_NE(warnings[1].find("trust"), std::string::npos);
}

}  // namespace
}  // namespace ulnet::node
