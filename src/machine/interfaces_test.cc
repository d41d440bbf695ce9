#include "machine/interfaces.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace ulnet::machine {
namespace {

/// A name in the system's temporary folder that no other test process uses.
std::filesystem::path own_folder(const std::string& name) {
  return std::filesystem::temp_directory_path() /
         ("ulnet_" + name + "_" + std::to_string(getpid()));
}

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
  const std::filesystem::path devices = own_folder("devices");
  const auto said = [&](const char* text) {
    std::filesystem::create_directories(devices / "eth0" / "device");
    std::ofstream(devices / "eth0" / "device" / "numa_node") << text;
    return numa_node_of("eth0", devices.string());
  };
  EXPECT_EQ(said("0\n"), 0u);
  EXPECT_EQ(said("3\n"), 3u);
  EXPECT_EQ(said("-1\n"), std::nullopt) << "one node, or the firmware does not say";
  EXPECT_EQ(said("999999999999\n"), std::nullopt);
  EXPECT_EQ(said("many\n"), std::nullopt);
  EXPECT_EQ(said(""), std::nullopt);
  EXPECT_EQ(numa_node_of("eth1", devices.string()), std::nullopt);
  EXPECT_EQ(numa_node_of("", devices.string()), std::nullopt);
  EXPECT_EQ(numa_node_of("lo"), std::nullopt) << "no hardware";
  std::filesystem::remove_all(devices);
}

TEST(LinkSpeed, IsWhatTheSystemSaysInMbit) {
  const std::filesystem::path devices = std::filesystem::path(::testing::TempDir()) / "speeds";
  std::filesystem::create_directories(devices / "eth0");
  const auto said = [&](const char* text) {
    std::ofstream(devices / "eth0" / "speed") << text;
    return link_speed_of("eth0", devices.string());
  };
  EXPECT_EQ(said("1000\n"), 1000U);
  EXPECT_EQ(said("-1\n"), std::nullopt) << "the link is down";
  EXPECT_EQ(said("0\n"), std::nullopt);
  EXPECT_EQ(said("999999999999\n"), std::nullopt);
  EXPECT_EQ(said("fast\n"), std::nullopt);
  EXPECT_EQ(link_speed_of("eth1", devices.string()), std::nullopt);
  EXPECT_EQ(link_speed_of("", devices.string()), std::nullopt);
  std::filesystem::remove_all(devices);
}

}  // namespace
}  // namespace ulnet::machine
