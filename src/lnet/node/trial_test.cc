// A trial node: it takes and refuses changes as a started node does, and connects to nobody.
#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

struct Trial : testing::Test {
  Trial() : node(Node::start_trial({}).value()) {}
  std::string adds(const char* net, const char* interface) {
    conf::NiItem ni;
    ni.interface = interface;
    return said(node->change(AddNi{*NetId::parse(net), ni}));
  }
  std::string nid(std::size_t ni) { return node->state().nis.at(ni).nid.to_string(); }

  std::unique_ptr<Node> node;
};

TEST_F(Trial, ItsNisNeedNoDevice) {
  EXPECT_EQ(adds("tcp", "nosuch0"), "0");
  EXPECT_EQ(adds("tcp", "nosuch1"), "0");
  EXPECT_EQ(adds("tcp", "10.7.7.7"), "0");
  EXPECT_EQ(adds("tcp1", "lo"), "0");
  EXPECT_EQ(nid(1), "240.0.0.0@tcp");
  EXPECT_EQ(nid(2), "240.0.0.1@tcp");
  EXPECT_EQ(nid(3), "10.7.7.7@tcp");
  EXPECT_EQ(nid(4), "127.0.0.1@tcp1") << "the device's own";
}

TEST_F(Trial, ItDoesNotLookAtTheMachinesLinks) {
  ASSERT_EQ(adds("tcp", "nosuch0"), "0");
  EXPECT_TRUE(node->state().nis.at(1).up) << "though no device has its address";
}

TEST_F(Trial, ItRefusesWhatANodeRefuses) {
  EXPECT_EQ(adds("tcp", "10.7.7.7"), "0");
  EXPECT_EQ(adds("tcp", "10.7.7.7"), "-17 10.7.7.7 on net tcp is there already");
  EXPECT_EQ(adds("o2ib", "ib0"), "-22 LND type not supported");
  EXPECT_EQ(said(node->change(add_route({*NetId::parse("tcp2"), *Nid::parse("10.7.7.9@tcp")}))),
            "0");
  EXPECT_EQ(said(node->change(add_route({*NetId::parse("tcp2"), *Nid::parse("10.7.7.9@tcp3")}))),
            "-113 No interface configured on the same net as gateway");
}

TEST_F(Trial, ItsMessagesReachNobody) {
  ASSERT_EQ(adds("tcp", "10.7.7.7"), "0");
  PingRequest request;
  request.target = {*Nid::parse("10.7.7.9@tcp"), Pid::lustre()};
  EXPECT_FALSE(node->ping(request));
}

/// A driver that starts no NI.
struct NoNis final : lnd::Lnd {
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override {
    return fail(-EPERM, "no NI " + spec.interface + " here");
  }
  void stop_ni(core::NiId) override {}
  void submit(lnd::Command&&) override {}
  void flush() override {}
};

TEST(TrialNode, UsesTheDriverThatTheCallerMakes) {
  const auto node =
      Node::start_trial({}, {}, [](lnd::Inlet&) { return std::make_unique<NoNis>(); }).value();
  conf::NiItem ni;
  ni.interface = "eth0";
  EXPECT_EQ(said(node->change(AddNi{*NetId::parse("tcp"), ni})),
            "-1 cannot add LNet NI: no NI eth0 here");
}

// Threads of the partitions check the gateways while the node ends.
TEST(TrialNode, EndsWhileItsGatewaysAreChecked) {
  NodeOptions options;
  options.mode = Mode::kDedicated;
  options.params = {{"cpu_npartitions", "2"}};
  for (int round = 0; round < 20; ++round) {
    const auto node = Node::start_trial(options, machine_of(2)).value();
    std::vector<conf::Change> changes;
    conf::NiItem ni;
    ni.interface = "10.7.7.7";
    changes.emplace_back(AddNi{*NetId::parse("tcp"), ni});
    for (std::uint32_t i = 0; i < 100; ++i)
      changes.push_back(add_route({{NetType::kTcp, static_cast<std::uint16_t>(i + 1)},
                                   Nid::small({NetType::kTcp, 0}, 0x0a080000 + i)}));
    for (const auto& done : node->change_all(changes)) EXPECT_EQ(said(done), "0");
  }
}

}  // namespace
}  // namespace ulnet::node
