#include "lnet/node/runtime/drivers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lnet/catalog/known_drivers.h"

namespace ulnet::node {
namespace {

TEST(Drivers, EachHasNetsOfItsOwn) {
  std::set<NetType> nets;
  for (const DriverRow& driver : all_drivers()) {
    EXPECT_TRUE(nets.insert(driver.nets).second) << static_cast<int>(driver.nets);
    EXPECT_NE(driver.make, nullptr);
    EXPECT_EQ(find_driver(driver.nets), &driver);
  }
  EXPECT_EQ(nets, (std::set<NetType>{NetType::kLo, NetType::kTcp}));
  EXPECT_EQ(find_driver(NetType::kO2ib), nullptr);
}

TEST(Drivers, AreInTheCatalog) {
  for (const DriverRow& driver : all_drivers())
    EXPECT_EQ(std::ranges::count(lnd::known_drivers(), driver.nets, &lnd::KnownDriver::nets), 1)
        << static_cast<int>(driver.nets);
}

TEST(Drivers, RefuseABadValueOfTheirTunablesBeforeTheyRun) {
  EXPECT_TRUE(check_tunable("congestion", "reno"));
  EXPECT_EQ(check_tunable("congestion", "a_name_that_is_too_long").error().code, -EINVAL);
  EXPECT_TRUE(check_tunable("portal_rotor", "OFF")) << "a parameter of no driver";
}

TEST(Drivers, TheAddressOfANidIsThisMachinesOrNot) {
  const auto check = find_driver(NetType::kTcp)->check_address;
  EXPECT_TRUE(check(*Nid::parse("127.0.0.1@tcp")));
  EXPECT_EQ(check(*Nid::parse("192.0.2.1@tcp")).error().code, -EADDRNOTAVAIL);
}

TEST(Drivers, OnlyTcpListensOnPorts) {
  const auto port_error = find_driver(NetType::kTcp)->port_error;
  EXPECT_EQ(port_error(*Nid::parse("127.0.0.1@tcp"), 0), 0);
  EXPECT_EQ(port_error(*Nid::parse("192.0.2.1@tcp"), 0), EADDRNOTAVAIL);
  EXPECT_EQ(find_driver(NetType::kLo)->port_error, nullptr);
}

TEST(Drivers, TheTcpDriverSaysWhomItAccepts) {
  conf::ParamValues params;
  const auto greeting = find_driver(NetType::kTcp)->greeting;
  EXPECT_EQ(greeting(params), "Accept secure, port 988");
  ASSERT_TRUE(params.set("accept", "trust"));
  EXPECT_EQ(greeting(params), "Accept trust, port 988");
}

}  // namespace
}  // namespace ulnet::node
