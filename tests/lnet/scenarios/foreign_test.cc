// Stories for spec/core-semantics.md 6.5, 8.1, 8.2, 8.4, 8.9: messages that no ulnet node would
// send. eve is a hostile peer of bob over TCP; the messages of alice are never affected.
#include "sim/foreign/raw_peer.h"
#include "story.h"

namespace ulnet::sim {
namespace {

using core::DropReason;
using lnd::sock::Count;

const Nid kEve = Nid::small({NetType::kTcp, 0}, 0x0a000009);

Given over_tcp() {
  Given given;
  given.driver = DriverKind::kSock;
  return given;
}

struct ForeignStory : ::testing::Test {
  explicit ForeignStory(const Given& world = over_tcp())
      : given(world), bob(given.bob.node), eve(given.world, kEve), talk(eve.greet(bob.nid())) {
    given.runs_for(seconds(1));
    EXPECT_TRUE(talk.hello.has_value());
    given.knows(given.bob, kEve);
  }
  ~ForeignStory() override {
    given.comes_to_rest();
    Lent& put = given.alice.puts({.to = bob.id(), .ack = AckRequest::kAck, .portal = {6}});
    given.bob.posts({.portal = {6}});
    given.comes_to_rest();
    EXPECT_EQ(put.reported(), "SEND, ACK (last)");
  }

  template <class Part>
  wire::LnetHeader header(Part part, std::uint32_t payload_length = 0) const {
    wire::LnetHeader made;
    made.dest_nid = bob.nid();
    made.src_nid = kEve;
    made.dest_pid = made.src_pid = Pid::lustre();
    made.payload_length = payload_length;
    made.part = part;
    return made;
  }
  wire::LnetHeader put(std::uint32_t bytes) const {
    wire::PutPart part;
    part.portal = 5;
    part.match_bits = 7;
    return header(part, bytes);
  }
  void says(const wire::LnetHeader& header) {
    const std::vector<std::byte> payload(header.payload_length, std::byte{'e'});
    eve.say(talk, words(header, payload));
    given.runs_for(seconds(1));
  }
  std::uint64_t count(Count what) const {
    return bob.sock_counts()[static_cast<std::size_t>(what)];
  }

