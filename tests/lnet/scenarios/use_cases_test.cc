// The use cases of the Multi-Rail design without routers: software with and without multi-rail side
// by side, software that changes, and configurations that change in a running cluster. A "downrev"
// node has software from before multi-rail (sim/foreign/foreign_node.h): it answers pings without
// that feature, and drops pushes. spec/multirail.md 2.1, 3.4, 4.4, 10.
#include "cluster.h"

namespace ulnet::sim {
namespace {

using wire::MsgType;

const Nid kClient = rail(1), kClient2 = rail(1, 1);
const Nid kServer = rail(2, 2), kServer2 = rail(2, 3);
const Nid kClientFar = rail(1, 4, 1), kServerFar = rail(2, 5, 1);
constexpr std::uint32_t kPortal = 5;
const Posting kLargePosting{.bytes = 1 << 20};

ProcessId at(const Nid& nid) { return {nid, Pid::lustre()}; }

// ---- static configurations

// 1. An uprev client with multi-rail and a downrev server. The client pings the server once, and
// pushes nothing. The server sees all messages come from one and the same NID of the client, at the
// NID that the client names; both sides' messages arrive.
TEST(UseCase, Static1UprevClientDownrevServer) {  // spec/multirail.md 3.4
  Cluster given;
  ForeignNode server(given.world, {kServer}, ForeignNode::downrev());
  Person client = given.person("client", {kClient, kClient2});
  client.posts(kLargePosting);

  all_arrive(given, client, at(kServer), 10);

  EXPECT_EQ(server.heard_of(MsgType::kPut, kPortal), 10U);
  EXPECT_EQ(server.sources_of(MsgType::kPut, kPortal).size(), 1U);
  EXPECT_EQ(server.heard_of(MsgType::kGet, 0), 1U);
  EXPECT_EQ(server.heard_of(MsgType::kPut, 0), 0U);
  ASSERT_NE(peer_of(client, kServer), nullptr);
  EXPECT_FALSE(peer_of(client, kServer)->has(core::kPeerMultiRail));
  EXPECT_TRUE(peer_of(client, kServer)->has(core::kPeerNoDiscovery));
}

// The same with a downrev server on two nets: for the client it is two peers, each of which sees
// one source.
TEST(UseCase, Static1TheNidsOfADownrevServerAreTwoPeers) {
  Cluster given;
  ForeignNode server(given.world, {kServer, kServerFar}, ForeignNode::downrev());
  Person client = given.person("client", {kClient, kClient2, kClientFar});

  all_arrive(given, client, at(kServer), 4);
  all_arrive(given, client, at(kServerFar), 4);

  EXPECT_EQ(nids_of(client, kServer), std::vector{kServer});
  EXPECT_EQ(nids_of(client, kServerFar), std::vector{kServerFar});
  EXPECT_EQ(server.sources_of(MsgType::kPut, kPortal).size(), 2U);
}

// 2. An uprev server with multi-rail and a downrev client. A request of the client to any NID of
// the server is answered from that NID. The server learns that the client has no multi-rail when it
// first sends to it, and uses one source from then on.
TEST(UseCase, Static2UprevServerDownrevClient) {  // spec/multirail.md 3.4
  Cluster given;
  Person server = given.person("server", {kServer, kServer2});
  Lent& posted = server.posts(kLargePosting);
  ForeignNode client(given.world, {kClient}, ForeignNode::downrev());

  client.put(kClient, kServer2, {.ack = true});
  given.runs_for(seconds(1));
  EXPECT_EQ(posted.reported(), "PUT");
  EXPECT_EQ(client.sources_of(MsgType::kAck, 0), std::vector{kServer2});
  EXPECT_EQ(client.heard_of(MsgType::kGet, 0), 0U);  // an answer needs no discovery

  all_arrive(given, server, at(kClient), 6);
  EXPECT_EQ(client.heard_of(MsgType::kPut, kPortal), 6U);
  EXPECT_EQ(client.sources_of(MsgType::kPut, kPortal).size(), 1U);
  EXPECT_EQ(client.heard_of(MsgType::kPut, 0), 0U);
  EXPECT_FALSE(peer_of(server, kClient)->has(core::kPeerMultiRail));
}

// 3. Uprev clients and servers. After the first message both know all NIDs of the other, and
// messages use all rails in turn.
TEST(UseCase, Static3UprevClientUprevServer) {
  Cluster given;
  Person client = given.person("client", {kClient, kClient2});
  Person server = given.person("server", {kServer, kServer2});
  server.posts(kLargePosting);
  client.posts(kLargePosting);

  all_arrive(given, client, server.id(), 8);
  EXPECT_EQ(puts_to(client, kServer) + puts_to(client, kServer2), 8U + 1U);  // and the push
  EXPECT_GE(puts_to(client, kServer), 4U);
  EXPECT_GE(puts_to(client, kServer2), 4U);
  EXPECT_EQ(peer_of(client, kServer)->state, kFoundOut);
  EXPECT_EQ(peer_of(server, kClient)->state, kFoundOut);
  EXPECT_EQ(nids_of(client, kServer2), (std::vector{kServer, kServer2}));
  EXPECT_EQ(nids_of(server, kClient2), (std::vector{kClient, kClient2}));
  all_arrive(given, server, client.id(), 4);
}

// The same with a peer of other software with multi-rail, which has discovery turned off: it
// advertises its NIDs, and is used as a peer without multi-rail.
TEST(UseCase, Static3APeerWithoutDiscoveryIsUsedByOneNid) {
  Cluster given;
  ForeignNode server(given.world, {kServer, kServer2}, ForeignNode::without_discovery());
  Person client = given.person("client", {kClient, kClient2});

  all_arrive(given, client, at(kServer), 6);
  EXPECT_EQ(server.heard_of(MsgType::kPut, 0), 0U);
  EXPECT_EQ(server.sources_of(MsgType::kPut, kPortal).size(), 1U);
  EXPECT_EQ(nids_of(client, kServer), std::vector{kServer});
}

// The same with a peer of other software that answers pings and acknowledges pushes as ulnet does.
TEST(UseCase, Static3AnotherSoftwareWithMultiRail) {
  Cluster given;
  ForeignNode server(given.world, {kServer, kServer2}, ForeignNode::uprev());
  Person client = given.person("client", {kClient, kClient2});

  all_arrive(given, client, at(kServer), 8);
  EXPECT_EQ(server.heard_of(MsgType::kPut, 0), 1U);
  EXPECT_EQ(server.sources_of(MsgType::kPut, kPortal).size(), 2U);
  EXPECT_EQ(nids_of(client, kServer), (std::vector{kServer, kServer2}));
}

// ---- software that changes

// 1. A client is upgraded from downrev to uprev, with uprev servers. The server goes on using the
// one NID that it knows, until the client sends a message: then it learns of the other NID, and
// uses both.
TEST(UseCase, Change1AClientIsUpgraded) {
  Cluster given;
  Person server = given.person("server", {kServer, kServer2});
  server.posts(kLargePosting);
  {
    ForeignNode old(given.world, {kClient}, ForeignNode::downrev());
    all_arrive(given, server, at(kClient), 2);
  }
  Person client = given.person("client", {kClient, kClient2});
  client.posts(kLargePosting);
  all_arrive(given, client, server.id(), 1);

  EXPECT_EQ(nids_of(server, kClient), (std::vector{kClient, kClient2}));
  EXPECT_EQ(peer_of(server, kClient)->state, kFoundOut);
  const std::uint64_t before = puts_to(server, kClient2);
  all_arrive(given, server, client.id(), 4);
  EXPECT_EQ(puts_to(server, kClient2), before + 2);
}

// 2. A client is downgraded from uprev to downrev, with uprev servers. Messages in both directions
// still arrive: a message of the server to the NID that is gone is sent again to the other NID.
// After a forced discovery the server knows that the client has no multi-rail, and uses its one
// NID, from one source.
TEST(UseCase, Change2AClientIsDowngraded) {
  Cluster given;
  Person server = given.person("server", {kServer, kServer2});
  Lent& posted = server.posts(kLargePosting);
  {
    Person client = given.person("client", {kClient, kClient2});
    client.posts(kLargePosting);
    all_arrive(given, client, server.id(), 1);
    all_arrive(given, server, client.id(), 4);
    client.node.crash();
    client.node.remove_ni(kClient2);
    client.node.remove_ni(kClient);
    given.comes_to_rest();
  }
  ForeignNode old(given.world, {kClient}, ForeignNode::downrev());
  old.restart();
  given.world.run_for(seconds(1));
  posted.events.clear();
  old.put(kClient, kServer, {.ack = true});
  given.runs_for(seconds(1));
  EXPECT_EQ(posted.reported(), "PUT");

  all_arrive(given, server, at(kClient), 4);
  EXPECT_EQ(old.heard_of(MsgType::kPut, kPortal), 4U);

  asks_for(server, kClient);
  given.runs_for(seconds(1));
  EXPECT_EQ(nids_of(server, kClient2), std::vector<Nid>{}) << "its second NID is gone";
  old.forget();
  all_arrive(given, server, at(kClient), 4);
  ASSERT_NE(peer_of(server, kClient), nullptr);
  EXPECT_FALSE(peer_of(server, kClient)->has(core::kPeerMultiRail));
  EXPECT_EQ(old.heard_of(MsgType::kPut, kPortal), 4U);
  EXPECT_EQ(old.sources_of(MsgType::kPut, kPortal).size(), 1U);
}

// 2, continued. The client restarts while the server, which had dialled it, has no connection to
// it. From the first hello of the downrev client the server knows of the restart: the next
// discovery asks the client again, without force.
TEST(UseCase, Change2IsNoticedAlsoWithoutConnections) {  // spec/wire-socklnd.md 8
  Cluster given;
  Person server = given.person("server", {kServer});
  {
    Person client = given.person("client", {kClient, kClient2});
    client.posts(kLargePosting);
    all_arrive(given, server, client.id(), 4);
    client.node.crash();
    client.node.remove_ni(kClient2);
    client.node.remove_ni(kClient);
    given.comes_to_rest();
  }
  ASSERT_EQ(nids_of(server, kClient), (std::vector{kClient, kClient2}));
  ForeignNode old(given.world, {kClient}, ForeignNode::downrev());
  old.restart();
  given.world.run_for(seconds(1));
  old.put(kClient, kServer, {.ack = true});
  given.runs_for(seconds(1));
  EXPECT_FALSE(peer_of(server, kClient)->has(core::kPeerNidsUpToDate));
  asks_for(server, kClient, false);
  given.runs_for(seconds(1));
  EXPECT_EQ(nids_of(server, kClient2), std::vector<Nid>{}) << "its second NID is gone";
}

// ---- a running cluster

struct Live : ::testing::Test {
  Live() {
    client.posts(kLargePosting);
    server.posts(kLargePosting);
    all_arrive(given, client, server.id(), 1);
  }
  void both_get_a_net() {
    EXPECT_TRUE(client.node.add_ni({.nid = kClientFar}).has_value());
    EXPECT_TRUE(server.node.add_ni({.nid = kServerFar}).has_value());
    given.comes_to_rest();
  }

