#include "lnet/catalog/known_drivers.h"

#include <gtest/gtest.h>

#include <set>

#include "lnet/config/params.h"

namespace ulnet::lnd {
namespace {

constexpr NetId kTcp1{NetType::kTcp, 1};
constexpr NetId kNoDriver{NetType::kO2ib, 0};

TEST(KnownDrivers, EachHasNetsOfItsOwn) {
  std::set<NetType> nets;
  for (const KnownDriver& driver : known_drivers())
    EXPECT_TRUE(nets.insert(driver.nets).second) << static_cast<int>(driver.nets);
}

TEST(NiTunables, EachRowIsConsistent) {
  for (const KnownDriver& driver : known_drivers()) {
    const NetId net{driver.nets, 0};
    for (const conf::LndTunable& tunable : ni_tunables(driver.nets)) {
      EXPECT_EQ(find_ni_tunable(net, tunable.name), &tunable) << tunable.name << " is there twice";
      EXPECT_TRUE(tunable.range.has(tunable.initial)) << tunable.name;
      EXPECT_FALSE(tunable.range.out_of_range.empty()) << tunable.name;
      EXPECT_EQ(tunable.written().has(-1), tunable.takes_minus_one || tunable.range.has(-1));
    }
  }
}

TEST(NiTunables, OfTheSameNameAgreeInAllButTheirDefaults) {
  for (const KnownDriver& driver : known_drivers())
    for (const conf::LndTunable& tunable : driver.ni_tunables) {
      const conf::LndTunable* first = find_ni_tunable({}, tunable.name);
      ASSERT_NE(first, nullptr) << tunable.name;
      EXPECT_EQ(first->range.min, tunable.range.min) << tunable.name;
      EXPECT_EQ(first->range.max, tunable.range.max) << tunable.name;
      EXPECT_EQ(first->while_running, tunable.while_running) << tunable.name;
      EXPECT_EQ(first->takes_minus_one, tunable.takes_minus_one) << tunable.name;
    }
}

TEST(NiTunables, OfTcpHaveParametersThatGiveTheirDefaults) {
  for (const conf::LndTunable& tunable : ni_tunables(NetType::kTcp)) {
    const conf::Param* param = conf::find_param(tunable.name);
    ASSERT_NE(param, nullptr) << tunable.name;
    EXPECT_EQ(param->initial, std::to_string(tunable.initial)) << tunable.name;
    EXPECT_TRUE(param->min <= tunable.range.min && param->max >= tunable.range.max);
  }
}

TEST(NiTunables, ATypeWithoutDriverHasNone) {
  EXPECT_TRUE(ni_tunables(NetType::kO2ib).empty());
  EXPECT_TRUE(ni_tunables(NetType::kLo).empty());
  EXPECT_EQ(ni_tunables(NetType::kTcp).size(), 2U);
}

TEST(NiTunables, ANetThatTheNodeRefusesMayNameThoseOfAllDrivers) {
  EXPECT_EQ(find_ni_tunable(kTcp1, "tos"), find_ni_tunable(NetId{NetType::kTcp, 0}, "tos"));
  EXPECT_EQ(find_ni_tunable(NetId::loopback(), "tos"), nullptr);
  EXPECT_NE(find_ni_tunable(kNoDriver, "tos"), nullptr);
  EXPECT_NE(find_ni_tunable({}, "tos"), nullptr);
  EXPECT_EQ(find_ni_tunable({}, "nagle"), nullptr);
}

TEST(NiTunables, AreRefusedInLnetctlsWords) {  // spec/cli-lnetctl.md 3.2, 3.5
  const auto said = [](std::optional<NetId> net, const conf::LndTunables& tunables) {
    const auto checked = check_ni_tunables(net, tunables);
    if (checked) return std::string();
    EXPECT_EQ(checked.error().code, -EINVAL);
    return checked.error().reason;
  };
  const std::string conns = "invalid conns-per-peer value (valid range 0-127)";
  EXPECT_EQ(said(kTcp1, {}), "");
  EXPECT_EQ(said(kTcp1, {{"conns_per_peer", 127}, {"tos", -1}}), "");
  EXPECT_EQ(said(kTcp1, {{"conns_per_peer", -1}}), conns);
  EXPECT_EQ(said(kTcp1, {{"conns_per_peer", 128}, {"tos", 256}}), conns);
  EXPECT_EQ(said({}, {{"conns_per_peer", 128}}), conns);
  EXPECT_EQ(said(kTcp1, {{"tos", 256}}), "Invalid ToS argument");
  EXPECT_EQ(said(kTcp1, {{"nagle", 1}}), "an NI has no tunable 'nagle'");
  EXPECT_EQ(said(NetId::loopback(), {{"nagle", 1}}), "an NI has no tunable 'nagle'");
  EXPECT_EQ(said(NetId::loopback(), {{"tos", 3}}), "an NI of net lo has no tunable 'tos'");
  EXPECT_EQ(said(kNoDriver, {{"tos", 3}}), "") << "the node refuses the net";
}

}  // namespace
}  // namespace ulnet::lnd
