// Which peers a node keeps: those from which a message came or that a message reached.
// spec/core-semantics.md 8.8.
#include "story.h"

namespace ulnet::sim {
namespace {

class PeerStory : public testing::TestWithParam<DriverKind> {};
INSTANTIATE_TEST_SUITE_P(Drivers, PeerStory, testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

ProcessId nobody(std::uint32_t number) {
  return {Nid::small({NetType::kTcp, 0}, 0x0a006400U + number), Pid::lustre()};
}
void expect_all_credits(const Person& person) {
  for (const core::LocalNi* ni : person.state().nis.configured())
    EXPECT_EQ(ni->tx.credits(), ni->tx.max()) << ni->nid().to_string();
}

TEST_P(PeerStory, AnUnreachedPeerLeavesNoEntry) {
  Story given({.driver = GetParam(), .tunables = {.peer_credits = 2}});
  given.bob.node.crash();
  std::vector<Lent*> puts;
  for (std::uint32_t i = 0; i < 20; ++i) {
    puts.push_back(&given.alice.puts({.to = nobody(i), .ack = AckRequest::kAck}));
    puts.push_back(&given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck}));
  }
  given.comes_to_rest();
  for (const Lent* put : puts) EXPECT_NE(put->events.at(0).status, 0);
  EXPECT_EQ(given.alice.state().peers.peer_nis(), 0U);
  expect_all_credits(given.alice);

  given.bob.node.start();
  Lent& posted = given.bob.posts();
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_EQ(put.event(EventType::kAck).status, 0);
  EXPECT_EQ(posted.reported(), "PUT");
  EXPECT_EQ(given.alice.state().peers.peer_nis(), 1U);
}

TEST_P(PeerStory, AReachedPeerIsKeptWhenItIsGone) {
  Story given({.driver = GetParam()});
  given.bob.posts();
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  given.bob.node.crash();
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_NE(given.alice.state().peers.find_ni(given.bob.node.nid()), nullptr);
  expect_all_credits(given.alice);
}

int deletes(Person& from, const Person& whom) {
  core::ApiCall del{core::call::PeerDel{whom.node.nid()}};
  from.node.call(del);
  return del.status;
}
std::uint64_t dialled(const Person& person) {
  return person.node.sock_counts()[static_cast<std::size_t>(lnd::sock::Count::kDialled)];
}
const core::PeerNi* entry(const Person& of, const Person& whom) {
  return of.state().peers.find_ni(whom.node.nid());
}

TEST_P(PeerStory, ADeletedPeerReturnsAsNewOnTheSameConnection) {
  Story given({.driver = GetParam()});
  given.bob.posts();
  for (int i = 0; i < 3; ++i) {  // opens connections of every type
    given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
    given.comes_to_rest();
  }
  EXPECT_EQ(deletes(given.alice, given.bob), 0);
  EXPECT_EQ(entry(given.alice, given.bob), nullptr);
  given.knows(given.alice, given.bob.node.nid());

  const std::uint64_t before = dialled(given.alice);
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_EQ(put.event(EventType::kAck).status, 0);
  ASSERT_NE(entry(given.alice, given.bob), nullptr);
  EXPECT_EQ(entry(given.alice, given.bob)->traffic.sent.put, 1U);
  EXPECT_EQ(dialled(given.alice), before);
  expect_all_credits(given.alice);
}

TEST_P(PeerStory, APeerIsDeletedWhenItsMessagesHaveEnded) {
  Story given({.driver = GetParam(), .tunables = {.peer_credits = 2}});
  given.bob.posts();
  std::vector<Lent*> puts;
  for (int i = 0; i < 5; ++i)  // the driver has two, three wait for credits
    puts.push_back(&given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck}));
  EXPECT_EQ(deletes(given.alice, given.bob), -EBUSY);
  given.comes_to_rest();
  for (const Lent* put : puts) EXPECT_EQ(put->event(EventType::kAck).status, 0);
  EXPECT_EQ(deletes(given.alice, given.bob), 0);
  EXPECT_EQ(given.alice.state().peers.size(), 0U);
  expect_all_credits(given.alice);
}

}  // namespace
}  // namespace ulnet::sim
