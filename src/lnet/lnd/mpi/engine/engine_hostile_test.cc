// Processes that break the protocol. Source: docs/MPI-PROTOCOL.md.
#include <gmock/gmock.h>

#include "lnet/lnd/mpi/engine/fabric_fixture.h"

namespace ulnet::lnd::mpi {
namespace {

using testing::HasSubstr;

struct Hostile : Mpi {
  Hostile() {
    mpi.put(1, 0, {});
    mpi.run();
    mpi[0].messages.clear();
    // What rank 1 knows of rank 0, and rank 0 of rank 1.
    epoch = 2001;
    addressee = 1001;
  }
  void send(const std::vector<wire::MpiFrame>& frames) {
    std::vector<std::byte> message(wire::kMpiBatchBytes);
    wire::encode_batch({1, epoch, addressee}, message);
    for (const auto& frame : frames) {
      const std::size_t at = message.size();
      message.resize(at + frame_bytes(frame));
      encode_frame(frame, ByteSpan(message).subspan(at));
    }
    send(message);
  }
  void send(const std::vector<std::byte>& message) {
    mpi[0].engine.at(mpi.now);
    mpi[0].engine.arrived({0, 1}, message);
    mpi[0].engine.work();
  }
  static wire::LnetHeader header(std::uint32_t length) {
    wire::LnetHeader made;
    made.src_nid = Fabric::hop(1).nid;
    made.dest_nid = Fabric::hop(0).nid;
    made.src_pid = made.dest_pid = Pid::lustre();
    made.payload_length = length;
    made.part = wire::PutPart{{}, 7, 0, 5, 0};
    return made;
  }
  std::uint64_t refused() const {
    return const_cast<Hostile*>(this)->mpi[0].engine.count(Count::kRefusedFrame);
  }

  std::uint64_t epoch = 0, addressee = 0;
};

TEST_F(Hostile, TheFixtureKnowsTheEpochs) {
  send({{wire::MpiFrameType::kImmediate, 0, header(0), {}}});
  EXPECT_EQ(mpi[0].messages.size(), 1U);
  EXPECT_EQ(mpi[0].downs, 0);
}

TEST_F(Hostile, ImpossibleTagsEndThePeer) {
  using wire::MpiFrameType;
  const std::vector<std::vector<wire::MpiFrame>> wrong = {
      {{MpiFrameType::kLarge, 1, header(5000), {}}},
      {{MpiFrameType::kLarge, 3, header(5000), {}}},
      {{MpiFrameType::kLarge, 40000, header(5000), {}}},
      {{MpiFrameType::kLarge, 2, header(5000), {}}, {MpiFrameType::kLarge, 2, header(5000), {}}}};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    send(wrong[i]);
    EXPECT_EQ(refused(), i + 1);
    EXPECT_EQ(mpi[0].downs, static_cast<int>(i + 1));
    EXPECT_THAT(mpi[0].warnings.back(), HasSubstr("broke the protocol"));
    mpi.put(1, 0, {});  // shows rank 1 that it was forgotten
    mpi.run();
    mpi.put(1, 0, {});
    mpi.run();
    epoch += 1;
    addressee += 1;
  }
}

TEST_F(Hostile, FramesAboutUnknownTransfersAreIgnored) {
  send({{wire::MpiFrameType::kWithdraw, 8, {}, {}}, {wire::MpiFrameType::kNoData, 9, {}, {}}});
  EXPECT_EQ(refused(), 0U);
  EXPECT_EQ(mpi[0].engine.pending(), 0U);
}

TEST_F(Hostile, StaleMessagesAreCounted) {
  epoch = 5;
  send({{wire::MpiFrameType::kImmediate, 0, header(0), {}}});
  EXPECT_TRUE(mpi[0].messages.empty());
  EXPECT_EQ(mpi[0].engine.count(Count::kRefusedStale), 1U);
  EXPECT_EQ(mpi[0].downs, 0);
}

TEST_F(Hostile, NonsenseIsRefused) {
  send(std::vector<std::byte>{});
  EXPECT_EQ(refused(), 1U);
  send(std::vector<std::byte>(500, std::byte{0xee}));
  EXPECT_EQ(refused(), 2U);
  std::vector<std::byte> greeting(10);
  std::memcpy(greeting.data(), &wire::kMpiGreetingMagic, 4);
  send(greeting);
  EXPECT_EQ(mpi[0].engine.count(Count::kRefusedGreeting), 1U);
  mpi[0].engine.arrived({0, 77}, greeting);
  EXPECT_EQ(mpi[0].engine.count(Count::kRefusedStranger), 1U);
}

TEST_F(Hostile, APayloadOfAnotherLengthEndsThePeer) {
  Memory to(5000);
  land(0, to);
  send({{wire::MpiFrameType::kLarge, 2, header(5000), {}}});
  ASSERT_EQ(mpi[0].engine.pending(), 1U);
  // The only operation of rank 0: its landing.
  mpi[0].engine.received(mpi.only_post(), 0, 4999);
  mpi[0].engine.work();
  EXPECT_EQ(mpi[0].landed.at(0).status, -EPROTO);
  EXPECT_EQ(mpi[0].downs, 1);
}

}  // namespace
}  // namespace ulnet::lnd::mpi