  Cluster given;
  Person client = given.person("client", {kClient});
  Person server = given.person("server", {kServer});
};

// 1. A net is added, with its NIs and peer NIs. Pushes report it to both sides, before any message
// is sent; then messages use both nets.
TEST_F(Live, 1ANetIsAdded) {  // spec/multirail.md 2.1
  both_get_a_net();
  EXPECT_EQ(nids_of(client, kServer), (std::vector{kServer, kServerFar}));
  EXPECT_EQ(nids_of(server, kClient), (std::vector{kClient, kClientFar}));
  all_arrive(given, client, server.id(), 4);
  EXPECT_EQ(puts_to(client, kServerFar), 2U);
}

// 2. A net is deleted, with its NIs and peer NIs, while messages are under way. Each of them ends,
// those on the deleted net perhaps with an error. After that no message goes to a withdrawn NID,
// and no node knows that NID any more.
TEST_F(Live, 2ANetIsDeleted) {  // spec/multirail.md 2.1
  both_get_a_net();
  std::vector<Lent*> puts;
  for (int i = 0; i < 20; ++i)
    puts.push_back(&client.puts({.to = server.id(), .ack = AckRequest::kAck}));
  server.node.remove_ni(kServerFar);
  client.node.remove_ni(kClientFar);
  given.comes_to_rest();
  for (const Lent* put : puts)
    EXPECT_TRUE(put->events.back().unlinked || put->events.back().status != 0) << put->reported();

  EXPECT_EQ(nids_of(client, kServer), std::vector{kServer});
  EXPECT_EQ(nids_of(server, kClient), std::vector{kClient});
  const std::uint64_t before = puts_to(client, kServerFar);
  all_arrive(given, client, server.id(), 4);
  EXPECT_EQ(puts_to(client, kServerFar), before);
}

std::shared_ptr<const core::udsp::RuleList> prefer(std::string_view net) {
  core::udsp::RuleList rules;
  EXPECT_TRUE(rules.add(*core::udsp::parse_rule({.src = net, .priority = 0})).has_value());
  return std::make_shared<const core::udsp::RuleList>(std::move(rules));
}

// 5. A selection policy is added: from then on all messages use the net that it prefers.
TEST_F(Live, 5ASelectionPolicyIsAdded) {
  both_get_a_net();
  client.node.configure(prefer("tcp1"));
  given.comes_to_rest();
  const std::uint64_t near = puts_to(client, kServer), far = puts_to(client, kServerFar);
  all_arrive(given, client, server.id(), 6);
  EXPECT_EQ(puts_to(client, kServer), near);
  EXPECT_EQ(puts_to(client, kServerFar), far + 6);
}

// 6. The policy is deleted again: messages use both nets as before.
TEST_F(Live, 6ASelectionPolicyIsDeleted) {
  both_get_a_net();
  client.node.configure(prefer("tcp1"));
  all_arrive(given, client, server.id(), 2);
  client.node.configure(core::udsp::RuleList::none());
  given.comes_to_rest();
  const std::uint64_t near = puts_to(client, kServer), far = puts_to(client, kServerFar);
  all_arrive(given, client, server.id(), 6);
  EXPECT_EQ(puts_to(client, kServer), near + 3);
  EXPECT_EQ(puts_to(client, kServerFar), far + 3);
}

}  // namespace
}  // namespace ulnet::sim