  Story given;
  SimNode& bob;
  RawPeer eve;
  RawPeer::Talk& talk;
};

TEST_F(ForeignStory, AValidMessageIsReceived) {
  Lent& target = given.bob.posts();
  says(put(100));
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(target.filled_with('e'), 100U);
  EXPECT_EQ(target.event(EventType::kPut).initiator, (ProcessId{kEve, Pid::lustre()}));
  EXPECT_FALSE(talk.ended);
}

// ---- 8.1, 8.2

TEST_F(ForeignStory, AnAckWithPayloadEndsItsConnection) {  // spec/core-semantics.md 8.1
  says(header(wire::AckPart{}, 4));
  EXPECT_TRUE(talk.ended);
  EXPECT_EQ(count(Count::kClosedBadHeader), 1U);
}

TEST_F(ForeignStory, AGetWithPayloadEndsItsConnection) {  // spec/core-semantics.md 8.1
  says(header(wire::GetPart{}, 4));
  EXPECT_TRUE(talk.ended);
  EXPECT_EQ(count(Count::kClosedBadHeader), 1U);
}

TEST_F(ForeignStory, MoreThanOneMebibyteEndsItsConnection) {  // spec/core-semantics.md 8.1
  Lent& target = given.bob.posts({.bytes = 2 << 20});
  says(put(1 << 20));
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_FALSE(talk.ended);
  says(put((1 << 20) + 1));
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_TRUE(talk.ended);
  EXPECT_EQ(count(Count::kClosedBadHeader), 1U);
}

TEST_F(ForeignStory, AnUnknownTypeEndsItsConnection) {  // spec/core-semantics.md 8.2
  std::vector<std::byte> bytes = words(put(0));
  bytes[wire::kFrameBytes + 24] = std::byte{5};  // the offset of the type (spec/wire-lnet.md 2.1)
  eve.say(talk, bytes);
  given.runs_for(seconds(1));
  EXPECT_TRUE(talk.ended);
  EXPECT_EQ(count(Count::kClosedBadHeader), 1U);
}

// ---- 8.4

// spec/core-semantics.md 8.4
TEST_F(ForeignStory, AMessageForAnotherNidOfTheNetEndsItsConnection) {
  wire::LnetHeader wrong = put(10);
  wrong.dest_nid = given.alice.node.nid();
  says(wrong);
  EXPECT_TRUE(talk.ended);
  EXPECT_EQ(given.bob.dropped(DropReason::kNotThisNi), 1U);
  EXPECT_EQ(count(Count::kClosedRejected), 1U);
}

// spec/core-semantics.md 8.4; spec/wire-lnet.md 3.1.3
TEST_F(ForeignStory, AMessageForANidOnAnotherNetEndsItsConnection) {
  const Nid other = Nid::small({NetType::kTcp, 1}, 0x0a010002);
  ASSERT_TRUE(bob.add_ni({.nid = other}).has_value());
  wire::LnetHeader wrong = put(10);
  wrong.dest_nid = other;
  says(wrong);
  EXPECT_TRUE(talk.ended);
  EXPECT_EQ(given.bob.dropped(DropReason::kOtherNet), 1U);
  EXPECT_EQ(count(Count::kClosedRejected), 1U);
}

TEST_F(ForeignStory, AMessageForAnotherNetIsDropped) {  // spec/core-semantics.md 8.4
  Lent& target = given.bob.posts();
  wire::LnetHeader far = put(10);
  far.dest_nid = Nid::small({NetType::kTcp, 9}, 1);
  says(far);
  EXPECT_EQ(given.bob.dropped(DropReason::kRoutingOff), 1U);
  says(put(10));
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_FALSE(talk.ended);
}

// ---- 8.9

struct RouterStory : ForeignStory {
  static Given strict() {
    Given given = over_tcp();
    given.globals.drop_asym_route = 1;
    return given;
  }
  explicit RouterStory(const Given& world = strict()) : ForeignStory(world) {}
  /// A message from a node of another net that eve forwards.
  wire::LnetHeader handed_on() const {
    wire::LnetHeader made = put(10);
    made.src_nid = Nid::small({NetType::kTcp, 9}, 1);
    return made;
  }
};

// spec/core-semantics.md 8.9; spec/multirail.md 9.6
TEST_F(RouterStory, AMessageThroughAnotherRouterIsDroppedOnRequest) {
  Lent& target = given.bob.posts();
  says(handed_on());
  EXPECT_EQ(target.reported(), "");
  EXPECT_EQ(given.bob.dropped(DropReason::kAsymmetricRoute), 1U);
  says(put(10));  // eve's own message is accepted
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_FALSE(talk.ended);
}

// spec/core-semantics.md 8.9; spec/multirail.md 9.6
TEST_F(ForeignStory, AMessageThroughAnyRouterIsTaken) {
  Lent& target = given.bob.posts();
  wire::LnetHeader handed_on = put(10);
  handed_on.src_nid = Nid::small({NetType::kTcp, 9}, 1);
  says(handed_on);
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(target.event(EventType::kPut).source, handed_on.src_nid);
  EXPECT_EQ(target.event(EventType::kPut).sender, kEve);
}

// ---- 6.5: TCP moves no data by itself

TEST_F(ForeignStory, AGetIsAnsweredByAMessage) {  // spec/core-semantics.md 6.5
  given.bob.posts({.options = kOpGet, .bytes = 60});
  wire::GetPart part;
  part.return_wmd = {11, 22};
  part.portal = 5;
  part.match_bits = 7;
  part.sink_length = 60;
  says(header(part));
  ASSERT_EQ(talk.messages.size(), 1U);
  const RawPeer::Message& reply = talk.messages.front();
  EXPECT_EQ(reply.header.part, decltype(reply.header.part)(wire::ReplyPart{part.return_wmd}));
  EXPECT_EQ(reply.payload, std::vector<std::byte>(60, std::byte{'.'}));
}

TEST_F(ForeignStory, AGetGoesOutAsAMessageAndEndsWithOne) {  // spec/core-semantics.md 6.5
  Lent& get = given.bob.gets({.to = {kEve, Pid::lustre()}, .bytes = 60});
  given.runs_for(seconds(1));
  ASSERT_EQ(talk.messages.size(), 1U);
  const auto* asked = std::get_if<wire::GetPart>(&talk.messages.front().header.part);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->sink_length, 60U);
  EXPECT_EQ(get.reported(), "SEND");
  says(header(wire::ReplyPart{asked->return_wmd}, 60));
  EXPECT_EQ(get.reported(), "SEND, REPLY (last)");
  EXPECT_EQ(get.filled_with('e'), 60U);
}

}  // namespace
}  // namespace ulnet::sim
