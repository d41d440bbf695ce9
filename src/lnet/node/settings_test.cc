#include "lnet/node/settings.h"

#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/tunables.h"

namespace ulnet::node {
namespace {

TEST(Settings, ParametersStartTheGlobalsInAnyOrder) {  // spec/multirail.md 6, 12
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

TEST(Settings, RequestedValuesComeBeforeParameters) {  // spec/cli-lnetctl.md 11.2
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

TEST(Settings, TheDriverGetsItsShareOfTheParameters) {  // spec/cli-lnetctl.md 11.4
  const auto settings = Settings::make(
      {{"accept", "trust"}, {"accept_port", "7988"}, {"router_sensitivity_percentage", "3"}});
  ASSERT_TRUE(settings);
  const auto tunables = lnd::sock::tunables_of(settings->params());
  EXPECT_EQ(tunables.accept, lnd::sock::Accept::kTrust);
  EXPECT_EQ(tunables.accept_port, 7988);
  EXPECT_EQ(tunables.accept_port_bulk, 7988);  // not set: the same as accept_port
  const auto both = Settings::make({{"accept_port", "7988"}, {"accept_port_bulk", "7989"}});
  ASSERT_TRUE(both);
  EXPECT_EQ(lnd::sock::tunables_of(both->params()).accept_port_bulk, 7989);
  const auto warnings = settings->warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0],
            "parameter router_sensitivity_percentage=3 is deprecated and has no effect");
  EXPECT_NE(warnings[1].find("trust"), std::string::npos);
}

}  // namespace
}  // namespace ulnet::node
