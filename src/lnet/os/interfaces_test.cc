#include "lnet/os/interfaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::machine {
namespace {

TEST(Machine, TheLoopbackInterfaceIsThereWithItsAddress) {
  const auto interfaces = local_interfaces();
  const auto lo = std::find_if(interfaces.begin(), interfaces.end(),
                               [](const auto& i) { return i.name == "lo"; });
  ASSERT_NE(lo, interfaces.end());
  EXPECT_TRUE(lo->loopback);
  EXPECT_TRUE(lo->up);
  EXPECT_NE(std::find(lo->addresses.begin(), lo->addresses.end(), *Nid::parse("127.0.0.1@tcp")),
            lo->addresses.end());
}

TEST(Machine, AnyAddressOf127DependsOnTheLoopbackDevice) {
  EXPECT_EQ(device_of(*Nid::parse("127.0.0.1@tcp3")), "lo");
  EXPECT_EQ(device_of(*Nid::parse("127.9.8.7@tcp")), "lo");
  EXPECT_EQ(device_of(*Nid::parse("192.0.2.77@tcp")), "");
}

TEST(Machine, ADeviceIsFoundByNameAliasAndAddress) {
  EXPECT_EQ(device_of("lo"), "lo");
  EXPECT_EQ(device_of("127.3.2.1"), "lo");
  for (const conf::LocalInterface& known : local_interfaces())
    for (const Nid& nid : known.addresses) {
      const std::string text = nid.to_string();
      EXPECT_EQ(device_of(text.substr(0, text.find('@'))), device_of(nid)) << text;
    }
  EXPECT_EQ(device_of("nosuch9"), "");
  EXPECT_EQ(device_of("192.0.2.77"), "");
}

// spec/core-semantics.md 13.3
TEST(Machine, ADevicesNumaNodeIsWhatTheSystemSays) {
  const TempFolder devices;
  const auto said = [&](const char* text) {
    std::filesystem::create_directories(devices / "eth0" / "device");
    std::ofstream(devices / "eth0" / "device" / "numa_node") << text;
    return numa_node_of("eth0", devices.path());
  };
  EXPECT_EQ(said("0\n"), 0u);
  EXPECT_EQ(said("3\n"), 3u);
  EXPECT_EQ(said("-1\n"), std::nullopt) << "one node, or the firmware does not say";
  EXPECT_EQ(said("999999999999\n"), std::nullopt);
  EXPECT_EQ(said("many\n"), std::nullopt);
  EXPECT_EQ(said(""), std::nullopt);
  EXPECT_EQ(numa_node_of("eth1", devices.path()), std::nullopt);
  EXPECT_EQ(numa_node_of("", devices.path()), std::nullopt);
  EXPECT_EQ(numa_node_of("lo"), std::nullopt) << "no hardware";
}

TEST(LinkSpeed, IsWhatTheSystemSaysInMbit) {
  const TempFolder devices;
  std::filesystem::create_directories(devices / "eth0");
  const auto said = [&](const char* text) {
    std::ofstream(devices / "eth0" / "speed") << text;
    return link_speed_of("eth0", devices.path());
  };
  EXPECT_EQ(said("1000\n"), 1000U);
  EXPECT_EQ(said("-1\n"), std::nullopt) << "the link is down";
  EXPECT_EQ(said("0\n"), std::nullopt);
  EXPECT_EQ(said("999999999999\n"), std::nullopt);
  EXPECT_EQ(said("fast\n"), std::nullopt);
  EXPECT_EQ(link_speed_of("eth1", devices.path()), std::nullopt);
  EXPECT_EQ(link_speed_of("", devices.path()), std::nullopt);
}

}  // namespace
}  // namespace ulnet::machine
