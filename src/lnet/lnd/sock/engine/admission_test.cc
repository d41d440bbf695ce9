#include "lnet/lnd/sock/engine/admission.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

Endpoint at(const char* address, std::uint16_t port) { return {*parse_address(address), port}; }

// spec/wire-socklnd.md 2.1: ports 1..1023 all count as privileged
TEST(Admission, SecureBelievesPrivilegedPortsOnly) {
  for (const std::uint16_t port : {1, 511, 512, 1023})
    EXPECT_EQ(admit(Accept::kSecure, at("10.0.0.1", port)), Admission::kBelieve);
  for (const std::uint16_t port : {1024, 40000, 65535})
    EXPECT_EQ(admit(Accept::kSecure, at("10.0.0.1", port)), Admission::kRefuse);
}

// spec/wire-socklnd.md 2.1, 2.2: with accept=all an unprivileged IPv4 peer gets the identity of
// its socket, and an IPv6 one is refused
TEST(Admission, AllAcceptsAnyPortButTrustsOnlyPrivilegedOnes) {
  EXPECT_EQ(admit(Accept::kAll, at("10.0.0.1", 1023)), Admission::kBelieve);
  EXPECT_EQ(admit(Accept::kAll, at("10.0.0.1", 1024)), Admission::kUser);
  EXPECT_EQ(admit(Accept::kAll, at("fd99::1", 1023)), Admission::kBelieve);
  EXPECT_EQ(admit(Accept::kAll, at("fd99::1", 1024)), Admission::kRefuse);
}

TEST(Admission, NoneRefusesAllAndTrustBelievesAll) {  // spec/wire-socklnd.md 2.1, 2.2
  EXPECT_EQ(admit(Accept::kNone, at("10.0.0.1", 1023)), Admission::kRefuse);
  EXPECT_EQ(admit(Accept::kTrust, at("10.0.0.1", 40000)), Admission::kBelieve);
  EXPECT_EQ(admit(Accept::kTrust, at("fd99::1", 40000)), Admission::kBelieve);
}

// spec/wire-socklnd.md 2.2: its NID is the socket's address on the accepting NI's net, its PID is
// made of the socket's port
TEST(Admission, AUserPeerIsNamedAfterItsSocket) {
  const core::Hop hop = user_identity({NetType::kTcp, 5}, at("10.1.2.3", 40000));
  EXPECT_EQ(hop.nid.to_string(), "10.1.2.3@tcp5");
  EXPECT_EQ(hop.pid.value, 40000U | 0x80000000U);
}

}  // namespace
}  // namespace ulnet::lnd::sock
