#include "lnet/lnd/sock/engine/address.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

Address at(const char* text) { return *parse_address(text); }

TEST(Address, IsReadAndWrittenInNumbers) {
  for (const char* text : {"10.1.2.3", "127.0.0.1", "fd99::1", "2001:db8::10"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->to_string(), text);
    EXPECT_EQ(address->family == Family::kIpv6, std::string(text).find(':') != std::string::npos);
  }
  for (const char* text : {"", "localhost", "10.1.2", "fe80::1%eth0"})
    EXPECT_FALSE(parse_address(text)) << text;
  EXPECT_EQ((Endpoint{at("10.1.2.3"), 988}).to_string(), "10.1.2.3:988");
  EXPECT_EQ((Endpoint{at("fd99::1"), 988}).to_string(), "[fd99::1]:988");
}

TEST(Address, Kinds) {
  for (const char* text : {"127.0.0.1", "127.255.1.2", "::1"})
    EXPECT_TRUE(at(text).is_loopback()) << text;
  for (const char* text : {"128.0.0.1", "1.0.0.127", "::2", "100::1", "::1:1", "::101", "::"})
    EXPECT_FALSE(at(text).is_loopback()) << text;
  for (const char* text : {"fe80::1", "febf::1"}) EXPECT_TRUE(at(text).is_link_local()) << text;
  for (const char* text : {"fec0::1", "fe40::1", "fd80::1", "254.128.0.1"})
    EXPECT_FALSE(at(text).is_link_local()) << text;
  for (const char* text : {"0.0.0.0", "::"}) EXPECT_TRUE(at(text).is_any()) << text;
  for (const char* text : {"0.0.0.1", "::1"}) EXPECT_FALSE(at(text).is_any()) << text;
}

// spec/wire-socklnd.md 2: a peer's address is that of its NID
TEST(Address, IsTakenFromANid) {
  for (const char* text : {"10.1.2.3@tcp5", "2001:db8::10@tcp"}) {
    const Nid nid = *Nid::parse(text);
    ASSERT_TRUE(address_of(nid)) << text;
    EXPECT_EQ(nid_at(nid.net(), *address_of(nid)), nid);
  }
  EXPECT_EQ(address_of(*Nid::parse("10.1.2.3@tcp")), at("10.1.2.3"));
  EXPECT_FALSE(address_of(*Nid::parse("0@lo")));
  Nid odd = *Nid::parse("10.1.2.3@tcp");
  odd.addr[4] = 9;  // not part of an IPv4 address
  EXPECT_EQ(address_of(odd), at("10.1.2.3"));
  odd.size = 8;
  EXPECT_FALSE(address_of(odd)) << "no address has twelve bytes";
  Address more = at("10.1.2.3");
  more.bytes[4] = 9;
  EXPECT_EQ(nid_at({NetType::kTcp, 0}, more), *Nid::parse("10.1.2.3@tcp"));
}

// spec/wire-socklnd.md 2.1
TEST(Address, PrivilegedPorts) {
  EXPECT_TRUE(is_privileged_port(1023));
  EXPECT_FALSE(is_privileged_port(1024));
}

}  // namespace
}  // namespace ulnet::lnd::sock
