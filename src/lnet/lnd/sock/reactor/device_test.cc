#include "lnet/lnd/sock/reactor/device.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

Result<Device> find(const std::string& interface) {
  NiSpec spec;
  spec.net = {NetType::kTcp, 0};
  spec.interface = interface;
  return find_device(spec);
}

// DESIGN.md 5: an address can stand for an interface, and so can any of 127.0.0.0/8
TEST(Device, AnAddressWillDo) {
  const auto device = find("127.3.2.1");
  ASSERT_TRUE(device) << device.error().reason;
  EXPECT_EQ(device->address, *parse_address("127.3.2.1"));
  EXPECT_EQ(device->name, "127.3.2.1");
  EXPECT_EQ(device->mbit_per_s, 0) << "unknown speed (spec/wire-socklnd.md 5.1)";
}

TEST(Device, ADeviceIsFoundByName) {
  const auto device = find("lo");
  ASSERT_TRUE(device) << device.error().reason;
  EXPECT_EQ(device->address.to_string(), "127.0.0.1");
}

TEST(Device, ANidNamesItsAddress) {
  NiSpec spec;
  spec.net = {NetType::kTcp, 0};
  spec.nid = *Nid::parse("127.0.0.1@tcp");
  const auto device = find_device(spec);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name, "lo");
}

// A NID has no scope, so a link-local IPv6 address is refused, and the reason says so.
TEST(Device, LinkLocalAddressesAreRefusedWithTheReason) {
  for (const char* text : {"fe80::1", "fe80::1%lo", "fe80::1%eth0"}) {
    const auto device = find(text);
    ASSERT_FALSE(device) << text;
    EXPECT_EQ(device.error().code, -EINVAL);
    EXPECT_NE(device.error().reason.find("scope"), std::string::npos);
  }
}

TEST(Device, MissingDevicesAreRefusedWithTheReason) {
  EXPECT_EQ(find("no_such_device0").error().code, -ENODEV);
  EXPECT_EQ(find("192.0.2.77").error().code, -EADDRNOTAVAIL);
  EXPECT_EQ(find("0.0.0.0").error().code, -EINVAL);
  EXPECT_EQ(find("").error().code, -EINVAL);
  for (const char* text : {"no_such_device0", "192.0.2.77", "0.0.0.0", ""})
    EXPECT_NE(find(text).error().reason, "");
}

}  // namespace
}  // namespace ulnet::lnd::sock
