#include "admin/server/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/server/fake_node_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A node with an NI on tcp and one on tcp1, and a peer with a NID on each.
class Why : public testing::Test {
 protected:
  Why() {
    nis.push_back(nis.back());
    nis.back().nid = nid_of("10.99.1.3@tcp1");
    nis.back().net = nis.back().nid.net();
    peer.primary = nid_of("10.99.0.2@tcp");
    peer.state_bits = 273;
    peer.nis.resize(2);
    peer.nis[0].nid = peer.primary;
    peer.nis[1].nid = nid_of("10.99.1.2@tcp1");
  }
  std::string why() const { return why_unused(peer, nis); }

  std::vector<NiShow> nis = recorded_state().nis;
  core::PeerShow peer;
};

TEST_F(Why, APeerThatIsUsedNeedsNoReason) {
  EXPECT_THAT(why(), IsEmpty());
  peer.discovery_error = -EIO;
  EXPECT_THAT(why(), IsEmpty()) << "the error is older than the discovery";
}

TEST_F(Why, ADiscoveryThatFailedIsTheReasonWithItsError) {
  peer.state_bits = 8224;
  peer.discovery_error = -ECONNREFUSED;
  EXPECT_THAT(why(), HasSubstr("its discovery has failed: Connection refused (-111)"));
  peer.state_bits |= 64;
  EXPECT_THAT(why(), HasSubstr("its discovery is under way"));
}

TEST_F(Why, NoCommonNetIsTheReasonWithThePeersNets) {
  nis.resize(1);  // 0@lo
  EXPECT_THAT(why(), HasSubstr("no common net: it has NIDs on tcp, tcp1,"));
  peer.discovery_error = -EHOSTUNREACH;
  peer.state_bits = 8224;
  EXPECT_THAT(why(), HasSubstr("no common net")) << "why its discovery failed, too";
}

TEST_F(Why, OneRailThatCanBeUsedIsEnough) {
  nis[1].up = false;
  EXPECT_THAT(why(), IsEmpty());
  nis[2].up = false;
  EXPECT_THAT(why(), HasSubstr("all interfaces of this node on its nets are down"));
}

TEST_F(Why, OnlyRailsThatThisNodeCanUseCount) {
  nis[1].up = false;
  peer.nis[1].health_value = 0;
  EXPECT_THAT(why(), HasSubstr("unhealthy: their health is 0"))
      << "the healthy one is out of reach";
  nis[1].up = true;
  EXPECT_THAT(why(), IsEmpty());
  peer.nis[0].health_value = 0;
  EXPECT_THAT(why(), HasSubstr("unhealthy"));
  peer.nis[0].state = peer.nis[1].state = "down";
  EXPECT_THAT(why(), HasSubstr("all its interfaces on common nets are down"));
}

TEST_F(Why, ADeletedPeerIsNamedAsDeleting) {
  peer.state_bits |= 262144;
  EXPECT_THAT(why(), HasSubstr("being deleted"));
}

}  // namespace
}  // namespace ulnet::node::control
